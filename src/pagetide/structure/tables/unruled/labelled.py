"""A row of names with their values right below: dates and numbers at the top of an invoice."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from pagetide.geometry import Box, union
from pagetide.structure.tables.pieces import Piece, has_figures

PAIR = re.compile(r"[^\d:：]{2,40}(:\s|：)\s*\S")  # `IBAN: XX00`, a name and its value
LEAST = 3  # names side by side
MOST = 50  # on a page
NAME_WORDS = 4
SMALLER = 0.95  # times as high
# In line heights.
APART = 2.0  # between a name's value and the next name
APART_SMALLER = 1.0  # the same if names are in smaller letters than their values
BELOW = 1.0  # from the names down to their values
ALONE = 0.8  # around the two rows, at least
NEAR = 0.3  # between the starts, or ends, of a name and its value


def labelled_boxes(rows: Sequence[Sequence[Piece]], line: float) -> list[Box]:
    """Boxes around two such rows, from the top.

    Args:
        rows: The page's phrases grouped by baseline, from the top, each from left to right.
        line: The page's typical line height.
    """
    return list(islice(_boxes(rows, line), MOST))


def _boxes(rows: Sequence[Sequence[Piece]], line: float) -> Iterator[Box]:
    edges = [(min(p.y0 for p in row), max(p.y1 for p in row)) for row in rows]
    for place, (names, values) in enumerate(pairwise(rows)):
        above = edges[place][0] - edges[place - 1][1] if place else line * ALONE
        after = edges[place + 2][0] - edges[place + 1][1] if place + 2 < len(rows) else line
        if (
            min(above, after) >= ALONE * line
            and edges[place + 1][0] - edges[place][1] <= BELOW * line
            and is_labelled(names, values, line)
        ):
            yield union(piece[1:5] for row in (names, values) for piece in row)


def pairs_end(rows: Sequence[Sequence[Piece]], rules: Sequence[float]) -> float:
    """Where names beside their values end, if a rule separates them from the table below.

    Args:
        rows: From the top, each from left to right.
        rules: The vertical positions of those as wide as the table.

    Returns:
        The vertical position of that rule; infinitely far above if there are none.
    """
    bands = (
        (rule, [row for row in rows if above < row[0].middle < rule])
        for above, rule in pairwise(rules)
    )
    ends = (
        rule
        for rule, band in bands
        if band and all(len(row) > 1 and all(PAIR.match(p.text) for p in row) for row in band)
    )
    return max(ends, default=-math.inf)


def is_labelled(names: Sequence[Piece], values: Sequence[Piece], line: float) -> bool:
    """Whether several names without figures are over one value each.

    Args:
        names: Of one row, from left to right.
        values: Of the next.
        line: The page's typical line height.
    """
    return _are_names(names) and _are_values(values, names, line)


def _are_names(row: Sequence[Piece]) -> bool:
    return len(row) >= LEAST and all(is_name(piece.text) for piece in row)


def is_name(text: str) -> bool:
    """Whether a text is a few words without figures."""
    few = len(text.split()) <= NAME_WORDS
    return few and any(map(str.isalpha, text)) and not has_figures(text)


def _are_values(row: Sequence[Piece], names: Sequence[Piece], line: float) -> bool:
    """Whether each aligns with the name above it, and most have digits.

    Below smaller names half of them suffice.
    """
    if len(row) != len(names):
        return False
    both = list(zip(names, row, strict=True))
    ends = [max(name.x1, value.x1) for name, value in both]
    starts = [min(name.x0, value.x0) for name, value in both]
    figures = sum(has_figures(value.text) for value in row)
    smaller = all(n.y1 - n.y0 < SMALLER * (v.y1 - v.y0) for n, v in both)
    apart = (APART_SMALLER if smaller else APART) * line
    return (
        2 * figures + smaller > len(row)
        and all(b - a > apart for a, b in zip(ends, starts[1:], strict=False))
        and all(
            min(abs(n.x0 - v.x0), abs(n.x1 - v.x1), abs(n.center - v.center)) < NEAR * line
            for n, v in both
        )
    )
