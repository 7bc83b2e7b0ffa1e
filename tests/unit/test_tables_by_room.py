"""Rows of tables told by the room between lines, and rules that tell other things."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Line
from pagetide.layout import Rule
from tests.unit.tables_drawn import across, down, found, row, rows_from, text, texts

XS = (110.0, 480.0, 620.0, 760.0)
HEADS = ("Work", "2019", "2020", "2021")
LEADING, APART = 22.0, 36.0  # pixels between lines of a cell, and between rows


def _bands(count: int) -> list[Rule]:
    """Rules around a table and below its head, as books set them."""
    return [across(y, 100, 840) for y in (96, 126, 126 + APART * count)]


def _wrapped(names: list[list[str]], level: str) -> tuple[list[Line], list[Rule]]:
    """A table of names in several lines, whose figures stand at the first or the last."""
    lines, top = row(HEADS, XS, 100), 136.0
    for n, name in enumerate(names):
        at = top + LEADING * (len(name) - 1) * (level == "last")
        lines += [text(part, XS[0], top + LEADING * k) for k, part in enumerate(name)]
        lines += row((f"{n + 1}.5", f"{n + 2}.5", f"{n + 3}.5"), XS[1:], at)
        top += LEADING * (len(name) - 1) + APART
    return lines, [across(y, 100, 840) for y in (96, 126, top)]


NAMES = st.lists(
    st.lists(
        st.sampled_from(["Harbour", "walls", "Cranes", "of steel"]), min_size=1, max_size=3
    ),
    min_size=4,
    max_size=8,
).filter(lambda names: any(len(name) > 1 for name in names[:-1]))


@given(names=NAMES, level=st.sampled_from(["first", "last"]))
def test_rows_farther_apart_than_lines_of_a_cell_are_rows(
    names: list[list[str]], level: str
) -> None:
    [table] = found(*_wrapped(names, level))
    assert [each[0] for each in texts(table.table)[1:]] == ["\n".join(name) for name in names]


def test_a_line_that_begins_left_of_a_name_is_no_part_of_it() -> None:
    lines = [*row(HEADS, XS, 100), text("By income", 110, 136)]
    for n, name in enumerate(("Low", "High", "Most")):
        lines += row((name, "1.5", "2.5", "3.5"), (122, *XS[1:]), 160 + 36 * n)
    lines += [text("By age", 110, 254), *row(("Old", "1.5", "2.5", "3.5"), (122, *XS[1:]), 290)]
    [table] = found(lines, [across(y, 100, 840) for y in (96, 126, 320)])
    firsts = [each[0] for each in texts(table.table)]
    assert firsts == ["Work", "By income", "Low", "High", "Most", "By age", "Old"]


def test_a_groups_name_beside_the_middle_of_its_rows_is_no_row() -> None:
    rows = [HEADS, *(("", f"{n}.1", f"{n}.2", f"{n}.3") for n in range(1, 5))]
    lines = [line for n, each in enumerate(rows) for line in row(each, XS, 100 + 32 * n)]
    steep = [down(x, 96, 256) for x in (100, 460, 600, 740, 840)]
    rules = [*(across(y, 100, 840) for y in (96, 126, 256)), *steep]
    [table] = found([*lines, text("Harbour", 110, 180)], rules)
    assert [each[1] for each in texts(table.table)] == ["2019", "1.1", "2.1", "3.1", "4.1"]


def test_leaders_drawn_as_rules_part_no_rows() -> None:
    names = ("Harbour", "Cranes of steel", "Ropes", "Sails and masts")
    lines, rules = row(HEADS, XS, 100), [across(96, 100, 840), across(126, 100, 840)]
    for n, name in enumerate(names):
        y = 140 + 50.0 * n
        own = row((name, "1.5", "2.5", "3.5"), XS, y)
        lines += [*own, text("and others", 110, y + LEADING)]
        rules.append(across(y + 19, own[0].polygon[1][0] + 4, 470))
    [table] = found(lines, [*rules, across(350, 100, 840)])
    assert [each[0] for each in texts(table.table)[1:]] == [f"{n}\nand others" for n in names]


def test_names_beside_rules_that_only_figures_have_are_their_tables() -> None:
    rows = [
        ("Revenue", "184", "201"),
        ("Cost of sales", "121", "130"),
        ("Gross profit", "62", "71"),
        ("Distribution", "14", "15"),
        ("Operating profit", "48", "56"),
    ]
    lines = [text(name, 110, 140 + 40 * n) for n, (name, *_) in enumerate(rows)]
    for n, (_, *figures) in enumerate(rows):
        lines += row(figures, (600.0, 760.0), 140 + 40 * n)
    rules = [across(y, 590, 800) for y in (212, 252, 292, 332)]
    [table] = found(lines, rules)
    assert texts(table.table) == [list(each) for each in rows]


def test_a_title_between_two_tables_of_one_width_parts_them() -> None:
    first = [HEADS, *((f"Boat {n}", "1.5", "2.5", "3.5") for n in "ABC")]
    lines = [*rows_from(first, 100, XS), text("Note on all boats", 110, 262)]
    lines += [text("Harbours of the north", 110, 300)]
    second = [("", *HEADS[1:]), *((f"Quay {n}", "4.5", "5.5", "6.5") for n in "ABC")]
    lines += rows_from(second, 340, XS)
    rules = [across(y, 100, 840) for y in (96, 126, 256, 332, 366, 486)]
    tables = [texts(each.table) for each in found(lines, rules)]
    assert [[each[0] for each in table] for table in tables] == [
        ["Work", "Boat A", "Boat B", "Boat C"],
        ["", "Quay A", "Quay B", "Quay C"],
    ]


def test_rules_beside_a_cell_that_rows_share_are_their_tables() -> None:
    rows = [HEADS, *(("", f"Part {n}", f"{n}.1", f"{n}.2") for n in range(8))]
    names = [text(f"Group {n}", 110, 160 + 80 * n) for n in range(4)]
    wide = [across(y, 100, 840) for y in (96, *(132 + 80 * n for n in range(5)))]
    narrow = [across(172 + 80 * n, 470, 840) for n in range(4)]
    steep = [down(x, 96, 132) for x in (100, 460, 600, 740, 840)]
    [table] = found([*rows_from(rows, 100, XS), *names], [*wide, *narrow, *steep])
    assert [each[1] for each in texts(table.table)] == [each[1] for each in rows]


def test_heads_in_a_box_above_rows_without_one_are_one_table() -> None:
    lines = row(("Work", "Men", "Women", "All"), XS, 100)
    lines += rows_from([(f"Boat {n}", "15", "25", "40") for n in "ABCDE"], 160, XS)
    steep = [down(x, 90, 130) for x in (100, 460, 600, 740, 840)]
    rules = [across(90, 100, 840), across(130, 100, 840), *steep]
    [table] = found(lines, rules)
    assert [each[0] for each in texts(table.table)] == ["Work", *(f"Boat {n}" for n in "ABCDE")]


@pytest.mark.parametrize("units", [("$m", "$m", "$m"), ("(1)", "(2)", "(3)")])
def test_units_of_all_columns_are_a_row(units: tuple[str, ...]) -> None:
    lines = [*row(("Work", "Men", "Women", "All"), XS, 100), *row(("", *units), XS, 124)]
    lines += rows_from([(f"Boat {n}", "15", "25", "40") for n in "ABCD"], 165, XS)
    [table] = found(lines, [across(y, 100, 840) for y in (96, 155, 312)])
    assert texts(table.table)[:2] == [["Work", "Men", "Women", "All"], ["", *units]]


def test_a_row_above_the_first_rule_between_rows_is_one() -> None:
    rows = [("Position", "north of the cape"), ("Length", "2 140 m"), ("Depth", "5 to 12 m")]
    rows += [("Cranes", "2 mobile ones"), ("Sheds", "38 500 m")]
    lines = rows_from(rows, 100, (110.0, 480.0))
    [table] = found(lines, [across(130 + 40 * n, 100, 840) for n in range(5)])
    assert texts(table.table) == [list(each) for each in rows]


def test_a_sum_below_the_last_rule_may_end_in_any_column_of_figures() -> None:
    rows = [("Item", "Count", "Value", "Code")]
    rows += [(f"Bolt {n}", "12", f"{n}0.50", f"E{n}-22") for n in range(1, 7)]
    lines = [*rows_from(rows, 100, XS), *row(("Total", "", "210.00", ""), XS, 382)]
    [table] = found(lines, [across(y, 100, 840) for y in (96, 130, 374)])
    assert texts(table.table)[-1] == ["Total", "", "210.00", ""]
