"""A page's words, searchable by vertical position."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from pagetide.geometry import Box
from pagetide.structure.tables.line_words import Words
from pagetide.structure.tables.pieces import Piece, baselines
from pagetide.structure.tables.ruled.frames import Frame


def by_height(words: Words) -> Words:
    """The lines that have words, from the top."""
    return sorted((of_line for of_line in words if of_line), key=height_of)


def height_of(of_line: Sequence[Piece]) -> float:
    """The vertical middle of a line's first word, in page pixels from the top."""
    return of_line[0].middle


def rows_in(box: Box, words: Words) -> list[list[Piece]]:
    """The rows of pieces inside."""
    x0, y0, x1, y1 = box
    low, high = (bisect_left(words, y, key=height_of) for y in (y0, y1))
    return baselines(c for of in words[low:high] for c in of.phrases if x0 <= c.center <= x1)


def first_row(frame: Frame, words: Words) -> list[str]:
    """The text between the first two rules of a frame."""
    x0, top, x1, _ = frame.box
    bottom = next((s.at for s in frame.across if s.at > top), top)
    low, high = (bisect_left(words, y, key=height_of) for y in (top, bottom))
    row = [word for of_line in words[low:high] for word in of_line if x0 <= word.center <= x1]
    return [word.text for word in sorted(row, key=lambda word: word.x0)]
