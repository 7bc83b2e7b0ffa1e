"""What stands between tables, above them and beside them, and parts one from the other."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line, Word
from pagetide.geometry import Box, box_of, polygon_of
from pagetide.layout import Area, Drawn, Rule
from pagetide.structure.tables import find_tables
from tests.unit.tables_drawn import (
    XS,
    across,
    area,
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

EDGES = (90.0, 280.0, 600.0, 740.0, 850.0)
HEADS = ("Berth", "Boat", "Days", "Dues")
ROWS = [
    ("A 1", "Minnow", "12", "37.20"),
    ("A 2", "Curlew", "1", "21.00"),
    ("B 7", "Heron", "4", "33.00"),
    ("B 9", "Bittern", "3", "18.00"),
]
TABLE = [list(HEADS), *map(list, ROWS)]


def _flat(*heights: float) -> list[Rule]:
    return [across(y, EDGES[0], EDGES[-1]) for y in heights]


def _tables(
    lines: Sequence[Line], rules: Sequence[Rule] = (), above: float | None = 40
) -> list[list[list[str]]]:
    before = [] if above is None else prose(above)
    return [texts(each.table) for each in found([*before, *lines, *prose(1100)], rules)]


def _large(words: str, x: float, y: float) -> Line:
    """A title in letters that are half as large again."""
    placed = []
    for word in words.split():
        end = x + 16 * len(word)
        placed.append(Word(text=word, polygon=polygon_of((x, y, end, y + 34))))
        x = end + 10
    return joined(placed)


def test_a_sentence_below_a_page_headers_rule_is_no_row() -> None:
    said = "what each of the boats owed for its days at the quay this year"
    lines = [text(said, 100, 170), *rows_from([HEADS, *ROWS], 210)]
    rules = [*_flat(150), *shade(240, 280), *shade(320, 360)]
    assert _tables(lines, rules, above=None) == [TABLE]


def test_a_caption_parts_two_tables_without_rules() -> None:
    first = [("Berth", "2015", "2016", "2017"), ("North", "12", "37", "4")]
    first += [("South", "1", "21", "4"), ("East", "5", "33", "3")]
    other = [("Quay", "2018", "2019", "2020"), ("North", "112", "317", "14")]
    other += [("South", "11", "211", "41"), ("East", "51", "313", "13")]
    lines = [
        *rows_from(first, 300),
        text("Table 2. Boats by quay", 100, 460),
        *rows_from(other, 500),
    ]
    assert _tables(lines) == [[list(each) for each in table] for table in (first, other)]


def test_a_caption_below_items_is_no_row() -> None:
    lines = [*rows_from([HEADS, *ROWS], 300), text("Table 2. Locks", 100, 490)]
    assert _tables(lines) == [TABLE]


def test_other_words_below_items_are_of_the_last() -> None:
    lines = [*rows_from([HEADS, *ROWS], 300), text("and all its boats", 100, 490)]
    [table] = _tables(lines)
    assert table[-1][0] == "B 9\nand all its boats"


def test_heads_and_a_first_row_above_rows_between_rules_are_one_table() -> None:
    rows = [("Quay", "2015", "2016", "2017"), ("North", "12", "37", "4")]
    others = [("South", "1", "21", "4"), ("East", "5", "33", "3")]
    lines = [*rows_from(rows, 295), *rows_from(others, 380)]
    assert _tables(lines, _flat(372, 412, 452)) == [[list(each) for each in (*rows, *others)]]


@pytest.mark.parametrize("up", [30, 40])
def test_rows_of_figures_beside_a_ruled_table_are_none_of_it(up: float) -> None:
    left = [("Berth", "Days", "Dues"), *(row[1:] for row in ROWS[:3])]
    right = [("Ketch", "11", "40.00"), ("Yawl", "9", "31.00"), ("Sloop", "7", "22.00")]
    lines = rows_from(left, 300, (80, 240, 340))
    lines += row(("Boat", "Length", "Fee"), (540, 720, 840), 300 - up)
    lines += rows_from(right, 340, (540, 720, 840))
    rules = [across(y, 70, 440) for y in (290, 330, 370, 410, 450)]
    rules += [down(x, 290, 450) for x in (70, 220, 320, 440)]
    assert _tables(lines, rules)[0] == [list(each) for each in left]


def test_a_title_in_large_letters_on_a_band_above_a_tables_head_is_no_row() -> None:
    lines = [_large("Harbour dues", 100, 243), *rows_from([HEADS, *ROWS], 302)]
    rules = [*shade(240, 280), *shade(295, 332), *_flat(372, 412, 452, 492)]
    assert _tables(lines, rules) == [TABLE]


def test_a_rule_between_two_tables_is_of_the_one_that_it_closes() -> None:
    xs = (100.0, 240.0, 380.0, 520.0, 660.0, 780.0)
    tolls = [("Lock", "Open", "Shut", "Toll", "Fee", "Sum")]
    tolls += [("East", "12", "4", "3.10", "2.00", "5.10")]
    tolls += [("West", "9", "3", "3.00", "2.00", "5.00")]
    tolls += [("North", "1", "2", "1.10", "1.00", "2.10")]
    lines = [*rows_from([HEADS, *ROWS], 300), text("Tolls at the locks", 100, 530)]
    lines += rows_from(tolls, 570, xs)
    assert _tables(lines, _flat(290, 330, 495, 600, 725)) == [TABLE, [*map(list, tolls)]]


def test_sums_below_a_grid_of_rules_are_no_rows_of_it() -> None:
    sums = [("Net", "91.20"), ("Tax", "9.12"), ("Total", "100.32")]
    lines = [*rows_from([HEADS, *ROWS], 300), text("Page 4 of the harbour's book", 100, 660)]
    for n, each in enumerate(sums):
        lines += row(each, (620, 760), 500 + 30 * n)
    rules = [*_flat(290, 330, 370, 410, 450, 490), *(down(x, 290, 490) for x in EDGES)]
    first, *others = _tables(lines, [*rules, *_flat(640)])
    assert first == TABLE
    assert others == [[list(each) for each in sums]]


@pytest.mark.parametrize("typed", ["-" * 72, "=" * 72, "- " * 30])
def test_a_line_of_dashes_below_heads_is_a_rule(typed: str) -> None:
    lines = [*row(HEADS, XS, 300), text(typed, 100, 330), *rows_from(ROWS, 360)]
    assert _tables(lines) == [TABLE]


def test_names_above_a_rule_as_wide_as_the_table_are_no_heads_of_it() -> None:
    header = row(("Harbour", "dues", "April"), (100, 320, 620), 252)
    lines, rules = rows_from([HEADS, *ROWS], 300), _flat(290, 330, 370, 410, 450, 490)
    assert _tables([*header, *lines], [across(278, 40, 940), *rules]) == [TABLE]


def test_heads_on_shades_that_begin_alike_part_two_tables() -> None:
    xs = (100.0, 300.0, 400.0, 500.0, 600.0)
    first = [("Region", "2015", "2016"), ("North", "12", "37"), ("South", "1", "21")]
    first += [("East", "5", "33"), ("West", "7", "35")]
    other = [("Region", "2015", "2016", "2017", "2018"), ("North", "12", "37", "4", "8")]
    other += [("South", "1", "21", "4", "7"), ("East", "5", "33", "3", "8")]
    said = "the boats that came in with the tide were few"
    lines = [*rows_from(first, 300, xs[:3]), *rows_from(other, 575, xs)]
    lines += [text(said, 100, 505 + 26 * n) for n in range(2)]
    expected = [[list(each) for each in table] for table in (first, other)]
    assert _tables(lines, [*shade(295, 330), *shade(570, 605)]) == expected


def test_a_titles_band_close_above_a_table_on_a_picture_is_no_row() -> None:
    lines = [text("Harbour dues", 380, 250), *rows_from([HEADS, *ROWS], 296)]
    rules = [*_flat(286, 326, 366, 406, 446, 486), *(down(x, 286, 486) for x in EDGES)]
    assert _tables(lines, [*shade(240, 280), *rules]) == [TABLE]


def test_addresses_between_a_page_headers_rule_and_a_table_that_is_closed_are_no_rows() -> None:
    sides = [down(x, 296, 500) for x in EDGES]
    addresses = [
        line
        for n, (left, right) in enumerate(
            [("Maud Fenn", "Account 24"), ("Long Acre", "May"), ("Oxleigh", "Page 2")]
        )
        for line in row((left, right), (100.0, 620.0), 170 + 26 * n)
    ]
    lines = [*addresses, *rows_from([HEADS, *ROWS], 310)]
    assert _tables(lines, [*_flat(140, 296, 340, 500), *sides]) == [TABLE]


def test_an_area_around_two_tables_with_the_same_heads_is_none() -> None:
    lines = [
        *rows_from([HEADS, *ROWS], 210),
        text("Winter", 100, 430),
        *rows_from([HEADS, *ROWS], 470),
    ]
    area = Area(label="table", kind="table", polygon=polygon_of((80, 200, 860, 660)))
    shown = found([*prose(40), *lines, *prose(1100)], areas=[area])
    assert [texts(each.table) for each in shown] == [TABLE, TABLE]


def test_a_sentence_apart_from_the_sums_and_what_is_below_it_are_no_rows() -> None:
    heads = ("", "Net", "Tax", "Gross")
    rows = [("Mooring", "24.99", "5.00", "29.99"), ("Water", "1.00", "0.20", "1.20")]
    total = ("Total", "25.99", "5.20", "31.19")
    body = rows_from([heads, *rows, total], 210)
    lines = [
        *body,
        *row(("Tax paid on receipt", "5.20"), (100.0, 620.0), 358),
        text(
            "The sums are rounded and so may differ a little from what is to be paid", 100, 420
        ),
        *row(("To be paid", "31.19"), (100.0, 760.0), 450),
    ]
    rules = _flat(200, 320, 445, 480)
    assert _tables(lines, rules) == [
        [[*heads], *map(list, rows), [*total], ["Tax paid on receipt", "", "5.20", ""]]
    ]


def test_a_title_over_pairs_is_none_of_them_whatever_stands_beside_it() -> None:
    pairs = [
        ("Number", "300", "Client", "47"),
        ("Date", "7 May", "Desk", "9"),
        ("Quay", "4", "Gate", "2"),
    ]
    lines = [_large("Bill", 100, 180), text("Sheet one", 620, 188), *rows_from(pairs, 240)]
    (table,) = _tables(lines)
    assert table == [list(pair) for pair in pairs]


def test_a_title_that_a_text_layer_cut_in_two_is_no_row_of_heads() -> None:
    title = [text("Dues of the winter", 100, 214, gap=10), text(":", 280, 214)]
    rows = [("", "2009", "2010", "2011"), *(("Berth", *row[2:], "4") for row in ROWS)]
    assert _tables([*title, *rows_from(rows, 240)]) == [[[*each] for each in rows]]


def test_a_heading_between_ruled_pairs_parts_them() -> None:
    used = [("Reading in March", "48,112"), ("Reading in January", "47,290"), ("Units", "822")]
    costs = [("Units at 24.50 p", "201.39"), ("Standing charge", "48.02"), ("Total", "249.41")]
    ends = 590.0  # of the figures, one below the other
    lines, rules = [], []
    for top, rows in ((300.0, used), (490.0, costs)):
        for place, (name, value) in enumerate(rows):
            y = top + 36 * place
            lines += [text(name, 100, y), text(value, ends - 10 * len(value), y)]
            rules.append(across(y + 28, 96, ends))
    title = _tall("What it costs", 100, 436, 25)
    assert _tables([*lines, title], rules) == [
        [list(row) for row in used],
        [list(row) for row in costs],
    ]


def _tall(words: str, x: float, y: float, height: float) -> Line:
    placed = []
    for word in words.split():
        end = x + 12.5 * len(word)
        placed.append(Word(text=word, polygon=polygon_of((x, y, end, y + height))))
        x = end + 7
    return joined(placed)


def _band(top: float) -> tuple[Box, list[Rule]]:
    """A dark band as wide as the table, and its edges."""
    box = (90.0, top, 850.0, top + 36)
    return box, shade(top, top + 36)


def _on_picture(lines: Sequence[Line], bands: Sequence[float], hint: Box) -> list[list[str]]:
    """The one table where a layout model saw one, and bands are shaded."""
    fills, edges = zip(*map(_band, bands), strict=True)
    drawn = Drawn(rules=tuple(each for band in edges for each in band), fills=fills)
    page = [*prose(40), *lines, *prose(1100)]
    boxes = [box_of(each.polygon) for each in page]
    [table] = find_tables(page, boxes, drawn, [area("table", hint)], 1000, 1400)
    return texts(table.table)


def test_titles_on_shades_are_none_of_what_a_model_takes_for_a_table() -> None:
    rows = [["Asthma", "Diabetes", "Epilepsy"], ["Stroke", "Cancer", "Depression"]]
    xs = (100.0, 380.0, 640.0)
    titles = [text("2. Have you had any of these?", 100, 308), text("3. Habits", 100, 458)]
    lines = [*titles, *rows_from([*rows, ["Gout", "Malaria", "Measles"]], 356, xs)[:9]]
    found = _on_picture(lines, (300, 450), (88, 298, 852, 488))
    assert found[:2] == rows


def test_a_dark_head_above_what_a_model_takes_for_a_table_is_its_head() -> None:
    lines = rows_from([HEADS, *ROWS], 308)
    found = _on_picture(lines, (300,), (88, 342, 852, 490))
    assert found[0] == list(HEADS)


def test_a_dark_heads_lower_edge_parts_it_from_ruled_rows() -> None:
    tops = [300.0 + 44 * place for place in range(6)]
    head = [Rule(start=s.start, end=s.end, thickness=0) for s in shade(tops[0], tops[1])]
    rules = [across(y, 90, 850) for y in tops[2:]]
    rules += [down(x, tops[1], tops[-1]) for x in EDGES]
    named = [
        ("Monday", "Boat", "Quay", "Room"),
        ("English", "Biology", "French", "Music"),
        ("Art", "History", "Physics", "Sport"),
        ("Latin", "Greek", "Ethics", "Chess"),
        ("Maths", "Drama", "Dance", "Law"),
    ]
    lines = [
        each
        for top, said in zip(tops, named, strict=False)
        for each in row(said, (110, 300, 620, 755), top + 12)
    ]
    assert _tables(lines, [*head, *rules])[0][0] == list(named[0])
