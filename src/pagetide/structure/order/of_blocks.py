"""The reading order of blocks made from a layout model and the tables."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from statistics import median

from pagetide.geometry import Box
from pagetide.structure.draft import Draft
from pagetide.structure.order.reading_order import Segment, segments
from pagetide.structure.tables.pieces import line_height

SHORT = 6  # lines: an address
NAMED = 2  # blocks of a column: a name and what is below it


def sorted_drafts(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts in reading order: the model's if it gives one, otherwise an XY-cut's.

    The cut orders the lines, and what has none by its box; a block is placed by its middle
    line, a short one by its first. A block without a model position follows its predecessor in
    the cut.
    """
    cut = _by_cut(drafts)
    if all(draft.model_order is None for draft in cut):
        return cut
    places: list[tuple[int, int, Draft]] = []
    last = -1
    for number, draft in enumerate(cut):
        last = last if draft.model_order is None else draft.model_order
        places.append((last, number if draft.model_order is None else -1, draft))
    return [draft for *_, draft in sorted(places, key=lambda place: place[:2])]


def _by_cut(drafts: Sequence[Draft]) -> list[Draft]:
    boxes, owners = [], []
    for number, draft in enumerate(drafts):
        # A curve read as a letter extends out of its figure.
        own = [draft.area or draft.box] if _is_solid(draft) else [row.box for row in draft.rows]
        boxes += own
        owners += [number] * len(own)
    ranks: list[list[int]] = [[] for _ in drafts]
    line = line_height(
        row.box for draft in drafts if draft.parts or not _is_solid(draft) for row in draft.rows
    )
    cut = segments(boxes, line)
    flat = [i for segment in cut for i in _read(segment, boxes, owners, drafts)]
    for rank, index in enumerate(flat):
        ranks[owners[index]].append(rank)
    return [drafts[n] for n in sorted(range(len(drafts)), key=lambda n: _place(ranks[n]))]


def _is_solid(draft: Draft) -> bool:
    """Whether a draft is ordered as one box, not row by row."""
    return draft.kind in ("table", "figure", "chart") or bool(draft.parts) or not draft.rows


def _read(
    segment: Segment, boxes: Sequence[Box], owners: Sequence[int], drafts: Sequence[Draft]
) -> list[int]:
    """A segment's boxes row by row; for side-by-side named blocks column by column.

    Addresses, each below its name, look like a grid.
    """
    rows = segment.ordered
    columns: dict[int, list[int]] = {}
    for index in rows:
        middle = (boxes[index][0] + boxes[index][2]) / 2
        columns.setdefault(bisect_left(segment.gutters, middle), []).append(index)
    held = [list(dict.fromkeys(owners[i] for i in column)) for column in columns.values()]
    named = all(
        len(own) == NAMED and len(drafts[own[0]].rows) == 1 < len(drafts[own[1]].rows)
        for own in held
    )
    if len(columns) < 2 or not named:
        return rows
    return [index for place in sorted(columns) for index in columns[place]]


def _place(ranks: Sequence[int]) -> float:
    """The position of a block whose lines have these ranks.

    Short side-by-side blocks are cut line by line, and the longest would come last.
    """
    return ranks[0] if len(ranks) <= SHORT else median(ranks)
