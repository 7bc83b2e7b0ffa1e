"""Words with upright boxes, and the phrases they form: the content of a grid's cells."""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from statistics import median
from typing import NamedTuple, Protocol, TypeVar

from pagetide.geometry import Box
from pagetide.layout.words import is_unspaced, joint
from pagetide.structure.rows import BULLETS, is_mark

WORD_GAP = 0.65  # line heights; justified prose rarely has wider spaces
EM_SPACE = 1.2  # the same of scripts without spaces: an em parts the letters of short names,
# and of dots that lead to a figure
BULLET_GAP = 3.0  # line heights from a bullet to its text, at most
SAME_ROW = 0.45  # of the smaller height: how far apart the middles of one row's pieces are

LEADER = re.compile(r"(?:[.·…]\s?){3,}$")  # dots that lead to what is beside a text
_BULLET, _FIGURE = re.compile(f"[{BULLETS}]"), re.compile(r"\d")


class Piece(NamedTuple):
    """A word, or neighbouring words of one line, upright.

    Attributes:
        line: The index of its line on the page.
        words: Of a phrase, its words.
        spaced: Whether a space precedes it in its line.
        place: Its index among its line's words.
        apart: Whether it and the previous word are figures of two columns set close together:
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
        """Its vertical middle."""
        return (self.y0 + self.y1) / 2

    @property
    def center(self) -> float:
        """Its horizontal middle."""
        return (self.x0 + self.x1) / 2


_LINE, _PLACE, _LEFT = attrgetter("line"), attrgetter("place"), attrgetter("x0")


def are_set_alike(one: Piece, other: Piece, near: float) -> bool:
    """Whether two texts start at one position and are as high, up to `near`."""
    level = abs(one.x0 - other.x0) < near
    return level and abs((one.y1 - one.y0) - (other.y1 - other.y0)) < near


def has_figures(text: str) -> bool:
    """Whether a text has a digit: column names have none."""
    if text.isascii():
        return _FIGURE.search(text) is not None
    return any(map(str.isdigit, text))


def is_figure(text: str) -> bool:
    """Whether a text has digits and no letters."""
    return has_figures(text) and not any(map(str.isalpha, text))


def begins_small(text: str) -> bool:
    """Whether a text starts like a continuation: without a capital, in any script."""
    return text[:1] in ("(", "&") or (text[:1].isalpha() and not text[:1].isupper())


def line_height(boxes: Iterable[Box]) -> float:
    """The typical height of a line; 1 if there is none."""
    heights = [box[3] - box[1] for box in boxes if box[3] > box[1]]
    return median(heights) if heights else 1.0


def chunks_of(words: Sequence[Piece], gap: float = WORD_GAP) -> list[Piece]:
    """A line's words joined into phrases where the gaps are those within a phrase."""
    return [phrase(run) if len(run) > 1 else run[0] for run in _runs(words, gap)]


def _runs(words: Sequence[Piece], gap: float) -> list[list[Piece]]:
    """A line's words, split where a gap is wider than between words.

    In a right-to-left line, figures and Latin words follow one another to the right.
    """
    runs: list[list[Piece]] = []
    left = right = 0.0
    for word in words:  # `max` would take most of the time: a page calls this 10,000 times
        _, x0, y0, x1, y1 = word[:5]
        room = x0 - right if x0 - right > left - x1 else left - x1
        room /= y1 - y0 if y1 - y0 > 1e-6 else 1e-6
        far = room > gap and not (runs and room < BULLET_GAP and _is_near(runs[-1], word, room))
        if not runs or far or word.apart:
            runs.append([word])
            left, right = x0, x1
            continue
        runs[-1].append(word)
        left, right = x0 if x0 < left else left, x1 if x1 > right else right
    return runs


def _is_near(run: Sequence[Piece], word: Piece, room: float) -> bool:
    """Whether a word belongs to a run despite a wide gap of so many line heights."""
    are_unspaced = is_unspaced(run[-1].text) and is_unspaced(word.text)
    leads = word.text == "."
    return _is_bullet(run, word) or (room <= EM_SPACE and (are_unspaced or leads))


def _is_bullet(run: Sequence[Piece], word: Piece) -> bool:
    """Whether a run is the bullet at the start of a line, and the word its text."""
    bullet, *others = run
    is_first = not others and bullet.place == 0 and word.line == bullet.line
    return bool(is_first and _BULLET.fullmatch(bullet.text)) and not is_mark(word.text)


def phrase(words: Sequence[Piece]) -> Piece:
    """Words of one line as one piece."""
    return Piece(
        joined_text(words),
        min([word.x0 for word in words]),
        min([word.y0 for word in words]),
        max([word.x1 for word in words]),
        max([word.y1 for word in words]),
        words[0].line,
        tuple(words),
        words[0].spaced,
        words[0].place,
    )


def joined_text(words: Sequence[Piece]) -> str:
    """The text of words side by side.

    Words of one line keep the line's order: in a right-to-left line, numbers and Latin words
    run to the right.
    """
    text = ""
    lines = groupby(words, key=_LINE)
    ordered = [word for _, run in lines for word in sorted(run, key=_PLACE)]
    for last, word in zip([None, *ordered], ordered, strict=False):
        of_one_line = last is not None and last.line == word.line
        space = " " * word.spaced if of_one_line else joint(text, word.text)
        text += space + word.text
    return text


def share_level(pieces: Sequence[Piece], others: Iterable[Piece], near: float) -> float:
    """The share, 0–1, of pieces that start, end or have their middle where another does."""
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
        """Its left edge."""

    @property
    def y0(self) -> float:
        """Its upper edge."""

    @property
    def y1(self) -> float:
        """Its lower edge."""


S = TypeVar("S", bound=Standing)


def baselines(pieces: Iterable[S]) -> list[list[S]]:
    """The pieces grouped by baseline, from the top, each group from left to right."""
    rows: list[list[S]] = []
    middle = height = 0.0
    for piece in sorted(pieces, key=lambda p: p.y0 + p.y1):
        own, at = piece.y1 - piece.y0, (piece.y0 + piece.y1) / 2
        if not rows or at - middle > SAME_ROW * (own if own < height else height):
            rows.append([])
            middle, height = at, own
        rows[-1].append(piece)
    for row in rows:
        row.sort(key=_LEFT)
    return rows
