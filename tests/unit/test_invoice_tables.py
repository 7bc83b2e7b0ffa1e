"""Tables of invoices: sums, sections and names that stand beside the items' own columns."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line, Word
from pagetide.geometry import box_of, polygon_of
from pagetide.structure.tables.grids.columns import gutters_of
from pagetide.structure.tables.line_words import words_of
from tests.unit.tables_drawn import (
    SIZE,
    across,
    baselined,
    down,
    found,
    joined,
    prose,
    row,
    shade,
    texts,
)

XS = (100.0, 300.0, 520.0, 640.0, 780.0)
HEADS = ("Goods", "Title", "Count", "Price", "Amount")
ITEM = ("Rope", "Hemp, tarred", "12", "3.10", "37.20")
OTHER = ("Sail", "Canvas", "1", "210.00", "210.00")


def _large(words: str, right: float, top: float) -> Line:
    """A line in letters half as large again, that ends at a place."""
    placed: list[Word] = []
    for word in reversed(words.split()):
        left = right - 15 * len(word)
        placed.insert(0, Word(text=word, polygon=polygon_of((left, top, right, top + 32))))
        right = left - 9
    return joined(placed)


def _tables(lines: Sequence[Line], rules: Sequence[float] = ()) -> list[list[list[str]]]:
    edges = [across(at, 90, 880) for at in rules]
    return [texts(each.table) for each in found(lines, edges)]


def test_a_sum_ends_where_the_items_do_though_heads_end_before() -> None:
    lines = [*row(HEADS, XS, 300)]  # a sign drawn behind the last head is no letter
    lines += [*row(ITEM, (*XS[:4], 830.0), 345), *row(OTHER, (*XS[:4], 820.0), 390)]
    lines += [_large("Grand Total", 700, 460), _large("247.20", 880, 460)]
    [table] = _tables(lines, [290, 330])
    assert table[-1][-1] == "247.20"
    assert "Grand Total" in table[-1]


def test_the_name_of_sums_is_not_in_the_cell_of_the_first() -> None:
    lines = [*row(HEADS, XS, 300), *row(ITEM, XS, 345)]
    lines += row(("Total", "12", "3.10", "37.20"), (460.0, *XS[2:]), 410)
    lines += row(("Grand", "37.20"), (700.0, 780.0), 480)
    [table] = _tables(lines, [290, 330, 385, 450, 530])
    assert table[2] == ["", "Total", "12", "3.10", "37.20"]


def test_the_name_of_a_section_below_a_full_row_of_heads_is_none_of_them() -> None:
    xs = (100.0, 180.0, 300.0, 640.0, 780.0)
    heads, name = ("No", "Count", "Title", "Price", "Amount"), ("", "", "Contract CON1", "", "")
    items = [("1", "4", "Ropes", "3.10", "12.40"), ("2", "1", "Sails", "21.00", "21.00")]
    lines = [*row(heads, xs, 300), *row(name, xs, 345), *row(items[0], xs, 390)]
    lines += row(items[1], xs, 435)
    [table] = found(lines, [across(at, 90, 880) for at in (290, 330)])
    assert texts(table.table) == [[*heads], [*name], *map(list, items)]
    assert {cell.row for cell in table.table.cells if cell.header} == {0}


def test_items_that_a_ruled_table_begins_with_do_not_end_it() -> None:
    rows, sides = [300 + 60 * n for n in range(12)], (90, 290, 510, 630, 750, 940)
    bottom, empty = rows[-1] + 40, ("", "", "", "$", "-")
    lines = [*prose(100), *row((*HEADS[:4], "Total"), (*XS[:4], 760.0), 300)]
    lines += row(ITEM, (*XS[:4], 870.0), rows[1]) + row(OTHER, (*XS[:4], 860.0), rows[2])
    for top in rows[3:-1]:
        lines += row(empty, (*XS[:3], 760.0, 910.0), top)
    lines += row(("Subtotal", "247.20"), (640.0, 860.0), rows[-1])
    rules = [across(top - 20, 90, 940) for top in rows] + [across(bottom, 90, 940)]
    [table] = found(lines, rules + [down(x, 280, bottom) for x in sides])
    assert (table.table.rows, table.table.columns) == (12, 5)
    assert texts(table.table)[-1] == ["", "", "", "Subtotal", "247.20"]


def test_a_text_between_columns_goes_to_the_side_where_its_row_has_none() -> None:
    lines = [*row(ITEM, XS, 300), *row(OTHER, XS, 340)]
    lines += row(("Total", "12", "3.10", "37.20"), (460.0, *XS[2:]), 380)
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    _, before_count, *_ = gutters_of(baselined(words), [], SIZE)
    assert 510 < before_count < 520


def test_names_and_values_side_by_side_on_a_shade_are_no_table() -> None:
    xs = (100.0, 340.0, 600.0)
    rows = [("Quay 14", "(555) 5555", "us@quay.example"), ("Harbour", "", "www.quay.example")]
    rows += [("Bill to: A. Sailor", "Phone: 12 34", "Invoice: 17")]
    rows += [("Address: Mole 3", "Fax: 56 78", "Invoice date: May 7")]
    lines = [line for n, each in enumerate(rows) for line in row(each, xs, 300 + 32 * n)]
    words = [("Quay", "Mole", "Harbour"), ("Pier", "Sea", "Tide"), ("Rope", "Hemp", "Sail")]
    plain = [line for n, each in enumerate(words) for line in row(each, xs, 300 + 32 * n)]
    assert found([*prose(100), *lines, *prose(700)], shade(290, 440)) == []
    assert len(found([*prose(100), *plain, *prose(700)], shade(290, 400))) == 1


def test_a_section_s_name_and_sum_in_a_title_s_letters_are_not_of_the_table_below() -> None:
    lines = [_large("Dues and fees", 300, 250), _large("37.20", 880, 250)]
    lines += row(("Month's price", "Net", "Tax", "Gross"), (430.0, 600.0, 700.0, 820.0), 310)
    lines += row(("with tax", "EUR", "EUR"), (480.0, 600.0, 840.0), 335)
    lines += row(("Mooring in May", "37.20"), (100.0, 820.0), 370)
    lines += row(("Sum of all", "31.00", "37.20"), (100.0, 590.0, 820.0), 416)
    edges = [across(at, 100, 880) for at in (394, 410)]
    [table] = found([*prose(100), *lines, *prose(700)], edges)
    assert texts(table.table) == [
        ["", "Month's price\nwith tax", "Net\nEUR", "Tax", "Gross\nEUR"],
        ["Mooring in May", "", "", "", "37.20"],
        ["Sum of all", "", "31.00", "", "37.20"],
    ]
    assert {cell.row for cell in table.table.cells if cell.header} == {0}
