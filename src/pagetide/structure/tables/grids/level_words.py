"""Columns as close as words: each has a header, and all rows split at the same position."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

from pagetide.structure.tables.grids.columns import SIGNS
from pagetide.structure.tables.pieces import Piece, baselines, has_figures

LEAST, NUMBERS = 3, 2  # rows that split at a position, or start there, and that split
LEVEL = 0.15  # of a word's height: aligned edges
GROUP = 4  # digits, at most, in a group of a number or an account number
MOST = 20  # such positions in a table

_NONE = re.compile(r"[-–—.*]+")  # if a number is missing


class _Break(NamedTuple):
    """Two adjacent words of a phrase; the first ends the part before the break."""

    begins: float
    left: Piece
    right: Piece
    alone: bool


class LevelGutter(NamedTuple):
    """A column boundary, and where the last row ends that it parts."""

    at: float
    bottom: float


def level_gutters(pieces: Sequence[Piece], known: Sequence[float]) -> list[LevelGutter]:
    """The boundaries of columns set as close as words.

    In several rows words are left-aligned there, and no word crosses. The text before them is a
    number, or a mark for none, which is right-aligned or is one left-aligned word. Above, one
    header is left-aligned with the words, and another is over the numbers.

    Args:
        pieces: A table's phrases.
        known: The column boundaries found so far.
    """
    groups = [group for group in _level(_breaks(pieces)) if _is_edge(group)]
    if not 0 < len(groups) <= MOST:
        return []
    rows = baselines(pieces)
    found: list[LevelGutter] = []
    for group in groups:
        gutter = _gutter(rows, group, [*known, *(each.at for each in found)])
        found += [gutter] if gutter else []
    return found


def _gutter(
    rows: Sequence[Sequence[Piece]], group: Sequence[_Break], known: Sequence[float]
) -> LevelGutter | None:
    """The boundary at which a group breaks, if it is new, has headers, and no word crosses."""
    left, right = max(b.left.x1 for b in group), min(b.right.x0 for b in group)
    at, near = (left + right) / 2, LEVEL * _height(group[0])
    numbered = [b for b in group if _is_numbered(b)]
    last = max(b.right.y1 for b in numbered)
    first = min(b.begins for b in group if b.right.y0 < last)
    is_known = any(left - near <= x <= right + near for x in known)
    if is_known or not _are_headed(rows, numbered, first):
        return None
    before = max((x for x in known if x < at), default=-inf)
    column = before, min((x for x in known if x > at), default=inf)
    is_crossed = _is_crossed(rows, at, near, numbered, column)
    return None if is_crossed else LevelGutter(at, last)


def _breaks(pieces: Sequence[Piece]) -> Iterator[_Break]:
    for piece in pieces:
        for place, (left, right) in enumerate(pairwise(piece.words)):
            if right.spaced and right.text[0].isalnum() and left.text not in SIGNS:
                yield _Break(piece.x0, left, right, place == 0)


def _level(breaks: Iterator[_Break]) -> Iterator[list[_Break]]:
    """Breaks whose right words are left-aligned, from the left; one per row."""
    group: list[_Break] = []
    for each in sorted(breaks, key=lambda b: b.right.x0):
        if group and each.right.x0 - group[0].right.x0 > LEVEL * _height(each):
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _is_edge(group: Sequence[_Break]) -> bool:
    """Whether the text before the words is aligned, too, in enough rows."""
    numbers = [b for b in group if _is_numbered(b)]
    if 2 * sum(map(_begins_text, numbers)) < len(numbers):
        return False
    least = max(NUMBERS, len(group) - 1)
    if len(numbers) < least or len({b.right.text for b in numbers}) < NUMBERS:
        return False
    near = LEVEL * _height(group[0])
    ends = [b.left.x1 for b in numbers]
    starts = [b.begins for b in numbers]
    one = all(b.alone for b in numbers) and max(starts) - min(starts) <= near
    return one or max(ends) - min(ends) <= near


def _is_numbered(pair: _Break) -> bool:
    return has_figures(pair.left.text) or _NONE.fullmatch(pair.left.text) is not None


def _begins_text(pair: _Break) -> bool:
    """Whether the words are not part of a single number's digit groups."""
    text = pair.right.text
    return any(map(str.isalpha, text)) or (text.isdigit() and len(text) > GROUP)


def _are_headed(rows: Sequence[Sequence[Piece]], group: Sequence[_Break], first: float) -> bool:
    """Whether a row of names above has one left-aligned with the words, and one before it.

    The one before does not begin left of `first`.
    """
    near, right = LEVEL * _height(group[0]), group[0].right.x0
    places = {b.right.y0 for b in group}
    top = min(places)
    level = [row for row in rows if any(abs(piece.x0 - right) <= near for piece in row)]
    below = sum(row[0].middle > top for row in level) + len(places)
    for row in rows:
        if row[0].middle > top or below < LEAST:
            return False
        words = [word for piece in row for word in piece.words or (piece,)]
        named = [w for w in words if any(map(str.isalpha, w.text)) and not has_figures(w.text)]
        over = any(abs(w.x0 - right) <= near for w in named)
        before = any(first - near <= w.x0 and w.x1 < right - near for w in named)
        if over and before and len(words) > 2:
            return True
    return False


def _is_crossed(
    rows: Sequence[Sequence[Piece]],
    at: float,
    near: float,
    group: Sequence[_Break],
    column: tuple[float, float],
) -> bool:
    """Whether a word next to other columns' crosses a position; names of sums below may."""
    left, right = column
    top, bottom = min(b.right.y0 for b in group), max(b.right.y1 for b in group)
    return any(
        word.x0 < at - near and word.x1 > at + near
        for row in rows
        if top < row[0].middle < bottom and not left <= row[0].x0 <= row[-1].x1 <= right
        for piece in row
        if piece.x0 < at < piece.x1
        for word in piece.words or (piece,)
    )


def _height(pair: _Break) -> float:
    return pair.right.y1 - pair.right.y0
