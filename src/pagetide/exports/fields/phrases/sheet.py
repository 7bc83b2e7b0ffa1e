"""A page's words in phrases, row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise
from math import inf
from statistics import median
from typing import NamedTuple

from pagetide.document import Block, Line, Page
from pagetide.document.field import Value, ValueKind
from pagetide.exports.fields.phrases.phrase import GAP, Phrase
from pagetide.exports.fields.phrases.upright_runs import Spaced, far_apart, spaced
from pagetide.geometry import Box, Polygon, polygon_of, union
from pagetide.languages.labels import LABEL_WORDS, kinds, names, plain
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.pieces import Piece, baselines, chunks_of
from pagetide.structure.upright import Upright, by_direction

MOST_LABELLED = 20  # labels with colons in one phrase
_COLON, _WORD = re.compile(r"[:：](?=\s)"), re.compile(r"\S+")
# A label that starts after a figure or a full stop, and is followed by digits.
_INNER = re.compile(
    r"(?:\d|\d[,;.)]|\w{5}\.|[,;)–—|·•-])\s+"
    r"(?P<label>[^\W\d_][^\d,;:()]{2,30}?)[\s.#°º]*(?=(?P<value>\d[\w/.-]*))"
)
# What most phrases lack of it.
_MAY_BE_INNER = re.compile(r"[\d.,;)–—|·•-]\s+[^\W\d_][^\d,;:()]{2,30}?[\s.#°º]*\d")
_SHORTEST = 6  # characters of a phrase with a label inside, at least
_DIVIDING = {"number", "date", "due_date", "order_number", "customer_number"}
_LETTERS = 5  # of such a label
_FIGURES = 2  # of a number that is not a bill's, at most
_STOPS = " ,;–—|·•(-"  # before it
_WIDER = 1.3  # times the next space: one that separates a value from the next label


class Meaning(NamedTuple):
    """The meaning of a text, as in `Value`."""

    kind: ValueKind | None = None
    normalised: str | None = None
    currency: str | None = None


NOTHING = Meaning()


class _Rounded(dict[float, float]):
    """Coordinates as exactly as a reader needs them: many values share an edge."""

    def __missing__(self, at: float) -> float:
        found = self[at] = round(at, 1)
        return found


@dataclass(frozen=True)
class Sheet:
    """A page's phrases of one direction.

    Attributes:
        page: The page.
        rows: By baseline, from the top; each from the start of its text.
    """

    page: Page
    upright: Upright
    rows: tuple[tuple[Phrase, ...], ...]

    @cached_property
    def block_of(self) -> dict[int, Block]:
        """Each line's block; the last of several."""
        return {line: block for block in self.page.blocks for line in block.line_indexes}

    @cached_property
    def usual(self) -> float:
        """The height of most letters; 0 without any."""
        heights = [phrase.height for phrase in self.phrases]
        return median(heights) if heights else 0.0

    @cached_property
    def phrases(self) -> tuple[Phrase, ...]:
        """All of them, row by row."""
        return tuple(chain.from_iterable(self.rows))

    @cached_property
    def _rounded(self) -> dict[float, float]:
        return _Rounded()

    def value(
        self, phrases: Sequence[Phrase], text: str | None = None, meaning: Meaning = NOTHING
    ) -> Value:
        """Phrases as a value on the page."""
        first, lines = phrases[0], self.page.lines
        own: tuple[int, ...] = (first.line,)
        box, sure = first.box, lines[first.line].confidence
        if len(phrases) > 1:  # most values have one
            own = tuple(dict.fromkeys([phrase.line for phrase in phrases]))
            box = union([phrase.box for phrase in phrases])
            sure = min([c for n in own if (c := lines[n].confidence) is not None], default=None)
            text = text or "\n".join([phrase.text for phrase in phrases])
        kind, normalised, currency = meaning
        return Value(
            text=text or first.text,
            page=self.page.number,
            polygon=self._polygon(box),
            lines=own,
            kind=kind,
            normalised=normalised,
            currency=currency,
            confidence=sure,
        )

    def _polygon(self, box: Box) -> Polygon:
        """A box's position on the page, as exactly as a reader needs it."""
        if self.upright.angle == 0.0 and not self.upright.mirrored:
            x0, y0, x1, y1 = map(self._rounded.__getitem__, box)
            return polygon_of((x0, y0, x1, y1))
        return tuple((round(x, 1), round(y, 1)) for x, y in self.upright.back(box))


