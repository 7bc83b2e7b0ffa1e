"""What stands above a table between rules as wide as it, in its boxes and below its shades."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line, Word
from pagetide.geometry import polygon_of
from pagetide.layout import Rule
from tests.unit.tables_drawn import (
    XS,
    across,
    down,
    found,
    joined,
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


def _large(words: str, y: float) -> Line:
    """A line of a title in letters that are half as large again."""
    end = 100.0 + 16 * len(words)
    return joined([Word(text=words, polygon=polygon_of((100, y, end, y + 34)))])


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
    assert table[1] == ["Sea view, with breakfast\nand a balcony", *STAY[1:]]
    assert [each[1][:4] for each in table[2:]] in (["Code"], ["Code", "IB87"])


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


def test_a_name_below_heads_as_far_as_the_rows_are_apart_is_a_row() -> None:
    rows = [YEARS[0], ("Goods", "", "", ""), *YEARS[1:]]
    heads = [("Stores", *rows[0][1:]), *rows[1:]]
    assert _tables(rows_from(heads, 180)) == [[[*each] for each in heads]]


def test_a_name_between_rules_below_heads_on_a_rule_is_a_row() -> None:
    rows = [("Stores", *YEARS[0][1:]), ("Goods", "", "", ""), *YEARS[1:], *YEARS[1:]]
    lines, rules = rows_from(rows, 180), [across(210 + 40 * n, 90, 850) for n in range(8)]
    assert _tables(lines, rules) == [[[*each] for each in rows]]


def test_a_title_of_two_lines_on_a_shade_above_a_table_is_no_row_of_it() -> None:
    title = [_large("Rope and sail", 200), _large("of the year", 240)]
    lines = [*title, *rows_from(YEARS, 310)]
    rules = [*shade(190, 285), *(across(y, 90, 850) for y in (300, 340, 460))]
    assert _tables(lines, rules)[-1] == [[*each] for each in YEARS]


def test_a_name_with_a_space_where_two_columns_part_is_not_cut_below_their_heads() -> None:
    xs = (100.0, 176.0, 420.0, 620.0, 760.0)
    rows = [("Date", "Value", "Details", "Debit", "Credit")]
    rows += [(f"0{n}.04.", f"1{n}.01.", "Ink", f"{n}9.50", f"{n}.00") for n in range(1, 6)]
    said = [*rows_from(rows[:1], 180, xs), *rows_from(rows[1:], 260, xs)]
    said += [text("Opening to date", 100, 220), text("817.02", 760, 220)]
    (table,) = _tables(said, [across(y, 90, 850) for y in (170, 210, 250, 460)])
    assert table[1][0] == "Opening to date"


def test_units_right_behind_their_figures_are_a_column_with_a_head_of_their_own() -> None:
    """Without one they are of the figures' column."""
    items = [
        ("Bolts, galvanised", "4", "VE", "18,90"),
        ("Wood screws", "12", "VE", "21,70"),
        ("Glue, white", "48", "ST", "7,49"),
        ("Gloves", "100", "ST", "19,20"),
    ]

    def lines(unit: str) -> list[Line]:
        rows = [("Item", "Quantity", unit, "Price"), *items]
        return [each for n, said in enumerate(rows) for each in _counted(said, 180 + 30.0 * n)]

    assert [len(each[0]) for each in _tables(lines("Unit"))] == [4]
    assert [len(each[0]) for each in _tables(lines(""))] == [3]
    apart = [text(said, x, 180) for said, x in (("Item", 100), ("Quantity", 420), ("VE", 520))]
    heads = [*apart, text("Price", 650, 180)]
    rows = [each for n, said in enumerate(items, 1) for each in _counted(said, 180 + 30.0 * n)]
    assert [len(each[0]) for each in _tables([*heads, *rows])] == [4]


def _counted(said: Sequence[str], y: float) -> list[Line]:
    """An item with a quantity that ends at 500, its unit right behind, and a price to 700."""
    name, quantity, unit, price = said
    words = [
        _word(quantity, 500 - 9 * len(quantity), y),
        *([_word(unit, 511, y)] if unit else []),
    ]
    return [
        joined([_word(name, 100, y)]),
        joined(words),
        joined([_word(price, 700 - 9 * len(price), y)]),
    ]


def _word(text: str, x: float, y: float) -> Word:
    return Word(text=text, polygon=polygon_of((x, y, x + 9 * len(text), y + 20)))


def test_a_sections_name_with_a_number_in_it_is_not_parted_where_columns_part() -> None:
    heads = ("Code", "Part", "Price", "Per")
    goods = [("PX-0412", "Hexagon bolt", "0,11", "100"), ("PX-0420", "Nut", "0,09", "200")]
    rows = [heads, *goods, ("", "", "", ""), *goods]
    xs = (100.0, 198.0, 420.0, 560.0)
    words = (("Stainless", 100, 190), ("A2", 195, 213), ("M8", 218, 236))
    name = joined(
        [Word(text=said, polygon=polygon_of((a, 270, b, 290))) for said, a, b in words]
    )
    lines = [
        *(each for n, said in enumerate(rows) for each in row(said, xs, 180 + 30 * n)),
        name,
    ]
    rules = [across(y, 90, 640) for y in (172, 205, 265, 295, 355)]
    [table] = _tables(lines, rules)
    assert table[3] == ["Stainless A2 M8", "", "", ""]


def test_payments_of_a_day_are_rows_where_rules_stand_between_days_alone() -> None:
    xs = (100.0, 200.0, 270.0, 520.0, 630.0, 760.0)
    heads = ("Date", "Type", "Details", "Paid out", "Paid in", "Balance")
    days = [
        [("01 Apr", "CRD", "Old tax repaid", "", "204.55", "950.74")],
        [
            ("02 Apr", "DEB", "Sail loft rent", "64.20", "", ""),
            ("", "VIS", "Chandlery", "", "", ""),
            ("", "", "West quay", "118.94", "", "767.60"),
        ],
        [
            ("03 Apr", "CRD", "Boat hire", "", "", ""),
            ("", "", "No. 2217", "", "480.00", "1,247.60"),
        ],
        [
            ("04 Apr", "DEB", "Mooring fee", "725.00", "", ""),
            ("", "VIS", "Ice", "212.40", "", "310.20"),
        ],
        [
            ("08 Apr", "DEB", "Wages, week 1", "54.00", "", ""),
            ("", "DEB", "Wages", "49.60", "", "206.60"),
        ],
    ]
    lines, rules, y = [*row(heads, xs, 180)], [across(170, 90, 850)], 208
    for day in days:
        rules.append(across(y - 3, 90, 850))
        for line in day:
            lines += row(line, xs, y)
            y += 24
        y += 6
    (table,) = _tables(lines, [*rules, across(y - 3, 90, 850)])
    paid = [each[3] for each in table if each[3]]
    assert paid == ["Paid out", "64.20", "118.94", "725.00", "212.40", "54.00", "49.60"]
