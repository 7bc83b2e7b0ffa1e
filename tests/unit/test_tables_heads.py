"""Which rows are a table's heads, and which cells these have."""

from __future__ import annotations

import pytest

from pagetide.document import Cell, Table
from pagetide.geometry import polygon_of
from pagetide.structure.tables.baseline import numbered
from pagetide.structure.tables.grids.cells import without_idle
from tests.unit.tables_drawn import across, found, prose, row, rows_from, spans, text, texts

COUNTS = ("12", "1", "104", "25", "3")
PRICES = ("3.10", "10.00", "8.25", "95.00", "21.00")
NAMES = ("Rope", "Sail", "Tar", "Anchor", "Lamp")


def _head(sides: tuple[float, float], *names: str) -> list[str]:
    """The head of a table with a rule below it, and figures behind its names."""
    lines = [text("Count Unit price", 400, 300)]
    lines += [text("Article", 100, 300)] if names else []
    for n, (count, price) in enumerate(zip(COUNTS, PRICES, strict=True)):
        ends = (450.0 - 10 * len(count), 555.0 - 10 * len(price))
        lines += row((count, price), ends, 340 + 34 * n)
        lines += [text(name, 100, 340 + 34 * n) for name in names[n : n + 1]]
    rules = [across(y, 90 if names else 390, 900) for y in (295, 520)]
    page = [*prose(60), *lines, *prose(900)]
    [table] = [each.table for each in found(page, [*rules, across(325, *sides)])]
    return texts(table)[0]


def test_a_head_with_a_rule_below_along_its_columns_alone_is_one() -> None:
    assert _head((400, 555), *NAMES) == ["Article", "Count Unit price", ""]


def test_heads_with_a_rule_below_from_side_to_side_are_each_columns_own() -> None:
    assert _head((90, 900), *NAMES) == ["Article", "Count", "Unit price"]
    assert _head((400, 555)) == ["Count", "Unit price"]


def test_numbers_of_columns_are_counted_from_one() -> None:
    assert numbered(["(1)", "kg", "(3)", "(2)"]) == {"(1)", "(2)", "(3)"}
    assert numbered(["(5)", "(7)", "(3)"]) == set()
    assert numbered(["(1)", "(2)"]) == set()
    assert numbered(["1", "2", "3"]) == set()


@pytest.mark.parametrize(
    ("second", "heads"),
    [(("", "(1)", "(2)", "(3)"), {0, 1}), (("Rope", "(5)", "(7)", "(3)"), {0})],
)
def test_numbers_of_columns_are_heads_and_figures_in_brackets_are_none(
    second: tuple[str, ...], heads: set[int]
) -> None:
    rows = [("Article", "Bought", "Sold", "Left"), second]
    rows += [
        (name, count, str(n), f"{n}7")
        for n, (name, count) in enumerate(zip(NAMES, COUNTS, strict=True))
    ]
    rules = [across(y, 90, 850) for y in (290, 330, 570)]
    page = [*prose(60), *rows_from(rows, 300), *prose(900)]
    [table] = [each.table for each in found(page, rules)]
    assert {cell.row for cell in table.cells if cell.header} == heads


def _cell(said: str, row: int, column: int, *, rows: int = 1, header: bool = False) -> Cell:
    box = (100.0 * column, 40.0 * row, 100.0 * column + 90, 40.0 * (row + rows))
    return Cell(
        text=said, row=row, column=column, row_span=rows, header=header, polygon=polygon_of(box)
    )


def test_a_row_of_heads_in_which_none_begins_is_left_out() -> None:
    cells = [
        _cell("Berth", 0, 0, rows=2, header=True),
        _cell("Dues", 0, 1, rows=2, header=True),
        _cell("A 1", 2, 0),
        _cell("37.20", 2, 1),
    ]
    table = without_idle(Table(rows=3, columns=2, cells=tuple(cells)))
    assert table.rows == 2 and spans(table) == {}
    assert texts(table) == [["Berth", "Dues"], ["A 1", "37.20"]]


def test_a_blank_row_of_values_stays() -> None:
    cells = [_cell("Berth", 0, 0, header=True), _cell("", 1, 0), _cell("A 1", 2, 0)]
    table = Table(rows=3, columns=1, cells=tuple(cells))
    assert without_idle(table) == table
