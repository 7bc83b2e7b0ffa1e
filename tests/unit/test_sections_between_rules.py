"""A section's name between a table's rules, a page's header above it, items of two lines."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from tests.unit.tables_drawn import across, found, row, text, texts

XS = (100.0, 300.0, 620.0, 760.0)
HEADS = ("Berth", "Boat", "State", "Dues")
ROWS = [
    ("A 1", "Minnow", "open", "37.20"),
    ("A 2", "Curlew", "let", "21.00"),
    ("B 7", "Heron", "open", "33.00"),
    ("B 9", "Bittern", "let", "18.00"),
]
SECTION = ("Northern quay", "", "", "")


def _prose(top: float) -> list[Line]:
    said = "the boats that came in with the tide were unloaded and then went on to the north"
    return [text(said, 80, top + 26 * n) for n in range(4)]


def _tables(lines: Sequence[Line], rules: Sequence[float]) -> list[list[list[str]]]:
    page = [*_prose(60), *lines, *_prose(1200)]
    return [texts(each.table) for each in found(page, [across(y, 90, 820) for y in rules])]


def _rows(rows: Sequence[Sequence[str]], top: float) -> list[Line]:
    return [line for n, each in enumerate(rows) for line in row(each, XS, top + 40 * n)]


def test_a_sections_name_in_a_row_as_high_as_the_others_is_of_the_table() -> None:
    rows = [HEADS, *ROWS, SECTION, *ROWS]
    [table] = _tables(_rows(rows, 300), [290 + 40 * n for n in range(11)])
    assert len(table) == 10


@pytest.mark.parametrize("room", [30, 50])
def test_a_name_with_more_room_around_it_is_between_tables(room: float) -> None:
    lower = 500 + room + 40
    lines = [*_rows([HEADS, *ROWS], 300), text("Northern quay", 100, 500 + room / 2)]
    lines += _rows([HEADS, *ROWS], lower + 10)
    rules = [290 + 40 * n for n in range(6)] + [lower + 40 * n for n in range(6)]
    assert [len(table) for table in _tables(lines, rules)] == [5, 5]


def test_a_pages_header_with_its_number_is_no_head() -> None:
    header = [text("Harbour dues", 100, 270), text("Page 4", 760, 270)]
    page = [*header, *_rows([HEADS, *ROWS], 310), *_prose(1200)]
    rules = [across(y, 90, 820) for y in (295, 340, 500)]
    [table] = [texts(each.table) for each in found(page, rules)]
    assert table[0] == list(HEADS)


def test_an_items_reference_is_in_its_row_where_rules_part_the_items() -> None:
    heads = ("Date", "Value", "Details", "Debit", "Credit", "Balance")
    xs = (100.0, 190.0, 290.0, 560.0, 660.0, 760.0)
    lines = [*row(heads, xs, 300), text("Opening balance", 100, 330), text("4854.89", 760, 330)]
    rules, y = [360.0], 360.0
    for n in range(10):
        debit, credit = ("251.03", "") if n % 3 else ("", "339.62")
        lines += row(("24.06.", "14.10.", "Minton Olive", debit, credit, "4603.86"), xs, y + 7)
        if n % 2:
            lines.append(text(f"Reference 81800{n}", 290, y + 30))
        y += 55 if n % 2 else 32
        rules.append(y)
    [table] = _tables(lines, rules)
    assert len(table) == 12
