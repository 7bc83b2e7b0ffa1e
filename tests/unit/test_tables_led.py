"""Names with values at the ends of drawn leaders are rows of two columns."""

from __future__ import annotations

from pagetide.geometry import box_of
from pagetide.layout import Drawn
from pagetide.structure.tables import find_tables
from tests.unit.tables_drawn import across, text, texts

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
