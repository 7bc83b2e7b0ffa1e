"""Headers of several columns set so close together that they look like one phrase."""

from __future__ import annotations

import itertools
import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from pagetide.structure.tables.baseline import columns_of, is_number, is_year
from pagetide.structure.tables.grids.columns import Span
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.grids.openings import PARTED
from pagetide.structure.tables.pieces import Piece, baselines, has_figures, phrase

# Line heights that such headers may be away from the ends of their columns; less if a word
# crosses the border between these, as in a phrase over both.
APART, ACROSS = 1 / 3, 1 / 8
LEVEL = 1 / 8  # line heights: aligned ends of a column's pieces
BELOW = 0.3  # line heights: lines of one header are closer
CLOSE = 0.35  # of a word's height: the space between two words of a sentence; in bold 0.3
SUM = 2  # texts of a sum: its name and its figure
LARGER = 1.25  # times the height of headers: a title's letters
_RATE = re.compile(r"\d+([.,]\d+)?\s?%")
MOST_WAYS = 200  # of splitting a phrase: one with more words is not headers


class _Column(NamedTuple):
    """The pieces in one column only.

    Attributes:
        pieces: By vertical middle, from the top.
        middles: The pieces'.
        edges: The common left and right edge, on each side that is aligned; otherwise
            infinitely far.
        left: Where the first starts.
        right: Where the last ends.
    """

    pieces: Sequence[Piece]
    middles: Sequence[float]
    edges: Span
    left: float
    right: float

    @classmethod
    def of(cls, pieces: Sequence[Piece], line: float) -> _Column:
        ordered = sorted(pieces, key=lambda piece: piece.middle)
        starts, ends = [piece.x0 for piece in pieces], [piece.x1 for piece in pieces]
        left, right = min(starts), max(ends)
        level = [_are_level(starts, line), _are_level(ends, line)]
        edges = (
            left if level[0] or not any(level) else -math.inf,
            right if level[1] or not any(level) else math.inf,
        )
        return cls(ordered, [piece.middle for piece in ordered], edges, left, right)

    def has_year_below(self, phrase: Piece) -> bool:
        """Whether the next piece below a phrase is a year, as below a group name."""
        place = bisect_right(self.middles, phrase.y1)
        return place < len(self.pieces) and is_year(self.pieces[place].text)


def _are_level(places: Sequence[float], line: float) -> bool:
    middle = median(places)
    return median(abs(place - middle) for place in places) < LEVEL * line


def parted_by_edges(grid: Grid, pieces: Sequence[Piece], line: float) -> list[Piece]:
    """The phrases, with those split that are close-set headers of several columns.

    The words of such headers end, or start, where the columns below do.

    Args:
        grid: With all its columns.
        pieces: Its phrases.
        line: The page's typical line height.
    """
    alone: dict[int, list[Piece]] = defaultdict(list)
    reached = [columns_of(grid, piece) for piece in pieces]
    for piece, (first, last) in zip(pieces, reached, strict=True):
        if first == last:
            alone[first].append(piece)
    columns = {column: _Column.of(own, line) for column, own in alone.items()}
    tops = {column: min(piece.y1 for piece in own) for column, own in alone.items()}
    rows = baselines(pieces) if any(first < last for first, last in reached) else []
    alone_in_row = {id(row[0]) for row in rows if len(row) == 1}
    sums = {id(row[0]) for row in rows if len(row) == SUM and _is_last(row[1], grid)}
    found: list[Piece] = []
    for piece, (first, last) in zip(pieces, reached, strict=True):
        under = [columns[c] for c in range(first, last + 1) if c in columns]
        if (
            first == last
            or not piece.words
            or len(under) <= last - first
            or all(column.has_year_below(piece) for column in under)
            or _is_drawn_as_one(grid, piece, (first, last), line)
            or _is_name(piece, [tops[c] for c in range(first, last + 1)], line)
            or (id(piece) in alone_in_row and _is_close(piece, under))
            or (first > 0 and id(piece) in sums and _is_close_below(piece, under))
        ):
            found.append(piece)
        else:
            by_itself = id(piece) in alone_in_row
            found += _by_column(piece.words, under, line, alone=by_itself) or [piece]
    return found


