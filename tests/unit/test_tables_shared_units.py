"""A unit below heads: of all columns, in the middle under them, or of the one above it."""

from __future__ import annotations

import pytest

from tests.unit.tables_drawn import across, found, prose, row, spans, text, texts

XS = (100.0, 400.0, 560.0, 720.0)
HEADS = ("Berth", "Boats", "Ships", "Barges")
NAMES = ("North quay", "South quay", "The inner lock", "The outer lock")


def _rows(unit: str, x: float, y: float) -> tuple[list[list[str]], dict[str, tuple[int, int]]]:
    lines = [*row(HEADS, XS, 300), text(unit, x, y)]
    for n, name in enumerate(NAMES):
        lines += row((name, f"1,{n}12", f"{n + 3}07", f"2,{n}40"), XS, 366 + 32 * n)
    rules = [across(at, 90, 800) for at in (290, 358, 490)]
    [table] = [each.table for each in found([*prose(60), *lines, *prose(900)], rules)]
    return texts(table), spans(table)


@pytest.mark.parametrize("unit", ["(in thousands)", "(tons)"])
def test_a_unit_in_the_middle_under_all_heads_is_a_row_of_its_own(unit: str) -> None:
    rows, wide = _rows(unit, 585 - 5 * len(unit), 332)
    assert rows[:2] == [[*HEADS], ["", unit, "", ""]] and len(rows) == 6
    assert wide[unit] == (1, 3)


def test_a_unit_close_below_the_middle_head_is_its_own() -> None:
    assert _rows("(tons)", 555, 322)[0][0] == ["Berth", "Boats", "Ships\n(tons)", "Barges"]


def test_a_unit_under_another_head_is_its_own() -> None:
    assert _rows("(tons)", 720, 332)[0][0] == ["Berth", "Boats", "Ships", "Barges\n(tons)"]
