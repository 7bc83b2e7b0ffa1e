"""A page's words in phrases, row by row: what labels and values are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pagetide.document import Line, Page
from pagetide.document.field import Value
from pagetide.exports.fields.known import LABEL_WORDS, names, plain
from pagetide.exports.fields.upright_runs import Run, runs_in
from pagetide.geometry import Box, union
from pagetide.structure.tables.pieces import Piece, baselines, chunks_of, words_of
from pagetide.structure.upright import Upright, by_direction

MOST_LABELLED = 20  # labels with colons in one phrase
_COLON, _WORD = re.compile(r"[:：](?=\s)"), re.compile(r"\S+")
_WIDER = 1.3  # times the next space: one that parts a value from the next label
GAP = 1.2  # line heights between a phrase and the next


Word = tuple[str, float, float]
"""A word's text, and from which x to which it runs."""


@dataclass(frozen=True)
class Phrase:
    """Words of one line that stand together.

    Attributes:
        text: As the line has them.
        box: Upright, the text running from left to right.
        line: The line's place in the page's `lines`.
        words: In the text's order.
    """

    text: str
    box: Box
    line: int
    words: Sequence[Word]

    @cached_property
    def stops(self) -> tuple[tuple[int, int, float, float], ...]:
        """From which character and which x each word runs to which."""
        stops, place = [], 0
        for word, x0, x1 in self.words:
            place = self.text.find(word, place)
            stops.append((place, place + len(word), x0, x1))
            place += len(word)
        return tuple(stops)

    @property
    def x0(self) -> float:
        """Where it begins."""
        return self.box[0]

    @property
    def y0(self) -> float:
        """Its upper edge."""
        return self.box[1]

    @property
    def y1(self) -> float:
        """Its lower edge."""
        return self.box[3]

    @property
    def height(self) -> float:
        """Of its line, in pixels."""
        return self.box[3] - self.box[1]

    def part(self, start: int, end: int) -> Phrase:
        """Some of its characters, without the spaces around them."""
        start += len(self.text[start:end]) - len(self.text[start:end].lstrip())
        end = start + len(self.text[start:end].rstrip())
        x0, x1 = sorted((self._x(start, 0), self._x(end, 1)))
        words = [
            (self.text[max(a, start) : min(b, end)], max(a, start), min(b, end))
            for a, b, *_ in self.stops
            if a < end and b > start
        ]
        kept = tuple((word, self._x(a, 0), self._x(b, 1)) for word, a, b in words)
        return Phrase(self.text[start:end], (x0, self.box[1], x1, self.box[3]), self.line, kept)

    def without_colon(self) -> Phrase:
        """A value without the colon that stands in a column of its own before it."""
        bare = self.text.lstrip(" :：")
        return (
            self if bare == self.text else self.part(len(self.text) - len(bare), len(self.text))
        )

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
        phrases = _phrases(page.lines, members, upright)
        rows = tuple(
            tuple(part for phrase in row for part in _parted(phrase))
            for row in baselines(phrases)
        )
        yield Sheet(page, upright, rows)


def _phrases(lines: Sequence[Line], members: Sequence[int], upright: Upright) -> list[Phrase]:
    """The phrases of lines: run by run where they stand upright, else piece by piece."""
    found: list[Phrase] = []
    for place in members if upright == Upright() else ():
        runs = runs_in(lines[place], GAP)
        if runs is None:
            return _of_pieces(lines, members, upright)
        if runs:
            found += [_of_run(run, place) for run in runs]
        else:
            found += _of_pieces(lines, [place], upright)
    return found if upright == Upright() else _of_pieces(lines, members, upright)


def _of_run(run: Run, line: int) -> Phrase:
    words = [(text, box[0], box[2]) for text, box in zip(run.texts, run.boxes, strict=True)]
    return Phrase(" ".join(run.texts), run.box, line, words)


def _of_pieces(lines: Sequence[Line], members: Sequence[int], upright: Upright) -> list[Phrase]:
    found = [lines[place] for place in members]
    boxes = [upright.box(line.polygon) for line in found]
    return [
        _phrase(piece, members)
        for words in words_of(found, boxes)
        for piece in chunks_of(words, gap=GAP)
    ]


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
    """Where an unknown label begins: behind the widest space, with a capital letter."""
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
    ordered = sorted(piece.words or (piece,), key=lambda word: word.place)
    words = [(word.text, word.x0, word.x1) for word in ordered]
    return Phrase(
        piece.text, (piece.x0, piece.y0, piece.x1, piece.y1), members[piece.line], words
    )


def _rounded(polygon: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    return tuple((round(x, 1), round(y, 1)) for x, y in polygon)
