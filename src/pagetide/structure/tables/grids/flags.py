"""Marks behind figures, before a column of units or names: `12,9 ↓ | g/dL`.

Halfway between the figures and the next column such a mark would be on either side. The texts
of that column start at one edge, and what is before it belongs to the figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from unicodedata import category

from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.grids.grid import Border, Grid
from pagetide.structure.tables.grids.level_words import LevelGutter
from pagetide.structure.tables.pieces import Piece, baselines

LEAST = 3  # rows that start at the edge
LEVEL = 0.15  # of a word's height: aligned edges


def with_flags(grid: Grid, pieces: Sequence[Piece]) -> tuple[Grid, list[LevelGutter]]:
    """The grid with each inner border behind the marks before it, and the borders moved.

    Args:
        grid: With its columns known.
        pieces: The table's phrases.
    """
    rows = [
        [word for piece in row for word in piece.words or (piece,)] for row in baselines(pieces)
    ]
    borders, moved = list(grid.xs), list[LevelGutter]()
    for place in range(1, grid.columns):
        border, column = grid.xs[place], (grid.xs[place - 1].at, grid.xs[place + 1].at)
        flags = [] if border.drawn else list(_flags(rows, border.at, column))
        if not flags:
            continue
        at = (max(flag.x1 for flag, _ in flags) + min(word.x0 for _, word in flags)) / 2
        moved.append(LevelGutter(at, max(flag.y1 for flag, _ in flags)))
        borders[place] = Border(at)
    return (replace(grid, xs=tuple(borders)), moved) if moved else (grid, [])


def _flags(
    rows: Sequence[Sequence[Piece]], border: float, column: tuple[float, float]
) -> Iterator[tuple[Piece, Piece]]:
    """The marks between figures and the words at the edge of the next column, with these."""
    inside = [[word for word in row if column[0] < word.center < column[1]] for row in rows]
    names = [[w for w in row if w.x0 >= border and not _is_sign(w.text)] for row in inside]
    firsts = [row[0] for row in names if row]
    edge = min((word.x0 for word in firsts), default=0.0)
    if len(firsts) < LEAST or not all(_starts_at(edge, word) for word in firsts):
        return
    for row in inside:
        for (figure, flag), word in zip(pairwise(row), row[2:], strict=False):
            if is_number(figure.text) and _is_sign(flag.text) and _starts_at(edge, word):
                yield flag, word


def _starts_at(edge: float, word: Piece) -> bool:
    return abs(word.x0 - edge) <= LEVEL * (word.y1 - word.y0)


def _is_sign(text: str) -> bool:
    """Whether a text is a mark: no letters, digits, or currency."""
    return not any(letter.isalnum() or category(letter) == "Sc" for letter in text)
