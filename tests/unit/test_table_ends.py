"""Where a table ends: sums below its last rule, titles with heads, addresses above it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.geometry import box_of
from pagetide.layout import Drawn, Rule
from pagetide.structure.tables.ruled.in_frames import with_ruled
from pagetide.structure.tables.sheet import Sheet
from tests.unit.tables_drawn import across, down, found, row, spans, text, texts

XS = (100.0, 300.0, 620.0, 760.0)
HEADS = ("Berth", "Boat", "Days", "Dues")
ROWS = [
    ("A 1", "Minnow", "12", "37.20"),
    ("A 2", "Curlew", "1", "21.00"),
    ("B 7", "Heron", "4", "33.00"),
]


def _rows(rows: Sequence[Sequence[str]], top: float, pitch: float = 40) -> list[Line]:
    return [
        line
        for n, each in enumerate(rows)
        for line in row(each, XS[: len(each)], top + pitch * n)
    ]


def _prose(top: float) -> list[Line]:
    said = "the boats that came in with the tide were unloaded and then went on to the north"
    return [text(said, 80, top + 26 * n) for n in range(4)]


def _shade(top: float, bottom: float) -> list[Rule]:
    edges = [across(y, 90, 850) for y in (top, bottom)]
    edges += [down(x, top, bottom) for x in (90, 850)]
    return [Rule(start=edge.start, end=edge.end, thickness=0) for edge in edges]


def _found(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> list[list[list[str]]]:
    page = [*_prose(60), *lines, *_prose(1100)]
    return [texts(each.table) for each in found(page, rules)]


def test_a_sum_right_below_the_last_rule_is_of_the_table() -> None:
    lines = _rows([HEADS, *ROWS, ("", "All boats", "", "91.20")], 300)
    [table] = _found(lines, [across(330, 90, 820), across(450, 90, 820)])
    assert len(table) == 5 and table[-1][-1] == "91.20"


def test_figures_below_the_last_rule_that_end_elsewhere_are_not() -> None:
    lines = [*_rows([HEADS, *ROWS], 300), text("Note", 100, 460), text("91.20", 400, 460)]
    [table] = _found(lines, [across(330, 90, 820), across(450, 90, 820)])
    assert len(table) == 4


def test_the_name_of_a_sum_has_the_cells_that_its_row_leaves_empty() -> None:
    lines = _rows([HEADS, *ROWS, ("", "", "Total", "91.20")], 300)
    page = [*_prose(60), *lines, *_prose(1100)]
    [table] = found(page, [across(y, 90, 820) for y in (290, 330, 450, 490)])
    assert spans(table.table) == {"Total": (1, 3)}


def test_a_name_in_a_column_of_names_has_no_more_than_its_cell() -> None:
    lines = _rows([HEADS, *ROWS, ("", "Heron II", "", "91.20")], 300)
    page = [*_prose(60), *lines, *_prose(1100)]
    [table] = found(page, [across(y, 90, 820) for y in (290, 330, 490)])
    assert spans(table.table) == {}


def test_a_title_with_heads_of_its_own_begins_a_table() -> None:
    others = [("Locks", "", "", ""), HEADS, *ROWS]
    tables = _found([*_rows([HEADS, *ROWS], 300), *_rows(others, 470)])
    assert [len(table) for table in tables] == [4, 4]


def test_a_sections_name_without_heads_begins_none() -> None:
    lines = _rows([HEADS, *ROWS, ("Locks", "", "", ""), *ROWS], 300)
    assert [len(table) for table in _found(lines)] == [8]


def test_names_over_their_references_below_addresses_are_a_table_by_themselves() -> None:
    left = ("Ms Maud Fenn", "Corvid Works", "91 Tanner Row", "York YO1")
    right = ("Delta Castings", "Foundry Lane 2", "Leeds LS9", "Tel. 0113")
    lines = [
        text(said, x, 300 + 26 * n)
        for x, block in ((100, left), (700, right))
        for n, said in enumerate(block)
    ]
    lines += _rows(
        [("Your letter", "Ours", "Line", "Date"), ("12 May", "DC-9", "14", "2024")], 430, 26
    )
    assert _found(lines) == [
        [["Your letter", "Ours", "Line", "Date"], ["12 May", "DC-9", "14", "2024"]]
    ]


def test_rows_of_words_below_a_shaded_head_are_its_table() -> None:
    words = [("Report", "Ann", "May", "yes"), ("Survey", "Bo", "June", "no")] * 2
    edges = [
        across(295, 90, 900),
        across(325, 90, 900),
        down(90, 295, 325),
        down(900, 295, 325),
    ]
    shade = [Rule(start=edge.start, end=edge.end, thickness=0) for edge in edges]
    [table] = _found(_rows([HEADS, *words], 300), shade)
    assert [cells[0] for cells in table] == ["Berth", "Report", "Survey", "Report", "Survey"]


def test_the_first_row_with_an_amount_is_no_head() -> None:
    first = ("1.3.", "Brought forward", "", "1,204.33")
    page = [*_prose(60), *_rows([HEADS, first, *ROWS], 300), *_prose(1100)]
    [table] = found(page, [across(y, 90, 850) for y in (290, 330, 490)])
    assert {cell.row for cell in table.table.cells if cell.header} == {0}


def test_lines_of_prose_from_side_to_side_part_what_rules_join() -> None:
    said = "the boats that came in with the tide were unloaded and then went on"
    middle = [text(said, 100, 470 + 26 * n) for n in range(3)]
    lines = [*_rows([HEADS, *ROWS], 300), *middle, *_rows([HEADS, *ROWS], 570)]
    rules = [across(y, 90, 850) for y in (290, 330, 450, 560, 600, 720)]
    assert [len(table) for table in _found(lines, rules)] == [4, 4]


def test_a_head_and_the_first_row_in_one_shade_by_turns_are_two() -> None:
    lines = _rows([HEADS, *ROWS, *ROWS], 300)
    shades = [edge for y in (375, 455, 535) for edge in _shade(y, y + 40)]
    [table] = _found(lines, shades)
    assert table[0] == list(HEADS) and len(table) == 7


def test_a_sum_below_rules_is_of_the_table_whose_vertical_rules_part_only_its_heads() -> None:
    lines = _rows([HEADS, *ROWS, ("", "All boats", "", "91.20")], 300)
    heads = [down(x, 290, 330) for x in (90, 290, 610, 750, 820)]
    rules = [across(y, 90, 820) for y in (290, 330, 370, 410, 450)]
    [table] = _found(lines, [*rules, *heads])
    assert len(table) == 5 and table[-1][-1] == "91.20"


@pytest.mark.parametrize("pitch", [32, 34, 38])
def test_rows_below_close_lines_of_a_head_are_as_far_apart_as_its_first_two(
    pitch: int,
) -> None:
    heads = [text("Amount", 300, 300), *row(("Child", "a year", "Who"), XS[:3], 323)]
    rows = [
        ("First child", "2.575,46", ""),
        ("Second", "2.897,40", ""),
        ("Third", "4.721,68", ""),
    ]
    below = _rows(rows, 382, pitch)
    said = [
        text("younger than twenty five", 620, 386 + pitch),
        text("and at home", 620, 410 + pitch),
    ]
    lines = [*heads, text("(euros)", 300, 346), *below, *said]
    [table] = _found(lines, [across(y, 90, 1000) for y in (294, 374)])
    assert [cells[1] for cells in table[1:]] == [figure for _, figure, _ in rows]


def test_heads_on_a_wide_rule_are_of_rows_with_rules_under_their_figures_alone() -> None:
    xs = (100.0, 620.0, 760.0)
    names = ("At start", "Bought", "Built here", "Sold on", "At the end")
    values = [(name, f"{n}1.50", f"{n}7.00") for n, name in enumerate(names, 1)]
    rows = [("Cost", "", ""), *values, ("Loss", "", ""), *values]
    lines = [text("Boats", 620, 466), *row(("in pounds", "of oak", "Total"), xs, 488)]
    lines += [line for n, each in enumerate(rows) for line in row(each, xs, 522 + 30 * n)]
    sums = [across(at, 610, 820) for at in (638, 698, 818, 878)]
    boxes = [box_of(line.polygon) for line in lines]
    sheet = Sheet(lines, boxes, Drawn(rules=(across(514, 90, 820), *sums)))
    [table] = [texts(each.table) for each in with_ruled(sheet, [])]
    assert table[0] == ["in pounds", "Boats\nof oak", "Total"]
    assert len(table) == 1 + len(rows)
