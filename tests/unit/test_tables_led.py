"""Names with values at the ends of leaders, drawn or typed, are rows of two columns."""

from __future__ import annotations

import pytest

from pagetide.document import Line
from pagetide.exports.text.markup import without_leader
from pagetide.geometry import box_of
from pagetide.layout import Drawn
from pagetide.structure.tables import find_tables
from tests.unit.tables_drawn import LETTER, across, found, joined, text, texts

PRICES = [
    ("Frost claw", "150/day"),
    ("Hydraulic hammer 120 kg", "690/day"),
    ("Levelling bucket", "in it"),
    ("Pallet forks", "190/day"),
]


def _told(*, led: int = len(PRICES)) -> list[list[list[str]]]:
    lines, rules = [text("Prices are in pounds and for a day", 100, 60)], []
    for n, (said, price) in enumerate(PRICES):
        y = 100 + 26 * n
        name, value = text(said, 100, y), text(price, 700 - 10 * len(price), y)
        lines += [name, value]
        if n < led:
            rules.append(across(y + 17, name.polygon[1][0] + 4, value.polygon[0][0] - 6))
    boxes = [box_of(line.polygon) for line in lines]
    drawn = Drawn(rules=tuple(rules))
    return [texts(each.table) for each in find_tables(lines, boxes, drawn, [], 1000, 1400)]


def test_each_name_stands_beside_its_value() -> None:
    assert _told() == [[list(row) for row in PRICES]]


def test_two_leaders_are_too_few_to_tell() -> None:
    assert _told(led=2) == []


def _typed(rows: list[tuple[str, str]], dot: str = ".") -> list[Line]:
    """Rows of one line each, filled with dots up to a value that ends at 700."""
    lines = []
    for n, (said, value) in enumerate(rows):
        y, start = (
            100 + 26 * n,
            700 - LETTER * len(value.replace(" ", "")) - 6 * value.count(" "),
        )
        room = start - 6 - text(said, 100, y).polygon[1][0]
        count = int(room / (LETTER * len(dot.strip()) + 6 * (dot[-1] == " ")))
        parts = (text(f"{said} {dot * count}", 100, y), text(value, start, y))
        lines.append(joined([word for part in parts for word in part.words]))
    return lines


@pytest.mark.parametrize("dot", [".", ". ", "…", "· "])
def test_typed_leaders_lead_to_values(dot: str) -> None:
    [table] = found(_typed(PRICES, dot))
    rows = [(without_leader(name), value) for name, value in texts(table.table)]
    assert rows == PRICES


def test_dots_may_follow_a_name_without_a_space() -> None:
    lines = []
    for n, (name, value) in enumerate(PRICES):
        dots = "." * (40 - len(name))
        lines.append(
            text(f"{name.replace(' ', '-')}{dots} {value.replace(' ', '-')}", 100, 100 + 26 * n)
        )
    [table] = found(lines)
    assert [without_leader(name) for name, _ in texts(table.table)] == [
        name.replace(" ", "-") for name, _ in PRICES
    ]


def test_typed_leaders_to_pages_are_a_table_of_contents() -> None:
    for pages in (("7", "9", "12", "21"), ("A-1", "A-7", "B-2", "C-1"), ("iv", "x", "3", "8")):
        rows = [(name, page) for (name, _), page in zip(PRICES, pages, strict=True)]
        assert found(_typed(rows)) == []


@pytest.mark.parametrize(
    ("line", "bare"),
    [
        ("Rope ..........", "Rope"),
        ("Rope . . . . . .", "Rope"),
        ("Rope. . . . . . .", "Rope"),
        ("Rope & Co. ........", "Rope & Co."),
        ("Rope, tar, etc. ...", "Rope, tar, etc. ..."),
        ("..........", ".........."),
    ],
)
def test_a_leader_ends_a_cell(line: str, bare: str) -> None:
    assert without_leader(line) == bare
