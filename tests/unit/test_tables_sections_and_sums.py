"""Section names below headers, titles above them, and names of sums below items."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line, Word
from pagetide.geometry import box_of, polygon_of, union
from pagetide.layout import Drawn, Rule
from pagetide.structure.tables.baseline import baselines_in
from pagetide.structure.tables.ends.edge_rows import without_edge_rows
from pagetide.structure.tables.ends.headed import footed
from pagetide.structure.tables.grids.close_heads import parted_by_edges
from pagetide.structure.tables.grids.grid import grid_of
from pagetide.structure.tables.items.item_heads import with_whole_heads
from pagetide.structure.tables.items.items import item_tables
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.rows.boxes import is_of_wide_boxes, parted_columns
from pagetide.structure.tables.rows.of_heads import rows_of_heads
from pagetide.structure.tables.ruled.frames import Stroke
from pagetide.structure.tables.sheet import Sheet
from tests.unit.tables_drawn import BILL_HEADS as HEADS
from tests.unit.tables_drawn import BILL_XS as XS
from tests.unit.tables_drawn import (
    LETTER,
    across,
    down,
    found,
    joined,
    prose,
    row,
    rows_from,
    rows_of,
    text,
    texts,
)

ROPES = [("Rope", "12", "3.10", "37.20"), ("Line", "2", "4.50", "9.00")]
SAILS = [("Sail", "1", "210.00", "210.00"), ("Jib", "1", "80.00", "80.00")]


def _tables(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> list[list[list[str]]]:
    return [texts(each.table) for each in found([*prose(40), *lines, *prose(1200)], rules)]


def _rows(rows: Sequence[Sequence[str]], top: float, pitch: float = 40) -> list[Line]:
    return [line for n, each in enumerate(rows) for line in row(each, XS, top + pitch * n)]


def _high(said: str, x: float, y: float, height: float) -> Line:
    """A word as high as given."""
    box = (x, y, x + LETTER * len(said), y + height)
    return joined([Word(text=said, polygon=polygon_of(box))])


def test_names_of_sums_beside_boxes_of_amounts_are_a_row_each() -> None:
    lines = _rows([HEADS, *ROPES], 304)
    for n, (name, amount) in enumerate(
        (("Net", "46.20"), ("Tax at a rate of 5 % on 46.20", "2.31"), ("All", "48.51"))
    ):
        width = 10 * len(name) - 4 * name.count(" ")
        lines += [text(name, 740 - width, 424 + 40 * n), text(amount, 760, 424 + 40 * n)]
    rules = [across(y, 90, 900) for y in (300, 340, 380, 420)]
    rules += [across(y, 750, 900) for y in (460, 500, 540)]
    rules += [down(x, 300, 420) for x in (90, 410, 610)]
    rules += [down(x, 300, 540) for x in (750, 900)]
    [table] = _tables(lines, rules)
    assert [[cell for cell in each if cell] for each in table[3:]] == [
        ["Net", "46.20"],
        ["Tax at a rate of 5 % on 46.20", "2.31"],
        ["All", "48.51"],
    ]


def test_the_name_of_a_sum_with_figures_is_not_parted_between_columns() -> None:
    grid = grid_of((90, 290, 900, 500), (), (), 20).with_xs([500, 605, 700])
    for sum_of, count in (("16.81", 2), ("in kind", 3)):
        lines = [
            line
            for n, each in enumerate(ROPES + SAILS)
            for line in row(each, (100, 538, 660 - 10 * len(each[2]), 760), 300 + 40 * n)
        ]
        lines += row(("Tax of 336.20", sum_of), (538, 760), 460)
        pieces = [piece for each in rows_of(lines) for piece in each]
        assert len(parted_by_edges(grid, pieces, 20)) == 16 + count


def test_a_section_below_heads_of_the_other_columns_is_no_head() -> None:
    lines = [*_rows([("", *HEADS[1:])], 300), *_rows(ROPES, 370), *_rows(SAILS, 500)]
    lines += [text("Ropes", 100, 330), text("Sails", 100, 460)]
    rules = [across(y, 90, 900) for y in (295, 360, 490, 570)]
    [table] = _tables(lines, rules)
    assert table[:2] == [["", *HEADS[1:]], ["Ropes", "", "", ""]]


def test_a_title_in_larger_letters_is_no_part_of_the_head_below() -> None:
    grid = grid_of((90, 290, 900, 500), (), (), 20).with_xs([400, 600, 740])
    for height, count in ((30, 2), (20, 1)):
        lines = [_high("Charges", 100, 300, height), *_rows([HEADS], 300 + height)]
        heads = baselines_in(grid, [piece for each in rows_of(lines) for piece in each])
        assert len(rows_of_heads(heads, grid, 20)) == count


def test_a_name_above_its_values_as_all_further_down_is_no_head() -> None:
    lines = row(("Article / each", "Sum"), (100, 760), 300)
    for n, (name, each, rate, amount) in enumerate(
        (
            ("Rope of hemp", "12 x 3.10", "5%", "37.20"),
            ("Sail", "1 x 210.00", "5%", "210.00"),
            ("Tar", "4 x 8.25", "9%", "33.00"),
            ("Lamp", "2 x 6.00", "9%", "12.00"),
        )
    ):
        lines += [text(name, 100, 324 + 48 * n)]
        lines += row((each, rate, amount), (120, 620, 760), 348 + 48 * n)
    [table] = _tables(lines, [across(y, 90, 900) for y in (294, 520)])
    assert [each[0] for each in table[:3]] == ["Article / each", "Rope of hemp", "12 x 3.10"]


def test_heads_of_two_lines_beside_heads_of_one_are_whole() -> None:
    lines = row(("Article", "Made of", "Count"), (100, 300, 460), 310)
    for first, second, count in (("of one", "of all", 1), ("5.00", "9.00", 3)):
        upper = row(("Price", "Amount"), (620, 780), 296)
        lower = row((first, second), (620, 780), 324)
        assert len(with_whole_heads(rows_of([*lines, *upper, *lower]))) == count


@pytest.mark.parametrize(("x", "is_of"), [(100, True), (120, True), (250, False)])
def test_a_line_right_below_a_sum_is_of_it_where_it_is_aligned(x: float, is_of: bool) -> None:
    lines = _rows([HEADS, *ROPES, *SAILS], 300)
    lines += row(("Paid", "", "", "336.20"), XS, 500)
    lines += [text("4 March", x, 525)]
    [table] = item_tables(rows_of(lines), 20.0, [])
    assert (table.box[3] > 525) == is_of


@pytest.mark.parametrize(("said", "is_sum"), [("INV-7 · Page 1 of 2", False), ("Less 1", True)])
def test_the_name_and_number_of_a_page_below_sums_is_no_sum(said: str, is_sum: bool) -> None:
    lines = _rows([HEADS, *ROPES, *SAILS], 300)
    lines += row(("In all", "", "", "336.20"), XS, 500)
    end = 820 + 4 * said.count(" ")
    lines += [text(said, end - LETTER * len(said), 560)]
    [table] = item_tables(rows_of(lines), 20.0, [])
    assert (table.box[3] > 560) == is_sum


def test_all_lines_of_notes_below_the_rows_are_left_out() -> None:
    said = "of all that the boats brought in on the tide we keep a part in the old shed"
    lines = _rows([HEADS, *ROPES, *SAILS], 300)
    lines += [text(said, 100, 520 + 50 * n) for n in range(6)]
    boxes = [box_of(line.polygon) for line in lines]
    rules = [across(y, 90, 900) for y in (290, 335, 500, 840)]
    sheet = Sheet(lines, boxes, Drawn(rules=tuple(rules)))
    whole = sheet.build(sheet.text_box, sheet.words)
    assert whole is not None and whole.table.rows > 9
    assert without_edge_rows(sheet, whole).table.rows == 5


@pytest.mark.parametrize(
    ("below", "is_sum"), [(("Paid at noon",), True), (("Less", "2"), False)]
)
def test_a_sum_right_below_the_last_rule_has_a_text_below(
    below: Sequence[str], is_sum: bool
) -> None:
    items = _rows([HEADS, *ROPES, *SAILS], 300)
    rules = [Stroke(at, 90, 840, 1.0) for at in (330, 370, 410, 450, 490)]
    lines = [*items, _high("Total", 100, 506, 26), _high("336.20", 760, 506, 26)]
    lines += row(below, XS[: len(below)], 545)
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    box = union(box_of(line.polygon) for line in items)
    grown = footed((90, box[1], 840, 490), words, 20.0, rules)
    assert (grown[3] > 506) == is_sum


def test_items_between_two_rules_below_boxes_of_other_widths_are_no_boxes() -> None:
    across_ = [Stroke(at, 90, 900) for at in (300, 350, 600)]
    down_ = [Stroke(at, 350, 600) for at in (90, 200, 600, 700, 790, 900)]
    down_ += [Stroke(350, 300, 350)]
    grid = grid_of((90, 300, 900, 600), across_, down_, 20)
    xs = (100.0, 210.0, 610.0, 710.0, 800.0)
    items = [("A-4", "Rope of hemp", "m", "12", "37.20"), ("A-7", "Sail", "pc", "1", "210.00")]
    for said, are_boxes in ((items[:1], True), (items, False)):
        rows = rows_of(rows_from(said, 360, xs))
        pieces = [piece for each in rows for piece in each]
        assert is_of_wide_boxes(grid, 1, pieces, parted_columns(grid)) == are_boxes


@pytest.mark.parametrize("count", [2, 3, 5])
def test_rows_between_a_headers_rule_and_a_sums_are_no_headers(count: int) -> None:
    """Names in two columns and one of figures: most texts of a row are no figures."""
    items = [(f"Boat {'ABCDE'[n]}", "Paid in kind", f"{180 - 30 * n}") for n in range(count)]
    xs = (100.0, 300.0, 620.0)
    rows = [("Who", "Kind of help", "Sum"), *items, ("Total", "", "315")]
    lines = [line for n, each in enumerate(rows) for line in row(each, xs, 300 + 26 * n)]
    rules = [across(at, 100, 660) for at in (323, 323 + 26 * count)]
    [table] = found([*prose(40), *lines, *prose(1200)], rules)
    assert texts(table.table) == [list(each) for each in rows]
    assert {cell.row for cell in table.table.cells if cell.header} == {0}
