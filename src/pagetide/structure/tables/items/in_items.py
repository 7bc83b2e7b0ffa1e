"""Replaces what rules and columns found of item tables by the whole item table."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import partial

from pagetide.geometry import Box, union
from pagetide.structure.tables.baseline import (
    is_amount,
    is_counted,
    is_number,
    is_value,
    is_year,
)
from pagetide.structure.tables.found import SHARED, FoundTable, covered
from pagetide.structure.tables.items.items import (
    ItemTable,
    has_more_above,
    item_tables,
)
from pagetide.structure.tables.judge import is_table
from pagetide.structure.tables.line_words import Words, inside_of
from pagetide.structure.tables.pieces import baselines
from pagetide.structure.tables.ruled.frames import Stroke, clipped, is_closed_box
from pagetide.structure.tables.sheet import Sheet
from pagetide.structure.tables.unruled.columns_of_text import unruled_boxes

HEAD_ROOM = 1.5  # line heights above headers that start a separate table
HEAD_ROWS = 2  # at most, if an item table has rules between all of these
PAIR = 2  # texts of a sum: its name and its figure
ROWS_BESIDE = 2  # of a page's other column: a single one may be a table's label
FURTHER = 2  # items below a rule that show that it ends only a group
FAINTEST = 0.25  # page pixels: programs draw the edges of shades thinner than any rule


def with_items(
    sheet: Sheet, found: list[FoundTable], ruled: Sequence[FoundTable]
) -> list[FoundTable]:
    """Replaces what was found of item tables by the whole tables.

    Args:
        sheet: The page.
        found: So far.
        ruled: Those of them found by rules, or by a model.
    """
    across = [stroke.at for stroke in sheet.across]
    closed = [frame.box for frame in sheet.frames if is_closed_box(frame)]
    every = item_tables(sheet.rows, sheet.line, across, closed)
    found = [each for each in found if not _holds_several(each, every)]
    for each_items in every:
        items = _above_sums(sheet, each_items, found)
        box = items.box
        parts = [each for each in found if covered(each.box, box) > SHARED]
        others = [each for each in found if each not in parts]
        around = [each for each in others if covered(box, each.box) > 1 - SHARED]
        if around and not _begin_anew(sheet, items, around):
            if not all(_is_page_frame(sheet, each, items) for each in around):
                continue
            others = [each for each in others if each not in around]
        alone = len(parts) == 1
        seen = [
            each
            for each in parts
            if each in ruled and _has_heads(sheet, each, items, alone=alone)
        ]
        mixed = _mixed(sheet, [each for each in parts if each not in ruled], box)
        spanned = alone and not mixed and _has_spanning_heads(sheet, parts[0], items)
        spanned |= sum(map(_has_own_head, parts)) > 1
        astride = any(_stand_beside(sheet, each.box, items) for each in ruled)
        astride |= _stand_side_by_side([each for each in parts if each in ruled])
        if spanned or astride or any(not _goes_on_in(parts, each) for each in seen):
            found = [*found, *(_sums_below(sheet, items, found) if alone else ())]
            continue
        if alone and _has_more_rows(sheet, parts[0], items):
            continue
        cut = [_above(sheet, each, box, is_ruled=each in ruled) for each in others]
        gone = [each for each, left in zip(others, cut, strict=True) if left is None]
        bands = [each.box for each in gone if not _is_strip(sheet, each, box)]
        others = [each for each in cut if each]
        top = min((each[1] for each in bands if each[1] < box[1]), default=box[1])
        whole = _of_items(sheet, items, sheet.left(others), top)
        if whole and is_table(whole.table, ruled=True):
            cut = [_above(sheet, each, box, is_ruled=False) for each in mixed]
            found = [*others, *(each for each in cut if each), whole]
    return found


def _is_page_frame(sheet: Sheet, found: FoundTable, items: ItemTable) -> bool:
    """Whether a table is a frame around a bill: with fewer columns than its items of money."""
    inside = inside_of(items.box, sheet.words, sheet.line)
    amounts = sum(is_amount(word.text) for own in inside for word in own)
    return amounts >= HEAD_ROWS and found.table.columns < items.filled


def _above_sums(sheet: Sheet, items: ItemTable, found: Sequence[FoundTable]) -> ItemTable:
    """The items without sums below them that are a table, if there is other text beside it."""
    x0, y0, x1, y1 = items.box
    tops = [
        top
        for left, top, _, _ in (e.box for e in found if e.table.columns == PAIR)
        if items.last < top < y1
        if any(inside_of((x0, top, left - sheet.line, y1), sheet.words, sheet.line))
    ]
    if not tops:
        return items
    rows = tuple(at for at in items.rows if at < min(tops))
    return items._replace(box=(x0, y0, x1, min(tops) - sheet.line / 8), rows=rows)


def _sums_below(
    sheet: Sheet, items: ItemTable, found: Sequence[FoundTable]
) -> list[FoundTable]:
    """The sums of items that are below the rules of these, in no table yet.

    At least two names, each with a figure, and all figures end at the same position.
    """
    x0, _, x1, y1 = items.box
    bottom = max(each.box[3] for each in found if covered(each.box, items.box) > SHARED)
    below = inside_of((x0, bottom, x1, y1), sheet.left(found), sheet.line)
    rows = baselines(chunk for of_line in below for chunk in of_line.phrases)
    ends = [row[-1].x1 for row in rows if len(row) == PAIR and is_number(row[-1].text)]
    if not len(ends) == len(rows) > 1 or max(ends) - min(ends) > sheet.line / 4:
        return []
    sums = sheet.build(union(piece[1:5] for row in rows for piece in row), below)
    return [sums] if sums and sums.table.columns == PAIR else []


def _mixed(sheet: Sheet, parts: Iterable[FoundTable], items: Box) -> list[FoundTable]:
    """The tables in columns that begin high above the items, with more than headers."""
    high = (each for each in parts if each.box[1] < items[1] - sheet.line / 2)
    return [e for e in high if has_more_above((*e.box[:3], items[1]), sheet.words)]


def _has_own_head(found: FoundTable) -> bool:
    """Whether a table starts with names above rows: then it is not part of another."""
    heads = _heads(found)
    named = len(heads) > 1 and all(
        is_year(text) or is_counted(text) or not is_number(text) for text in heads
    )
    return named and found.table.rows > HEAD_ROWS and found.table.columns > HEAD_ROWS


def _heads(found: FoundTable) -> list[str]:
    """The texts of a table's header."""
    return [cell.text for cell in found.table.cells if cell.header and cell.text]


