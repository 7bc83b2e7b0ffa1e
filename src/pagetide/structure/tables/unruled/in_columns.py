"""Tables in columns: where a layout model found one, and without a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from pagetide.geometry import Box, area, contains, union
from pagetide.structure.figures.caption_names import NUMBERED
from pagetide.structure.tables.between.rows import is_closed
from pagetide.structure.tables.between.stacks import repeated_heads
from pagetide.structure.tables.ends.headed import footed, headed, lines_above
from pagetide.structure.tables.found import FoundTable, shares
from pagetide.structure.tables.judge import is_table
from pagetide.structure.tables.line_words import LineWords, Words, inside_of
from pagetide.structure.tables.pieces import baselines, has_figures, share_level
from pagetide.structure.tables.ruled.block_boxes import block_boxes
from pagetide.structure.tables.ruled.field_boxes import field_boxes, has_names
from pagetide.structure.tables.ruled.frames import clipped, frames_of
from pagetide.structure.tables.ruled.in_frames import RULES
from pagetide.structure.tables.ruled.widened import widened
from pagetide.structure.tables.sheet import Sheet
from pagetide.structure.tables.unruled.columns_of_text import (
    are_pairs,
    are_prose,
    below_caption,
    unruled_boxes,
)
from pagetide.structure.tables.unruled.described import described_tables
from pagetide.structure.tables.unruled.labelled import labelled_boxes

LARGE_HINT = 0.4  # of the area of the page's text
FIELDS = 2  # rows of a form's fields, among which no columns of text are a table
LARGER = 1.1  # times the height of rows: a heading
WHOLE = 0.9  # of an area's width
HIGHEST = 3.0  # line heights of a title's shade, or a header's
MOST_BLOCKS = 40  # each word is compared with each
ROWS = 3  # of a table that is more than a header
LEVEL = 0.4  # line heights between aligned edges or middles
MOSTLY = 0.6  # of the pieces
BESIDE = 1.5  # line heights from a ruled header to the rows below it, at most


def with_hinted(
    sheet: Sheet, found: list[FoundTable], hints: Iterable[Box]
) -> list[FoundTable]:
    """Adds tables where a layout model found one and no rules did."""
    for hint in hints:
        box = _between_shades(sheet, below_caption(hint, sheet.words, sheet.line))
        if shares(box, found) or not _bears_out(sheet, box):
            continue
        table = sheet.build(box, sheet.left(found))
        if (
            table
            and is_table(table.table, ruled=True)
            and not are_prose(table.table, table.held)
            and not are_pairs(table.table)
        ):
            found = [*found, table]
    return found


def _between_shades(sheet: Sheet, box: Box) -> Box:
    """A table area from a model, without titles on shades, and with its shaded header.

    A layout model takes a form's sections for one table, and leaves out a dark header.
    """
    x0, y0, x1, y1 = box
    for left, top, right, bottom in sheet.fills:
        wide = min(x1, right) - max(x0, left) > WHOLE * (x1 - x0)
        low = bottom - top < HIGHEST * sheet.line
        if not (wide and low):
            continue
        inside = inside_of((left, top, right, bottom), sheet.words, sheet.line)
        phrases = sum(len(of_line.phrases) for of_line in inside)
        if phrases == 1 and top < (y0 + y1) / 2:
            y0 = max(y0, bottom)
        elif phrases == 1:
            y1 = min(y1, top)
        elif phrases > 1 and abs(bottom - y0) < sheet.line:
            y0 = min(y0, top)
    return (x0, y0, x1, y1)


def _bears_out(sheet: Sheet, box: Box) -> bool:
    """Whether a table area from a model is small, or rules or columns show a table too.

    A layout model takes pages of an index or of formulas for one large table.
    """
    if area(box) < LARGE_HINT * area(sheet.text_box):
        return True
    across = clipped(sheet.across, (box[1], box[3]), (box[0], box[2]))
    columns = unruled_boxes(inside_of(box, sheet.words, sheet.line))
    return len(across) >= RULES or sum(map(area, columns)) > area(box) / 2


def with_unruled(sheet: Sheet, found: list[FoundTable]) -> list[FoundTable]:
    """Adds tables in columns, and the rows below a ruled header."""
    fields, own, free = _fields(sheet), list[FoundTable](), sheet.left(found)
    groups = _by_block(sheet, free)
    boxes = [
        part
        for own in groups
        for box in unruled_boxes(own)
        for part in _beside(sheet, box, found)
    ]
    for box in _parted(sheet, sorted(boxes, key=_top)):
        if shares(box, own) or sum(box[1] <= y <= box[3] for y in fields) >= FIELDS:
            continue
        named = _with_name(sheet, box, free) if found else box
        above = next((each for each in found if _follows(sheet, each, named)), None)
        if above is not None:
            both = union([above.box, box])
            others = [each for each in found if each is not above]
            apart = not shares(both, others)
            whole = sheet.build(both, sheet.left(others)) if apart else None
            if whole and whole.table.columns <= above.table.columns + 1:
                found = [whole if each is above else each for each in found]
                continue
        left = sheet.left(found)
        ways = dict.fromkeys((footed(box, left, sheet.line, sheet.across), box))
        if table := next(filter(None, (_built(sheet, way, left) for way in ways)), None):
            wide = widened(table.box, left, sheet.line)
            table = (wide != table.box and _built(sheet, wide, left)) or table
            below = next((each for each in found if _leads_to(sheet, table, each)), None)
            found = [each for each in found if each is not below]
            whole = below and sheet.build(union([table.box, below.box]), sheet.left(found))
            own.append(whole or table)
            found = [*found, own[-1]]
    return found


def _by_block(sheet: Sheet, words: Words) -> list[Words]:
    """The words in each box that holds a block, and those in none."""
    blocks = [b for f in sheet.frames for b in block_boxes(f, sheet.words, sheet.line)]
    if not 0 < len(blocks) <= MOST_BLOCKS:
        return [words]
    held = [
        [LineWords(w for w in own if contains(b, (w.center, w.middle))) for own in words]
        for b in blocks
    ]
    taken = {id(word) for block in held for own in block for word in own}
    free = [LineWords(word for word in own if id(word) not in taken) for own in words]
    return [*held, free]


def _beside(sheet: Sheet, box: Box, found: Iterable[FoundTable]) -> list[Box]:
    """The parts of a box above and below the tables of other columns that it spans."""
    x0, y0, x1, y1 = box
    within = [
        (each.box[1], each.box[3])
        for each in sorted(found, key=lambda each: _top(each.box))
        if y0 < each.box[1] and each.box[3] < y1
        if min(x1, each.box[2]) - max(x0, each.box[0]) > WHOLE * (x1 - x0)
        if not _lines_up(sheet, each, box)
    ]
    edges = [y0, *(edge for span in within for edge in span), y1]
    parts = zip(edges[::2], edges[1::2], strict=True)
    return [(x0, top, x1, low) for top, low in parts if top < low]


def _with_name(sheet: Sheet, box: Box, words: Words) -> Box:
    """A box of rows with the section name right above: alone, and not wider than these."""
    row = next(iter(lines_above(box, words, sheet.line)), ())
    if len(row) != 1 or NUMBERED.match(row[0].text):
        return box
    inside = inside_of(box, words, sheet.line)
    first = next(iter(baselines(word for of_line in inside for word in of_line)), [])
    [name], has_values = row, any(has_figures(piece.text) for piece in first)
    large = name.y1 - name.y0 > LARGER * max((p.y1 - p.y0 for p in first), default=0.0)
    near = box[1] - name.y1 < BESIDE * sheet.line
    within = name.x0 > box[0] - sheet.line and name.x1 < box[2]
    return union([box, name[1:5]]) if has_values and not large and near and within else box


def _built(sheet: Sheet, box: Box, words: Words) -> FoundTable | None:
    """The table in a box with the headers above it."""
    table = sheet.build(headed(box, words, sheet.line, sheet.across), words)
    return table if table and is_table(table.table, ruled=False) else None


def _top(box: Box) -> tuple[float, float]:
    return box[1], box[0]


def with_labelled(sheet: Sheet, found: list[FoundTable]) -> list[FoundTable]:
    """Adds rows of names that have their values below them."""
    left = sheet.left(found)
    boxes = (b for b in labelled_boxes(sheet.rows, sheet.line) if not shares(b, found))
    return [*found, *(table for box in boxes if (table := sheet.build(box, left)))]


def with_described(sheet: Sheet, found: list[FoundTable]) -> list[FoundTable]:
    """Adds names with descriptions, below a header."""
    bold = {place for place, line in enumerate(sheet.lines) if line.bold}
    if not (sheet.across or sheet.fills or bold):
        return found
    left = sheet.left(found)
    rows = baselines(chunk for of_line in left for chunk in of_line.phrases)
    for box, columns in described_tables(rows, sheet.across, sheet.fills, sheet.line, bold):
        table = None if shares(box, found) else sheet.build(box, left, columns=columns)
        if table and is_table(table.table, ruled=True):
            found = [*found, table]
    return found


def _fields(sheet: Sheet) -> list[float]:
    """The vertical positions of aligned form fields, each with its name."""
    across = [stroke for stroke in sheet.across if stroke.thickness > 0]
    down = [stroke for stroke in sheet.down if stroke.thickness > 0]
    boxes = [word[1:5] for of_line in sheet.words for word in of_line]
    rows = field_boxes(frames_of(across, down, sheet.line), boxes, sheet.line)
    return [row[0][3] for row in rows if has_names(row, sheet.words, sheet.line)]


def _parted(sheet: Sheet, boxes: Iterable[Box]) -> Iterator[Box]:
    """The boxes, split where one header is repeated: what is above it names the next."""
    tops = repeated_heads(sheet.frames, sheet.ordered)
    for x0, y0, x1, y1 in boxes:
        within = [top for top in tops if y0 + sheet.line < top < y1]
        if not within:
            yield (x0, y0, x1, y1)
            continue
        for top, bottom in pairwise([y0, *within, y1]):
            rows = baselines(
                chunk
                for of_line in inside_of((x0, top, x1, bottom), sheet.words, sheet.line)
                for chunk in of_line.phrases
            )
            while bottom != y1 and rows and len(rows[-1]) == 1:
                rows.pop()
            if rows:
                low = bottom if bottom == y1 else max(piece.y1 for piece in rows[-1])
                yield (x0, top, x1, low)


def _leads_to(sheet: Sheet, rows: FoundTable, below: FoundTable) -> bool:
    """Whether rows are right above a table with as many columns and no headers."""
    headless = not any(cell.header for cell in below.table.cells)
    same = rows.table.columns == below.table.columns
    return same and headless and _goes_on(sheet, rows.box, below.box)


def _follows(sheet: Sheet, above: FoundTable, box: Box) -> bool:
    """Whether a box of rows continues below a table: a header, or rows in the same columns."""
    if not _goes_on(sheet, above.box, box) or _is_closed(sheet, above.box):
        return False
    return above.table.rows < ROWS or _lines_up(sheet, above, box)


def _is_closed(sheet: Sheet, box: Box) -> bool:
    """Whether rules divide columns in several rows of a box, down to its end."""
    near = sheet.line / 2
    return any(
        is_closed(frame, sheet.line)
        for frame in sheet.frames
        if abs(frame.box[3] - box[3]) < near and abs(frame.box[0] - box[0]) < near
    )


def _lines_up(sheet: Sheet, table: FoundTable, box: Box) -> bool:
    """Whether the text in a box is level with the text of a table."""
    held = [piece for own in table.held for piece in own.phrases]
    inside = inside_of(box, sheet.words, sheet.line)
    own = [piece for of_line in inside for piece in of_line.phrases]
    return share_level(own, held, LEVEL * sheet.line) > MOSTLY


def _goes_on(sheet: Sheet, head: Box, box: Box) -> bool:
    """Whether a box is right below a table, as wide as it."""
    gap = box[1] - head[3]
    shared = min(head[2], box[2]) - max(head[0], box[0])
    wide = max(head[2], box[2]) - min(head[0], box[0])
    return -sheet.line / 2 <= gap <= BESIDE * sheet.line and shared >= 0.8 * wide
