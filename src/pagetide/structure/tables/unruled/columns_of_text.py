"""Tables without rules around them: text in columns that is read across."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from pagetide.document import Table
from pagetide.geometry import Box, box_of, union
from pagetide.structure.figures.caption_names import NUMBERED
from pagetide.structure.order.reading_order import Segment, segments
from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.line_words import Words, inside_of
from pagetide.structure.tables.pieces import Piece, baselines
from pagetide.structure.tables.unruled.blocks_beside import (
    Rows,
    above_name,
    beside,
)
from pagetide.structure.tables.unruled.labelled import PAIR
from pagetide.structure.tables.unruled.parted import parts
from pagetide.structure.tables.unruled.tabular import (
    GOES_ON,
    LABEL,
    LEAST_ROWS,
    PAIRS,
    PROSE,
    count_across,
    in_stacks,
    is_set_in_columns,
    is_tabular,
)

MOST_CHUNKS = 2000  # a page has about a hundred; cutting is quadratic
FAR_BELOW = 1.25  # line heights
HEADING = 1.5  # times the height of the other pieces
STRIP = 8.0  # line heights between rows of two tables, however similar they are


_NOTE = re.compile(r"(source|note|nb|quelle|fuente|fonte)s?\b", re.IGNORECASE)


def unruled_boxes(words: Words) -> list[Box]:
    """Boxes around table-like text, from the words of lines in no table yet."""
    return _boxes([chunk for of_line in words for chunk in of_line.phrases])


def _boxes(chunks: Sequence[Piece]) -> list[Box]:
    if not 2 * LEAST_ROWS <= len(chunks) <= MOST_CHUNKS:
        return []
    found: list[Box] = []
    for segment in segments([chunk[1:5] for chunk in chunks]):
        whole = baselines(chunks[index] for row in segment.rows for index in row)
        if count_across(whole):
            found.append(union(chunk[1:5] for row in whole for chunk in row))
            continue
        rows, below, notes = _trimmed(segment, chunks)
        several = [part for strip in _strips(rows) for part in parts(strip)]
        if len(several) > 1:
            for part in several:
                found += _boxes([chunk for row in part for chunk in row])
        elif rows and (sides := _sides(rows, notes)):
            for side in sides:
                found += _boxes([chunk for row in side for chunk in row])
        elif rows and is_tabular(rows, _gutters(segment, rows), below):
            found.append(union(chunk[1:5] for row in rows for chunk in row))
    return found


def _gutters(segment: Segment, rows: Rows) -> tuple[float, ...]:
    """Those of a segment's rows without its title, which may hide one that most rows show."""
    boxes = [chunk[1:5] for row in rows for chunk in row]
    if len(boxes) == sum(map(len, segment.rows)):
        return segment.gutters
    again = segments(boxes)
    gutters = again[0].gutters if len(again) == 1 else ()
    full = sum(len(row) == len(gutters) + 1 for row in rows)
    return (
        gutters
        if len(gutters) > len(segment.gutters) and 2 * full > len(rows)
        else segment.gutters
    )


def _sides(rows: Rows, notes: Rows) -> tuple[Rows, ...] | None:
    """Blocks that are only side by side, and what is below these."""
    whole = [*rows, *notes]
    return beside(rows) or (beside(whole) if notes else None) or above_name(whole)


def are_prose(table: Table, words: Sequence[Sequence[Piece]]) -> bool:
    """Whether most of a table's columns are prose, as a newspaper's are, or most cells.

    Args:
        table: Its cells have polygons, upright.
        words: Its words.
    """
    rights: dict[int, float] = {}
    for cell in table.cells:
        if cell.polygon and cell.column_span == 1:
            right = box_of(cell.polygon)[2]
            rights[cell.column] = max(rights.get(cell.column, right), right)
    rights.pop(table.columns - 1, None)
    in_columns = is_set_in_columns(in_stacks(words, sorted(rights.values())))
    return bool(rights) and (in_columns or _are_phrases([cell.text for cell in table.cells]))


def are_pairs(table: Table) -> bool:
    """Whether a column after the first holds mostly names with values beside them."""
    columns: dict[int, list[str]] = {}
    for cell in table.cells:
        if cell.text and cell.column and cell.column_span == 1:
            columns.setdefault(cell.column, []).append(cell.text)
    return any(
        sum(bool(LABEL.match(text) or PAIR.match(text)) for text in texts) > PAIRS * len(texts)
        for texts in columns.values()
        if len(texts) > 1
    )


