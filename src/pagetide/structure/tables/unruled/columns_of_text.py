"""Tables without rules around them: text that stands in columns, and reads across them."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Sequence
from statistics import median

from pagetide.document import Table
from pagetide.geometry import Box, box_of, union
from pagetide.structure.figures.caption_names import NUMBERED
from pagetide.structure.order.reading_order import Segment, segments
from pagetide.structure.paragraphs import BULLETS, is_mark
from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.line_words import Words, inside_of
from pagetide.structure.tables.pieces import Piece, baselines
from pagetide.structure.tables.unruled.blocks_beside import Rows, above_name, beside
from pagetide.structure.tables.unruled.labelled import PAIR
from pagetide.structure.tables.unruled.parted import parts
from pagetide.structure.tables.unruled.stubs import without_stub_lines

LEAST_ROWS = 3
MOST_CHUNKS = 2000  # a page has some hundred; cutting goes by their square
LONG_TEXT = 9  # words: cells of a table are shorter, as a rule
PROSE = 3  # words
LEAST_TOLD = 5  # pieces of a column that can be said to line up or not
RAGGED = 0.5  # line heights
GOES_ON = 0.3  # and so many begin with no capital; in German, where nouns have one, half do
FULL = 0.6  # of a prose column's rows: the others end a paragraph
FAR_BELOW = 1.25  # line heights
MANY_COLUMNS = 4
MOST_OF_CONTENTS = 4  # pieces: a number, a title, its leader and a page
BLOCKS = 3.0  # line heights between addresses side by side
FIGURES = 0.3  # of what stands behind the first column
PAIRS = 0.6  # of a column
HEADING = 1.5  # times as high as the other pieces
STRIP = 8.0  # line heights between rows of two tables, however alike they are


_NOTE = re.compile(r"(source|note|nb|quelle|fuente|fonte)s?\b", re.IGNORECASE)
_LABEL = re.compile(r".*[:：]$", re.DOTALL)
_BULLET = re.compile(rf"[{BULLETS}](\s|$)")
_LEADERS = re.compile(r"(\.\s?){4}$")
_DOTS = re.compile(r"(?:[.·…]\s?){3,}$")
_PAGE = re.compile(r"\d{1,4}|[ivxlc]{1,6}")


def unruled_boxes(words: Words) -> list[Box]:
    """Boxes around what stands as tables do, from the words of lines in no table yet."""
    return _boxes([chunk for of_line in words for chunk in of_line.phrases])


def _boxes(chunks: Sequence[Piece]) -> list[Box]:
    if not 2 * LEAST_ROWS <= len(chunks) <= MOST_CHUNKS:
        return []
    found: list[Box] = []
    for segment in segments([chunk[1:5] for chunk in chunks]):
        rows, below, notes = _trimmed(segment, chunks)
        several = [part for strip in _strips(rows) for part in parts(strip)]
        if len(several) > 1:
            for part in several:
                found += _boxes([chunk for row in part for chunk in row])
        elif rows and (sides := _sides(rows, notes)):
            for side in sides:
                found += _boxes([chunk for row in side for chunk in row])
        elif rows and _is_tabular(rows, segment.gutters, below):
            found.append(union(chunk[1:5] for row in rows for chunk in row))
    return found


def _sides(rows: Rows, notes: Rows) -> tuple[Rows, ...] | None:
    """Blocks that only stand beside each other, and what is below these."""
    whole = [*rows, *notes]
    return beside(rows) or (beside(whole) if notes else None) or above_name(whole)


def are_prose(table: Table, words: Sequence[Sequence[Piece]]) -> bool:
    """Whether most of a table's columns are prose, as a newspaper's are, or most cells.

    Args:
        table: Its cells have polygons, upright.
        words: What it holds.
    """
    rights: dict[int, float] = {}
    for cell in table.cells:
        if cell.polygon and cell.column_span == 1:
            right = box_of(cell.polygon)[2]
            rights[cell.column] = max(rights.get(cell.column, right), right)
    rights.pop(table.columns - 1, None)
    in_columns = is_set_in_columns(_stacks(words, sorted(rights.values())))
    return bool(rights) and (in_columns or _are_phrases([cell.text for cell in table.cells]))


def are_pairs(table: Table) -> bool:
    """Whether a column behind the first holds little but names with values beside them."""
    columns: dict[int, list[str]] = {}
    for cell in table.cells:
        if cell.text and cell.column and cell.column_span == 1:
            columns.setdefault(cell.column, []).append(cell.text)
    return any(
        sum(bool(_LABEL.match(text) or PAIR.match(text)) for text in texts) > PAIRS * len(texts)
        for texts in columns.values()
        if len(texts) > 1
    )


def _are_phrases(texts: Sequence[str]) -> bool:
    """Whether most cells are of several words, and many begin in the middle of a sentence."""
    told = [text for text in texts if text]
    long = [text for text in told if len(text.split()) > PROSE]
    inside = sum(text[0].isalpha() and not text[0].isupper() for text in long)
    return 2 * len(long) > len(told) and inside >= GOES_ON * len(long)


def _trimmed(
    segment: Segment, chunks: Sequence[Piece]
) -> tuple[list[list[Piece]], list[list[Piece]], list[list[Piece]]]:
    """The segment's rows without titles above and notes below; what stands below; the notes."""
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
    """The rows, parted where nothing joins two: by much room, a heading or a caption."""
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
    """How many rows there are before one that stands far below those above it."""
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
    """A box from below the caption that it begins with, if it does with one.

    Args:
        box: Of a table, as a layout model saw it: its edge may cut the row above.
        words: Of the page.
        line: The page's typical line height.
    """
    rows = baselines(chunk for of in inside_of(box, words, line) for chunk in of.phrases)
    if len(rows) < 2 or len(rows[0]) > 1 or not NUMBERED.match(rows[0][0].text):
        return box
    return (box[0], min(rows[0][0].y1, *(piece.y0 for piece in rows[1])), *box[2:])


