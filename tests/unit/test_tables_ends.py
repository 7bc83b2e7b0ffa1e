"""A table's last rows, and columns without rules that are a table or none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from msgspec.structs import replace

from pagetide.document import Line, Word
from pagetide.geometry import box_of, polygon_of
from pagetide.layout import Area, Rule
from pagetide.structure.tables.ends.headed import footed
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.ruled.frames import Stroke
from tests.unit.tables_drawn import (
    LETTER,
    SIZE,
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

HEADS = ("Berth", "Boat", "Days", "Dues")
ROWS = [
    ("A 1", "Minnow", "12", "37.20"),
    ("A 2", "Curlew", "1", "21.00"),
    ("B 7", "Heron", "4", "33.00"),
]
TOTAL = ("Total", "", "17", "91.20")


def _tables(
    lines: Sequence[Line], rules: Sequence[Rule] = (), areas: Sequence[Area] = ()
) -> list[list[list[str]]]:
    page = [*prose(60), *lines, *prose(1100)]
    return [texts(each.table) for each in found(page, rules, areas)]


def _cell_shades(top: float, bottom: float) -> list[Rule]:
    """The edges of a shade behind each head."""
    ends = [*(x - 10 for x in XS), 850]
    edges = [
        rule
        for x0, x1 in pairwise(ends)
        for rule in (
            across(top, x0, x1 - 4),
            across(bottom, x0, x1 - 4),
            down(x0, top, bottom),
            down(x1 - 4, top, bottom),
        )
    ]
    return [Rule(start=edge.start, end=edge.end, thickness=0) for edge in edges]


def test_a_sum_below_the_last_rule_is_of_a_table_with_a_shade_behind_each_head() -> None:
    lines = rows_from([HEADS, *ROWS, TOTAL], 300)
    rules = [across(y, 90, 846) for y in (330, 370, 410, 450)]
    [table] = _tables(lines, [*_cell_shades(290, 330), *rules])
    assert table[-1] == list(TOTAL) and len(table) == 5


def test_a_sum_below_a_rule_is_of_the_rows_that_are_shaded_by_turns() -> None:
    rows = [HEADS, *ROWS, ("C 1", "Petrel", "2", "8.00"), TOTAL]
    shades = [rule for n in (0, 2, 4) for rule in shade(290 + 40 * n, 330 + 40 * n)]
    [table] = _tables(rows_from(rows, 300), [*shades, across(490, 90, 850)])
    assert table[1:] == [list(cells) for cells in rows[1:]]


@pytest.mark.parametrize("before", [0, 12, 16])
def test_a_sum_below_the_last_rule_ends_where_the_figures_below_a_wide_head_do(
    before: float,
) -> None:
    items = [("Pier", "74,500"), ("Girder", "61,200"), ("Waterway", "29,800")]
    lines = row(("Item", "Cost in pounds"), (100, 600), 300)
    for n, (name, figure) in enumerate([*items, ("Total", "165,500")]):
        lines += row((name, figure), (100, 728 - before - LETTER * len(figure)), 340 + 30 * n)
    lines += [text("none of these sums is one that was paid to the boats on the quay", 80, 482)]
    rules = [across(y, 100, 732) for y in (330, 425)]
    [table] = _tables(lines, rules)
    assert table[-1] == ["Total", "165,500"] and len(table) == 5


@pytest.mark.parametrize(("room", "is_row"), [(50, True), (62, False)])
def test_a_row_below_the_last_shade_is_no_farther_than_rows_are_elsewhere(
    room: float, is_row: bool
) -> None:
    tops = [300, 340, 380, 430, 470, 510, 510 + room]
    rows = zip(tops, [HEADS, *ROWS, *ROWS[:2], TOTAL], strict=True)
    lines = [line for top, cells in rows for line in row(cells, XS, top)]
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    edges = [Stroke(tops[n] + at, 90, 850, 0) for n in (1, 3, 5) for at in (-10, 30)]
    box = footed((90, 300, 850, 540), words, SIZE, edges)
    assert box == (90, 300, 850, tops[-1] + SIZE if is_row else 540)


def test_leaders_of_dots_are_no_words_of_a_name() -> None:
    names = ["Rope", "Sail cloth", "Tar and pitch", "Anchor", "Lamp oil"]
    rows = [(name + " ." * 12, f"{n}1.50", f"{n + 1}2.20") for n, name in enumerate(names, 1)]
    [table] = _tables(rows_from(rows, 300, (100.0, 500.0, 700.0)))
    assert [cells[1:] for cells in table] == [list(figures) for _, *figures in rows]


def test_names_that_stand_in_by_their_rank_beside_figures_are_a_table() -> None:
    names = [
        "Berths here",
        "Berths ashore",
        "Berths of the quay",
        "Berths of the inner quay",
        "Boats of the lock",
    ]
    indents = [0, 30, 60, 90, 30]
    lines = [
        line
        for n, (name, indent) in enumerate(zip(names, indents, strict=True))
        for line in row((name, f"{n + 2}7.20"), (100.0 + indent, 600.0), 300 + 40 * n)
    ]
    [table] = _tables(lines)
    assert [cells[0] for cells in table] == names


def test_an_area_with_a_column_of_pairs_is_no_table() -> None:
    left = ["Harbour Trust", "91 Tanner Row", "York YO1"]
    pairs = ["Account: 12-345", "Period: 1 May", "Page: 2"]
    lines = rows_from(list(zip(left, pairs, strict=True)), 300, (100.0, 500.0))
    assert _tables(lines, areas=[area("table", (90, 290, 700, 410))]) == []
    amounts = ["12.50", "31.00", "42.10"]
    lines = rows_from(list(zip(left, amounts, strict=True)), 300, (100.0, 500.0))
    assert len(_tables(lines, areas=[area("table", (90, 290, 700, 410))])) == 1


def test_a_sum_with_a_figure_in_line_in_each_column_is_of_the_table() -> None:
    xs = (100.0, 360.0, 460.0, 560.0, 660.0)
    lines = []
    for n, name in enumerate(["Minnow", "Curlew", "Heron"]):
        figures = (f"{n}12.50", f"4{n}.10", f"37.2{n}", f"2{n}8.00")
        lines += [*row((name, *figures), xs, 300 + 70 * n), text("by it", 100, 322 + 70 * n)]
    total = row(("Total", "91.20", "7.1", "45.60", "1.0"), xs, 487)
    words = words_of([*lines, *total], [box_of(line.polygon) for line in (*lines, *total)])
    rule = Stroke(485, 90, 850)
    assert footed((100, 300, 700, 484), words, SIZE, [rule]) == (100, 300, 700, 507)


ITEM_HEADS = ("Pos.", "Article", "Qty", "Price", "VAT", "Amount")
PLACES = (100.0, 180.0, 400.0, 500.0, 600.0, 700.0)


def test_sums_below_as_many_items_do_not_join_their_columns() -> None:
    lines = row(ITEM_HEADS, PLACES, 300)
    for n in range(3):
        lines += row((f"{n}", "Rope", f"{n} m", "24.90", "7 %", "74.70"), PLACES, 340 + 40 * n)
    names = ["Net", "plus 7 % of 139.45", "plus 19 % of 63.90", "Sum of it all"]
    for n, name in enumerate(names):
        lines += [text(name, 400, 460 + 40 * n), text(f"{n}0.35", 710, 460 + 40 * n)]
    rules = [across(y, 90, 850) for y in (290, 332, 452)]
    [table] = _tables(lines, rules)
    assert table[0] == list(ITEM_HEADS)
    assert [cells[-1] for cells in table[4:]] == ["00.35", "10.35", "20.35", "30.35"]


def test_a_wide_figure_is_level_with_those_above_it() -> None:
    lines = row(ITEM_HEADS, PLACES, 300)
    for n in range(3):
        lines += row((f"{n}", "Rope", f"{n} m", "24.90", "7 %", "74.70"), PLACES, 340 + 40 * n)
    lines += [text("Total", 400, 460), text("1,391.28", 670, 460)]
    [table] = _tables(lines, [across(y, 90, 850) for y in (290, 332, 500)])
    assert (table[-1][-1], table[-1].count("1,391.28")) == ("1,391.28", 1)


@pytest.mark.parametrize("notes", [1, 2])
def test_a_title_with_a_rule_under_it_does_not_end_a_table(notes: int) -> None:
    """Two titles of one page, ruled from side to side, with short texts in columns between."""
    told = [("salt and", "white fish", "milk"), ("oyster", "crab meat", "eggs")]
    sold = ["nuts", *["* Bought as frozen goods"] * notes]
    lines = [
        *rows_from(told, 340, (100, 400, 700)),
        *(text(said, 100, 420 + 40 * n) for n, said in enumerate(sold)),
        joined([Word(text="Further", polygon=polygon_of((100, 545, 180, 571)))]),
        *prose(600),
    ]
    rules = [across(at, 80, 850) for at in (320, 575)]
    assert not any("Further" in str(texts(each.table)) for each in found(lines, rules))


LABELLED = [("Title", "Engineer"), ("Place", "Central station"), ("Start", "in January")]


def _bold(lines: list[Line], columns: Sequence[int]) -> list[Line]:
    return [replace(line, bold=n % 2 in columns) for n, line in enumerate(lines)]


@pytest.mark.parametrize("count", [2, 3])
def test_bold_labels_beside_their_values_have_no_header(count: int) -> None:
    lines = _bold(rows_from(LABELLED[:count], 300, (100, 400)), [0])
    rules = [across(290 + 40 * n, 90, 850) for n in range(count + 1)]
    rules += [down(x, 290, 290 + 40 * count) for x in (90, 390, 850)]
    [table] = found([*lines, *prose(700)], rules)
    assert not any(cell.header for cell in table.table.cells)


def test_a_row_that_is_bold_as_a_whole_is_their_header() -> None:
    heads = _bold(row(("What", "Which"), (100, 400), 300), [0, 1])
    lines = [*heads, *_bold(rows_from(LABELLED, 340, (100, 400)), [0])]
    rules = [across(290 + 40 * n, 90, 850) for n in range(5)]
    rules += [down(x, 290, 450) for x in (90, 390, 850)]
    [table] = found([*lines, *prose(700)], rules)
    assert {cell.row for cell in table.table.cells if cell.header} == {0}
