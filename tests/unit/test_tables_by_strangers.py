"""What the fourth and the fifth set of tables had: captions, names of head rows, notes."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line
from pagetide.geometry import box_of
from pagetide.structure.tables.baseline import baselines_in
from pagetide.structure.tables.grids.columns import gutters_of
from pagetide.structure.tables.grids.grid import Border, Grid
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.pieces import Piece, chunks_of
from pagetide.structure.tables.rows.of_heads import rows_of_heads
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

ITEMS = [
    ("Rope", "12", "3.10", "37.20"),
    ("Sail", "1", "10.00", "10.00"),
    ("Tar", "104", "8.25", "858.00"),
    ("Lamp", "3", "21.00", "63.00"),
]
HEADS = ("Goods", "Count", "Price", "Amount")


def test_a_shaded_caption_above_the_heads_is_no_row() -> None:
    lines = [text("Table 2. Goods that came in with the tide", 100, 300)]
    lines += [*row(HEADS, XS, 345), *rows_from(ITEMS, 390)]
    rules = [across(y, 90, 850) for y in (375, 560)]
    page = [*prose(60), *lines, *prose(900)]
    [table] = [each.table for each in found(page, [*shade(290, 335), *rules])]
    assert texts(table)[0] == list(HEADS)
    assert len(texts(table)) == 5


def _heads(second: tuple[str, ...], apart: float) -> list[list[str]]:
    lines = [*row(("Train no.", "84301", "84303", "84305"), XS, 300)]
    lines += row(second, XS, 300 + apart)
    lines += rows_from([("Valmont", "5.42", "6.15", "6.48"), *ITEMS], 350 + apart)
    rules = [across(y, 90, 900) for y in (290, 335 + apart, 560 + apart)]
    [table] = [each.table for each in found([*prose(60), *lines, *prose(900)], rules)]
    return texts(table)


def test_heads_with_names_of_their_own_are_rows_where_they_stand_apart() -> None:
    rows = _heads(("Notes", "1", "", "Car"), 34)
    assert rows[0] == ["Train no.", "84301", "84303", "84305"]
    assert rows[1] == ["Notes", "1", "", "Car"]


def test_a_column_that_few_rows_fill_is_one_where_it_has_a_head() -> None:
    xs = (100.0, 300.0, 450.0, 600.0, 760.0)
    named = _pieces(row((*HEADS, "Paid"), xs, 300))
    body = [_pieces(row(each, xs[:4], 345 + 34 * n)) for n, each in enumerate(4 * ITEMS)]
    for place in (2, 6):
        body[place] += _pieces([text("310.80", 760, 345 + 34 * place)])
    assert len(gutters_of(body, [named], 20.0)) == 4
    assert len(gutters_of(body, [named[:4]], 20.0)) == 3


def _pieces(lines: Sequence[Line]) -> list[Piece]:
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    return [chunk for own in words for chunk in chunks_of(own)]


def test_a_note_across_columns_is_a_row() -> None:
    lines = row(HEADS, XS, 300)
    lines += rows_from(ITEMS[:2], 345)
    lines += [text("Sails are kept below deck and are not counted twice in any year", 100, 405)]
    lines += rows_from(ITEMS[2:], 447)
    rules = [across(y, 90, 900) for y in (290, 335, 540)]
    [table] = [each.table for each in found([*prose(60), *lines, *prose(900)], rules)]
    assert [cells[0].split()[0] for cells in texts(table)] == [
        "Goods",
        "Rope",
        "Sail",
        "Sails",
        "Tar",
        "Lamp",
    ]


def test_heads_side_by_side_have_their_own_rows_below() -> None:
    left, right = (100.0, 250.0, 380.0), (560.0, 700.0, 830.0)
    lines = [*row(("Goods", "In", "Out"), left, 300), *row(("Crew", "Days", "Pay"), right, 300)]
    for n, name in enumerate(("Rope", "Sail", "Tar", "Lamp")):
        lines += row((name, f"1{n}", f"2{n}"), left, 345 + 34 * n)
        lines += row((f"Ann {n}", f"3{n}", f"4{n}"), right, 345 + 34 * n)
    rules = [across(y, x0, x1) for y in (290, 330) for x0, x1 in ((90, 430), (550, 900))]
    tables = [texts(each.table) for each in found([*prose(60), *lines, *prose(900)], rules)]
    assert [table[0] for table in tables] == [["Goods", "In", "Out"], ["Crew", "Days", "Pay"]]
    assert [len(table) for table in tables] == [5, 5]


def test_rows_of_a_group_that_rules_part_in_some_columns_stay_apart() -> None:
    xs = (100.0, 320.0, 480.0, 600.0, 760.0)
    lines = row(("Article", "Quantity", "Unit", "Price", "Amount"), xs, 300)
    rules = [across(y, 90, 900) for y in (290, 335)]
    for n in range(4):
        top = 345 + 80 * n
        lines += [text(f"Rope {n}", 100, top + 20)]
        for m in range(2):
            lines += row((f"1{m}", "kg", "2.10", f"2{m}.10"), xs[1:], top + 40 * m)
        rules += [across(top + 30, 310, 900), across(top + 70, 90, 900)]
    rules += [down(x, 290, 655) for x in (90, 310, 470, 590, 750, 900)]
    [table] = [each.table for each in found([*prose(60), *lines, *prose(900)], rules)]
    assert table.rows == 9


def test_as_many_heads_as_a_page_has_are_parted() -> None:
    grid = Grid(xs=(Border(90), Border(290), Border(500)), ys=(Border(0), Border(60000)))
    lines = [
        each
        for n in range(1500)
        for each in baselines_in(grid, _pieces(row(("Days", "Mo"), (100.0, 300.0), 40.0 * n)))
    ]
    assert len(rows_of_heads(lines, grid, 20.0)) == 1500
