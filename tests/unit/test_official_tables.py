"""Tables as offices print them: long names, heads over columns, sums below rules."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.layout import Rule
from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.unruled.parted import parts
from pagetide.structure.tables.unruled.stubs import (
    MOST_LINES,
    without_stub_lines,
)
from tests.unit.tables_drawn import across, found, prose, row, text, texts

XS = (100.0, 340.0, 500.0, 660.0)


def _tables(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> list[list[list[str]]]:
    return [texts(each.table) for each in found([*prose(60), *lines, *prose(1200)], rules)]


def _named(names: Sequence[Sequence[str]], top: float, values: int, pad: float) -> list[Line]:
    """Rows whose names have several lines; values stand beside one of these."""
    lines = list[Line]()
    for n, name in enumerate(names):
        lines += [text(said, XS[0], top + 24 * k) for k, said in enumerate(name)]
        beside = values % len(name)
        figures = (f"{n + 1}.10", f"{n + 2}.20", f"{n + 3}.30")
        lines += row(figures, XS[1:], top + 24 * beside)
        top += 24 * len(name) + pad
    return lines


NAMES = (
    ("Zweite Prüfung der", "Netze im Hafen"),
    ("Dritte Prüfung der", "Taue und der Segel", "am langen Kai"),
    ("Vierte Prüfung der", "Anker vor dem Kai"),
    ("Letzte Prüfung der", "Boote im Winter"),
)


def test_names_of_several_lines_are_one_cell() -> None:
    lines = [*row(("Prüfung", "Nord", "Süd", "West"), XS, 300), *_named(NAMES, 340, 0, 14)]
    (table,) = _tables(lines)
    assert [each[0] for each in table[1:]] == ["\n".join(name) for name in NAMES]


@pytest.mark.parametrize("beside", [0, 1])
def test_lines_of_names_between_rules_tell_nothing_of_the_columns(beside: int) -> None:
    heads = row(("Prüfung", "Nord", "Süd", "West"), XS, 300)
    rules = [across(at, 90, 780) for at in (290.0, 332.0, 660.0)]
    (table,) = _tables([*heads, *_named(NAMES, 340, beside, 14)], rules)
    assert len(table) == 1 + len(NAMES)


def _piece(said: str, x0: float, y0: float) -> Piece:
    return Piece(said, x0, y0, x0 + 8 * len(said), y0 + 10, 0)


def test_more_lines_than_a_name_has_are_no_names() -> None:
    full = [_piece("Quay", 0, 0), _piece("12", 200, 0)]
    lines = [[_piece("of the town", 0, 12 * n)] for n in range(1, MOST_LINES + 1)]
    assert without_stub_lines([full, *lines]) == [full]
    longer = [full, *lines, [_piece("and so on", 0, 99)]]
    assert without_stub_lines(longer) == longer
    wide = [_piece("a line that runs over the columns", 0, 12)]
    assert without_stub_lines([full, wide]) == [full, wide]


@pytest.mark.parametrize("mark", "✓✗☐☒Xx")
def test_a_tick_is_a_value(mark: str) -> None:
    assert is_number(mark)


def test_a_name_above_ticks_begins_no_table() -> None:
    rows = list[list[Piece]]()
    for n, name in enumerate(("The first", "The second", "The third")):
        rows.append([_piece(name, 0, 40 * n)])
        rows.append([_piece("✓", 200, 40 * n + 6), _piece("✗", 300, 40 * n + 6)])
        rows.append([_piece("of the quay", 0, 40 * n + 12), _piece("7", 300, 40 * n + 12)])
    assert parts(rows) == [rows]


ROWS = [("North", "1.12", "3.37", "4.14"), ("South", "2.12", "3.38", "5.14")] * 2


def test_a_rule_under_a_head_over_columns_is_no_titles_band() -> None:
    lines = [text("By quarter", 500, 304), *row(("Quay", "First", "Second", "Third"), XS, 350)]
    for n, each in enumerate(ROWS):
        lines += row(each, XS, 390 + 34 * n)
    rules = [across(290, 90, 780), across(334, 330, 780), across(340, 320, 780)]
    rules += [across(382, 90, 780), across(530, 90, 780)]
    (table,) = _tables(lines, rules)
    assert "By quarter" in table[0]
    assert len(table) == 2 + len(ROWS)


def test_a_row_in_all_columns_below_a_sums_rule_is_the_tables() -> None:
    lines = row(("Quay", "First", "Second", "Third"), XS, 300)
    for n, each in enumerate(ROWS):
        lines += row(each, XS, 340 + 34 * n)
    lines += row(("All quays", "9.9", "8.80", "7"), XS, 486)
    rules = [across(at, 90, 780) for at in (290.0, 332.0, 476.0)]
    (table,) = _tables(lines, rules)
    assert table[-1] == ["All quays", "9.9", "8.80", "7"]


def test_rows_between_the_rules_of_two_sums_are_rows() -> None:
    names = (*ROWS[:3], ("All", "5.1", "6.2", "7.3"), *ROWS[:2], ("All", "1.5", "2.6", "3.7"))
    lines = row(("Quay", "First", "Second", "Third"), XS, 300)
    for n, each in enumerate(names):
        lines += row(each, XS, 340 + 34 * n)
    rules = [across(at, 90, 780) for at in (290.0, 332.0, 438.0, 472.0, 540.0, 574.0)]
    (table,) = _tables(lines, rules)
    assert table[1:] == [list(each) for each in names]
