"""Text in frames: cards, side boxes and tables that stand in boxes of their own."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line, Table
from pagetide.geometry import Box, box_of, polygon_of
from pagetide.layout import Area, Drawn, Rule
from pagetide.structure import amiss, structure
from pagetide.structure.areas.columns import loose
from pagetide.structure.draft import Draft
from pagetide.structure.order.reading_order import xy_cut
from pagetide.structure.rows import Row
from tests.unit.tables_drawn import HEIGHT, WIDTH, across, down, prose, text

CARDS = [
    [f"{kind} takes warmth from what is {place}", "and is cheap to install in a house", end]
    for kind, place, end in (
        ("Air", "outside", "but needs current on cold nights"),
        ("Ground", "below", "but gardens have to be dug up once"),
        ("Water", "in a well", "but two wells are needed for it"),
        ("Sun", "above", "but roofs are cold in the winter"),
    )
]
LEFT, RIGHT = (80.0, 470.0), (490.0, 880.0)


def _box(box: Box, thickness: float = 1.0) -> list[Rule]:
    """The sides of a box; of a shade, with no thickness."""
    x0, y0, x1, y1 = box
    sides = [across(y0, x0, x1), across(y1, x0, x1), down(x0, y0, y1), down(x1, y0, y1)]
    return [Rule(start=each.start, end=each.end, thickness=thickness) for each in sides]


def _column(texts: Sequence[str], x: float, top: float) -> list[Line]:
    return [text(said, x, top + 26 * place) for place, said in enumerate(texts)]


def _cards(thickness: float = 1.0) -> tuple[list[Line], list[Rule]]:
    """Two rows of two cards."""
    lines, rules = [], []
    for place, said in enumerate(CARDS):
        x0, x1 = (LEFT, RIGHT)[place % 2]
        top = 300.0 + 130 * (place // 2)
        lines += _column(said, x0 + 20, top + 20)
        rules += _box((x0, top, x1, top + 110), thickness)
    return lines, rules


def _read(
    lines: Sequence[Line], rules: Sequence[Rule], areas: Sequence[Area] = ()
) -> tuple[list[str], list[Table]]:
    """The rows of the page from first to last, and its tables."""
    page = [*prose(100), *lines]
    _, blocks = structure(page, WIDTH, HEIGHT, areas, Drawn(rules=tuple(rules)))
    assert amiss(page, blocks) == (0, 0)
    rows = [row for block in blocks for row in block.text.split("\n")]
    return rows[4:], [block.table for block in blocks if block.table]


def test_cards_are_read_one_after_the_other() -> None:
    rows, tables = _read(*_cards())
    assert (rows, tables) == ([row for card in CARDS for row in card], [])


def test_so_are_shades_that_stand_apart() -> None:
    rows, tables = _read(*_cards(thickness=0))
    assert (rows, tables) == ([row for card in CARDS for row in card], [])


def test_a_model_that_takes_the_cards_for_a_figure_does_not_hold_them_together() -> None:
    figure = Area(label="figure", kind="figure", polygon=polygon_of((70, 290, 890, 560)))
    rows, _ = _read(*_cards(), [figure])
    assert rows == [row for card in CARDS for row in card]


def test_a_side_box_is_read_by_itself() -> None:
    steps = [f"{n} stir the pot until all of it is smooth and hot" for n in "123456789"]
    parts = ["Dough", "250 g flour", "1 egg", "2 spoons of oil", "Filling", "80 g sugar"]
    side = _column(parts, 100, 312)
    rules = _box((80, 290, 330, 560), thickness=0)
    rows, _ = _read([*side, *_column(steps, 360, 300)], rules)
    assert rows == [*parts, *steps]


def test_a_shaded_column_is_its_tables() -> None:
    names = [f"Town {letter}" for letter in "ABCDEFGH"]
    figures = [f"{place}1.5" for place in range(1, 9)]
    columns = [_column(names, 100, 300), _column(figures, 420, 300), _column(figures, 700, 300)]
    rules = _box((400, 290, 560, 510), thickness=0)
    _, [table] = _read([line for column in columns for line in column], rules)
    assert (table.rows, table.columns) == (8, 3)


def test_text_runs_on_past_a_frame_beside_it() -> None:
    said = [(80.0, 300.0 + 26 * place, 470.0, 320.0 + 26 * place) for place in range(16)]
    assert xy_cut([*said, (600.0, 316.0, 900.0, 460.0)]) == [*range(16), 16]


def test_a_box_of_details_above_a_table_is_none_of_it() -> None:
    details = [("Patient: Lindqvist", "Born: 14.03.1967"), ("Taken: 02.10.2024", "Sex: F")]
    results = [("Sodium", "139", "mmol"), ("Potassium", "3.3", "mmol"), ("Urea", "31", "mg")]
    lines = [
        text(said, x, 310 + 26 * n)
        for n, row in enumerate(details)
        for said, x in zip(row, (100, 500), strict=True)
    ]
    lines.append(text("Dunmore", 740, 310))
    lines += [
        text(said, x, 400 + 30 * n)
        for n, row in enumerate(results)
        for said, x in zip(row, (84, 380, 620), strict=True)
    ]
    _, [table] = _read(lines, _box((80, 300, 880, 366)))
    assert [cell.text for cell in table.cells if cell.row == 0] == ["Sodium", "139", "mmol"]


def test_a_tables_rows_in_a_box_are_the_tables() -> None:
    items = [("Laptop", "1", "2321.00"), ("Mouse", "2", "4.24"), ("Cable", "1", "9.90")]
    totals = [("Net", "", "1929.00"), ("Tax", "4", "406.24"), ("Total", "4", "2335.24")]
    lines = [
        text(said, x, 310 + 30 * n)
        for n, row in enumerate([*items, *totals])
        for said, x in zip(row, (100, 420, 700), strict=True)
        if said
    ]
    _, [table] = _read(lines, _box((80, 300, 880, 396)))
    assert table.rows == 6


def test_a_shaded_head_below_its_tables_rule_is_no_frame() -> None:
    head = [
        Rule(start=each.start, end=each.end, thickness=0)
        for each in _box((80, 300, 880, 380))[1:]
    ]
    lines = [
        text(said, 420, 305 + 24 * place)
        for place, said in enumerate(("Hours", "in a", "week"))
    ]
    rows = [("Second library", "85.8"), ("Local season", "5.1"), ("Northern works", "7.2")]
    lines += [
        text(said, x, 390 + 40 * n)
        for n, row in enumerate(rows)
        for said, x in zip(row, (100, 440), strict=True)
    ]
    rules = [across(300, 80, 880), *head, *(across(424 + 40 * n, 80, 880) for n in range(3))]
    _, [table] = _read(lines, rules)
    assert (table.rows, table.columns) == (4, 2)


def test_a_box_around_a_head_and_first_row_beside_a_text_is_their_tables() -> None:
    left = [text(said, 80, 300 + 30 * n) for n, (said, *_) in enumerate(CARDS)]
    rows = [("Team", "Won", "Lost"), ("Valdarsa", "17", "3"), ("Santerno", "13", "4")]
    rows += [("Fortis", "10", "7"), ("Albinese", "9", "8"), ("Lama", "2", "18")]
    lines = [
        text(said, x, 310 + 30 * n)
        for n, row in enumerate([("League table", "", ""), *rows])
        for said, x in zip(row, (620, 740, 820), strict=True)
        if said
    ]
    rules = [*_box((610, 300, 900, 398)), across(332, 610, 900), across(366, 610, 900)]
    _, [table] = _read([*left, *lines], rules)
    held = {cell.text for cell in table.cells}
    assert table.columns == 3
    assert held.issuperset(said for row in rows for said in row)


def test_rows_beside_a_frame_are_read_as_beside_its_text() -> None:
    left = [_row(said, 80, 200 + 26 * n) for n, said in enumerate("abcdefgh")]
    right = [_row(said, 480, 200 + 26 * n) for n, said in enumerate("ijklmnop")]
    below = [_row(said, 80, 460 + 26 * n) for n, said in enumerate("qrstuvwx")]
    framed = [_row(".", 480, 460 + 26 * n) for n in range(8)]
    rows = [*left, *right, *below]
    assert _names(loose(rows, (), [(460.0, 440.0, 880.0, 700.0)])) == [
        name for name in _names(loose([*rows, *framed])) if name != "."
    ]


def _row(name: str, x: float, y: float) -> Row:
    line = text(f"{name} of the boats that came in with", x, y)
    return Row.of((0,), (line,), (box_of(line.polygon),))


def _names(drafts: Sequence[Draft]) -> list[str]:
    return [row.text.split()[0] for draft in drafts for row in draft.rows]


def test_text_right_below_a_title_on_a_shade_is_no_foot() -> None:
    shaded = (80.0, 1180.0, 880.0, 1216.0)
    lines = [
        *prose(100),
        text("Warning: the steady pattern", 100, 1188),
        text("Reliable season", 80, 1240),
        text("This archive leaves a valley", 80, 1268),
        text("TR-593279", 80, 1350),
        text("2/3", 800, 1350),
    ]
    drawn = Drawn(rules=tuple(_box(shaded, 0)), fills=(shaded,))
    seen = Area(label="text", kind="text", polygon=polygon_of((80, 96, 880, 206)))
    _, blocks = structure(lines, WIDTH, HEIGHT, [seen], drawn)
    kinds = {row: block.kind for block in blocks for row in block.text.split("\n")}
    assert kinds["This archive leaves a valley"] == "text"
