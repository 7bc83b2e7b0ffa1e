"""What a heading's row ends with, far to its right: points, a date, an author.

Such a text heads nothing: what is below it starts below the heading.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from pagetide.structure.draft import Draft
from pagetide.structure.rows import Row, is_bold

MOST = 400  # drafts of a page with more are not compared
# In line heights.
LEVEL = 0.3  # between the middles of one row
APART = 2.0  # from a heading to the end of its row
REACH = 4.0  # below the end, to the first block of a column of its own


def with_row_ends(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, with a row's bold start and its end at the right margin separate.

    Rows of names with their values are several: their next row has two such pieces, too.
    """
    margin = max((draft.box[2] for draft in drafts), default=0.0)
    found: list[Draft] = []
    for draft, behind in pairwise([*drafts, None]):
        rows = [*draft.rows, *(behind.rows[:1] if behind else ())] if draft else []
        if draft and draft.kind == "text" and not draft.table and _has_end(rows, margin):
            found += _parted(draft)
        elif draft:
            found.append(draft)
    return found


def _has_end(rows: Sequence[Row], margin: float) -> bool:
    """Whether the first of several rows, and no other, is a bold start and an end."""
    if len(rows) < 2 or len(rows[0].lines) != 2 or any("\t" in row.text for row in rows[1:]):
        return False
    (start, end), (left, right), line = rows[0].lines, rows[0].boxes, rows[0].height
    return (
        is_bold(start)
        and not is_bold(end)
        and not start.text.rstrip().endswith((":", "："))
        and right[0] - left[2] > APART * line
        and margin - right[2] < line
    )


def _parted(draft: Draft) -> list[Draft]:
    first, *others = draft.rows
    parts = [(first.part([0]),), (first.part([1]),), tuple(others)]
    return [replace(draft, rows=rows, area=None) for rows in parts if rows]


def row_ends(drafts: Sequence[Draft]) -> frozenset[int]:
    """The places of drafts that end the row of a bold one, and have no column of their own."""
    if len(drafts) > MOST:
        return frozenset()
    return frozenset(_ends(drafts))


def _ends(drafts: Sequence[Draft]) -> Iterator[int]:
    single = [place for place, draft in enumerate(drafts) if len(draft.rows) == 1]
    bold = [drafts[place] for place in single if drafts[place].rows[0].bold]
    for place in single:
        end = drafts[place]
        if not end.rows[0].bold and any(_are_ends(head, end, drafts) for head in bold):
            yield place


def _are_ends(head: Draft, end: Draft, drafts: Sequence[Draft]) -> bool:
    """Whether two drafts are the start and the end of one row, over no two columns."""
    (_, top, inner, bottom), (start, upper, right, lower) = head.box, end.box
    line = head.line_height
    if abs(top + bottom - upper - lower) > 2 * LEVEL * line or start - inner < APART * line:
        return False
    under = [
        each.box
        for each in drafts
        if -line / 2 < each.box[1] - lower < REACH * line
        and each.box[0] < right
        and start < each.box[2]
    ]
    nearest = min(under, key=lambda box: box[1], default=head.box)
    return nearest[0] < inner