def sheets(page: Page) -> Iterator[Sheet]:
    """The page's phrases, separately for each direction."""
    for upright, members in by_direction(page.lines):
        rows = baselines(_phrases(page.lines, members, upright))
        yield Sheet(page, upright, tuple(map(_parted_row, rows)))


def _phrases(lines: Sequence[Line], members: Sequence[int], upright: Upright) -> list[Phrase]:
    """The phrases of lines: by their words' boxes if upright, otherwise by pieces."""
    if upright != Upright():
        return _of_pieces(lines, members, upright)
    own = [spaced(lines[place], place) for place in members]
    apart = [line for line in own if isinstance(line, Spaced)]
    far = far_apart(own) if any(line.columns() for line in apart) else inf
    if far < inf and any(line.starts is None for line in apart):
        return _of_pieces(lines, members, upright)
    found: list[Phrase] = []
    for line in own:
        if isinstance(line, Phrase):
            found.append(line)
        elif line.starts is None:
            found += _of_pieces(lines, [line.place], upright)
        else:
            found += line.phrases(far)
    return found


def _of_pieces(lines: Sequence[Line], members: Sequence[int], upright: Upright) -> list[Phrase]:
    found = [lines[place] for place in members]
    boxes = [upright.box(line.polygon) for line in found]
    return [
        _phrase(piece, members)
        for words in words_of(found, boxes)
        for piece in chunks_of(words, gap=GAP)
    ]


def _parted_row(row: Sequence[Phrase]) -> tuple[Phrase, ...]:
    return tuple(chain.from_iterable(map(_parted, row)))


def _parted(phrase: Phrase) -> Sequence[Phrase]:
    """A phrase cut before each label inside it."""
    text = phrase.text
    if len(text) < _SHORTEST:
        return (phrase,)
    parts = _at_colons(phrase) if text.count(":") + text.count("：") > 1 else (phrase,)
    if len(parts) > 1 or not _MAY_BE_INNER.search(text):
        return parts
    return _at_labels(phrase)


def _at_labels(phrase: Phrase) -> Sequence[Phrase]:
    """A phrase cut before known labels of dates and numbers that directly follow.

    They follow a full stop or another value: `Invoice 4711 Order no. 23 Due date 3 May`.
    """
    text, at = phrase.text, 0
    found: list[Phrase] = []
    for inner in islice(_INNER.finditer(text), MOST_LABELLED):
        label = plain(inner["label"])
        name = names().get(label) if len(label) >= _LETTERS else None
        is_value = kinds().get(name or "") == "date" or len(inner["value"]) > _FIGURES
        if name in _DIVIDING and is_value:
            found.append(phrase.part(at, len(text[: inner.start("label")].rstrip(_STOPS))))
            at = inner.start("label")
    return (*found, phrase.part(at, len(text)) if at else phrase)


def _at_colons(phrase: Phrase) -> Sequence[Phrase]:
    """A phrase cut before each label with a colon inside it, of two or more."""
    text, at = phrase.text, 0
    found: list[Phrase] = []
    for colon in list(_COLON.finditer(text))[1:MOST_LABELLED]:
        words = list(_WORD.finditer(text, at, colon.start()))
        starts = [word.start() for word in words[-LABEL_WORDS:] if word.start() > at]
        start = next((n for n in starts if _is_known(text[n : colon.start()])), None)
        start = _after_widest(phrase, starts) if start is None else start
        if start is not None:
            found.append(phrase.part(at, start))
            at = start
    return (*found, phrase.part(at, len(text)) if at else phrase)


def _is_known(label: str) -> bool:
    return plain(label) in names()


def _after_widest(phrase: Phrase, starts: Sequence[int]) -> int | None:
    """Where an unknown label starts: after the widest space, with a capital letter."""
    spaces = [
        (b[2][1] - a[2][3], b[0])
        for a, b in pairwise(phrase.stops())
        if b[0] in starts and not phrase.text[: a[1]].rstrip().endswith((":", "："))
    ]
    if not spaces:
        return None
    (widest, start), *others = sorted(spaces, reverse=True)
    clear = not others or widest > _WIDER * others[0][0]
    return start if clear and phrase.text[start].isupper() else None


def _phrase(piece: Piece, members: Sequence[int]) -> Phrase:
    ordered = sorted(piece.words or (piece,), key=lambda word: word.place)
    words = [(word.text, word.x0, word.y0, word.x1, word.y1) for word in ordered]
    return Phrase(
        piece.text, piece.x0, piece.y0, piece.x1, piece.y1, members[piece.line], words
    )
