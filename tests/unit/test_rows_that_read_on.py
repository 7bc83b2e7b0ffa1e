"""Lines of an item table that are, or are not, rows of their own by what they say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.structure.tables.grids.grid import Border, Grid
from pagetide.structure.tables.rows.parting import rows_in
from tests.unit.tables_drawn import across, found, row, rows_of, text, texts

XS = (110.0, 460.0, 560.0, 700.0)
HEADS = ("Article", "Count", "Price", "Amount")
ROPE = ("Rope for the mast", "12", "3.10", "37.20")
SAIL = ("Sail", "1", "210.00", "210.00")
TAR = ("Tar", "4", "8.25", "33.00")


def _rows(lines: Sequence[Line]) -> list[list[str]]:
    """The rows of a table with rules around it and below its heads."""
    rules = [across(y, 100, 800) for y in (295, 335, 520)]
    (table,) = found(lines, rules)
    return texts(table.table)


def _even(second: str) -> list[Line]:
    """Items as far apart as the first is from the line below it."""
    lines = [*row(HEADS, XS, 305), *row(ROPE, XS, 345), text(second, 110, 381)]
    return [*lines, *row(SAIL, XS, 417), *row(TAR, XS, 453)]


@pytest.mark.parametrize("second", ["(made to order)", "and for the boom"])
def test_a_line_that_reads_on_is_no_row_though_lines_are_evenly_spaced(second: str) -> None:
    assert _rows(_even(second))[1][0].split("\n") == [ROPE[0], second]


@pytest.mark.parametrize("second", ["Galley", "(2) Galley"])
def test_a_line_that_begins_like_a_name_is_a_row(second: str) -> None:
    assert _rows(_even(second))[1:3] == [list(ROPE), [second, "", "", ""]]


def test_a_lowercase_line_is_a_row_where_the_items_are_in_lowercase_too() -> None:
    lines = [*row(HEADS, XS, 305), *row(("rope", *ROPE[1:]), XS, 345), text("galley", 110, 381)]
    lines += [*row(("sail", *SAIL[1:]), XS, 417), *row(("tar", *TAR[1:]), XS, 453)]
    assert _rows(lines)[2] == ["galley", "", "", ""]


def test_two_names_with_an_amount_each_in_one_frame_are_two_rows() -> None:
    tax, paid = ("Income tax", "1570.42", "-20.42", ""), ("Paid already", "", "-150.00", "")
    lines = [*row(tax, XS, 105), *row(paid, XS, 131)]
    pieces = [piece for each in rows_of(lines) for piece in each]
    grid = Grid(
        tuple(Border(x, ruled=True) for x in (100, 450, 550, 690, 800)),
        tuple(Border(y, ruled=True) for y in (100, 160)),
    )
    rows = rows_in(grid, pieces, 20, first=False, head=False, ruled=True, closed=True)
    assert [[line.pieces[0].text for line in each] for each in rows] == [[tax[0]], [paid[0]]]
