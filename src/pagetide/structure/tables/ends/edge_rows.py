"""First or last rows that are not part of a table: captions, notes, other tables' titles.

The classifier is fitted (`bench.fitted_edge_rows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from msgspec.structs import replace

from pagetide.document import Table
from pagetide.geometry import Box, box_of, union
from pagetide.structure.margins.edges import says_page
from pagetide.structure.tables.baseline import is_amount, is_value
from pagetide.structure.tables.ends.edge_row_features import EdgeRows, Features
from pagetide.structure.tables.found import FoundTable
from pagetide.structure.tables.line_words import LineWords
from pagetide.structure.tables.pieces import Piece, baselines, has_figures, share_level
from pagetide.structure.tables.sheet import Sheet
from pagetide.structure.trees import Trees

LEAST_ROWS = 3
LEAST_HEADS = 4  # of items: with fewer, a text above may span the columns of figures
MOST = 10  # rows examined at an edge
LEVEL = 0.5  # line heights between two right edges
INSET = 1.0  # line heights from both sides of a table to a text centred below it
SURE = 0.8  # probability that a row is not part of a table


def without_edge_rows(sheet: Sheet, table: FoundTable) -> FoundTable:
    """A table without the text above its headers and below its rows.

    Args:
        sheet: Its page.
        table: Found there, not detected by a model.
    """
    for last in (False, True):
        for _ in range(MOST):
            if not (may_end(table.table, last=last) and _is_other(sheet, table, last=last)):
                break
            table = without_row(table, last=last)
    return table


def _is_other(sheet: Sheet, table: FoundTable, *, last: bool) -> bool:
    """Whether a first or last row is not part of a table.

    A row with the page number is a page header or footer. These are rows of the table: a
    section name above values; a row that ends in a figure where the table does (an item or a
    sum), whatever its letter size; and boxes drawn below others.
    """
    place = table.table.rows - 1 if last else 0
    texts = _texts(table.table)
    own = [text for text in texts[place] if text]
    if any(map(says_page, own)):
        return True
    features = EdgeRows(sheet, table).features(last=last)
    if not features:
        return False
    ends_level = abs(features.get("at_right", 0.0)) < LEVEL
    if not last:
        begins_level = abs(features.get("at_left", 0.0)) < LEVEL
        if _is_title(texts, from_side_to_side=begins_level and ends_level):
            return True
    is_section = not last and "whole" in features and "next_figures" in features
    is_valued = ends_level and is_value(own[-1])
    is_drawn = {"closed", "parted", "next_parted"} <= features.keys()
    if last and _is_centred_note(sheet, table, features):
        return True
    if is_section or is_valued or is_drawn:
        return False
    return _trees().probability(features) > SURE


def _is_centred_note(sheet: Sheet, found: FoundTable, features: Features) -> bool:
    """Whether the last row is one text centred below the table, without rules around it.

    A text of the table starts, ends or is centred where others of its column are.
    """
    inside = min(features.get("at_left", 0.0), features.get("at_right", 0.0)) > INSET
    is_centred = {"alone", "centred"} <= features.keys() and inside
    if not is_centred or features.keys() & {"ruled", "parted"}:
        return False
    rows = baselines(phrase for own in found.held for phrase in own.phrases)
    of_columns = [phrase for row in rows if len(row) > 1 for phrase in row]
    return not share_level(rows[-1], of_columns, sheet.line / 4)


def _texts(table: Table) -> list[list[str]]:
    """The text at each place of a table's grid; of a cell over several, at its first."""
    texts = [["" for _ in range(table.columns)] for _ in range(table.rows)]
    for cell in table.cells:
        texts[cell.row][cell.column] = cell.text
    return texts


def _is_title(texts: Sequence[Sequence[str]], *, from_side_to_side: bool) -> bool:
    """Whether the first row is a title above headers that name each of several columns.

    It is one text above items that end in amounts, or two above rows with figures: one where
    the table begins, and what is said of it where it ends.
    """
    title, heads, *items = texts
    named = len(heads) >= LEAST_HEADS and all(heads) and not any(map(has_figures, heads))
    if not named or not title[0]:
        return False
    if not any(title[1:]):
        return 2 * sum(is_amount(row[-1]) for row in items) > len(items)
    valued = sum(any(map(is_value, row[1:])) for row in items)
    return from_side_to_side and sum(map(bool, title)) == 2 and 2 * valued > len(items)


@cache
def _trees() -> Trees:
    return Trees.beside(__file__, "edge_row_trees.json")


def may_end(table: Table, *, last: bool) -> bool:
    """Whether the first or last row can be removed: others remain, none shares its cells."""
    place = table.rows - 1 if last else 0
    own = [cell for cell in table.cells if cell.row <= place < cell.row + cell.row_span]
    are_alone = all(cell.row_span == 1 for cell in own)
    return table.rows >= LEAST_ROWS and are_alone and any(cell.polygon for cell in own)


def has_values(table: Table, row: int) -> bool:
    """Whether a row has figures after its name, other than years: a header has none."""
    texts = [cell.text for cell in table.cells if cell.row == row and cell.column]
    return any(is_value(text) for text in texts)


def without_row(found: FoundTable, *, last: bool) -> FoundTable:
    """A table without its first or its last row; see `may_end`."""
    place = found.table.rows - 1 if last else 0
    box = _around(found.table, place)
    x0, top, x1, bottom = found.box
    top, bottom = (top, box[1]) if last else (box[3], bottom)
    cells = tuple(
        replace(cell, row=cell.row - (not last))
        for cell in found.table.cells
        if cell.row != place
    )
    table = replace(found.table, rows=found.table.rows - 1, cells=cells)
    held = [
        LineWords(
            word
            for phrase in own.phrases
            if top <= phrase.middle <= bottom
            for word in _of(phrase)
        )
        for own in found.held
    ]
    return FoundTable((x0, top, x1, bottom), table, held)


def _of(phrase: Piece) -> Sequence[Piece]:
    """A phrase's words, which are in one cell: each follows the phrase's middle."""
    return phrase.words or (phrase,)


def _around(table: Table, row: int) -> Box:
    own = (cell.polygon for cell in table.cells if cell.row == row)
    return union([box_of(polygon) for polygon in own if polygon])
