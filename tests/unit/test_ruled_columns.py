"""Columns of text that a drawn rule separates."""

from __future__ import annotations

from pagetide.geometry import Box
from pagetide.structure.order.ruled_columns import ruled_columns
from pagetide.structure.tables.ruled.frames import Stroke

LINE = 10.0
RULE = Stroke(at=350.0, start=95.0, end=260.0, thickness=1.0)
NOTES: list[Box] = [(360, 100 + 14 * n, 460 - 20 * (n % 3), 110 + 14 * n) for n in range(8)]


def column(rows: int) -> list[Box]:
    return [(100, 100 + 12 * n, 340, 110 + 12 * n) for n in range(rows)]


def test_text_and_notes_beside_a_rule_are_read_one_after_the_other() -> None:
    [[text, notes]] = ruled_columns([*column(12), *NOTES], (), (RULE,), LINE)
    assert text == (100, 100, 340, 242)
    assert notes[0] == 360


def test_a_rule_that_ends_within_a_column_does_not_cut_its_text() -> None:
    assert ruled_columns([*column(30), *NOTES], (), (RULE,), LINE) == []
