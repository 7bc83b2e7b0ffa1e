"""Rules from side to side: what is above one is read before what is below it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from pagetide.geometry import union
from pagetide.structure.draft import Draft
from pagetide.structure.tables.frames import Stroke

WIDE = 0.9  # of the width that the blocks take together


def by_zones(drafts: Sequence[Draft], across: Sequence[Stroke]) -> list[Draft]:
    """The drafts in their order, those above a wide rule before those below it.

    A newspaper's issue and date stand at the ends of one line over all its columns, and no
    column's text begins with them. A rule that a block lies across, such as a table's, parts
    nothing.

    Args:
        drafts: In reading order.
        across: The page's rules from left to right, without the edges of shades.
    """
    if len(drafts) < 2:
        return list(drafts)
    boxes = [draft.box for draft in drafts]
    left, _, right, _ = union(boxes)
    least = WIDE * (right - left)
    wide = {r.at for r in across if min(r.end, right) - max(r.start, left) > least}
    crossed = {at for _, top, _, bottom in boxes for at in wide if top < at < bottom}
    parting = sorted(wide - crossed)
    zones = [bisect_right(parting, top) for _, top, _, _ in boxes]
    return [drafts[place] for place in sorted(range(len(drafts)), key=lambda n: zones[n])]