def _is_drawn_as_one(grid: Grid, piece: Piece, columns: tuple[int, int], line: float) -> bool:
    """Whether a rule below spans exactly its columns, or a cell is drawn around it."""
    first, last = columns
    if last - first + 1 == grid.columns:
        return False
    row = grid.row_at(piece.middle)
    left, right = grid.xs[first].at - line, grid.xs[last + 1].at + line
    if any(
        left < start < piece.x0 + line and piece.x1 - line < end < right
        for start, end in grid.ys[row + 1].drawn
    ):
        return True
    if first == 0:
        return False
    sides = min(grid.beside(row, first - 1), grid.beside(row, last))
    inner = max(grid.beside(row, column) for column in range(first, last))
    return inner < PARTED <= sides


def _is_name(piece: Piece, tops: Sequence[float], line: float) -> bool:
    """Whether a phrase without figures is below something in each of its columns.

    It is a section name, or the name and rate of a sum: the columns already have headers.
    """
    text = _RATE.sub("", piece.text)
    is_worded = any(map(str.isalpha, text)) and not has_figures(text)
    return is_worded and max(tops) < piece.y0 - BELOW * line


def _is_close(piece: Piece, columns: Sequence[_Column]) -> bool:
    """Whether a phrase alone on its row is a section name, or a title above headers.

    Its words are no farther apart than those of a sentence. It is between rows of each of its
    columns, or its letters are larger than theirs.
    """
    is_between = all(
        column.middles[0] < piece.middle < column.middles[-1] for column in columns
    )
    usual = median(own.y1 - own.y0 for column in columns for own in column.pieces)
    is_title = piece.y1 - piece.y0 > LARGER * usual
    is_worded = piece.text[:1].isalpha() and ":" not in piece.text
    return _is_phrase(piece) and (is_title or (is_between and is_worded))


def _is_close_below(piece: Piece, columns: Sequence[_Column]) -> bool:
    """Whether a phrase below rows of each of its columns is a sum's name with figures in it.

    Its words are no farther apart than those of a sentence.
    """
    is_below = all(len(column.middles) > 1 for column in columns) and all(
        column.middles[1] < piece.middle for column in columns
    )
    return is_below and any(map(str.isalpha, piece.text)) and _is_phrase(piece)


def _is_phrase(piece: Piece) -> bool:
    """Whether words are no farther apart than those of a sentence."""
    rooms = [right.x0 - left.x1 for left, right in itertools.pairwise(piece.words)]
    return max(rooms) <= CLOSE * (piece.y1 - piece.y0)


def _is_last(piece: Piece, grid: Grid) -> bool:
    """Whether a figure is in the last column."""
    return is_number(piece.text) and grid.column_at(piece.center) == grid.columns - 1


def _by_column(
    words: Sequence[Piece], columns: Sequence[_Column], line: float, *, alone: bool
) -> list[Piece]:
    """The words of each column, or nothing if they do not align with the columns.

    Uses the split with the best alignment; the tolerance is larger if no word is on the border.
    Headers alone on their row must be at least as far apart as the words of one.
    """
    rooms = [right.x0 - left.x1 for left, right in itertools.pairwise(words)]
    least = max(rooms) - LEVEL * line if alone else -math.inf
    between = [place for place, room in enumerate(rooms, 1) if room >= least]
    places = itertools.combinations(between, len(columns) - 1)
    ways = [
        [words[a:b] for a, b in itertools.pairwise((0, *cuts, len(words)))]
        for cuts in itertools.islice(places, MOST_WAYS)
    ]
    best = min(ways, key=lambda way: sum(map(_misfit, way, columns)), default=None)
    if best is None:
        return []
    slack = LEVEL * line  # word positions in an image are estimates
    free = all(
        left.right - slack <= (own[-1].x1 + following[0].x0) / 2 <= right.left + slack
        for (own, following), (left, right) in zip(
            itertools.pairwise(best), itertools.pairwise(columns), strict=True
        )
    )
    near = line * (APART if free else ACROSS)
    return [phrase(own) for own in best] if max(map(_misfit, best, columns)) <= near else []


def _misfit(own: Sequence[Piece], column: _Column) -> float:
    """How far words end from both ends of their column, at the nearer."""
    start, end = column.edges
    return min(abs(own[0].x0 - start), abs(own[-1].x1 - end))
