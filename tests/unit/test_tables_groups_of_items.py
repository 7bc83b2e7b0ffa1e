"""Groups of items in one table: each with its name, and its sum below a rule."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line
from pagetide.geometry import box_of, union
from pagetide.layout import Drawn
from pagetide.structure.tables.ends.edge_rows import without_edge_rows
from pagetide.structure.tables.ends.split_features import Places
from pagetide.structure.tables.found import FoundTable
from pagetide.structure.tables.items.in_items import with_items
from pagetide.structure.tables.sheet import Sheet
from tests.unit.tables_drawn import (
    across,
    down,
    row,
    rows_of,
    shade,
    tables_between,
    text,
    texts,
)

XS = (100.0, 190.0, 300.0, 620.0, 760.0)
HEADS = ("No.", "Count", "Article", "Price", "Amount")
ROPES = [
    ("1.1", "12", "Rope", "3.10", "37.20"),
    ("1.2", "1", "Line", "21.00", "21.00"),
    ("1.3", "4", "Yarn", "8.25", "33.00"),
]
PANS = [("2.1", "3", "Pan", "12.00", "36.00"), ("2.2", "1", "Oven", "80.00", "80.00")]
NOTE = "as agreed with the mate"


def _noted(items: Sequence[Sequence[str]], top: float) -> list[Line]:
    """Items with a line of words below each."""
    places = list(enumerate(items))
    lines = [line for n, item in places for line in row(item, XS, top + 60 * n)]
    return [*lines, *(text(NOTE, 300, top + 60 * n + 22) for n, _ in places)]


def test_items_below_the_sum_of_the_first_group_are_in_its_table() -> None:
    lines = [*row(HEADS, XS, 300), *_noted(ROPES, 345)]
    lines += [text("Sum of group 1", 190, 535), text("91.20", 760, 535)]
    lines += [text("2", 100, 580), text("Galley and stores", 190, 580), *_noted(PANS, 620)]
    rules = tuple(across(y, 90, 850) for y in (295, 330, 525))
    sheet = Sheet(lines, [box_of(line.polygon) for line in lines], Drawn(rules=rules))
    first = sheet.build((90, 295, 850, 525), sheet.words)
    assert first
    [whole] = with_items(sheet, [first], ruled=[first])
    assert [each[0] for each in texts(whole.table)] == [
        *("No.", "1.1", "1.2", "1.3"),
        *("Sum of group 1", "2", "2.1", "2.2"),
    ]


def test_further_lines_of_an_item_are_no_title_of_the_sums_below() -> None:
    lines = [*row(HEADS, XS, 300), *_noted(ROPES, 340)]
    for n in range(3):
        lines += [text("Carried on", 100, 535 + 40 * n), text("91.20", 760, 535 + 40 * n)]
    boxes = [box_of(line.polygon) for line in lines]
    rows, box = rows_of(lines), union(boxes)
    places = Places(Sheet(lines, boxes, Drawn()), rows, box)
    assert not [titles for place, titles in places if titles and rows[place][0].text == NOTE]


def test_names_of_groups_beside_the_keys_of_shaded_items_are_rows() -> None:
    rows = [("", "", "Rigging", "", ""), *ROPES, ("", "", "Galley", "", ""), *PANS]
    tops = [345, 372, 399, 426, 462, 489, 516]
    lines = row(HEADS, XS, 300)
    for cells, top in zip(rows, tops, strict=True):
        lines += row(cells, XS, top)
    rules = [across(y, 90, 850) for y in (295, 330, 545)]
    rules += [*shade(396, 423), *shade(513, 540)]
    [table] = tables_between(lines, rules)
    assert table == [list(HEADS), *map(list, rows)]
    sheet = Sheet(lines, [box_of(line.polygon) for line in lines], Drawn(rules=tuple(rules)))
    built = sheet.build((90, 295, 850, 545), sheet.words)
    assert built
    assert {cell.row for cell in built.table.cells if cell.header} == {0}


def test_items_with_a_column_right_of_the_rules_are_one_table() -> None:
    lines = [*row(HEADS, XS, 300)]
    for n, item in enumerate(ROPES):
        lines += row(item, XS, 345 + 40 * n)
    sheet = Sheet(lines, [box_of(line.polygon) for line in lines], Drawn())
    part = sheet.build((90, 290, 700, 460), sheet.words)
    assert part
    [whole] = with_items(sheet, [part], ruled=[part])
    assert texts(whole.table) == [list(HEADS), *map(list, ROPES)]


def test_items_in_a_frame_around_the_page_with_fewer_columns_are_a_table() -> None:
    lines = [text("Sold by", 100, 100), text("Sold to", 500, 100)]
    lines += [text("The Chandlery", 100, 140), text("The Harbour", 500, 140)]
    lines += row((*HEADS[:3], "Price p.u.", HEADS[4]), XS, 300)
    for n, item in enumerate(ROPES):
        lines += row(item, XS, 345 + 40 * n)
    sheet = Sheet(lines, [box_of(line.polygon) for line in lines], Drawn())
    sides = sheet.build((80, 80, 860, 200), sheet.words)
    assert sides
    frame = FoundTable((80, 80, 860, 600), sides.table, sheet.words)
    [table] = with_items(sheet, [frame], ruled=[frame])
    assert [each[0] for each in texts(table.table)] == ["No.", "1.1", "1.2", "1.3"]


def test_a_title_above_the_headers_of_items_is_not_in_their_table() -> None:
    lines = [text("Goods delivered", 100, 300), *row(HEADS, XS, 340)]
    for n, item in enumerate(ROPES):
        lines += row(item, XS, 380 + 40 * n)
    edges = [290, 330, 370, 410, 450, 490]
    rules = [*(across(y, 90, 850) for y in edges), *(down(x, 290, 490) for x in (90, 850))]
    boxes = [box_of(line.polygon) for line in lines]
    sheet = Sheet(lines, boxes, Drawn(rules=tuple(rules)))
    table = sheet.build((90, 290, 850, 490), sheet.words)
    assert table
    assert texts(table.table)[0][0] == "Goods delivered"
    assert texts(without_edge_rows(sheet, table).table) == [list(HEADS), *map(list, ROPES)]


def test_headers_in_two_languages_in_a_cell_each_are_one_row() -> None:
    others = ("Nr.", "Anzahl", "Ware", "Preis", "Betrag")
    lines = [*row(HEADS, XS, 300), *row(others, XS, 329)]
    for n, item in enumerate(ROPES):
        lines += row(item, XS, 365 + 36 * n)
    edges = [292, 357, 393, 429, 465]
    rules = [across(y, 90, 850) for y in edges]
    rules += [down(x, 292, 465) for x in (90, 180, 290, 610, 750, 850)]
    [table] = tables_between(lines, rules)
    assert table[0] == [f"{one}\n{other}" for one, other in zip(HEADS, others, strict=True)]
