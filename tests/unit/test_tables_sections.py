"""Names, units and short rules between a table's rules, and what stands beside a box."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line
from pagetide.geometry import box_of
from pagetide.structure.tables.between.stacks import stacked
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.ruled.frames import Stroke, framed, frames_of
from tests.unit.tables_drawn import (
    SIZE,
    across,
    found,
    prose,
    row,
    rows_from,
    spans,
    text,
    texts,
)

HEADS = ("Berth", "Boat", "State", "Dues")
FIGURES = [("12", "31", "12.50", "37.20"), ("14", "28", "14.00", "21.00")] * 2


RULED = [290.0 + 40 * n for n in range(6)]


def _below(rows: Sequence[Sequence[str]], name: str) -> list[Line]:
    """Rows, a name by itself with more room, and once more rows."""
    upper = rows_from([HEADS, *FIGURES], 300)
    return [*upper, text(name, 100, 507), *rows_from(rows, 555)]


def _frames(lines: Sequence[Line], rows: int) -> int:
    """How many frames the rules of all rows make."""
    heights = [*RULED, *(545.0 + 40 * n for n in range(rows + 1))]
    page = [*prose(60), *lines, *prose(1200)]
    words = words_of(page, [box_of(line.polygon) for line in page])
    return len(stacked([framed([Stroke(y, 90, 820)], []) for y in heights], words, SIZE))


def test_a_sections_name_between_two_rules_parts_no_table_whose_values_line_up() -> None:
    lines = _below(FIGURES, "Northern quay")
    assert _frames(lines, len(FIGURES)) == 1
    rules = [across(y, 90, 820) for y in (*RULED, *(545.0 + 40 * n for n in range(5)))]
    [table] = [texts(each.table) for each in found([*prose(60), *lines, *prose(1200)], rules)]
    assert table[5] == ["Northern quay", "", "", ""]
    assert table[1:5] == table[6:]


def test_a_name_above_heads_is_of_the_table_below() -> None:
    heads = ("Lock", "Ship", "Day", "Sum")
    assert _frames(_below([heads, *FIGURES], "Northern quay"), 5) == 2


def test_a_unit_alone_between_two_rules_is_of_the_table() -> None:
    figures = [("Rope", "hemp", "12", "let"), ("Sail", "cotton", "31", "let")] * 2
    assert _frames(_below(figures, "(kg)"), len(figures)) == 1


def test_a_unit_above_heads_is_of_the_table_below() -> None:
    heads = ("Lock", "Ship", "Day", "Sum")
    assert _frames(_below([heads, *FIGURES], "(kg)"), 5) == 2


def test_rules_under_heads_over_several_columns_part_the_rows_of_heads() -> None:
    xs = (100.0, 300.0, 420.0, 620.0, 740.0)
    top = ("", "Dues", "", "", "")
    over, heads = ("", "Boats", "", "Crews", ""), ("Berth", "in", "out", "old", "new")
    rows = [("A 1", "12", "31", "37.20", "40.00"), ("A 2", "14", "28", "21.00", "23.50")] * 2
    lines = [*row(top, xs, 300), *row(over, xs, 326), *row(heads, xs, 352)]
    rules = [across(y, 90, 820) for y in (296, 376, 550)]
    rules += [across(y, 300, 800) for y in (323, 349)]
    page = [*prose(60), *lines, *rows_from(rows, 384, xs), *prose(1200)]
    [table] = [each.table for each in found(page, rules)]
    assert texts(table)[:3] == [["Berth", *top[1:]], list(over), ["", *heads[1:]]]
    assert spans(table)["Dues"] == (1, 4)


BOX = [Stroke(y, 300, 700) for y in (100, 200, 300)]
SIDES = [Stroke(x, 100, 300) for x in (300, 500, 700)]


def test_a_rule_that_touches_a_box_from_outside_is_a_frame_by_itself() -> None:
    beside = Stroke(150, 50, 300)
    found_here = frames_of(sorted([*BOX, beside]), SIDES, 20)
    assert sorted((len(f.across), len(f.down)) for f in found_here) == [(1, 0), (3, 3)]


def test_a_rule_that_goes_on_in_a_box_is_of_its_frame() -> None:
    beside = Stroke(200, 50, 300)
    [frame] = frames_of(sorted([*BOX, beside]), SIDES, 20)
    assert (len(frame.across), len(frame.down)) == (4, 3)
