"""Numbers of columns above their units, beside others lower down."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line
from tests.unit.tables_drawn import across, found, prose, row, text, texts

XS = (100.0, 420.0, 560.0)


def _heads(heads: Sequence[Line]) -> list[list[str]]:
    lines = [*heads, *row(("Rope", "743", "396"), XS, 380), *row(("Sail", "31", "8"), XS, 430)]
    rules = [across(at, 90, 720) for at in (290, 366, 460)]
    (table,) = found([*prose(60), *lines, *prose(1100)], rules)
    return texts(table.table)[:-2]


def test_a_columns_number_above_its_unit_is_beside_the_numbers_lower_down() -> None:
    heads = [text("(1)", 420, 300), text("(kg)", 420, 330), text("(2)", 560, 330)]
    assert _heads(heads) == [["", "(1)\n(kg)", "(2)"]]


def test_rows_of_figures_in_brackets_are_no_numbers_of_columns() -> None:
    rows = [("Loss", "(12)", "(2)"), ("Gain", "(1)", "3")]
    heads = [line for n, each in enumerate(rows) for line in row(each, XS, 300 + 33 * n)]
    assert _heads(heads) == [list(each) for each in rows]