def _holds_several(found: FoundTable, every: Sequence[ItemTable]) -> bool:
    """Whether one table was found in place of two, each with the same headers."""
    inside = [items.names for items in every if covered(items.box, found.box) > 1 - SHARED]
    return any(
        2 * len(names & others) > len(names)
        for names, others in itertools.combinations(inside, 2)
    )


def _begin_anew(sheet: Sheet, items: ItemTable, around: Sequence[FoundTable]) -> bool:
    """Whether headers are far below what is above them, on a separate rule.

    Headers at the start of a surrounding table belong to that table.
    """
    x0, top, x1, _ = items.box
    if not all(inside_of((*each.box[:3], top), each.held, sheet.line) for each in around):
        return False
    above = [
        word.y1
        for of_line in sheet.words
        for word in of_line
        if word.middle < top and x0 <= word.center <= x1
    ]
    far = top - max(above, default=top) > HEAD_ROOM * sheet.line
    return far and _is_ruled_off(sheet, (x0, top, x1, items.rows[0]))


def _is_strip(sheet: Sheet, found: FoundTable, items: Box) -> bool:
    """Whether a table as wide as items has figures above them: no shade behind headers."""
    wide = all(abs(found.box[side] - items[side]) < sheet.line for side in (0, 2))
    above = (word for own in found.held for word in own if word.middle < items[1])
    return wide and any(is_value(word.text) for word in above)


def _above(sheet: Sheet, found: FoundTable, items: Box, *, is_ruled: bool) -> FoundTable | None:
    """A table without the headers of the items below it; None if no table is left."""
    x0, y0, x1, y1 = found.box
    top, near = items[1], sheet.line / 2
    if not (y0 < top - near and top + near < y1 and x0 < items[2] and items[0] < x1):
        return found
    held = inside_of((x0, y0, x1, top), found.held, sheet.line)
    box = (x0, y0, x1, top) if is_ruled else next(iter(unruled_boxes(held)), None)
    cut = box and sheet.build(box, held)
    return cut if cut and is_table(cut.table, ruled=True) else None


def _has_heads(sheet: Sheet, seen: FoundTable, items: ItemTable, *, alone: bool) -> bool:
    """Whether a table has the headers of items, and nothing to gain from these.

    Args:
        sheet: The page.
        seen: As found by rules or columns.
        items: Around it.
        alone: Whether no other table was found in place of these.
    """
    x0, y0, x1, y1 = seen.box
    if items.box[1] < y0 - sheet.line / 2 or _lacks_amounts(sheet, seen, items):
        return False
    more = has_more_above((x0, y0, x1, items.box[1]), sheet.words)
    is_open = alone and x0 - sheet.line < items.box[0] and items.box[2] < x1 + sheet.line
    more_items = sum(at > y1 for at in items.full)
    ends = _is_ruled_off(sheet, seen.box) and more_items < FURTHER
    goes_on = is_open and y1 < items.last and not ends
    parts_more = is_open and seen.table.columns < items.filled
    is_within = is_open and abs(items.box[3] - y1) < sheet.line
    joins_more = is_within and items.ruled and seen.table.rows > len(items.rows) + HEAD_ROWS
    joins_more &= not _has_groups(sheet, seen)
    fits = not (more or goes_on or parts_more or joins_more)
    return fits and y1 >= items.rows[0] + sheet.line