def _are_phrases(texts: Sequence[str]) -> bool:
    """Whether most cells have several words, and many start in the middle of a sentence."""
    filled = [text for text in texts if text]
    long = [text for text in filled if len(text.split()) > PROSE]
    inside = sum(text[0].isalpha() and not text[0].isupper() for text in long)
    return 2 * len(long) > len(filled) and inside >= GOES_ON * len(long)


def _trimmed(
    segment: Segment, chunks: Sequence[Piece]
) -> tuple[list[list[Piece]], list[list[Piece]], list[list[Piece]]]:
    """The segment's rows without titles above and notes below; what is below; the notes."""
    if not segment.gutters:
        return [], [], []
    rows = baselines(chunks[index] for row in segment.rows for index in row)
    start, last = 0, _end(rows)
    end = last
    while start < end and (
        _is_title(rows[start], segment.gutters)
        or _is_larger(rows[start], rows[start + 1 : end])
    ):
        start += 1
    while start < end and _is_note(rows[end - 1], segment.gutters):
        end -= 1
    return rows[start:end], rows[end:], rows[end:last]


def _strips(rows: list[list[Piece]]) -> list[list[list[Piece]]]:
    """The rows, split where nothing joins two: by much space, a heading or a caption."""
    found: list[list[list[Piece]]] = []
    usual = median(piece.y1 - piece.y0 for row in rows for piece in row) if rows else 0.0
    for row in rows:
        above = found[-1][-1] if found else None
        line = median(piece.y1 - piece.y0 for piece in row)
        is_heading = len(row) == 1 and (line > HEADING * usual or NUMBERED.match(row[0].text))
        if (
            above is None
            or is_heading
            or min(p.y0 for p in row) - max(p.y1 for p in above) > STRIP * line
        ):
            found.append([])
        found[-1].append(row)
    return found


def _end(rows: Sequence[Sequence[Piece]]) -> int:
    """How many rows come before one that is far below those above it."""
    bottoms = [max(piece.y1 for piece in row) for row in rows]
    gaps = [min(p.y0 for p in row) - b for row, b in zip(rows[1:], bottoms, strict=False)]
    line = median(piece.y1 - piece.y0 for row in rows for piece in row)
    far = max(FAR_BELOW * line, 2.5 * median(gaps)) if gaps else 0.0
    few = median(len(row) for row in rows if len(row) > 1) / 2 if max(map(len, rows)) > 1 else 0
    found = (
        place
        for place, gap in enumerate(gaps, 1)
        if gap > far and all(len(row) <= few for row in rows[place:])
    )
    return next(found, len(rows))


def below_caption(box: Box, words: Words, line: float) -> Box:
    """A box from below the caption that it starts with, if there is one.

    Args:
        box: Of a table, from a layout model: its edge may cut the row above.
        words: Of the page.
        line: The page's typical line height.
    """
    rows = baselines(chunk for of in inside_of(box, words, line) for chunk in of.phrases)
    if len(rows) < 2 or len(rows[0]) > 1 or not NUMBERED.match(rows[0][0].text):
        return box
    return (box[0], min(rows[0][0].y1, *(piece.y0 for piece in rows[1])), *box[2:])


def _is_title(row: Sequence[Piece], gutters: Sequence[float]) -> bool:
    if all(PAIR.match(piece.text) for piece in row):
        return True  # names beside their values are not headers
    return len(row) == 1 or bool(NUMBERED.match(row[0].text)) or _has_prose(row, gutters)


def _is_larger(row: Sequence[Piece], below: Sequence[Sequence[Piece]]) -> bool:
    """Whether a row is a section name in a title's letters, with a sum or words beside it."""
    usual = median([p.y1 - p.y0 for each in below for p in each] or [float("inf")])
    return all(
        piece.y1 - piece.y0 > HEADING * usual or (place and not is_number(piece.text))
        for place, piece in enumerate(row)
    )


def _is_note(row: Sequence[Piece], gutters: Sequence[float]) -> bool:
    few = len(row) <= (len(gutters) + 1) / 3 and not any(is_number(p.text) for p in row[1:])
    return len(row) == 1 or few or bool(_NOTE.match(row[0].text)) or _has_prose(row, gutters)


def _has_prose(row: Sequence[Piece], gutters: Sequence[float]) -> bool:
    """Whether a piece of several words crosses a gutter."""
    return any(
        len(piece.text.split()) > PROSE and any(piece.x0 < g < piece.x1 for g in gutters)
        for piece in row
    )
