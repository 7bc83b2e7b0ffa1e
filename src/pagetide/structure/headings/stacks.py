"""Names stacked on their values, again and again at one pitch: pairs, and no headings.

Number
229597
Date
22/11/2020
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pagetide.structure.draft import Draft
from pagetide.structure.headings.outline import STATED
from pagetide.structure.rows import Row, has_word

LEAST = 2  # names of a stack
LONGEST = 40  # letters of a name
# In heights of a row.
EDGE = 0.5  # between where rows begin, or end
PITCH = 2.2  # from a row's middle to the next
UNEVEN = 0.2  # from a value to the next name, compared with from a name to its value


def with_stacks(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts in reading order, those of each stack as one."""
    found, place = list[Draft](), 0
    while place < len(drafts):
        count = _stack_at(drafts, place)
        taken = drafts[place : place + count]
        rows = tuple(row for draft in taken for row in draft.rows)
        found.append(Draft(rows=rows) if count > 1 else taken[0])
        place += count
    return found


def _stack_at(drafts: Sequence[Draft], place: int) -> int:
    """How many drafts from a place on form a stack; 1 if none starts there."""
    rows, ends = list[Row](), list[int]()  # of rows, how many there are after each draft
    for draft in drafts[place:]:
        if draft.kind not in ("text", "heading") or draft.label == STATED or draft.table:
            break
        rows += draft.rows
        ends.append(len(rows))
    whole = max((end for end in _ends_of_pairs(rows) if end in ends), default=0)
    return ends.index(whole) + 1 if whole else 1


def _ends_of_pairs(rows: Sequence[Row]) -> Iterator[int]:
    """After how many rows a stack that starts with the first may end."""
    for count, (name, value) in enumerate(zip(rows[::2], rows[1::2], strict=False), 1):
        if not (_is_name(name) and not value.bold and _are_stacked(name, value)):
            return
        if count > 1 and not _goes_on(rows[2 * count - 3], name, value):
            return
        if count >= LEAST:
            yield 2 * count


def _is_name(row: Row) -> bool:
    return row.bold and len(row.text) <= LONGEST and "\t" not in row.text and has_word(row.text)


def _goes_on(before: Row, name: Row, value: Row) -> bool:
    """Whether a name is as near to the previous value as to its own."""
    over, under = name.middle - before.middle, value.middle - name.middle
    return _are_stacked(before, name) and over - under < UNEVEN * name.height


def _are_stacked(upper: Row, lower: Row) -> bool:
    """Whether one row is right below another, flush with it on a side."""
    near = EDGE * upper.height
    flush = any(abs(upper.box[side] - lower.box[side]) < near for side in (0, 2))
    return flush and 0 < lower.middle - upper.middle < PITCH * upper.height
