"""Which rows a bill's table of items has: from its own headers down to its sums."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.geometry import box_of, union
from pagetide.layout import Drawn
from pagetide.structure.tables.baseline import is_amount
from pagetide.structure.tables.items.in_items import with_items
from pagetide.structure.tables.items.items import item_tables
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.sheet import Sheet
from tests.unit.tables_drawn import BILL_HEADS as HEADS
from tests.unit.tables_drawn import BILL_ITEMS as ITEMS
from tests.unit.tables_drawn import BILL_XS as XS
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


def _rows(rows: Sequence[Sequence[str]], top: float, pitch: float = 40) -> list[Line]:
    return [line for n, each in enumerate(rows) for line in row(each, XS, top + pitch * n)]


@pytest.mark.parametrize("names", [("Total", "", "of which"), ("of which", "", "Total")])
def test_names_of_sums_outside_the_rules_are_in_the_rows_of_their_figures(
    names: Sequence[str],
) -> None:
    sums = [("280.20", "20%"), ("243.00", "10%"), ("37.20", "25%")]
    rows = [HEADS, *ITEMS, *(("", "", *own) for own in sums)]
    rules = [across(300 + 28 * n, 90, 850) for n in range(5)]
    rules += [across(300 + 28 * n, 610, 850) for n in range(5, 8)]
    rules += [down(x, 300, 412) for x in (90, 410)]
    rules += [down(x, 300, 496) for x in (610, 750, 850)]
    ends = {"Total": 550, "of which": 524}
    named = [text(t, ends[t], 304 + 28 * n) for n, t in enumerate(names, 4) if t]
    (table,) = tables_between([*_rows(rows, 304, 28), *named], rules)
    assert [[each for each in own if each] for own in table[4:]] == [
        [name, *own] if name else list(own) for name, own in zip(names, sums, strict=True)
    ]


@pytest.mark.parametrize("shaded", [True, False])
def test_names_over_values_above_the_items_are_a_table_of_their_own(*, shaded: bool) -> None:
    labels = [("Ordered", "Berth", "By"), ("12.05.2025", "A-17", "Minton")]
    places = [zip(own, (100, 380, 590), strict=True) for own in labels]
    lines = [text(t, x, 304 + 22 * n) for n, own in enumerate(places) for t, x in own]
    rules = [across(at, 90, 850) for at in (390, 518)]
    rules += shade(300, 350) if shaded else [across(300, 90, 850), *shade(350, 390)]
    tables = tables_between([*lines, *_rows([HEADS, *ITEMS], 364)], rules)
    assert tables == [[list(own) for own in labels], [list(own) for own in (HEADS, *ITEMS)]]


def _ended(said: str, end: float, y: float) -> Line:
    """A line that ends at a position."""
    return text(said, end - 10 * len(said) + 4 * said.count(" "), y)


def test_sums_below_the_rules_of_items_are_a_table_though_a_short_rule_parts_them() -> None:
    ends = (560.0, 680.0, 760.0, 940.0)
    items = [("Article", "Count", "Price", "Tax", "Amount")]
    items += [("Rope", "12", "3.10", "20%", "37.20"), ("Sail", "1", "210.00", "20%", "210.00")]
    items += [("Tar", "4", "8.25", "20%", "33.00"), ("Anchor", "1", "9.00", "20%", "9.00")]
    labels = [
        ("Number", "Ordered", "Client", "Berth"),
        ("C 20250031", "14.04.", "K 109", "A-17"),
    ]
    lines = [line for n, own in enumerate(labels) for line in row(own, XS, 220 + 22 * n)]
    lines += [text(own[0], 100, 304 + 46 * n) for n, own in enumerate(items)]
    for n, own in enumerate(items):
        lines += [_ended(each, x, 304 + 46 * n) for each, x in zip(own[1:], ends, strict=True)]
    sums = [("Together", "289.20"), ("Duty", "57.84"), ("Total", "347.04")]
    for n, (name, amount) in enumerate(sums):
        lines += [_ended(name, 760, 552 + 46 * n), _ended(amount, 940, 552 + 46 * n)]
    rules = [*(across(337 + 46 * n, 100, 940) for n in range(4)), across(634, 560, 940)]
    tables = tables_between(lines, rules)
    assert [list(own) for own in items] in tables
    assert [list(own) for own in sums] in tables


def test_an_address_beside_dates_is_not_the_head_of_the_items_below() -> None:
    beside = [("Order No.", "17044"), ("Berth", "1408"), ("From", "12.05.2025")]
    beside += [
        ("Until", "15.05.2025"),
        ("Boats", "1"),
        ("Paid", "15.05.2025"),
        ("By", "AM / 07"),
    ]
    address = ["Abel Hieronymus Minton", "Quay 14", "20 Linford", "Northland"]
    lines = [text(each, 102, 357 + 27 * n) for n, each in enumerate(address)]
    lines += [
        line for n, own in enumerate(beside) for line in row(own, (837, 974), 357 + 27 * n)
    ]
    rows = [
        ("Date", "Article", "Charges", "Credits"),
        ("12.05.2025", "Rope of hemp", "37.20", ""),
    ]
    rows += [("13.05.2025", "Sail", "210.00", ""), ("14.05.2025", "Tar of pine", "33.00", "")]
    rows += [("", "Total", "280.20", ""), ("14.05.2025", "Paid", "", "280.20")]
    rows[2:2] = [(f"{n}.05.2025", "Line", f"{n}.10", "") for n in range(20, 28)]
    for n, own in enumerate(rows):
        lines += row(own[:2], (102, 272), 606 + 44 * n)
        lines += [
            _ended(t, x, 606 + 44 * n) for t, x in zip(own[2:], (908, 1089), strict=True) if t
        ]
    boxes = [box_of(line.polygon) for line in lines]
    sheet = Sheet(lines, boxes, Drawn(rules=(across(595, 102, 1089), across(640, 102, 1089))))
    mixed = sheet.build(union(boxes), sheet.words)
    assert mixed is not None
    pairs, items = (texts(each.table) for each in with_items(sheet, [mixed], []))
    assert items == [list(own) for own in rows]
    assert pairs == [list(own) for own in beside]


def test_text_beside_the_sums_of_items_is_not_in_their_rows() -> None:
    rows = [HEADS, *ITEMS]
    sums = [("Together", "280.20"), ("Duty", "56.04"), ("Total", "336.24")]
    beside = ["In words: three hundred and", "thirty-six and a quarter", "Order C 3381"]
    lines = _rows(rows, 304)
    for n, (name, amount) in enumerate(sums):
        lines += row((name, amount), (600, 760), 470 + 28 * n)
    lines += [text(each, 100, 470 + 30 * n) for n, each in enumerate(beside)]
    boxes = [box_of(line.polygon) for line in lines]
    rules = tuple(across(334 + 40 * n, 90, 850) for n in range(4))
    sheet = Sheet(lines, boxes, Drawn(rules=rules))
    parts = [sheet.build((90, 300, 850, 454), sheet.words)]
    parts += [sheet.build((600, 470, 850, 546), sheet.words)]
    tables = with_items(sheet, [part for part in parts if part], [])
    assert sorted(texts(each.table) for each in tables) == [
        [list(own) for own in rows],
        [list(own) for own in sums],
    ]


def test_a_section_set_off_from_the_head_of_its_column_is_a_row() -> None:
    for apart, rows_ in ((12.0, 5), (4.0, 4)):
        lines = [text("each", 620, 284), text("Price", 620, 262)]
        lines += [text("Article", 100, 284), text("Count", 420, 284), text("Amount", 760, 284)]
        lines += [text("Ropes", 100, 304 + apart), *_rows(ITEMS, 356)]
        (table,) = tables_between(lines, [across(at, 90, 850) for at in (256, 386, 426, 470)])
        assert len(table) == rows_


def test_notes_between_the_sums_and_the_next_rule_are_not_rows() -> None:
    lines = [*_rows([HEADS, *ITEMS], 304), *row(("Total", "280.20"), (620, 760), 470)]
    said = "Please pay by the end of the month and name the number of this bill in full as the"
    notes = [said, "reference of the payment", "Late payments cost more"]
    lines += [text(each, 100, 510 + 28 * n, gap=4) for n, each in enumerate(notes)]
    rules = [across(334 + 40 * n, 90, 850) for n in range(4)]
    (table, *_) = tables_between(lines, [*rules, across(610, 90, 850)])
    assert not any("pay" in cell for own in table for cell in own)


@pytest.mark.parametrize(("height", "is_section"), [(20.0, True), (30.0, False)])
def test_a_section_below_heads_in_small_letters_is_no_title(
    *, height: float, is_section: bool
) -> None:
    heads = [
        Piece(head, x, 300, x + 60, 316, n)
        for n, (head, x) in enumerate(zip(HEADS, XS, strict=True))
    ]
    name = Piece("Ropes and lines", 100, 350, 250, 350 + height, 9)
    rows = [heads, [name], *rows_of(_rows(ITEMS, 404))]
    assert bool(item_tables(rows, 20.0, [])) == is_section


@pytest.mark.parametrize(
    ("said", "is_one"),
    [("02.06.2025", False), ("1.234,56", True), ("12,00 EUR", True), ("1,234,567", False)],
)
def test_a_date_is_no_amount(said: str, *, is_one: bool) -> None:
    assert is_amount(said) == is_one
