"""A page's words in phrases, row by row: what labels and values are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pagetide.document import Page
from pagetide.document.field import Value
from pagetide.exports.fields.known import LABEL_WORDS, names, plain
from pagetide.geometry import Box, union
from pagetide.structure.tables.pieces import Piece, baselines, chunks_of, words_of
from pagetide.structure.upright import Upright, by_direction

MOST_LABELLED = 20  # labels with colons in one phrase
_COLON, _WORD = re.compile(r"[:：](?=\s)"), re.compile(r"\S+")
_WIDER = 1.3  # times the next space: one that parts a value from the next label
GAP = 1.2  # line heights between a phrase and the next


@dataclass(frozen=True)
class Phrase:
    """Words of one line that stand together.

    Attributes:
        text: As the line has them.
        box: Upright, the text running from left to right.
        line: The line's place in the page's `lines`.
        stops: From which character and which x each word runs to which.
    """

    text: str
    box: Box
    line: int
    stops: tuple[tuple[int, int, float, float], ...]

    @property
    def height(self) -> float:
        """Of its line, in pixels."""
        return self.box[3] - self.box[1]

    def part(self, start: int, end: int) -> Phrase:
        """Some of its characters, without the spaces around them."""
        start += len(self.text[start:end]) - len(self.text[start:end].lstrip())
        end = start + len(self.text[start:end].rstrip())
        x0, x1 = sorted((self._x(start, 0), self._x(end, 1)))
        kept = [
            (max(a, start), min(b, end)) for a, b, *_ in self.stops if a < end and b > start
        ]
        stops = tuple((a - start, b - start, self._x(a, 0), self._x(b, 1)) for a, b in kept)
        box = (x0, self.box[1], x1, self.box[3])
        return replace(self, text=self.text[start:end], box=box, stops=stops)

    def _x(self, place: int, side: int) -> float:
        """Where a character begins (side 0) or the one before it ends (1)."""
        for start, end, x0, x1 in self.stops:
            if start <= place - side < end:
                return x0 + (x1 - x0) * (place - start) / (end - start)
        return self.box[2 * side]


@dataclass(frozen=True)
class Sheet:
    """A page's phrases of one direction.

    Attributes:
        page: The page.
        rows: By baseline, from the top; each from where its text begins.
    """

    page: Page
    upright: Upright
    rows: tuple[tuple[Phrase, ...], ...]

    def value(self, phrases: Sequence[Phrase], text: str | None = None) -> Value:
        """Phrases as something that stands on the page."""
        lines = tuple(dict.fromkeys(phrase.line for phrase in phrases))
        read = [self.page.lines[line].confidence for line in lines]
        return Value(
            text=text or "\n".join(phrase.text for phrase in phrases),
            page=self.page.number,
            polygon=_rounded(self.upright.back(union(phrase.box for phrase in phrases))),
            lines=lines,
            confidence=min((sure for sure in read if sure is not None), default=None),
        )


def sheets(page: Page) -> Iterator[Sheet]:
    """The page's phrases, those of each direction by themselves."""
    for upright, members in by_direction(page.lines):
        lines = [page.lines[place] for place in members]
        boxes = [upright.box(line.polygon) for line in lines]
        chunks = [
            chunk for words in words_of(lines, boxes) for chunk in chunks_of(words, gap=GAP)
        ]
        rows = tuple(
            tuple(part for piece in row for part in _parted(_phrase(piece, members)))
            for row in baselines(chunks)
        )
        yield Sheet(page, upright, rows)


def _parted(phrase: Phrase) -> Iterator[Phrase]:
    """A phrase cut before each label with a colon that stands in the midst of it."""
    at = 0
    for colon in list(_COLON.finditer(phrase.text))[1:MOST_LABELLED]:
        words = list(_WORD.finditer(phrase.text, at, colon.start()))
        starts = [word.start() for word in words[-LABEL_WORDS:] if word.start() > at]
        start = next((n for n in starts if _is_known(phrase.text[n : colon.start()])), None)
        start = _after_widest(phrase, starts) if start is None else start
        if start is not None:
            yield phrase.part(at, start)
            at = start
    yield phrase.part(at, len(phrase.text)) if at else phrase


def _is_known(label: str) -> bool:
    return plain(label) in names()


def _after_widest(phrase: Phrase, starts: Sequence[int]) -> int | None:
    """Where a label begins that is not known: behind the widest space, with a capital letter."""
    spaces = [
        (b[2] - a[3], b[0])
        for a, b in pairwise(phrase.stops)
        if b[0] in starts and not phrase.text[: a[1]].rstrip().endswith((":", "："))
    ]
    if not spaces:
        return None
    (widest, start), *others = sorted(spaces, reverse=True)
    clear = not others or widest > _WIDER * others[0][0]
    return start if clear and phrase.text[start].isupper() else None


def _phrase(piece: Piece, members: Sequence[int]) -> Phrase:
    stops, place = [], 0
    for word in sorted(piece.words or (piece,), key=lambda word: word.place):
        place = piece.text.find(word.text, place)
        stops.append((place, place + len(word.text), word.x0, word.x1))
        place += len(word.text)
    box = (piece.x0, piece.y0, piece.x1, piece.y1)
    return Phrase(piece.text, box, members[piece.line], tuple(stops))


def _rounded(polygon: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    return tuple((round(x, 1), round(y, 1)) for x, y in polygon)
