"""Words with upright boxes, and the chunks they form: what a grid's cells are filled with."""

from __future__ import annotations

import math
import re
from bisect import bisect, bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from statistics import median
from typing import NamedTuple, Protocol, TypeVar

from pagetide.document import Line
from pagetide.geometry import Box, box_of, center, stretch_of
from pagetide.layout.words import joint, spaced_words
from pagetide.structure.paragraphs import BULLETS, is_mark

WORD_GAP = 0.65  # line heights; justified prose rarely has wider spaces
BULLET_GAP = 3.0  # line heights from a bullet to its text, at most
FIGURE_GAP = 0.35  # line heights between figures of two columns, at least
SPACES = 2.0  # between words: as many are between figures of two columns
SAME_ROW = 0.45  # of the smaller height: how far the middles of one row's pieces lie apart

_WHOLE = re.compile(r"\d[.,]\d")  # a figure that is no part of one whose thousands stand apart
_BULLET, _FIGURE = re.compile(f"[{BULLETS}]"), re.compile(r"\d")


class Piece(NamedTuple):
    """A word, or neighbouring words of one line, upright.

    Attributes:
        line: Its line's place on the page.
        words: Of a phrase, its words.
        spaced: Whether a space is before it in its line.
        place: Its place among its line's words.
        apart: Whether it and the word before are figures of two columns set close together:
            farther from each other than words are on the page, or both with a point or comma.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    line: int
    words: tuple[Piece, ...] = ()
    spaced: bool = True
    place: int = 0
    apart: bool = False

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return (self.y0 + self.y1) / 2

    @property
    def center(self) -> float:
        """The middle from left to right."""
        return (self.x0 + self.x1) / 2


_LINE, _PLACE = attrgetter("line"), attrgetter("place")

Words = Sequence[Sequence[Piece]]
"""Words by line; a line's may be none."""


def words_of(lines: Sequence[Line], boxes: Sequence[Box]) -> list[list[Piece]]:
    """Each line's words, upright, in the text's order; a line without words is one.

    Args:
        lines: With polygons in page pixels, however they stand.
        boxes: The same lines turned upright (and perhaps mirrored).
    """
    mirrored = _mirrored(lines, boxes)
    words = [
        [piece for piece in _words(line, box, index, mirrored=mirrored) if piece.text.strip()]
        for index, (line, box) in enumerate(zip(lines, boxes, strict=True))
    ]
    apart = [
        (place, n)
        for place, own in enumerate(words)
        for n, (a, b) in enumerate(pairwise(own), 1)
        if b.x0 - a.x1 > FIGURE_GAP * (b.y1 - b.y0) and is_figure(a.text) and is_figure(b.text)
    ]
    if apart:  # most pages have none, and need not be measured
        gaps = [gap for own in words for gap in map(_gap, own, own[1:]) if 0 < gap <= WORD_GAP]
        far = SPACES * median(gaps) if gaps else 0.0
        for place, n in apart:
            before, word = words[place][n - 1 : n + 1]
            whole = bool(_WHOLE.search(before.text) and _WHOLE.search(word.text))
            words[place][n] = word._replace(apart=whole or _gap(before, word) > far)
    return words


def _gap(left: Piece, right: Piece) -> float:
    """What is left between two words, in heights of the right one."""
    return (right.x0 - left.x1) / max(right.y1 - right.y0, 1e-6)


def has_figures(text: str) -> bool:
    """Whether a text has a digit: names of columns have none."""
    if text.isascii():
        return _FIGURE.search(text) is not None
    return any(map(str.isdigit, text))


def is_figure(text: str) -> bool:
    """Whether a text has digits and no letters."""
    return has_figures(text) and not any(map(str.isalpha, text))


def begins_small(text: str) -> bool:
    """Whether a text begins as one may that goes on: with no capital, in any script."""
    return text[:1] in ("(", "&") or (text[:1].isalpha() and not text[:1].isupper())


def _words(line: Line, box: Box, index: int, *, mirrored: bool) -> list[Piece]:
    if not line.words:
        return [Piece(line.text, *box, index)]
    spaced = [True, *(space for _, space in spaced_words(line))]
    if not mirrored and _near(box_of(line.polygon), box):
        return [
            Piece(word.text, *box_of(word.polygon), index, (), space, place)
            for place, (word, space) in enumerate(zip(line.words, spaced, strict=False))
        ]
    # The line was turned: a word keeps its share of the line's length.
    x0, y0, x1, y1 = box
    found = []
    for place, (word, space) in enumerate(zip(line.words, spaced, strict=False)):
        low, high = stretch_of(line.polygon, word.polygon)
        if mirrored:
            low, high = 1 - high, 1 - low
        left, right = x0 + low * (x1 - x0), x0 + high * (x1 - x0)
        found.append(Piece(word.text, left, y0, right, y1, index, (), space, place))
    return found


def _near(a: Box, b: Box) -> bool:
    return all(abs(p - q) < 0.01 for p, q in zip(a, b, strict=True))


def _mirrored(lines: Sequence[Line], boxes: Sequence[Box]) -> bool:
    """Whether left and right changed places, as is done to text that runs leftward.

    The lines farthest left and right tell: along the text's own direction they then lie the
    other way round.
    """
    if len(lines) < 2:
        return False
    order = sorted(range(len(boxes)), key=lambda i: boxes[i][0] + boxes[i][2])
    left, right = lines[order[0]].polygon, lines[order[-1]].polygon
    (x0, y0), (x1, y1) = max((left, right), key=lambda p: math.dist(p[0], p[1]))[:2]
    (ax, ay), (bx, by) = center(box_of(left)), center(box_of(right))
    return (bx - ax) * (x1 - x0) + (by - ay) * (y1 - y0) < 0


