"""A section's name right below the heads of a table, whatever parts its rows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.layout import Rule
from pagetide.structure.tables import FoundTable
from tests.unit.tables_drawn import (
    XS,
    across,
    found,
    prose,
    row,
    rows_from,
    shade,
    spans,
    text,
    texts,
)

HEADS = ("Berth", "Boat", "Days", "Dues")
ROWS = [
    ("A 1", "Minnow", "12", "37.20"),
    ("A 2", "Curlew", "1", "21.00"),
    ("B 7", "Heron", "4", "33.00"),
    ("B 9", "Bittern", "3", "18.00"),
]
NAME = "Northern quay"


def _table(lines: Sequence[Line], rules: Sequence[Rule]) -> FoundTable:
    (table,) = found([*prose(60), *lines, *prose(1100)], rules)
    return table


def _below_heads(room: float) -> list[list[str]]:
    """The rows where the name stands so far below heads that have no rule below them."""
    lines = [*row(HEADS, XS, 340 - room), text(NAME, 100, 340), *rows_from(ROWS, 380)]
    rules = [across(y, 90, 850) for y in (330 - room, 370, 410, 450, 490, 530)]
    return texts(_table(lines, rules).table)


def test_a_section_one_row_below_the_heads_is_a_row() -> None:
    assert _below_heads(40)[:2] == [list(HEADS), [NAME, "", "", ""]]


def test_a_second_line_of_the_first_head_is_none() -> None:
    assert _below_heads(24)[0] == [f"{HEADS[0]}\n{NAME}", *HEADS[1:]]


def test_heads_a_section_and_rows_shaded_by_turns_are_one_table() -> None:
    heads = ("Berth", "Boat", "2015", "2016")
    lines = [*row(heads, XS, 300), text(NAME, 100, 347)]
    for n, each in enumerate(ROWS[:2]):
        lines += [*row(each, XS, 390 + 56 * n), text("of the sea", 300, 414 + 56 * n)]
    rules = [across(y, 90, 850) for y in (290, 330)]
    assert texts(_table(lines, [*rules, *shade(386, 442)]).table) == [
        list(heads),
        [NAME, "", "", ""],
        *([a, f"{b}\nof the sea", c, d] for a, b, c, d in ROWS[:2]),
    ]


def test_a_section_that_runs_over_two_of_five_columns_spans_its_row() -> None:
    xs = (100.0, 220.0, 420.0, 580.0, 700.0)
    heads = ("Quay", "Count", "Price", "Days", "Dues")
    goods = [("Rope", "12", "3.10", "14", "3.30"), ("Sail", "1", "21.00", "2", "20.00")]
    said = "Northern quays and locks"
    lines = [
        *row(heads, xs, 300),
        text(said, 100, 340),
        *rows_from([*goods, goods[0]], 380, xs),
    ]
    rules = [across(y, 90, 800) for y in (290, 330, 370, 410, 450, 490)]
    assert spans(_table(lines, rules).table) == {said: (1, 5)}


@pytest.mark.parametrize("inset", [0, 50, 55])
def test_words_of_a_section_are_not_parted_where_their_space_is_the_usual_one(
    inset: float,
) -> None:
    rows = [
        ("Berth no", "Boat or yawl", "Days", "Dues"),
        ("Quay A", "One Minnow", "12", "37.20"),
        ("Quay B", "Big Curlew", "4", "21.00"),
        ("Quay C", "Old Heron", "4", "21.00"),
    ]
    said = "Northern quays of the sea"
    lines = [text(said, 100 + inset, 340, gap=10)]
    for top, each in zip((300, 380, 420, 460), rows, strict=True):
        lines += [text(words, x, top, gap=10) for words, x in zip(each, XS, strict=True)]
    table = _table(lines, [across(y, 90, 850) for y in (290, 330, 370, 490)]).table
    assert texts(table)[1] == [said, "", "", ""]


def test_heads_a_section_and_rows_between_rules_are_one_table() -> None:
    lines = [*row(HEADS, XS, 300), text(NAME, 100, 340), *rows_from(ROWS, 380)]
    shade = Rule(start=(90, 290), end=(850, 290), thickness=0)
    rules = [shade, *(across(y, 90, 850) for y in (330, 370, 410, 450, 490, 530))]
    assert texts(_table(lines, rules).table) == [
        list(HEADS),
        [NAME, "", "", ""],
        *map(list, ROWS),
    ]
