"""Boxes that cross a gutter between columns which continue beside them.

A quotation or a small picture set into two columns hides the gutter between them from any cut.
It is taken out, the columns are cut without it, and it is put back where its first line is in
the left one.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from pagetide.geometry import Box

Span = tuple[float, float]

FEW = 0.15  # of the boxes beside a gutter may cross it
# A line of a quotation, in the members' typical height, all of them shrunk: 1.25 without
# shrinking. A smaller one may belong to a table's header.
LARGE = 1.4
STACKED = 3  # or so many of them
ALIKE = 0.8  # of the height of the quotation's other rows
MOST_STEPS = 400  # from the left edge to the right one, whatever the lines' height


def across_gutters(
    members: Sequence[int], across: Sequence[Span], down: Sequence[Span], line: float
) -> list[int]:
    """The members that hide a gutter and have text on both sides; may be none.

    Args:
        members: Indexes of boxes.
        across: Left and right of every box of the page.
        down: Their top and bottom, shrunk like those of `reading_order`.
        line: The typical height of a line.
    """
    usual = median(down[index][1] - down[index][0] for index in members)
    for gutter in _valleys([across[index] for index in members], line):
        hiding = [i for i in members if across[i][0] < gutter < across[i][1]]
        left = [down[i] for i in members if across[i][1] <= gutter]
        right = [down[i] for i in members if across[i][0] >= gutter]
        inset = [i for i in hiding if _beside(down[i], left) and _beside(down[i], right)]
        if inset and (len(inset) >= STACKED or _is_large(inset, down, usual)):
            return _with_short_rows(inset, members, across, down, line, usual)
    return []


def _with_short_rows(
    inset: Sequence[int],
    members: Sequence[int],
    across: Sequence[Span],
    down: Sequence[Span],
    line: float,
    usual: float,
) -> list[int]:
    """A quotation with its rows that end before the gutter, left-aligned with the others."""
    ordered = sorted(inset, key=lambda i: down[i])
    rest = sorted(set(members) - set(inset), key=lambda i: down[i])
    added = []
    for last, others in ((ordered[-1], rest), (ordered[0], rest[::-1])):
        for i in others:
            if _is_next(i, last, across, down, line, usual):
                added.append(i)
                last = i
    return [*inset, *dict.fromkeys(added)]


def _is_next(
    i: int,
    other: int,
    across: Sequence[Span],
    down: Sequence[Span],
    line: float,
    usual: float,
) -> bool:
    """Whether a box of equal height is right above or below another, left-aligned with it."""
    own, its = (down[n][1] - down[n][0] for n in (i, other))
    gap = max(down[i][0] - down[other][1], down[other][0] - down[i][1])
    return (
        min(own, its) >= LARGE * usual * ALIKE
        and min(own, its) >= ALIKE * max(own, its)
        and abs(across[i][0] - across[other][0]) <= line / 2
        and gap <= line
    )


def _valleys(spans: Sequence[Span], line: float) -> list[float]:
    """Where few of the spans are and many are on both sides, and at least one is."""
    start, end = min(a for a, _ in spans), max(b for _, b in spans)
    step = max(line / 2, (end - start) / MOST_STEPS) or 1.0
    counts = [0] * (int((end - start) / step) + 2)
    for a, b in spans:
        counts[int((a - start) / step)] += 1
        counts[int((b - start) / step) + 1] -= 1
    total, heights = 0, []
    for change in counts:
        total += change
        heights.append(total)
    found, place, few = [], 0, FEW * max(heights)
    while place < len(heights):
        until = place
        while until < len(heights) and heights[until] <= few:
            until += 1
        if until > place and _between(heights, place, until):
            found.append(start + (place + until) / 2 * step)
        place = until + 1
    return found


def _between(heights: Sequence[int], place: int, until: int) -> bool:
    """Whether a valley hides something, and both its sides are high."""
    least = 0.5 * max(heights)
    low = heights[place:until]
    sides = max(heights[:place], default=0), max(heights[until:], default=0)
    return max(low) > 0 and min(sides) >= least


def _beside(span: Span, others: Sequence[Span]) -> bool:
    return any(min(span[1], b) - max(span[0], a) > (span[1] - span[0]) / 4 for a, b in others)


def _is_large(inset: Sequence[int], down: Sequence[Span], usual: float) -> bool:
    return all(down[i][1] - down[i][0] >= LARGE * usual for i in inset)


def place_of(inset: Box, boxes: Sequence[Box]) -> int:
    """Index of the box that an inset one follows; -1 if it comes before all.

    It is the lowest of the boxes that start left of its middle and above its top.
    """
    middle = (inset[0] + inset[2]) / 2
    above = [
        (box[1], -box[0], place)
        for place, box in enumerate(boxes)
        if box[0] < inset[0] and (box[0] + box[2]) / 2 < middle and box[1] <= inset[1]
    ]
    return max(above)[2] if above else -1
