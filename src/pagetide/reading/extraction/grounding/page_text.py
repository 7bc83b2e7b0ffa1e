"""Texts of pages as one, without differences that mean nothing; each letter knows its word."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from pagetide.document import Word
from pagetide.document.extraction import LinePlace
from pagetide.exports.fields.values.dates import DATE
from pagetide.geometry import box_of, polygon_of
from pagetide.reading.extraction.grounding.figures_in import Figure, figures_in
from pagetide.reading.extraction.pieces import Piece

_SAME = str.maketrans(
    dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("‘’‚′´`", "'") | dict.fromkeys("“”„«»", '"')
)


class PageText:
    """Pieces' texts, a line end between them.

    Attributes:
        text: In small letters, with figures, spaces, dashes and quotes of one kind.
    """

    def __init__(self, pieces: Sequence[Piece], decimal_mark: str = "") -> None:
        """Put them together.

        Args:
            pieces: In their order.
            decimal_mark: Of the whole document; see `decimal_mark_in`.
        """
        self._pieces, self._decimal_mark = pieces, decimal_mark
        letters: list[str] = []
        self._from: list[int] = []  # of each letter, its place in its piece's text
        self._starts: list[int] = []
        for piece in pieces:
            self._starts.append(len(letters))
            for place, letter in _folded(piece.text):
                letters.append(letter)
                self._from.append(place)
            letters.append("\n")
            self._from.append(len(piece.text))
        self.text = "".join(letters)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The numbers in it."""
        return tuple(figures_in(self.text, self._decimal_mark))

    @cached_property
    def dates(self) -> tuple[re.Match[str], ...]:
        """The dates in it."""
        return tuple(DATE.finditer(self.text))

    def found(self, start: int, end: int) -> tuple[str, list[LinePlace], list[float | None]]:
        """The text at a place: as the page has it, its lines, and its confidence."""
        first = bisect_right(self._starts, start) - 1
        texts, places, sure = [], [], []
        for index in range(first, len(self._pieces)):
            begins = max(self._starts[index], start)
            next_one = self._starts[index + 1] if index + 1 < len(self._starts) else None
            ends = min(end, len(self.text) if next_one is None else next_one)
            if begins >= end:
                break
            piece = self._pieces[index]
            span = self._from[begins], self._from[ends - 1] + 1
            texts.append(piece.text[slice(*span)])
            words = list(_words_at(piece, *span))
            places.append(_place(piece, words))
            sure += [word.confidence for word in words] or [piece.confidence]
        return " ".join(text for text in texts if text), places, sure


def folded(text: str) -> str:
    """A text without differences that mean nothing."""
    return "".join(letter for _, letter in _folded(text))


def _folded(text: str) -> Iterator[tuple[int, str]]:
    """The letters of a text so, each with its place in it; no two spaces side by side."""
    was_space = True
    for place, letter in enumerate(text):
        if unicodedata.category(letter) == "Cf":
            continue
        if letter.isdecimal():
            letter = str(unicodedata.decimal(letter))
        for plain in unicodedata.normalize("NFKC", letter).casefold().translate(_SAME):
            is_space = plain.isspace()
            if not (is_space and was_space):
                yield place, " " if is_space else plain
            was_space = is_space


def whole(piece: Piece) -> LinePlace:
    """All of a piece."""
    return LinePlace(id=piece.id, page=piece.page, line=piece.line, polygon=piece.polygon)


def least(sure: Iterable[float | None]) -> float | None:
    """The least confidence of what was read; None where it is not known."""
    return min((each for each in sure if each is not None), default=None)


def _place(piece: Piece, words: Sequence[Word]) -> LinePlace:
    if not words or len(words) == len(piece.words):
        return whole(piece)
    boxes = [box_of(word.polygon) for word in words]
    around = (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
    polygon = words[0].polygon if len(words) == 1 else polygon_of(around)
    return LinePlace(id=piece.id, page=piece.page, line=piece.line, polygon=polygon)


def _words_at(piece: Piece, start: int, end: int) -> Iterator[Word]:
    place = 0
    for word in piece.words:
        found = piece.text.find(word.text, place)
        if found < 0:
            return
        place = found + len(word.text)
        if found < end and place > start:
            yield word