def _is_title(row: Sequence[Piece], gutters: Sequence[float]) -> bool:
    if all(PAIR.match(piece.text) for piece in row):
        return True  # names beside their values are no heads
    return len(row) == 1 or bool(NUMBERED.match(row[0].text)) or _has_prose(row, gutters)


def _is_larger(row: Sequence[Piece], below: Sequence[Sequence[Piece]]) -> bool:
    """Whether a row is a section's name in a title's letters, with a sum or words beside."""
    usual = median([p.y1 - p.y0 for each in below for p in each] or [float("inf")])
    return all(
        piece.y1 - piece.y0 > HEADING * usual or (place and not is_number(piece.text))
        for place, piece in enumerate(row)
    )


def _is_note(row: Sequence[Piece], gutters: Sequence[float]) -> bool:
    few = len(row) <= (len(gutters) + 1) / 3 and not any(is_number(p.text) for p in row[1:])
    return len(row) == 1 or few or bool(_NOTE.match(row[0].text)) or _has_prose(row, gutters)


def _has_prose(row: Sequence[Piece], gutters: Sequence[float]) -> bool:
    """Whether a piece of several words runs across a gutter."""
    return any(
        len(piece.text.split()) > PROSE and any(piece.x0 < g < piece.x1 for g in gutters)
        for piece in row
    )


def _is_tabular(
    rows: Sequence[Sequence[Piece]],
    gutters: Sequence[float],
    below: Sequence[Sequence[Piece]] = (),
) -> bool:
    """Whether rows in columns are a table, not a list, a form, contents or prose.

    Args:
        rows: Each from left to right, from the top.
        gutters: Between the columns.
        below: Rows that stand below it.
    """
    several = [row for row in rows if len(row) > 1]
    stacks = _stacks(several, gutters)
    columns = sum(len(stack) > 1 for stack in stacks)
    least = LEAST_ROWS if columns < MANY_COLUMNS else LEAST_ROWS - 1
    if len(several) < least or len(several) < 0.5 * len(without_stub_lines(rows)):
        return False
    first = [row[0].text for row in several]
    rest = [piece.text for row in several for piece in row[1:]]
    bullets = sum(bool(_BULLET.match(row[0].text)) for row in rows)
    if all(map(is_mark, first)) or bullets > 1 or _is_contents(several):
        return False
    if _is_ragged(stacks) or is_set_in_columns(stacks):
        return False
    figures = sum(map(is_number, rest)) / len(rest)
    if figures < FIGURES and (_are_blocks(stacks, below) or any(map(_are_marks, stacks))):
        return False
    long = sum(len(_DOTS.sub("", text).split()) >= LONG_TEXT for text in (*first, *rest))
    if long > 0.25 * (len(first) + len(rest)):
        return False
    labels = sum(bool(_LABEL.match(text)) for text in first)
    pairs = any(_are_mostly(PAIR, stack) for stack in stacks)
    if pairs or any(_are_mostly(_LABEL, stack) for stack in stacks[1:]):
        return False
    if columns == 2:
        return figures >= 0.6 and labels < 0.5 * len(several)
    return figures >= FIGURES or len(several) > LEAST_ROWS


def _are_marks(column: Sequence[Piece]) -> bool:
    """Whether a column has nothing but a list's marks, on whatever side of their text."""
    return len(column) >= LEAST_TOLD and all(is_mark(piece.text) for piece in column)