def line_height(boxes: Iterable[Box]) -> float:
    """The typical height of a line; 1 where there is none."""
    heights = [box[3] - box[1] for box in boxes if box[3] > box[1]]
    return median(heights) if heights else 1.0


def chunks_of(words: Sequence[Piece], gap: float = WORD_GAP) -> list[Piece]:
    """A line's words joined where they stand as close as words of one phrase do."""
    return [phrase(run) if len(run) > 1 else run[0] for run in _runs(words, gap)]


def _runs(words: Sequence[Piece], gap: float) -> list[list[Piece]]:
    """A line's words, parted where a gap between two is wider than between words.

    In a line that runs to the left, figures and Latin words follow one another to the right.
    """
    runs: list[list[Piece]] = []
    left = right = 0.0
    for word in words:  # `max` would take most of the time: a page asks 10,000 times
        _, x0, y0, x1, y1 = word[:5]
        room = x0 - right if x0 - right > left - x1 else left - x1
        room /= y1 - y0 if y1 - y0 > 1e-6 else 1e-6
        far = room > gap and not (runs and room < BULLET_GAP and _is_bullet(runs[-1], word))
        if not runs or far or word.apart:
            runs.append([word])
            left, right = x0, x1
            continue
        runs[-1].append(word)
        left, right = x0 if x0 < left else left, x1 if x1 > right else right
    return runs


def _is_bullet(run: Sequence[Piece], word: Piece) -> bool:
    """Whether a run is the bullet that a line begins with, and the word what it stands for."""
    bullet, *others = run
    is_first = not others and bullet.place == 0 and word.line == bullet.line
    return bool(is_first and _BULLET.fullmatch(bullet.text)) and not is_mark(word.text)


def phrase(words: Sequence[Piece]) -> Piece:
    """Words of one line as one piece."""
    return Piece(
        said(words),
        min([word.x0 for word in words]),
        min([word.y0 for word in words]),
        max([word.x1 for word in words]),
        max([word.y1 for word in words]),
        words[0].line,
        tuple(words),
        words[0].spaced,
        words[0].place,
    )


def said(words: Sequence[Piece]) -> str:
    """The text of words that stand side by side.

    Those of one line stay as the line has them: in one that runs to the left, numbers and Latin
    words run to the right.
    """
    text = ""
    lines = groupby(words, key=_LINE)
    ordered = [word for _, run in lines for word in sorted(run, key=_PLACE)]
    for last, word in zip([None, *ordered], ordered, strict=False):
        of_one_line = last is not None and last.line == word.line
        space = " " * word.spaced if of_one_line else joint(text, word.text)
        text += space + word.text
    return text


def inside_of(box: Box, words: Words, line: float) -> list[list[Piece]]:
    """The words in a box or half a line beside it, by line.

    A phrase that the box cuts is in it as a whole if most of it is, or not at all.
    """
    x0, y0, x1, y1 = box
    x0, x1 = x0 - line / 2, x1 + line / 2

    def inside(word: Piece) -> bool:
        return y0 <= word.middle <= y1 and x0 <= word.center <= x1

    found = []
    for of_line in words:
        within = [
            y0 <= (w.y0 + w.y1) / 2 <= y1 and x0 <= (w.x0 + w.x1) / 2 <= x1 for w in of_line
        ]
        if any(within) and not all(within):
            runs = [run for run in _runs(of_line, WORD_GAP) if _mostly(run, inside)]
            found.append([word for run in runs for word in run])
        elif of_line and within[0]:
            found.append(list(of_line))
    return [of_line for of_line in found if of_line]


def _mostly(words: Sequence[Piece], inside: Callable[[Piece], bool]) -> bool:
    """Whether those inside take up more than half of the words' width."""
    widths = [(max(word.x1 - word.x0, 1e-6), inside(word)) for word in words]
    return 2 * sum(width for width, within in widths if within) > sum(w for w, _ in widths)


def share_level(pieces: Sequence[Piece], others: Iterable[Piece], near: float) -> float:
    """The share, 0–1, of pieces that begin, end or have their middle where another does."""
    edges = [sorted(kind) for kind in zip(*map(_edges, others), strict=True)]

    def is_level(piece: Piece) -> bool:
        return any(
            bisect(kind, at + near) > bisect_left(kind, at - near)
            for at, kind in zip(_edges(piece), edges, strict=False)
        )

    return sum(map(is_level, pieces)) / max(len(pieces), 1)


def _edges(piece: Piece) -> tuple[float, float, float]:
    return piece.x0, piece.center, piece.x1


class Standing(Protocol):
    """Something upright on a page."""

    @property
    def x0(self) -> float:
        """Where it begins."""

    @property
    def y0(self) -> float:
        """Its upper edge."""

    @property
    def y1(self) -> float:
        """Its lower edge."""


S = TypeVar("S", bound=Standing)


def baselines(pieces: Iterable[S]) -> list[list[S]]:
    """The pieces by the baseline they share, from the top, each from left to right."""
    rows: list[list[S]] = []
    middle = height = 0.0
    for piece in sorted(pieces, key=lambda p: p.y0 + p.y1):
        own, at = piece.y1 - piece.y0, (piece.y0 + piece.y1) / 2
        if not rows or at - middle > SAME_ROW * min(own, height):
            rows.append([])
            middle, height = at, own
        rows[-1].append(piece)
    for row in rows:
        row.sort(key=lambda p: p.x0)
    return rows
