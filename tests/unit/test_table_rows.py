"""Rows, heads and labels of tables: what joins lines to a row, and what a row's label spans."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.geometry import box_of
from pagetide.layout import Rule
from pagetide.structure.tables.baseline import baselines_in, is_number, is_year
from pagetide.structure.tables.grids.grid import Border, Grid
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.pieces import begins_small
from pagetide.structure.tables.rows.features import Band
from tests.unit.tables_drawn import SIZE, across, down, found, row, spans, text, texts

XS = (110.0, 310.0, 510.0, 660.0)


def rights(words: Sequence[str], ends: Sequence[float], y: float) -> list[Line]:
    """Figures that end at places."""
    each = zip(words, ends, strict=True)
    return [text(said, end - 10 * len(said), y) for said, end in each if said]


def shaded(top: float, bottom: float, xs: Sequence[float]) -> list[Rule]:
    """The edges of shaded cells side by side: nothing is drawn, so they have no thickness."""
    edges = [across(y, xs[0], xs[-1]) for y in (top, bottom)] + [
        down(x, top, bottom) for x in xs
    ]
    return [Rule(start=edge.start, end=edge.end, thickness=0) for edge in edges]


def test_an_empty_cell_between_shaded_rows_is_one_by_itself() -> None:
    rows = [
        ["Date", "Text", "In", "Out"],
        *(["01.02.", "Ink", *([f"{n}.00", ""][:: (-1) ** n])] for n in range(1, 9)),
    ]
    lines = [line for n, each in enumerate(rows) for line in row(each, XS, 105 + 40 * n)]
    edges = (100, 300, 500, 650, 800)
    rules = [rule for n in range(0, 9, 2) for rule in shaded(100 + 40 * n, 140 + 40 * n, edges)]
    (table,) = found(lines, rules)
    assert texts(table.table) == rows
    assert not spans(table.table)


def test_a_sums_label_has_the_empty_cells_before_it() -> None:
    rows = [[str(n), "Oak shelf", "4", "12.50"] for n in range(1, 9)]
    lines = row(["No", "Article", "Count", "Amount"], XS, 105)
    for n, each in enumerate(rows):
        lines += row(each, XS, 145 + 40 * n)
    lines += [text("Amount due within fourteen days", 330, 465), text("50.00", 660, 465)]
    (table,) = found(lines, [across(y, 100, 800) for y in range(100, 501, 40)])
    assert spans(table.table) == {"Amount due within fourteen days": (1, 3)}


def test_heads_between_two_rules_are_the_tables_though_few_of_their_rows_are_full() -> None:
    ends = (480.0, 640.0, 800.0)
    lines = [text("Expected", 640, 92), text("Actual", 420, 107)]
    lines += [text("State", 110, 126), *rights(["2003", "2008", "2015"], ends, 126)]
    body = [
        ["Maine", "6.1", "10.6", "3.2"],
        ["Ohio", "2.7", "17.0", "1.4"],
        ["Utah", "0.7", "13.3", "15.4"],
    ]
    for n, each in enumerate(body):
        lines += [text(each[0], 110, 160 + 30 * n), *rights(each[1:], ends, 160 + 30 * n)]
    rules = [across(y, 100, 800) for y in (88, 150, 255)]
    (table,) = found(lines, rules)
    assert table.box[1] == 88
    heads = {cell.text for cell in table.table.cells if cell.header and cell.text}
    assert heads == {"State", "Actual\n2003", "Expected\n2008", "2015"}


def test_ranges_in_a_head_are_no_rows_where_a_rule_ends_it() -> None:
    ends = (480.0, 640.0, 800.0)
    lines = [text("Borrowed", 110, 124), *rights(["10,000-", "15,000-", "30,000-"], ends, 104)]
    lines += rights(["14,999", "29,999", "54,999"], ends, 124)
    for n in range(4):
        lines += [
            text(f"Group{n}", 110, 160 + 30 * n),
            *rights(["1.5", "2.5", "3.5"], ends, 160 + 30 * n),
        ]
    (table,) = found(lines, [across(y, 100, 800) for y in (100, 150, 285)])
    assert texts(table.table)[0] == [
        "Borrowed",
        "10,000-\n14,999",
        "15,000-\n29,999",
        "30,000-\n54,999",
    ]
    assert table.table.rows == 5


def definitions(pitch: float) -> list[Line]:
    """Three rows whose second and third cells have three lines each, and rows so far apart."""
    lines = row(["Source", "Definition", "Examples"], XS[:3], 100)
    for n in range(3):
        top = 140 + n * (40 + pitch)
        lines += [text(f"Kind{n}", 110, top)]
        for line in range(3):
            lines += row(["of one sort", "such as this"], XS[1:3], top + 22 * line)
    return lines


def test_lines_that_stand_close_are_of_one_cell_where_rows_stand_apart() -> None:
    rules = [across(98, 100, 700), across(130, 100, 700), across(400, 100, 700)]
    rules += [down(x, 98, 400) for x in (100, 300, 500, 700)]
    (table,) = found(definitions(50), rules)
    assert table.table.rows == 4
    assert texts(table.table)[1] == [
        "Kind0",
        "\n".join(["of one sort"] * 3),
        "\n".join(["such as this"] * 3),
    ]


def test_a_sections_name_right_below_a_wrapped_one_begins_a_row() -> None:
    ends = (480.0, 640.0, 800.0)
    lines = [text("Group", 110, 100), *rights(["All", "Some", "Few"], ends, 100)]
    names = [
        ("Hispanic", 0),
        ("American Indian/", 0),
        ("Native", 6),
        ("By income", -12),
        ("Low", 0),
        ("High", 0),
    ]
    y = 130.0
    for name, inset in names:
        lines.append(text(name, 122 + inset, y))
        if name not in ("Native", "By income"):
            lines += rights(["61", "29", "4.7"], ends, y)
        y += 21 if name in ("American Indian/", "Native") else 28
    (table,) = found(lines, [across(95, 100, 800), across(124, 100, 800), across(y, 100, 800)])
    firsts = [each[0] for each in texts(table.table)]
    assert firsts == [
        "Group",
        "Hispanic",
        "American Indian/\nNative",
        "By income",
        "Low",
        "High",
    ]


def test_a_drawn_grid_with_a_name_in_each_row_is_a_table_however_empty() -> None:
    lines = [
        text(name, 110, 110 + 40 * n)
        for n, name in enumerate(("Name", "Street", "Town", "Born"))
    ]
    lines.append(text("Anna", 410, 110))
    rules = [across(100 + 40 * n, 100, 700) for n in range(5)]
    rules += [down(x, 100, 260) for x in (100, 400, 700)]
    (table,) = found(lines, rules)
    assert texts(table.table) == [["Name", "Anna"], ["Street", ""], ["Town", ""], ["Born", ""]]


def test_addresses_beside_names_and_values_are_no_table() -> None:
    lines: list[Line] = []
    address = ["Oak Works Ltd", "Anna Minton", "12 Mill Lane", "Tarnside 58764", "Norway"]
    named = [
        "Number: AS-336295",
        "Date: 09/02/2006",
        "Customer: 165865",
        "Contact: Hugh",
        "Due: 20/05/2014",
    ]
    for n, (one, two) in enumerate(zip(address, named, strict=True)):
        lines += row([one, one, two], (100, 400, 700), 100 + 24 * n)
    assert not found(lines)


def test_a_unit_below_its_figure_begins_no_row() -> None:
    lines = row(["No", "Article", "Count", "Amount"], XS, 100)
    for n in range(4):
        lines += row([str(n), "Oak shelf", "4", "3.858,85"], XS, 140 + 60 * n)
        lines += [
            text("in white", 310, 140 + 60 * n + SIZE + 2),
            text("€", 730, 140 + 60 * n + SIZE + 2),
        ]
    rules = [across(95, 100, 800), across(130, 100, 800), across(380, 100, 800)]
    rules += [down(x, 95, 380) for x in (100, 300, 500, 650, 800)]
    (table,) = found(lines, rules)
    assert texts(table.table)[1] == ["0", "Oak shelf\nin white", "4", "3.858,85\n€"]


@pytest.mark.parametrize("said", ["Reference 889741", "参考号 217484", "Box 12345"])
def test_a_name_with_its_number_is_no_figure(said: str) -> None:
    assert not is_number(said)


@pytest.mark.parametrize(
    "said", ["EUR 12.50", "12.50 €", "Rs 1939", "1.234", "–", "●", "37 × 54 mm"]
)
def test_an_amount_is_a_figure(said: str) -> None:
    assert is_number(said)


@pytest.mark.parametrize("said", ["2003-04", "2008–09 to 2015–16", "to 2008–09", "1999*"])
def test_years_and_spans_of_years_are_no_figures_of_a_row(said: str) -> None:
    assert is_year(said)


@pytest.mark.parametrize("said", ["1,850", "20031", "2003-04 12"])
def test_other_figures_are_no_years(said: str) -> None:
    assert not is_year(said)


SECTIONS = [
    ["Article", "Count", "Price", "Amount"],
    ["Ropes", "", "", ""],
    ["Hemp", "12", "3.10", "37.20"],
    ["Linen", "1", "2.00", "2.00"],
    ["Lamps", "", "", ""],
    ["Brass", "4", "8.25", "33.00"],
    ["Iron", "2", "9.50", "19.00"],
]


def latticed(rows: Sequence[Sequence[str]]) -> tuple[list[str], int]:
    """The texts of the heads in a table with all rules, and how many rows it has."""
    lines = [line for n, each in enumerate(rows) for line in row(each, XS, 110 + 40 * n)]
    rules = [across(100 + 40 * n, 100, 800) for n in range(len(rows) + 1)]
    rules += [down(x, 100, 100 + 40 * len(rows)) for x in (100, 300, 500, 650, 800)]
    (table,) = found(lines, rules)
    heads = [cell.text for cell in table.table.cells if cell.header and cell.text]
    return heads, table.table.rows


def test_a_sections_name_above_the_first_items_is_no_head() -> None:
    assert latticed(SECTIONS) == (SECTIONS[0], 7)


def test_a_row_with_one_text_below_the_heads_is_theirs_where_no_other_has_one() -> None:
    rows = [each for each in SECTIONS if each[0] != "Lamps"]
    assert latticed(rows) == ([*SECTIONS[0], "Ropes"], 6)


def closed(
    cells: Sequence[Sequence[str]], *, keys: int = 1, sides: bool = True
) -> list[list[str]]:
    """Two rows with so many lines, the first cell with a name for each key."""
    high = 16.0 + 26 * len(cells)
    lines, rules = list[Line](), [across(100 + high * n, 100, 650) for n in range(3)]
    for n, name in enumerate(("Mast", "Keel")):
        top = 108 + high * n
        lines += [text(f"{name}{key}", 110, top + 26 * key) for key in range(keys)]
        for at, each in enumerate(cells):
            lines += row(each, XS[1:3], top + 26 * at)
    rules += [down(x, 100, 100 + 2 * high) for x in (100, 300, 500, 650)] if sides else []
    (table,) = found(lines, rules)
    return texts(table.table)


@pytest.mark.parametrize(
    "cells",
    [
        [("of hemp", "of oak"), ("of linen", "of ash")],
        [("of hemp", "12"), ("of linen", ""), ("of brass", "14")],
    ],
)
def test_a_name_in_each_closed_row_makes_it_one(cells: list[tuple[str, str]]) -> None:
    first, second = ("\n".join(filter(None, column)) for column in zip(*cells, strict=True))
    assert closed(cells) == [["Mast0", first, second], ["Keel0", first, second]]


def test_closed_rows_with_a_name_on_each_line_are_parted() -> None:
    rows = closed([("Hemp", "Oak"), ("Linen", "Ash")], keys=2)
    assert rows[-2:] == [["Keel0", "Hemp", "Oak"], ["Keel1", "Linen", "Ash"]]


def test_rows_that_are_not_closed_are_parted_as_their_text_is() -> None:
    rows = closed([("2.10", "3.40"), ("4.60", "5.20")], sides=False)
    assert rows[-2:] == [["Keel0", "2.10", "3.40"], ["", "4.60", "5.20"]]


def terms(said: str) -> list[str]:
    """The heads of a table of words with this in each row."""
    lines = [line for n in range(3) for line in row(("ab", said), (110, 210), 150 + 40 * n)]
    rules = [across(140 + 40 * n, 100, 960) for n in range(4)]
    (table,) = found(lines, [*rules, *(down(x, 140, 260) for x in (100, 200, 960))])
    return [cell.text for cell in table.table.cells if cell.header]


def test_a_sentence_heads_no_column() -> None:
    assert terms("we do not take back a rope that was cut to fit your boat") == []


def test_a_few_words_head_a_column_of_words() -> None:
    assert terms("rope that was cut to fit") == ["ab", "rope that was cut to fit"]


@pytest.mark.parametrize(
    ("said", "small"),
    [("of the quay", True), ("(net)", True), ("Итого", False), ("итого", True), ("合计", True)],
)
def test_a_capital_of_any_script_begins_anew(said: str, small: bool) -> None:
    assert begins_small(said) is small


def test_a_line_left_room_for_the_next_ones_first_letters_where_words_have_no_spaces() -> None:
    names = ["测量结果与报告", "平均档案", "平均季节关于市场"]
    lines = [text(name, 100, 300 + 30 * n) for n, name in enumerate(names)]
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    grid = Grid((Border(90), Border(400)), (Border(290), Border(420)))
    band = Band.of(baselines_in(grid, [word for own in words for word in own]), grid, SIZE)
    assert "full" not in band.features(2) and band.features(2)["fits"] > 0


@pytest.mark.parametrize("gap", [22, 40])
@pytest.mark.parametrize("ruled", [True, False])
def test_lines_of_heads_closer_than_rows_are_one(gap: float, *, ruled: bool) -> None:
    """Years below headers are a row if they are as far below as rows are."""
    below = ("2018", "2019", "2020–21")
    ends = (480.0, 640.0, 800.0)
    lines = [
        *rights(["Offshore", "Ports", "Group"], ends, 100),
        *rights(below, ends, 100 + gap),
    ]
    for n, name in enumerate(["Revenue", "Wages", "Fuel", "Repairs", "Result"]):
        y = 100 + gap + 40 * (n + 1)
        lines += [text(name, 110, y), *rights(["61.2", "29.0", "904.7"], ends, y)]
    rules = [across(y, 100, 800) for y in (95, 130 + gap, 360 + gap)] if ruled else []
    (table,) = found(lines, rules)
    heads = [f"Offshore\n{below[0]}", f"Ports\n{below[1]}", f"Group\n{below[2]}"]
    assert (texts(table.table)[0][-3:] == heads) == (gap == 22)
    assert table.table.rows == (6 if gap == 22 else 7)