def _are_mostly(pattern: re.Pattern[str], column: Sequence[Piece]) -> bool:
    """Whether most of a column is names, with their values or of those right of it."""
    told = sum(bool(pattern.match(piece.text)) for piece in column)
    return len(column) > 1 and told >= PAIRS * len(column)


def _are_blocks(columns: Sequence[Sequence[Piece]], below: Sequence[Sequence[Piece]]) -> bool:
    """Whether columns are addresses side by side: far apart, and not of the same length.

    Args:
        columns: From left to right.
        below: Rows behind the last that has several pieces.
    """
    told = [column for column in columns if column]
    line = median(piece.y1 - piece.y0 for column in told for piece in column)
    rooms = [
        min(piece.x0 for piece in right) - max(piece.x1 for piece in left)
        for left, right in itertools.pairwise(told)
    ]
    if min(rooms, default=0.0) <= BLOCKS * line:
        return False
    begins = [min(piece.x0 for piece in column) for column in told[1:]]
    alone = [
        row
        for row in below[:2]
        if len(row) == 1 and any(abs(row[0].x0 - x) < line / 2 for x in begins)
    ]
    return len(set(map(len, told))) > 1 or len(alone) > 1  # a column goes on by itself


def _stacks(rows: Sequence[Sequence[Piece]], gutters: Sequence[float]) -> list[list[Piece]]:
    """The pieces of each column."""
    columns: list[list[Piece]] = [[] for _ in range(len(gutters) + 1)]
    for piece in itertools.chain(*rows):
        columns[bisect_left(gutters, (piece.x0 + piece.x1) / 2)].append(piece)
    return columns


def _is_ragged(columns: Sequence[Sequence[Piece]]) -> bool:
    """Whether half of the columns line up neither left nor right nor in the middle.

    Those of an index do not: a number follows its entry wherever that ends. Names in the first
    column may stand in by their rank, where all other columns line up.
    """
    told = [pieces for pieces in columns if len(pieces) >= LEAST_TOLD]
    heights = [piece.y1 - piece.y0 for pieces in told for piece in pieces]
    ragged = [pieces for pieces in told if _spread(pieces) > RAGGED * median(heights)]
    if len(told) > 1 and ragged == [columns[0]]:
        return any(len(row) > 1 for row in baselines(columns[0]))
    return len(ragged) >= max(1, len(told) / 2)


def is_set_in_columns(columns: Sequence[Sequence[Piece]]) -> bool:
    """Whether most columns are prose, of lines that were broken where they were full."""
    told = [rows for column in columns if len(rows := baselines(column)) >= LEAST_TOLD]
    return sum(map(_is_prose, told)) > len(told) / 2


def _is_prose(rows: Sequence[Sequence[Piece]]) -> bool:
    """Whether most rows have too little room left for the word that the next begins with."""
    words = median(sum(len(piece.text.split()) for piece in row) for row in rows)
    right = max(row[-1].x1 for row in rows)
    full = sum(
        right - row[-1].x1 < _first_word(following[0])
        for row, following in itertools.pairwise(rows)
    )
    goes_on = sum(row[0].text[0].isalpha() and not row[0].text[0].isupper() for row in rows[1:])
    several = len(rows) - 1
    return words >= PROSE and full >= FULL * several and goes_on >= GOES_ON * several


def _first_word(piece: Piece) -> float:
    """The width of a piece's first word and a space."""
    share = len(piece.text.split(maxsplit=1)[0]) / len(piece.text)
    return share * (piece.x1 - piece.x0) + (piece.y1 - piece.y0) / 2


def _spread(pieces: Sequence[Piece]) -> float:
    """How far most of a column's pieces stand from a common edge or middle."""
    places = zip(*((p.x0, p.x1, (p.x0 + p.x1) / 2) for p in pieces), strict=True)
    return min(float(median(abs(x - median(xs)) for x in xs)) for xs in places)


def _is_contents(rows: Sequence[Sequence[Piece]]) -> bool:
    """Whether the rows end in the numbers of pages, and say so."""
    if median(len(row) for row in rows) > MOST_OF_CONTENTS:
        return False
    ends = [row[-1].text.strip() for row in rows]
    if sum(bool(_PAGE.fullmatch(end)) for end in ends) < 0.8 * len(ends):
        return False
    leaders = sum(any(_LEADERS.search(piece.text) for piece in row) for row in rows)
    numbers = [int(end) for end in ends if end.isdigit()]
    rising = all(a <= b for a, b in itertools.pairwise(numbers))
    rising = rising and len(set(numbers)) > 0.7 * len(numbers)
    return leaders >= 0.5 * len(rows) or (rising and len(numbers) > 4)
