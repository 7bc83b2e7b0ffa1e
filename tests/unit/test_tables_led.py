"""Names with values at the ends of leaders, drawn or typed, are rows of two columns."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagetide.document import Line, Word
from pagetide.exports.text.markup import without_leader
from pagetide.geometry import box_of, polygon_of
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


def _menu(described: set[int], lines: int, x: float = 100.0, top: float = 100.0) -> list[Line]:
    """Dishes with prices, some with a description right below."""
    dishes, y = [], top
    for n, (name, price) in enumerate(PRICES):
        [dish] = _typed([(name, price)], ".")
        dishes.append(_moved(dish, x - 100, y - 100))
        below = lines if n in described else 0
        dishes += [text("with a bit of salt", x, y + 24 * (k + 1)) for k in range(below)]
        y += 34 + 24 * below
    return dishes


def _moved(line: Line, right: float, low: float) -> Line:
    return joined(
        [
            replace(word, polygon=tuple((px + right, py + low) for px, py in word.polygon))
            for word in line.words
        ]
    )


@pytest.mark.parametrize("lines", [1, 2])
@pytest.mark.parametrize("described", [{0}, {1, 2}, {0, 3}, {0, 1, 2, 3}])
def test_a_description_is_in_the_cell_of_its_name(described: set[int], lines: int) -> None:
    [table] = found([*_menu(described, lines), text("And then something else", 100, 500)])
    assert [without_leader(row[0].split("\n")[0]) for row in texts(table.table)] == [
        name for name, _ in PRICES
    ]
    assert [value for _, value in texts(table.table)] == [value for _, value in PRICES]
    counts = [row[0].count("\n") for row in texts(table.table)]
    assert counts == [lines * (n in described) for n in range(len(PRICES))]


@pytest.mark.parametrize("top", range(80, 120, 4))
def test_what_is_beside_them_does_not_part_names_from_values(top: int) -> None:
    """A title in the next column, between the baselines of two rows."""
    raised = [_raised(line) for line in _menu(set(), 1)]
    title = Word(text="Fish", polygon=polygon_of((800, top, 860, top + 26)))
    [table] = found([*raised, joined([title])])
    assert len(texts(table.table)) == len(PRICES)


def _raised(line: Line) -> Line:
    """A line whose first word ends in a raised mark."""
    name, *others = line.words
    x0, y0, x1, y1 = box_of(name.polygon)
    return joined([replace(name, polygon=polygon_of((x0, y0 - 5, x1, y1))), *others])


def test_a_title_between_prices_is_no_description() -> None:
    first, second = _menu(set(), 1), _menu(set(), 1, top=290)
    tables = found([*first, text("From the sea", 100, 262), *second])
    assert [len(texts(each.table)) for each in tables] == [len(PRICES)] * 2
