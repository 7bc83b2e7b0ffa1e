"""A long table in several columns of the page, each below the same heads."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line
from tests.unit.tables_drawn import across, down, found, prose, rows_from, texts

XS = (100.0, 260.0, 420.0, 580.0)
HEADS = ("Age", "Boats")
LEFT = [["1 year", "37"], ["2 years", "21"], ["3 years", "33"], ["4 years", "18"]]
RIGHT = [["5 years", "17"], ["6 years", "11"], ["7 years", "9"], ["8 years", "2"]]


def _tables(heads: Sequence[str], inner: Sequence[float]) -> list[list[list[str]]]:
    rows = [[*heads], *(left + right for left, right in zip(LEFT, RIGHT, strict=True))]
    lines: list[Line] = [*prose(40), *rows_from(rows, 210, XS), *prose(1100)]
    rules = [across(y, 90, 700) for y in (200, 240, 400)]
    return [
        texts(each.table)
        for each in found(lines, [*rules, *(down(x, 200, 400) for x in inner)])
    ]


def test_a_rule_between_heads_and_the_same_heads_again_parts_two_tables() -> None:
    assert _tables(HEADS * 2, [410]) == [[[*HEADS], *LEFT], [[*HEADS], *RIGHT]]


def test_a_rule_between_other_heads_does_not() -> None:
    assert len(_tables((*HEADS, "Years", "Crew"), [410])) == 1


def test_rules_between_all_columns_part_one_table() -> None:
    assert len(_tables(("Boats",) * 4, [250, 410, 570])) == 1
