"""Full-width rules: what is above one is read before what is below it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from pagetide.geometry import Box, union
from pagetide.structure.draft import Draft
from pagetide.structure.rows import Row
from pagetide.structure.tables.ruled.frames import Stroke

TOP = 0.15  # of the page's height: where a masthead ends
SHORT = 0.4  # of the page's width: a date or a number, not an address
SMALL = 0.95  # of the typical height of a row
LARGER = 1.2  # times the height of usual rows: headings
TOUCHED = 1 / 16  # of a row's height: a rule right below letters; one under words is higher
WIDE = 0.9  # of the combined width of the blocks


def by_zones(drafts: Sequence[Draft], across: Sequence[Stroke]) -> list[Draft]:
    """The drafts in their order, those above a wide rule before those below it.

    A newspaper's issue and date are at the ends of one line over all its columns, and are not
    the start of any column's text. A rule crossed by a block, such as a table's, separates
    nothing; rows of text above one are not in a block with those below it.

    Args:
        drafts: In reading order.
        across: The page's horizontal rules, without the edges of shades.
    """
    if len(drafts) < 2:
        return list(drafts)
    rows = [each for draft in drafts for each in _by_row(draft)]
    parting = _parting(rows, across)
    if not parting:
        return list(drafts)
    drafts = [part for draft in drafts for part in _cut(draft, parting)]
    usual = median([row.height for each in rows for row in each.rows] or [0.0])
    zones = [_zone(draft, drafts, parting, usual) for draft in drafts]
    return [drafts[place] for place in sorted(range(len(drafts)), key=lambda n: zones[n])]


def with_masthead(drafts: Sequence[Draft], across: Sequence[Stroke], page: Box) -> list[Draft]:
    """The drafts; short side-by-side rows of small print above the first wide rule are headers.

    A rule at the start of a table does not count: its caption may be above it.

    Args:
        drafts: Named.
        across: As for `by_zones`.
        page: The page's box.
    """
    if len(drafts) < 2:
        return list(drafts)
    heights = [row.height for draft in drafts for row in draft.rows]
    usual = median(heights) if heights else 0.0
    tops = [draft.box[1] for draft in drafts if draft.table]
    rules = (y for y in _parting(drafts, across) if all(abs(y - top) > usual for top in tops))
    first = next(rules, page[1])
    if first - page[1] > TOP * (page[3] - page[1]):
        return list(drafts)
    above = [
        draft
        for draft in drafts
        if draft.kind in ("text", "header")
        and len(draft.rows) == 1
        and draft.box[3] <= first
        and draft.line_height <= SMALL * usual
        and all(x1 - x0 < SHORT * (page[2] - page[0]) for x0, _, x1, _ in draft.rows[0].boxes)
    ]
    beside = {id(draft) for draft in above if len(draft.rows[0].lines) > 1}
    beside |= {id(a) for a in above for b in above if a is not b and _are_level(a.box, b.box)}
    return [replace(d, kind="header") if id(d) in beside else d for d in drafts]


def _zone(draft: Draft, drafts: Sequence[Draft], parting: Sequence[float], usual: float) -> int:
    """How many rules precede a draft: a heading is in the zone below its own rule.

    Text on the first rule in larger letters than all above is a masthead.
    """
    zone = bisect_right(parting, draft.box[1])
    is_heading = len(draft.rows) == 1 and draft.line_height >= LARGER * usual
    if zone == len(parting) or not is_heading:
        return zone
    above = [other.line_height for other in drafts if other.box[3] <= draft.box[1]]
    if not zone and draft.line_height >= max(above, default=0.0):
        return zone
    is_near = parting[zone] - draft.box[3] < draft.line_height
    alone = not any(o is not draft and _are_level(o.box, draft.box) for o in drafts)
    return zone + (is_near and alone)


def _by_row(draft: Draft) -> list[Draft]:
    """A draft of only rows of text, row by row."""
    if draft.table or draft.area or draft.parts or len(draft.rows) < 2:
        return [draft]
    return [replace(draft, rows=(row,)) for row in draft.rows]


def _cut(draft: Draft, parting: Sequence[float]) -> list[Draft]:
    """A draft, split where rules are between its rows."""
    zones: dict[int, list[Row]] = {}
    for each in _by_row(draft):
        zones.setdefault(bisect_right(parting, each.box[1]), []).extend(each.rows)
    return [replace(draft, rows=tuple(rows)) for _, rows in sorted(zones.items())]


def _is_bar(draft: Draft, least: float) -> bool:
    """Whether a draft is a title on a shade at least this wide."""
    is_title = draft.kind == "text" and len(draft.rows) == 1
    return is_title and not (draft.table or draft.parts) and draft.box[2] - draft.box[0] > least


def _are_level(a: Box, b: Box) -> bool:
    return a[1] < (b[1] + b[3]) / 2 < a[3]


def _parting(drafts: Sequence[Draft], across: Sequence[Stroke]) -> list[float]:
    """The positions of rules as wide as all blocks together that run through none of them."""
    boxes = [draft.box for draft in drafts]
    left, _, right, _ = union(boxes)
    least = WIDE * (right - left)
    wide = {r.at for r in across if min(r.end, right) - max(r.start, left) > least}
    wide |= {each.area[1] for each in drafts if each.area and _is_bar(each, least)}
    crossed = {
        at
        for draft in drafts
        for at in wide
        if draft.box[1] < at < draft.box[3] - TOUCHED * draft.line_height
    }
    return sorted(wide - crossed)
