"""Combs: rows of small boxes, each for one handwritten letter; they divide no columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from pagetide.structure.tables.line_words import Words
from pagetide.structure.tables.ruled.frames import Stroke

LEAST = 5  # rules in a row, so that four letters fit
# In line heights.
HIGHEST = 3.0
PITCH = 0.5, 2.5
SAME_END = 0.25
EVEN = 0.15  # of the pitch


def without_combs(down: Sequence[Stroke], words: Words, line: float) -> list[Stroke]:
    """The vertical rules without those between the boxes of a comb.

    Args:
        down: As short as a box, or longer.
        words: Of the page, by line. A box with a letter in it is a cell.
        line: The page's typical line height.
    """
    combs = {
        stroke
        for row in _level(down, line)
        for run in _even(row, line)
        if not _has_text(run, words)
        for stroke in run
    }
    return [stroke for stroke in down if stroke not in combs] if combs else list(down)


def _level(down: Sequence[Stroke], line: float) -> Iterator[list[Stroke]]:
    """The short rules with the same vertical extent, from left to right."""
    short = [stroke for stroke in down if stroke.end - stroke.start <= HIGHEST * line]
    rows: list[list[Stroke]] = []
    for stroke in sorted(short, key=lambda each: (each.start, each.end)):
        first = rows[-1][0] if rows else None
        if first is None or (
            max(stroke.start - first.start, abs(stroke.end - first.end)) > SAME_END * line
        ):
            rows.append([])
        rows[-1].append(stroke)
    return (sorted(row) for row in rows if len(row) >= LEAST)


def _even(row: Sequence[Stroke], line: float) -> list[list[Stroke]]:
    """The runs of a row's rules that are spaced like boxes for letters.

    If one is long enough the shorter ones, such as for a date's day, are combs too.
    """
    pitch = median(b.at - a.at for a, b in pairwise(row))
    if not PITCH[0] * line <= pitch <= PITCH[1] * line:
        return []
    runs = [[row[0]]]
    for last, stroke in pairwise(row):
        if abs(stroke.at - last.at - pitch) > EVEN * pitch:
            runs.append([])
        runs[-1].append(stroke)
    several = [run for run in runs if len(run) > 1]
    return several if max(map(len, runs)) >= LEAST else []


def _has_text(run: Sequence[Stroke], words: Words) -> bool:
    left, right = run[0].at, run[-1].at
    top, bottom = run[0].start, run[0].end
    return any(
        left < word.center < right and top < word.middle < bottom
        for of_line in words
        for word in of_line
    )
