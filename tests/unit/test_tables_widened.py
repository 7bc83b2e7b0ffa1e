"""Shades and rules that only figures have: the names beside these are of their tables."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.layout import Rule
from tests.unit.tables_drawn import across, down, found, prose, rows_from, texts

ROWS = [
    ["Sales of goods", "666", "888"],
    ["Wages", "332", "776"],
    ["Other", "665", "220"],
    ["Rent", "21", "14"],
    ["", "998", "664"],
]
NAMES = [row[0] for row in ROWS]
HEADS = ["", "2023", "2024"]


def _shade(x0: float, x1: float) -> list[Rule]:
    """The edges of a column's shade, cell by cell."""
    edges = [across(200 + 40 * n, x0, x1) for n in range(7)]
    edges += [down(x, 200, 440) for x in (x0, x1)]
    return [Rule(start=edge.start, end=edge.end, thickness=0) for edge in edges]


def _tables(lefts: Sequence[float], *, shaded: Sequence[int]) -> list[list[list[str]]]:
    lines = [*prose(40), *prose(1100)]
    rules: list[Rule] = []
    for left in lefts:
        lines += rows_from([HEADS, *ROWS], 210, [left, left + 180, left + 280])
        for column in shaded:
            rules += _shade(left + 70 + 100 * column, left + 170 + 100 * column)
    return [texts(each.table) for each in found(lines, rules)]


@pytest.mark.parametrize("shaded", [[1, 2], [2]])
def test_names_stand_beside_shaded_figures(shaded: list[int]) -> None:
    [table] = _tables([100.0], shaded=shaded)
    assert [row[0] for row in table[1:]] == NAMES
    assert [row[-2:] for row in table[1:]] == [row[1:] for row in ROWS]


def test_a_shaded_column_among_others_is_not_the_table() -> None:
    [table] = _tables([100.0], shaded=[1])
    assert [row[-2:] for row in table[1:]] == [row[1:] for row in ROWS]


def test_names_are_of_the_figures_next_to_them() -> None:
    tables = _tables([80.0, 540.0], shaded=[1, 2])
    assert len(tables) == 2
    for table in tables:
        assert [row[0] for row in table[1:]] == NAMES
        assert [row[1:] for row in table[1:]] == [row[1:] for row in ROWS]
