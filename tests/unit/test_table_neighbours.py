"""What stands above a table between rules as wide as it, in its boxes and below its shades."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line
from pagetide.layout import Rule
from tests.unit.tables_drawn import (
    XS,
    across,
    down,
    found,
    prose,
    row,
    rows_from,
    shade,
    text,
    texts,
)

HEADS = ("Room", "From", "To", "Guests")
STAY = ("Sea view, with breakfast", "31/12/2017", "02/01/2018", "3")
OTHER = ("Harbour view", "31/12/2017", "01/01/2018", "1")
PAIRS = ("Guest: Ada", "", "Date: 31/12/2017", "")
YEARS = [
    ("", "2009", "2010", "2011"),
    ("Ropes", "12", "14", "16"),
    ("Sails", "3", "5", "7"),
    ("Tar", "8", "2", "4"),
]


def _tables(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> list[list[list[str]]]:
    return [texts(each.table) for each in found([*prose(40), *lines, *prose(1100)], rules)]


def test_names_beside_their_values_between_rules_as_wide_as_the_table_are_none_of_it() -> None:
    lines = [*row(PAIRS, XS, 170), *rows_from(YEARS, 220)]
    rules = [across(y, 90, 850) for y in (160, 205, 250, 370)]
    assert _tables(lines, rules) == [[[*each] for each in YEARS]]


def test_names_beside_their_values_above_columns_are_no_heads() -> None:
    lines = [*row(PAIRS, XS, 180), *rows_from(YEARS, 220)]
    assert _tables(lines) == [[[*each] for each in YEARS]]


def test_what_leaves_room_for_a_line_in_its_columns_is_the_next_row() -> None:
    xs = (100.0, 420.0, 620.0, 760.0)
    lines = [*row(HEADS, xs, 180), *row(STAY, xs, 205), text("and a balcony", 100, 229)]
    lines += [*row(("", "Code", "Way", ""), xs, 253), *row(("", "IB87", "Cash", ""), xs, 277)]
    (table,) = _tables(lines)
    assert table[1:] == [
        ["Sea view, with breakfast\nand a balcony", *STAY[1:]],
        ["", "Code\nIB87", "Way\nCash", ""],
    ]


def test_what_stands_above_a_box_that_begins_with_heads_is_none_of_it() -> None:
    lines = [*row(("", "Code", "Way", ""), XS, 180), *row(("", "IB87", "Cash", ""), XS, 204)]
    lines += rows_from([HEADS, STAY, OTHER], 265)
    rules = [across(y, 90, 850) for y in (250, 295, 335, 380)]
    rules += [down(x, 250, 380) for x in (90, 850)]
    assert _tables(lines, rules)[-1] == [[*HEADS], [*STAY], [*OTHER]]


def test_names_over_values_below_a_shade_are_no_row_of_its_table() -> None:
    shaded = [("Bank", "HDFC", "Number", "00030340"), ("Branch", "Delhi", "Code", "HDFC03")]
    lines = [*rows_from(shaded, 185), text("GSTIN", 100, 264), text("CIN", 620, 264)]
    lines += [text("06AABC", 100, 300), text("U63090", 620, 300)]
    assert _tables(lines, shade(170, 255)) == [[[*each] for each in shaded]]


def test_a_sum_above_heads_and_their_only_item_is_a_row_by_itself() -> None:
    lines = [*row(("Rooms and meals", "", "", "29.99"), XS, 180)]
    lines += [*row(("", *HEADS[1:]), XS, 230), *row(("", "net", "gross", "all"), XS, 252)]
    lines += [*row(("Sea view", "", "", "29.99"), XS, 276)]
    lines += [*row(("Sum", "", "24.99", "29.99"), XS, 330)]
    (table,) = _tables(lines, [across(y, 90, 850) for y in (170, 300, 318, 356)])
    assert table[0] == ["Rooms and meals", "", "", "29.99"]
    assert table[2] == ["Sea view", "", "", "29.99"]


def test_what_stands_left_of_a_box_of_sums_is_none_of_the_table() -> None:
    sums = [("", "", "Net", "42.00"), ("", "", "Tax", "8.00"), ("", "", "Sum", "50.00")]
    lines = [*rows_from([HEADS, *YEARS[1:], *sums], 210), text("Pay within a week", 100, 410)]
    rules = [across(y, 90 if y < 370 else 600, 850) for y in range(200, 500, 40)]
    rules += [down(x, 200, 360 if x < 600 else 480) for x in (90, 280, 600, 740, 850)]
    (table,) = _tables(lines, rules)
    assert table == [[*each] for each in (HEADS, *YEARS[1:], *sums)]
