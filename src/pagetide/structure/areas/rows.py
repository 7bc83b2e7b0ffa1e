"""Rows of a layout model's areas: pieces joined, rows that an area missed added."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence

from pagetide.geometry import union
from pagetide.structure.areas.kinds import AreaInWork, Page
from pagetide.structure.order.gutters import parts
from pagetide.structure.rows import Row, is_mark, joined

# Lengths in the page's typical line height.
BESIDE = 0.8  # between pieces of one row; columns are farther apart
MARK = 2.5  # between a list item's mark and its text
BELOW = 0.8  # between a row that an area missed and the area's nearest
EDGE = 1.5  # how far a missed row may extend beyond the column
FILLS = 0.6  # of an area's width
WIDE = 4.0  # pieces of a column's rows that were found separately are narrower
LEVEL = 0.4  # between the starts of rows of one column
PITCH = 2.0  # from one of them to the next
COLUMN = 4  # rows
OTHER_SIZE = 1.3  # rows of one text differ less in height


def in_rows(rows: Iterable[Row]) -> list[Row]:
    """Rows from the top, with those on one baseline joined."""
    runs: list[list[Row]] = []
    for row in sorted(rows, key=lambda row: row.middle):
        near = (
            runs and row.middle - runs[-1][0].middle <= min(row.height, runs[-1][0].height) / 2
        )
        if near:
            runs[-1].append(row)
        else:
            runs.append([row])
    return [joined(sorted(run, key=lambda row: row.box[0])) for run in runs]


def taken_in(areas: Sequence[AreaInWork], free: Sequence[Row], page: Page) -> list[Row]:
    """Adds rows that areas just missed to them; returns the other rows."""
    reaches = [_Reach(found) for found in areas]
    left = sorted(free, key=_middle)
    in_columns, stacked = _side_by_side(left, page), _stacked(left, page)
    for nearness in (_beside, _below, _above):
        ordered = left[::-1] if nearness is _above else left
        left = []
        for row in ordered:
            near = [
                (distance, place)
                for place, reach in enumerate(reaches)
                if (distance := nearness(row, reach, page)) is not None
                and (
                    row.indexes not in stacked
                    if nearness is _beside
                    else _fills(row, reach) or row.indexes not in in_columns
                )
            ]
            if near:
                reaches[min(near)[1]].take(row)
            else:
                left.append(row)
        left.sort(key=_middle)
    return left


def _side_by_side(rows: Sequence[Row], page: Page) -> set[tuple[int, ...]]:
    """Of rows from the top, the lines of those with another beside them and space between."""
    found: set[tuple[int, ...]] = set()
    for place, row in enumerate(rows):
        for other in rows[place + 1 :]:
            if other.middle - row.middle > min(row.height, other.height) / 2:
                break
            gap = max(row.box[0] - other.box[2], other.box[0] - row.box[2])
            if gap > BESIDE * page.line:
                found |= {row.indexes, other.indexes}
    return found


def _stacked(rows: Sequence[Row], page: Page) -> set[tuple[int, ...]]:
    """Of rows from the top, the lines of those in a column: with the same left edge."""
    stacks: list[list[Row]] = []
    for row in rows:
        if row.box[2] - row.box[0] < WIDE * page.line:
            continue
        for stack in stacks:
            last = stack[-1]
            near = abs(last.box[0] - row.box[0]) < LEVEL * page.line
            if near and row.middle - last.middle < PITCH * page.line:
                stack.append(row)
                break
        else:
            stacks.append([row])
    return {row.indexes for stack in stacks if len(stack) >= COLUMN for row in stack}


def _fills(row: Row, reach: _Reach) -> bool:
    """Whether a row is nearly as wide as an area, and so belongs to that area alone."""
    return row.box[2] - row.box[0] > FILLS * (reach.box[2] - reach.box[0])


class _Reach:
    """An area and the extent of its rows, as rows are added; it has at least one."""

    def __init__(self, found: AreaInWork) -> None:
        self.found = found
        found.rows.sort(key=_middle)
        self.box = union([found.box, *(row.box for row in found.rows)])

    def take(self, row: Row) -> None:
        """Adds a row to the area."""
        insort(self.found.rows, row, key=_middle)
        self.box = union([self.box, row.box])

    def level_with(self, row: Row) -> list[Row]:
        """The area's rows whose middles are within half a row's height of the given one's."""
        rows, near = self.found.rows, row.height / 2
        low = bisect_left(rows, row.middle - near, key=_middle)
        return rows[low : bisect_right(rows, row.middle + near, key=_middle)]


def _middle(row: Row) -> float:
    return row.middle


def _beside(row: Row, reach: _Reach, page: Page) -> float | None:
    """The distance of a row from the area's piece of the same row."""
    _, top, _, bottom = reach.found.box
    if not top - page.line < row.middle < bottom + page.line:
        return None
    gaps = [
        max(row.box[0] - each.box[2], each.box[0] - row.box[2])
        for each in reach.level_with(row)
        if abs(each.middle - row.middle) < min(each.height, row.height) / 2
        and not any(parts(gutter, (row.box, each.box)) for gutter in page.gutters)
    ]
    gap = min(gaps, default=None)
    most = MARK if is_mark(row.text) else BESIDE
    return gap if gap is not None and gap < most * page.line else None


def _below(row: Row, reach: _Reach, page: Page) -> float | None:
    return _gap(reach.found.rows[-1], row, row, reach, page)


def _above(row: Row, reach: _Reach, page: Page) -> float | None:
    return _gap(row, reach.found.rows[0], row, reach, page)


def _gap(upper: Row, lower: Row, row: Row, reach: _Reach, page: Page) -> float | None:
    """The distance of a row from the area's edge row, if it can be the area's next one."""
    if not (reach.found.runs or reach.found.kind == "caption"):
        return None
    near = EDGE * page.line
    left, _, right, _ = reach.box
    gap = lower.box[1] - upper.box[3]
    alike = max(upper.height, lower.height) < OTHER_SIZE * min(upper.height, lower.height)
    within = row.box[0] > left - near and row.box[2] < right + near
    return gap if within and alike and -page.line / 2 < gap < BELOW * page.line else None
