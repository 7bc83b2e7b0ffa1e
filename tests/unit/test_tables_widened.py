"""Shades and rules that only figures have: the names beside these are of their tables."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.layout import Rule
from tests.unit.tables_drawn import across, down, found, prose, rows_from, text, texts

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


FORM = [
    ("Returns and allowances", "1,140"),
    ("Subtract this from the line above it, and enter the rest", "63,078"),
    ("Cost of goods that were sold in the year of this return", "19,655"),
    ("Other income", "275"),
]


def _form(*, dots: str = "", count: int = len(FORM)) -> list[list[list[str]]]:
    """Lines of a form, each with a box around its number and its amount."""
    lines, rules = [*prose(40), *prose(1100)], list[Rule]()
    for n, (name, amount) in enumerate(FORM[:count]):
        top = 208 + 40 * n
        leader = dots * ((660 - 10 * len(name)) // (16 * max(len(dots.split()), 1)))
        lines += [text(f"{name} {leader}", 80, top), text(f"{n + 2}", 772, top)]
        lines.append(text(amount, 900 - 10 * len(amount), top))
        rules += [across(y, 760, 910) for y in (top - 6, top + 28)]
        rules += [down(x, top - 6, top + 28) for x in (760, 800, 910)]
    return [texts(each.table) for each in found(lines, rules)]


@pytest.mark.parametrize(("dots", "count"), [("", 4), (". ", 4), (". ", 2)])
def test_names_beside_boxes_of_figures_are_of_their_rows(dots: str, count: int) -> None:
    [table] = _form(dots=dots, count=count)
    names = [row[0].rstrip(" .") for row in table]
    assert names == [name for name, _ in FORM[:count]]
    assert [row[1:] for row in table] == [
        [f"{n}", amount] for n, (_, amount) in enumerate(FORM[:count], 2)
    ]


def test_lines_of_text_beside_boxes_of_figures_are_not() -> None:
    said = "the boats that came in with the tide were unloaded then"
    lines, rules = list[Line](), list[Rule]()
    for n in range(4):
        top = 208 + 40 * n
        lines += [text(said, 80, top), text("1,140", 850, top)]
        rules += [across(y, 760, 910) for y in (top - 6, top + 28)]
        rules += [down(x, top - 6, top + 28) for x in (760, 800, 910)]
    assert all(
        said not in cell
        for table in found(lines, rules)
        for cell in map(str, texts(table.table))
    )
