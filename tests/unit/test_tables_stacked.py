"""Tables drawn on one another, blocks beside sums, and cells that no rule parts."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pagetide.document import Line
from pagetide.geometry import polygon_of
from pagetide.layout import Rule
from tests.unit.tables_drawn import (
    across,
    down,
    found,
    prose,
    row,
    rows_from,
    spans,
    text,
    texts,
)

ITEMS = [
    ("1", "Ball bearing", "120 Nos", "212.00", "24,168.00"),
    ("2", "Drive belt", "40 Nos", "318.50", "12,740.00"),
    ("3", "Bearing grease", "4 Pail", "4,275.00", "17,100.00"),
]
ITEM_HEADS = ("No", "Goods", "Quantity", "Rate", "Amount")
ITEM_XS = (105.0, 180.0, 450.0, 600.0, 755.0)
ITEM_EDGES = (100.0, 170.0, 440.0, 590.0, 745.0, 900.0)
TAXES = [
    ("84821011", "24,168.00", "9%", "2,175.12"),
    ("40103190", "29,840.00", "9%", "2,685.60"),
]
TAX_HEADS = ("Code", "Taxable", "Share", "Tax")
TAX_XS = (105.0, 310.0, 520.0, 705.0)
TAX_EDGES = (100.0, 300.0, 510.0, 695.0, 900.0)


def _ruled(edges: Sequence[float], ys: Sequence[float]) -> list[Rule]:
    return [
        *(across(y, edges[0], edges[-1]) for y in ys),
        *(down(x, ys[0], ys[-1]) for x in edges),
    ]


def _stacked_grids() -> tuple[list[Line], list[Rule]]:
    lines = [*prose(40)]
    for n, each in enumerate((ITEM_HEADS, *ITEMS)):
        lines += row(each, ITEM_XS, 210 + 40 * n)
    lines.append(text("Seventy thousand only", 105, 375))
    for n, taxed in enumerate((TAX_HEADS, *TAXES)):
        lines += row(taxed, TAX_XS, 410 + 40 * n)
    rules = [
        *_ruled(ITEM_EDGES, (200, 240, 280, 320, 360)),
        *_ruled((100.0, 900.0), (360, 400)),
        *_ruled(TAX_EDGES, (400, 440, 480, 520)),
    ]
    return lines, rules


def test_grids_on_one_another_are_a_table_each_where_other_rules_part_their_columns() -> None:
    lines, rules = _stacked_grids()
    items, taxes = found(lines, rules)
    assert texts(items.table) == [[*ITEM_HEADS], *([*each] for each in ITEMS)]
    assert texts(taxes.table) == [[*TAX_HEADS], *([*each] for each in TAXES)]


def test_a_grid_goes_on_where_the_same_rules_part_it_below_a_section() -> None:
    lines = [*prose(40)]
    rows = [ITEM_HEADS, *ITEMS[:2], ("", "Consumables", "", "", ""), ITEMS[2]]
    for n, each in enumerate(rows):
        lines += row(each, ITEM_XS, 210 + 40 * n)
    rules = [
        *_ruled(ITEM_EDGES, (200, 240, 280, 320)),
        *_ruled((100.0, 900.0), (320, 360)),
        *_ruled(ITEM_EDGES, (360, 400)),
    ]
    (whole,) = found(lines, rules)
    assert len(whole.table.cells) > 5 * len(ITEMS)
    assert whole.table.rows == len(rows)


def test_lines_of_a_text_stay_in_one_cell_where_rules_are_drawn_beside_it_alone() -> None:
    address = ("Sri Balaji Bearings", "No. 27, Third Cross", "Bengaluru - 560002", "India")
    lines = [*prose(40), *(text(each, 105, 206 + 22 * n) for n, each in enumerate(address))]
    boxes = (("Invoice No", "SBB/1847"), ("Delivery Note", "DN-2219"))
    for n, (name, value) in enumerate(boxes):
        lines += [text(name, 510, 203 + 54 * n), text(value, 510, 224 + 54 * n)]
        lines += [text("Dated", 710, 203 + 54 * n), text(f"{n + 4}-Nov-25", 710, 224 + 54 * n)]
    rules = [
        *_ruled((100.0, 500.0, 700.0, 900.0), (200, 302)),
        across(250, 500, 900),
    ]
    (grid,) = found(lines, rules)
    assert spans(grid.table) == {"\n".join(address): (2, 1)}
    assert texts(grid.table)[1][1:] == ["Delivery Note\nDN-2219", "Dated\n5-Nov-25"]


def test_a_head_below_values_of_other_columns_begins_another_table() -> None:
    strip = [("Date", "Terms", "Reference"), ("2025-10-30", "30 days", "ENC 0932")]
    lines = [*prose(40)]
    lines += row(strip[0], (105, 400, 700), 205)
    lines += row(strip[1], (105, 400, 700), 240)
    lines += row(ITEM_HEADS, ITEM_XS, 300)
    for n, each in enumerate(ITEMS):
        lines += row(each, ITEM_XS, 345 + 40 * n)
    edges = [across(y, 100, 900) for y in (200, 230)] + [down(x, 200, 230) for x in (100, 900)]
    shade = [Rule(start=edge.start, end=edge.end, thickness=0) for edge in edges]
    rules = [*shade, *(across(y, 100, 900) for y in (335, 375, 415, 455))]
    upper, lower = found(lines, rules)
    assert texts(upper.table) == [[*each] for each in strip]
    assert texts(lower.table) == [[*ITEM_HEADS], *([*each] for each in ITEMS)]


def test_a_name_beside_the_middle_of_two_lines_is_a_row_between_rules() -> None:
    lines = [*prose(40)]
    for n, (name, value) in enumerate((("Subtotal", "109.40 EUR"), ("Discount", "-5.00 EUR"))):
        lines += [text(name, 300, 210 + 40 * n), text(value, 500, 210 + 40 * n)]
    lines += [
        text("109.35 EUR with taxes of", 500, 288),
        text("Total", 300, 298),
        text("3.10 EUR", 500, 309),
    ]
    rules = [across(y, 290, 800) for y in (200, 240, 280, 335)]
    (sums,) = found(lines, rules)
    assert texts(sums.table)[-1] == ["Total", "109.35 EUR with taxes of\n3.10 EUR"]


def test_names_of_sums_alone_make_no_column() -> None:
    xs = (100.0, 550.0, 700.0, 850.0)
    lines = [*prose(40), *rows_from([("Service", "Qty", "Price", "Amount")], 200, xs)]
    items = [(f"Team plan {n}", f"{n}", "24.00", f"{24 * n}.00") for n in range(1, 6)]
    lines += rows_from(items, 240, xs)
    for n, (name, value) in enumerate((("Subtotal", "360.00"), ("Total", "360.00"))):
        lines += [text(name, 330, 440 + 40 * n), text(value, 850, 440 + 40 * n)]
    (table,) = found(lines, [across(230, 90, 930)])
    assert table.table.columns == 4
    assert texts(table.table)[-1] == ["Total", "", "", "360.00"]


def test_a_column_with_a_head_of_its_own_and_one_figure_stays_a_column() -> None:
    xs = (100.0, 250.0, 600.0, 750.0)
    heads = ("Date", "Charge", "Debit", "Credit")
    charges = [("16/10", f"Night {n}", f"{142 + n},00", "") for n in range(1, 6)]
    rows = [heads, *charges, ("19/10", "Deposit", "", "150,00")]
    (table,) = found([*prose(40), *rows_from(rows, 200, xs)], [across(230, 90, 850)])
    assert texts(table.table) == [[*each] for each in rows]


def test_sums_of_several_columns_below_the_last_rule_are_a_row() -> None:
    xs = (100.0, 250.0, 600.0, 750.0)
    rows = [("Date", "Charge", "Debit", "Credit")]
    rows += [("16/10", f"Night {n}", f"{142 + n},00", f"{n}0,00") for n in range(1, 6)]
    lines = [*prose(40), *rows_from(rows, 200, xs)]
    lines += row(("", "Totals", "725,00", "150,00"), xs, 460)
    (table,) = found(lines, [across(230, 90, 850), across(440, 90, 850)])
    assert texts(table.table)[-1] == ["", "Totals", "725,00", "150,00"]


def test_a_table_beside_sums_below_the_last_rule_is_none_of_the_items() -> None:
    xs = (100.0, 550.0, 700.0, 850.0)
    rows = [("Service", "Qty", "Price", "Amount")]
    rows += [(f"A plan for team {n}", f"{n}", "24.00", f"{24 * n}.00") for n in range(1, 6)]
    lines = [*prose(40), *rows_from(rows, 200, xs)]
    beside = [
        ("Rate", "Net", "Tax", "Net total", "360.00"),
        ("20 %", "300.00", "60.00", "Tax", "60.00"),
    ]
    beside += [("0 %", "60.00", "0.00", "To pay", "420.00")]
    for n, each in enumerate(beside):
        lines += row(each, (100, 210, 330, 620, 850), 450 + 40 * n)
    rules = [across(230, 90, 930), across(435, 90, 930)]
    items = found(lines, rules)[0]
    assert items.table.rows == len(rows)


def test_no_table_goes_on_past_one_of_other_columns() -> None:
    lines = [
        *prose(40),
        *rows_from([("Order", "114902"), ("Client", "20771")], 170, (105, 250)),
    ]
    heads, values = ("Plate", "Model", "Year", "Km"), ("HJ 48217", "Octavia", "2017", "164 380")
    xs = (110.0, 320.0, 520.0, 700.0)
    lines += [*row(heads, xs, 270), *row(values, xs, 310)]
    lines += row(("Part", "Work"), (105, 250), 380)
    rules = _ruled((100.0, 310.0, 510.0, 690.0, 900.0), (262, 300, 340))
    for each in found(lines, rules):
        said = [cell for cells in texts(each.table) for cell in cells]
        assert not {"Order", "Part"} <= set(said)


def test_a_title_on_a_rule_wider_than_a_table_is_none_of_it() -> None:
    rows = [(f"Credits {n}", f"{n},213.04") for n in range(1, 6)]
    lines = [*prose(40), text("Business checking", 100, 180)]
    lines += rows_from(rows, 230, (100, 400))
    lines += [text(f"# of days {n}", 600, 230 + 24 * n) for n in range(4)]
    rules = [across(205, 90, 900), *(across(255 + 40 * n, 90, 500) for n in range(5))]
    table, *_ = found(lines, rules)
    assert texts(table.table) == [[*each] for each in rows]


def test_nothing_below_a_closed_grid_is_a_row_of_it() -> None:
    rows = [ITEM_HEADS, *ITEMS]
    lines = [*prose(40)]
    for n, each in enumerate(rows):
        lines += row(each, ITEM_XS, 210 + 40 * n)
    lines += row(("", "Tax summary", "", "As above", "54,008.00"), ITEM_XS, 385)
    lines += row(("", "20 %", "", "Balance", "-12.40"), ITEM_XS, 415)
    items = found(lines, _ruled(ITEM_EDGES, (200, 240, 280, 320, 360)))[0]
    assert texts(items.table) == [[*each] for each in rows]


def test_the_last_boxes_of_a_drawn_grid_are_a_row_of_it() -> None:
    said = (
        "Buyer",
        "Deccan Textile Processors",
        "Plot 114-B, Industrial Area",
        "Bengaluru 561203",
    )
    lines = [*prose(40), *row(("Order", "Dated", "Place"), (105, 510, 710), 210)]
    lines += row(("DTP/PO/0932", "11-Nov-25", "Mysuru"), (105, 510, 710), 250)
    lines += [text(each, 105, 290 + 24 * n) for n, each in enumerate(said)]
    lines.append(text("Delivered to the door, unloading by consignee", 510, 300))
    rules = [
        *_ruled((100.0, 500.0, 900.0), (200, 240, 280, 392)),
        down(700, 200, 280),
    ]
    (grid,) = found(lines, rules)
    assert grid.table.rows == 3
    assert texts(grid.table)[-1][0] == "\n".join(said)


def test_heads_set_close_together_on_a_rule_are_of_the_table_below() -> None:
    xs = (100.0, 560.0, 760.0)
    rows = [(f"Storage of the month {n}", f"{n}48.000 Hrs", f"{n}23.80") for n in range(1, 7)]
    lines = [
        *prose(40),
        text("Description", 100, 200),
        text("Usage quantity Amount in", 560, 200),
    ]
    lines += [line for n, each in enumerate(rows) for line in row(each, xs, 236 + 40 * n)]
    rules = [across(228, 90, 830), *(across(266 + 40 * n, 90, 830) for n in range(6))]
    (table,) = found(lines, rules)
    assert table.table.rows == 1 + len(rows)
    assert "Description" in texts(table.table)[0][0]


def test_names_in_smaller_letters_stand_closer_to_one_another_over_their_values() -> None:
    names, values = ("Bank", "Sort code", "Number"), ("Barclays plc 20", "20-98-07", "40418827")
    xs = (100.0, 285.0, 395.0)
    small = [
        replace(line, polygon=polygon_of((x, 300, x + 60, 317)), words=())
        for line, x in zip(row(names, xs, 300), xs, strict=True)
    ]
    lines = [*prose(40), *small, *row(values, xs, 322)]
    assert [texts(each.table) for each in found(lines)] == [[[*names], [*values]]]
