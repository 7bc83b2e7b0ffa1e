"""Lines in another direction than most, assigned to the figures and tables around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from pagetide.document import Line
from pagetide.geometry import Box, center, contains
from pagetide.structure.draft import Draft
from pagetide.structure.page_content import FIGURES
from pagetide.structure.rows import Row
from pagetide.structure.tables.sideways import Sideways, with_sideways
from pagetide.structure.upright import Upright

BESIDE = 2.0  # line heights: an axis name is no farther from its figure

Drafts = list[tuple[Upright, Draft]]
Take = Callable[[Draft, Sequence[Sideways]], tuple[Draft, set[int]]]
"""A draft with what it takes of some lines, and the indexes of those."""


def taken_in(
    drafts: Drafts, lines: Sequence[Line], members: Sequence[int]
) -> tuple[Drafts, list[int]]:
    """Adds axis names to their figure, and rotated headers to their table.

    Args:
        drafts: Of the lines in the main direction.
        lines: The page's.
        members: The indexes of those in another direction.

    Returns:
        The drafts, and the members that belong to none.
    """
    drafts, left = _taken_in(drafts, lines, members, partial(_by_figure, _stands_in))
    drafts, left = _taken_in(drafts, lines, left, _by_table)
    return _taken_in(drafts, lines, left, partial(_by_figure, _names_axis))


def _taken_in(
    drafts: Drafts, lines: Sequence[Line], members: Sequence[int], take: Take
) -> tuple[Drafts, list[int]]:
    left, found = list(members), Drafts()
    for upright, draft in drafts:
        if left and (draft.kind in FIGURES or draft.table is not None):
            others = [_sideways(index, lines[index], upright) for index in left]
            draft, own = take(draft, others)
            rows = (
                Row.of((each.line,), (lines[each.line],), (each.box,))
                for each in others
                if each.line in own
            )
            draft = replace(draft, rows=(*draft.rows, *rows)) if own else draft
            left = [index for index in left if index not in own]
        found.append((upright, draft))
    return found, left


def _by_figure(
    is_its: Callable[[Box, Box], bool], draft: Draft, others: Sequence[Sideways]
) -> tuple[Draft, set[int]]:
    if draft.kind not in FIGURES:
        return draft, set()
    return draft, {each.line for each in others if is_its(each.box, draft.box)}


def _stands_in(line: Box, figure: Box) -> bool:
    return contains(figure, center(line))


def _names_axis(line: Box, figure: Box) -> bool:
    """Whether a vertical line is beside a figure, like the name of its axis."""
    x0, y0, x1, y1 = line
    room = max(figure[0] - x1, x0 - figure[2])
    is_upright, is_within = y1 - y0 > x1 - x0, figure[1] <= y0 and y1 <= figure[3]
    return is_upright and is_within and room <= BESIDE * (x1 - x0)


def _by_table(draft: Draft, others: Sequence[Sideways]) -> tuple[Draft, set[int]]:
    if draft.table is None:
        return draft, set()
    table, box, own = with_sideways(draft.table, draft.box, others)
    return replace(draft, table=table, area=box) if own else draft, own


def _sideways(index: int, line: Line, upright: Upright) -> Sideways:
    start, end = upright.polygon(line.polygon)[:2]
    return Sideways(index, line.text, upright.box(line.polygon), runs_up=end[1] < start[1])
