"""Grid functions for blocks and exports: a table's text, renumbered lines, rows."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from statistics import median

import msgspec

from pagetide.document import Line, Table
from pagetide.geometry import Box
from pagetide.layout.words import as_one
from pagetide.structure.rows import Row, is_mark
from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.unruled.labelled import PAIR

_NAMED = re.compile(r"[^\W\d_]{4}|[^\d:：]{2,40}[:：]")  # `IBAN XX00`, a name and its figure
_CLAUSE = re.compile(r"(\d{1,2}\.){1,3}\d{1,2}\.?")
LEAST_LINES = 2  # of a block beside another
LEAST_ADDRESS = 3  # lines
BAND = 0.9  # line heights: lines of one address are closer
FAR = 6.0  # line heights between two that are not pairs of names and values
FAR_TITLED = 3.0  # the same after a name in larger letters than what is below it
SHORT_LINE = 40  # letters
KEY_LINES, KEY_SIZE = 2, 1.4  # lines of a key figure, and how much larger it is than its name
TITLED = 1.2  # times the height of the lines below it


def table_text(table: Table) -> str:
    """The table's text: a line feed between rows, a tab between columns."""
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = as_one(
            " ".join(row.split()) for row in cell.text.split("\n")
        )
    return "\n".join("\t".join(row).rstrip("\t") for row in grid)


def renumbered(table: Table, place_of: Mapping[int, int]) -> Table:
    """The table with its cells' line indexes replaced using a mapping."""
    cells = tuple(
        msgspec.structs.replace(
            cell, line_indexes=tuple(place_of[index] for index in cell.line_indexes)
        )
        for cell in table.cells
    )
    return msgspec.structs.replace(table, cells=cells)


def is_listing(rows: Sequence[Row], gutters: Sequence[float]) -> bool:
    """Whether a grid is a list: its first column holds only bullets, or numbers of items."""
    return len(gutters) == 1 and all(
        is_mark(line.text) or _CLAUSE.fullmatch(line.text.strip())
        for row in rows
        for line, box in zip(row.lines, row.boxes, strict=True)
        if box[0] < gutters[0]
    )


def bands_of(rows: Sequence[Row]) -> list[list[Row]]:
    """A grid's rows of one baseline each, split where all columns leave space."""
    level = [line for row in rows for line in baselines(row)]
    if not level:
        return []
    line, bottom = median(row.height for row in level), level[0].box[3]
    bands: list[list[Row]] = [[]]
    for row in sorted(level, key=lambda row: row.box[1]):
        if row.box[1] - bottom > BAND * line:
            bands.append([])
        bands[-1].append(row)
        bottom = max(bottom, row.box[3])
    return bands


def apart(rows: Sequence[Row], gutters: Sequence[float]) -> list[list[Row]] | None:
    """A grid's columns separately, if they are blocks side by side; otherwise None.

    For example two addresses, or one beside an invoice's dates: each has short lines, and there
    is far more space between them than between a name and its value. Figures belong to their
    rows.
    """
    edges = [float("-inf"), *gutters, float("inf")]
    columns = [
        [line for row in rows for line in _within(row, left, right)]
        for left, right in itertools.pairwise(edges)
    ]
    line = median(row.height for row in rows)
    filled = [column for column in columns if column]
    if lists := _lists(filled):
        return [_beside(block) for block in lists]
    if _are_key_figures(filled):
        return [_beside([column]) for column in filled]
    blocks = _far_apart(filled, line)
    if (
        len(blocks) < 2
        or max(len(column) for block in blocks for column in block) < LEAST_LINES
    ):
        return None
    titled = _is_titled(blocks[0][0], blocks[1][0])
    if not (titled or all(_has_short_lines(block[0]) for block in blocks)):
        return None
    if any(_is_label(row) for [*_, last] in blocks[:-1] for row in (last[1:] or last)):
        return None
    return [_beside(block) for block in blocks]


def _lists(columns: Sequence[list[Row]]) -> list[list[list[Row]]]:
    """The columns as side-by-side lists, if two or more have items; otherwise none."""
    starts = [
        place
        for place, column in enumerate(columns)
        if sum(row.bulleted or is_mark(row.lines[0].text) for row in column) >= LEAST_LINES
    ]
    if len(starts) < 2:
        return []
    edges = [0, *starts[1:], len(columns)]
    return [list(columns[a:b]) for a, b in itertools.pairwise(edges)]


def _are_key_figures(columns: Sequence[list[Row]]) -> bool:
    """Whether each column has a figure in large letters, and what it counts in small ones."""
    if len(columns) < 2 or any(len(column) != KEY_LINES for column in columns):
        return False
    large = max(range(KEY_LINES), key=lambda place: columns[0][place].height)
    return all(
        column[large].height > KEY_SIZE * column[1 - large].height
        and any(map(str.isdigit, column[large].text))
        and any(map(str.isalpha, column[1 - large].text))
        for column in columns
    )