def _lacks_amounts(sheet: Sheet, seen: FoundTable, items: ItemTable) -> bool:
    """Whether the last header, and amounts below it, are right of a table."""
    _, y0, x1, y1 = seen.box
    if items.heads[-1] < x1 + sheet.line:
        return False
    beside = inside_of((x1, y0, items.box[2], y1), sheet.words, sheet.line)
    return sum(is_amount(word.text) for own in beside for word in own) >= HEAD_ROWS


def _has_more_rows(sheet: Sheet, part: FoundTable, items: ItemTable) -> bool:
    """Whether a table has the headers of items, all their columns, and rows right below."""
    (_, top, _, bottom), low = part.box, items.box[3]
    from_heads = abs(top - items.box[1]) < HEAD_ROOM * sheet.line
    near = (low, min(bottom, low + HEAD_ROOM * sheet.line))
    below = any(near[0] < w.middle < near[1] for own in part.held for w in own)
    return from_heads and below and part.table.columns > len(items.columns)


def _has_groups(sheet: Sheet, seen: FoundTable) -> bool:
    """Whether rules divide rows in some columns only: rows of a group named by the others.

    Not tested on images, whose rules are detected with gaps.
    """
    if any(line.source != "text_layer" for line in sheet.lines):
        return False
    return any(cell.row_span > 1 and cell.text and not cell.header for cell in seen.table.cells)


def _stand_beside(sheet: Sheet, ruled: Box, items: ItemTable) -> bool:
    """Whether rows of items are both in a table between rules and beside it.

    The items' headers are then on one side; if they are on both, the rules cover a part of the
    items.
    """
    near, (x0, y0, x1, y1) = 2 * sheet.line, items.box
    inside = {ruled[0] < place < ruled[2] for place in items.heads}
    if len(inside) > 1 or min(ruled[2], x1) - max(ruled[0], x0) <= near:
        return False
    level = (x0, max(ruled[1], y0), x1, min(ruled[3], y1))
    if level[3] - level[1] <= near:
        return False
    out = [
        word
        for of_line in inside_of(level, sheet.words, sheet.line)
        for word in of_line
        if not ruled[0] - near < word.center < ruled[2] + near
    ]
    return len(baselines(out)) >= ROWS_BESIDE


def _stand_side_by_side(ruled: Sequence[FoundTable]) -> bool:
    """Whether two of the tables between rules, each with rows and columns, are side by side."""
    several = [each.box for each in ruled if each.table.rows > HEAD_ROWS]
    return any(
        (a[2] < b[0] or b[2] < a[0])
        and min(a[3], b[3]) - max(a[1], b[1]) > SHARED * (a[3] - a[1])
        for a, b in itertools.combinations(several, 2)
    )


def _has_spanning_heads(sheet: Sheet, seen: FoundTable, items: ItemTable) -> bool:
    """Whether a table has all the items, and headers that span columns above theirs."""
    begins = seen.box[1] < items.box[1] - sheet.line / 2
    spans = any(
        cell.header and cell.column_span > 1 for cell in seen.table.cells if not cell.row
    )
    whole = seen.box[3] >= items.last and seen.table.columns >= items.filled
    return begins and spans and whole


def _is_ruled_off(sheet: Sheet, box: Box) -> bool:
    """Whether a rule is drawn below a box; a row may follow a table's last shade."""
    x0, _, x1, y1 = box
    near = sheet.line / 2
    rules = clipped(sheet.across, (y1 - near, y1 + near), (x0, x1))
    return any(rule.thickness > FAINTEST for rule in rules)


def _of_items(sheet: Sheet, items: ItemTable, words: Words, top: float) -> FoundTable | None:
    """The table of items; its headers separate columns where nothing else does.

    Args:
        sheet: The page.
        items: Its lowest headers, and its rows.
        words: Those that no other table has.
        top: The top of the shade behind its headers, or of the headers.
    """
    x0, y0, x1, y1 = items.box
    box = (x0, top, x1, y1)
    rows = [y0, *items.rows] if top < y0 else items.rows
    across = [Stroke(at, x0, x1, 0.0) for at in rows]
    built = partial(
        sheet.built, box, across, [], words, body=items.rows[0], items=not items.ruled
    )
    whole = built()
    if whole and whole.table.columns > len(items.columns):
        return whole
    return built(columns=items.columns)


def _goes_on_in(parts: Iterable[FoundTable], head: FoundTable) -> bool:
    """Whether a part has all columns of the part with the header, or all but one; no header.

    A sum above further items looks like a header, with an amount.
    """
    return any(
        head.table.columns - 1 <= part.table.columns <= head.table.columns
        and (not _heads(part) or any(map(is_amount, _heads(part))))
        for part in parts
        if part is not head
    )
