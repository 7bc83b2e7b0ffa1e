"""Tables with a rule between all rows, each of which may have several lines in any column."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagetide.document import Line
from pagetide.geometry import box_of
from pagetide.layout import Drawn, Rule
from pagetide.structure.tables.sheet import Sheet
from tests.unit.tables_drawn import across, row, shade, tables_between, text

HEADS = ("Day", "What for", "Sum", "Left")
XS = (100.0, 300.0, 620.0, 760.0)
DATES = ("02.06.2025", "11.06.2025", "12.06.2025", "14.06.2025")
FIGURES = (("412.55", "630.62"), ("-89.99", "540.63"), ("-12.00", "528.63"), ("9.10", "537.73"))
LEADING, PADDING = 24.0, 8.0

Counts = list[tuple[int, int]]
"""How many lines each row has in its first and its second column."""


def _lines(counts: Counts) -> tuple[list[Line], list[float]]:
    """Headers and rows of so many lines, and where the rows end."""
    heights = [LEADING * max(own) + PADDING for own in counts]
    tops = list(accumulate(heights, initial=340.0))
    lines = row(HEADS, XS, 310)
    for n, (top, (dates, names)) in enumerate(zip(tops, counts, strict=False)):
        lines += row((DATES[n], "Paid to the", *FIGURES[n]), XS, top)
        lines += [text("01.06.2025", XS[0], top + LEADING * k) for k in range(1, dates)]
        lines += [text("boats of Ness", XS[1], top + LEADING * k) for k in range(1, names)]
    return lines, [top - PADDING / 2 for top in tops[1:]]


def _rules(ends: list[float], kind: str) -> list[Rule]:
    if kind == "rules":
        return [across(at, 90, 850) for at in ends]
    return [
        rule
        for top, end in zip(ends[::2], ends[1::2], strict=False)
        for rule in shade(top, end)
    ]


@pytest.mark.parametrize("kind", ["rules", "stripes"])
@pytest.mark.parametrize(
    "counts", [[(2, 2)] * 3, [(2, 1)] * 4, [(2, 2), (2, 1), (2, 2), (1, 1)]]
)
def test_what_is_between_two_rules_is_one_row_where_each_has_one_line_of_figures(
    counts: Counts, kind: str
) -> None:
    lines, ends = _lines(counts)
    [table] = tables_between(lines, _rules(ends, kind))
    assert [own[0].split()[0] for own in table] == ["Day", *DATES[: len(counts)]]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=3, max_size=4))
def test_rows_between_rules_are_as_many_however_many_lines_each_has(counts: Counts) -> None:
    lines, ends = _lines(counts)
    rules = _rules([332.0, *ends], "rules")
    sheet = Sheet(lines, [box_of(line.polygon) for line in lines], Drawn(rules=tuple(rules)))
    found = sheet.build((90, 310, 850, ends[-1]), sheet.words)
    assert found and found.table.rows == 1 + len(counts)


@pytest.mark.parametrize("below", [("", "£"), ("2023", "2024"), ("", "(250 g)")])
def test_a_line_of_headers_is_no_row(below: tuple[str, str]) -> None:
    lines, ends = _lines([(2, 2)] * 3)
    heads = [*row(HEADS, XS, 286), *row(below, XS[2:], 310)]
    [table] = tables_between([*heads, *lines[4:]], _rules([332.0, *ends], "rules"))
    assert [own[0].split()[0] for own in table] == ["Day", *DATES[:3]]


def test_rows_between_rules_of_groups_are_a_row_each() -> None:
    rows = [(day, "Paid to Ness", *own) for day, own in zip(DATES, FIGURES, strict=True)]
    lines = row(HEADS, XS, 310)
    lines += [each for n, own in enumerate(rows) for each in row(own, XS, 340 + 32 * n)]
    [table] = tables_between(lines, [across(at, 90, 850) for at in (332, 396, 460)])
    assert len(table) == 1 + len(rows)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_head_of_several_lines_is_whole_beside_heads_of_one(count: int) -> None:
    lines, ends = _lines([(2, 2)] * 3)
    top = 305 - LEADING * (count - 1)
    names = ["Day", "of the", "booking", "here"][:count]
    heads = [text(name, XS[0], top + LEADING * n) for n, name in enumerate(names)]
    heads += row(HEADS[1:], XS[1:], top + LEADING * (count - 1) / 2)
    [table] = tables_between([*heads, *lines[4:]], _rules([332.0, *ends], "rules"))
    assert table[0] == ["\n".join(names), *HEADS[1:]]


@pytest.mark.parametrize("drop", [12, 14])
def test_figures_beside_the_middle_of_a_name_and_its_further_line_are_in_its_row(
    drop: int,
) -> None:
    lines = row(("Dish", "Price", "Fat", "Salt"), XS, 310)
    for n, figures in enumerate(["12.50", "13.00", "14.25", "9.75"]):
        top = 345 + 60.0 * n
        lines += [text(f"Bowl {n}", XS[0], top), text("with squash", XS[0], top + 24)]
        lines += row(("", figures, "21", "6"), XS, top + drop)
    [table] = tables_between(lines, [across(338 + 60 * n, 90, 850) for n in range(1, 5)])
    assert [own[0] for own in table[1:]] == [f"Bowl {n}\nwith squash" for n in range(4)]