def _far_apart(columns: Sequence[list[Row]], line: float) -> list[list[list[Row]]]:
    """The columns, with those joined that have no space between them."""
    found: list[list[list[Row]]] = []
    for column in columns:
        left = min(row.box[0] for row in column)
        last = found[-1][-1] if found else []
        far = FAR_TITLED if _is_titled(last, column) else FAR
        near = found and left - max(row.box[2] for row in last) < far * line
        if (near and not _are_unlike_pairs(last, column)) or _are_pairs(last, column):
            found[-1].append(column)
        else:
            found.append([column])
    return found


def _are_pairs(names: Sequence[Row], values: Sequence[Row]) -> bool:
    """Whether each name, without digits, has one value on its line, most with digits.

    A company name in larger letters than what is below it does not count. Values that are named
    themselves, as `Date: 12 May` is, belong to no other name.
    """
    if all(PAIR.match(value.text) for value in values) and not any(map(_is_label, names)):
        return False
    numbers = [any(map(str.isdigit, row.text)) for row in (*names, *values)]
    return (
        len(names) == len(values) > 1
        and not _is_titled(names, values)
        and not any(numbers[: len(names)])
        and 2 * sum(numbers) >= len(values)
        and all(
            name.box[1] < (value.box[1] + value.box[3]) / 2 < name.box[3]
            for name, value in zip(names, values, strict=True)
        )
    )


def _is_titled(rows: Sequence[Row], beside: Sequence[Row]) -> bool:
    """Whether the first of several rows is in larger letters, as a company name is.

    Next to a figure it is the name of a total.
    """
    if len(rows) < 2 or is_number(beside[0].text):
        return False
    return rows[0].height > TITLED * max(row.height for row in rows[1:])


def _are_unlike_pairs(left: Sequence[Row], right: Sequence[Row]) -> bool:
    """Whether two columns are not names and values: two addresses, or one beside names.

    Below its first line an address has numbers, as names of values do not.
    """
    if any(map(_is_label, left[1:])) or min(len(left), len(right)) < LEAST_ADDRESS:
        return False
    if not _has_numbers(left) or (all(row.bold for row in left) and not right[-1].bold):
        return False
    return _has_numbers(right) or 2 * sum(map(_is_label, right)) > len(right)


def _has_numbers(rows: Sequence[Row]) -> bool:
    """Whether lines have words and numbers, ignoring the first."""
    return any(
        any(map(str.isdigit, row.text)) and any(map(str.isalpha, row.text)) for row in rows[1:]
    )


def _is_label(row: Row) -> bool:
    return row.text.rstrip().endswith((":", "："))


def _beside(columns: Sequence[list[Row]]) -> list[Row]:
    """The rows of columns that belong together, each of one baseline."""
    lines = [
        each
        for column in columns
        for row in column
        for each in zip(row.indexes, row.lines, row.boxes, strict=True)
    ]
    level: list[list[tuple[int, Line, Box]]] = []
    for each in sorted(lines, key=lambda each: each[2][1] + each[2][3]):
        box = each[2]
        if not level or (box[1] + box[3]) / 2 >= level[-1][0][2][3]:
            level.append([])
        level[-1].append(each)
    found = []
    for row in level:
        indexes, own, boxes = zip(*sorted(row, key=lambda each: each[2][0]), strict=True)
        found.append(Row.of(indexes, own, boxes))
    return found


def _within(row: Row, left: float, right: float) -> list[Row]:
    """The part of a row whose middle is between two positions, by its baselines there."""
    places = [i for i, box in enumerate(row.boxes) if left <= (box[0] + box[2]) / 2 < right]
    return baselines(row.part(places)) if places else []


def _has_short_lines(rows: Sequence[Row]) -> bool:
    """Whether rows are short lines such as an address, neither prose nor figures."""
    figures = sum(is_number(row.text) and not _NAMED.match(row.text) for row in rows)
    return 2 * figures <= len(rows) and median(len(row.text) for row in rows) <= SHORT_LINE


def baselines(row: Row) -> list[Row]:
    """A grid's row, whose cells may hold several lines, as rows of one baseline each."""
    found: list[list[int]] = []
    for place, box in enumerate(row.boxes):
        middle = (box[1] + box[3]) / 2
        first = row.boxes[found[-1][0]] if found else None
        if first is None or not first[1] < middle < first[3]:
            found.append([])
        found[-1].append(place)
    return [row.part(places) for places in found]
