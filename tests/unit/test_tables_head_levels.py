"""Heads over heads: names that stand between their levels, and rules between them."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line
from pagetide.layout import Rule
from tests.unit.tables_drawn import across, found, prose, row, text, texts

XS = (100.0, 400.0, 560.0, 720.0)
NAMES = ("North quay", "South quay", "The inner lock", "The outer lock")


def _heads(heads: Sequence[Line], rules: Sequence[Rule]) -> list[list[str]]:
    """The rows above the body of a table with a rule below its heads and below its last row."""
    lines = [*heads]
    for n, name in enumerate(NAMES):
        lines += row((name, f"1,{n}12", f"{n + 3}07", f"2,{n}40"), XS, 366 + 32 * n)
    ruled = [*rules, across(358, 90, 800), across(490, 90, 800)]
    [table] = [each.table for each in found([*prose(60), *lines, *prose(900)], ruled)]
    return texts(table)[: table.rows - len(NAMES)]


def test_a_name_between_the_levels_of_heads_hides_no_head_from_those_below_it() -> None:
    heads = [text("Boats and ships", 430, 304), text("Berth", 100, 316)]
    heads += row(("", "Boats", "Ships", "Barges"), XS, 328)
    assert [each[1:] for each in _heads(heads, [across(290, 90, 800)])] == [
        ["Boats and ships", "", "Barges"],
        ["Boats", "Ships", ""],
    ]


def test_rules_between_the_levels_of_heads_part_them_above_a_tables_first_rule() -> None:
    heads = [text("All here", 530, 270), text("By water", 530, 300)]
    heads += row(("Berth", "Boats", "Ships", "Barges"), XS, 330)
    rows = _heads(heads, [across(y, 400, 780) for y in (295, 325)])
    assert [each[1] for each in rows] == ["All here", "By water", "Boats"]


def test_heads_of_one_line_beside_the_middle_of_others_are_not_below_these() -> None:
    heads = [*row(("", "", "Ships", ""), XS, 306), *row(("", "", "(tons)", ""), XS, 328)]
    heads += row(("Berth", "Boats", "", "Barges"), XS, 317)
    [names] = _heads(heads, [across(290, 90, 800)])
    assert names == ["Berth", "Boats", "Ships\n(tons)", "Barges"]
