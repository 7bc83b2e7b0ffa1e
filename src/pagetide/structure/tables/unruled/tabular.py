"""Whether rows in columns are a table, not a list, a form, contents or prose."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Sequence
from statistics import median

from pagetide.structure.rows import BULLETS, is_mark
from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.pieces import LEADER, Piece, baselines
from pagetide.structure.tables.unruled.labelled import PAIR
from pagetide.structure.tables.unruled.stubs import without_stub_lines

LEAST_ROWS = 3
LONG_TEXT = 9  # words: cells of a table are usually shorter
PROSE = 3  # words
LEAST_PIECES = 5  # pieces a column needs before its alignment counts
RAGGED = 0.5  # line heights
GOES_ON = 0.3  # and the share that starts without a capital; in German about half do
FULL = 0.6  # of a prose column's rows: the others end a paragraph
MANY_COLUMNS = 4
MOST_OF_CONTENTS = 4  # pieces: a number, a title, its leader and a page
BLOCKS = 3.0  # line heights between side-by-side addresses
FIGURES = 0.3  # of the pieces after the first column
PAIRS = 0.6  # of a column
LEAST_COUNTED = 6  # texts
LABEL = re.compile(r".*[:：]$", re.DOTALL)
_BULLET = re.compile(rf"[{BULLETS}](\s|$)")
_OPTION = re.compile(r"[☐☑☒]\s+\S")  # a check box with its name: an answer, not a cell
_LEADERS = re.compile(r"(\.\s?){4}$")
_COUNTED = re.compile(r"(\d{1,2})[.):]?\s+\S")
_PAGE = re.compile(r"[1-9]\d{0,3}|[ivxlc]{1,6}")


def is_tabular(
    rows: Sequence[Sequence[Piece]],
    gutters: Sequence[float],
    below: Sequence[Sequence[Piece]] = (),
) -> bool:
    """Whether rows in columns are a table, not a list, a form, contents or prose.

    Args:
        rows: Each from left to right, from the top.
        gutters: Between the columns.
        below: Rows below it.
    """
    several = [row for row in rows if len(row) > 1]
    stacks = in_stacks(several, gutters)
    columns = sum(len(stack) > 1 for stack in stacks)
    least = LEAST_ROWS if columns < MANY_COLUMNS else LEAST_ROWS - 1
    if len(several) < least or len(several) < 0.5 * len(without_stub_lines(rows)):
        return False
    first = [row[0].text for row in several]
    rest = [piece.text for row in several for piece in row[1:]]
    bullets = sum(bool(_BULLET.match(row[0].text)) for row in rows)
    options = sum(all(_OPTION.match(piece.text) for piece in row) for row in rows)
    if all(map(is_mark, first)) or max(bullets, options) > 1 or _is_contents(several):
        return False
    if _is_ragged(stacks) or is_set_in_columns(stacks):
        return False
    figures = sum(map(is_number, rest)) / len(rest)
    if figures < FIGURES and (_are_blocks(stacks, below) or any(map(_are_marks, stacks))):
        return False
    long = sum(len(LEADER.sub("", text).split()) >= LONG_TEXT for text in (*first, *rest))
    if long > 0.25 * (len(first) + len(rest)):
        return False
    labels = sum(bool(LABEL.match(text)) for text in first)
    pairs = any(_are_mostly(PAIR, stack) for stack in stacks)
    if pairs or any(_are_mostly(LABEL, stack) for stack in stacks[1:]):
        return False
    if columns == 2:
        return figures >= 0.6 and labels < 0.5 * len(several)
    return figures >= FIGURES or len(several) > LEAST_ROWS


def count_across(rows: Sequence[Sequence[Piece]]) -> bool:
    """Whether texts in columns begin with 1, 2, 3 and so on, row by row: they are read so."""
    texts = [piece.text for row in rows for piece in row]
    counts = [int(found[1]) for text in texts if (found := _COUNTED.match(text))]
    is_long = len(texts) >= LEAST_COUNTED and len(rows) > 1
    return is_long and len(rows[0]) > 1 and counts == list(range(1, len(texts) + 1))


def _are_marks(column: Sequence[Piece]) -> bool:
    """Whether a column has only list markers, on either side of their text."""
    return len(column) >= LEAST_PIECES and all(is_mark(piece.text) for piece in column)


def _are_mostly(pattern: re.Pattern[str], column: Sequence[Piece]) -> bool:
    """Whether most of a column is names, with their values or of those right of it."""
    matching = sum(bool(pattern.match(piece.text)) for piece in column)
    return len(column) > 1 and matching >= PAIRS * len(column)


def _are_blocks(columns: Sequence[Sequence[Piece]], below: Sequence[Sequence[Piece]]) -> bool:
    """Whether columns are side-by-side addresses: far apart, and of different lengths.

    Args:
        columns: From left to right.
        below: Rows after the last that has several pieces.
    """
    filled = [column for column in columns if column]
    line = median(piece.y1 - piece.y0 for column in filled for piece in column)
    rooms = [
        min(piece.x0 for piece in right) - max(piece.x1 for piece in left)
        for left, right in itertools.pairwise(filled)
    ]
    if min(rooms, default=0.0) <= BLOCKS * line:
        return False
    begins = [min(piece.x0 for piece in column) for column in filled[1:]]
    alone = [
        row
        for row in below[:2]
        if len(row) == 1 and any(abs(row[0].x0 - x) < line / 2 for x in begins)
    ]
    return len(set(map(len, filled))) > 1 or len(alone) > 1  # only one column continues


def in_stacks(rows: Sequence[Sequence[Piece]], gutters: Sequence[float]) -> list[list[Piece]]:
    """The pieces of each column."""
    columns: list[list[Piece]] = [[] for _ in range(len(gutters) + 1)]
    for piece in itertools.chain(*rows):
        columns[bisect_left(gutters, (piece.x0 + piece.x1) / 2)].append(piece)
    return columns


def _is_ragged(columns: Sequence[Sequence[Piece]]) -> bool:
    """Whether half of the columns are aligned neither left nor right nor centred.

    Those of an index are not: a number follows its entry wherever that ends. Names in the first
    column may be indented by rank, if all other columns are aligned.
    """
    tall = [pieces for pieces in columns if len(pieces) >= LEAST_PIECES]
    heights = [piece.y1 - piece.y0 for pieces in tall for piece in pieces]
    ragged = [pieces for pieces in tall if _spread(pieces) > RAGGED * median(heights)]
    if len(tall) > 1 and ragged == [columns[0]]:
        return any(len(row) > 1 for row in baselines(columns[0]))
    return len(ragged) >= max(1, len(tall) / 2)


def is_set_in_columns(columns: Sequence[Sequence[Piece]]) -> bool:
    """Whether most columns are prose, with lines broken where they were full."""
    tall = [rows for column in columns if len(rows := baselines(column)) >= LEAST_PIECES]
    return sum(map(_is_prose, tall)) > len(tall) / 2


def _is_prose(rows: Sequence[Sequence[Piece]]) -> bool:
    """Whether most rows have too little space left for the word that starts the next."""
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
    """How far most of a column's pieces are from a common edge or middle."""
    places = zip(*((p.x0, p.x1, (p.x0 + p.x1) / 2) for p in pieces), strict=True)
    return min(float(median(abs(x - median(xs)) for x in xs)) for xs in places)


def _is_contents(rows: Sequence[Sequence[Piece]]) -> bool:
    """Whether the rows end in page numbers that have leaders or increase."""
    if median(len(row) for row in rows) > MOST_OF_CONTENTS:
        return False
    ends = [row[-1].text.strip(" .") for row in rows]
    if sum(bool(_PAGE.fullmatch(end)) for end in ends) < 0.8 * len(ends):
        return False
    leaders = sum(any(_LEADERS.search(piece.text) for piece in row) for row in rows)
    numbers = [int(end) for end in ends if end.isdigit()]
    rising = all(a <= b for a, b in itertools.pairwise(numbers))
    rising = rising and len(set(numbers)) > 0.7 * len(numbers)
    return leaders >= 0.5 * len(rows) or (rising and len(numbers) > 4)
