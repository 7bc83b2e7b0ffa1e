"""What stands in a chart and around it is the figure's, and in no table."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagetide.document import Block, Line
from pagetide.geometry import Box, polygon_of
from pagetide.layout import Drawn, Rule
from pagetide.structure import structure

WIDTH, HEIGHT = 1000, 1400
CHART: Box = (560, 300, 900, 520)
NAMES = ("Sign-up", "Import", "Campaign", "Report", "Paid")
ROWS = [("Step", "Count", "Share"), *((name, "1,840", "76%") for name in NAMES)]


def _line(text: str, x: float, y: float, *, right: float = 0) -> Line:
    return Line(text=text, polygon=polygon_of((x, y, right or x + 10 * len(text), y + 20)))


def _told(lines: list[Line], *, is_chart: bool = True) -> tuple[Block, ...]:
    charts = (CHART,) if is_chart else ()
    drawn = Drawn(
        pictures=(CHART,),
        charts=charts,
        rules=(Rule(start=(560, 300), end=(560, 520)), Rule(start=(560, 520), end=(900, 520))),
    )
    return structure(lines, WIDTH, HEIGHT, drawn=drawn)[1]


def _table() -> list[Line]:
    return [
        _line(said, x, 300 + 40 * n)
        for n, row in enumerate(ROWS)
        for said, x in zip(row, (60, 220, 320), strict=True)
    ]


def _labels() -> list[Line]:
    names = [_line(name, 470, 310 + 40 * n, right=550) for n, name in enumerate(NAMES)]
    values = [_line(str(90 - 9 * n), 880 - 60 * n, 310 + 40 * n) for n in range(5)]
    return [*names, *values, _line("Share of all accounts, in per cent", 600, 530, right=860)]


def test_a_chart_beside_a_table_is_a_figure_with_its_labels() -> None:
    blocks = _told([*_table(), *_labels()])
    assert [block.kind for block in blocks] == ["table", "figure"]
    [table, figure] = blocks
    assert table.table and (table.table.rows, table.table.columns) == (len(ROWS), 3)
    assert len(figure.line_indexes) == len(_labels())


def test_a_chart_is_no_ground_for_paragraphs() -> None:
    prose = [
        _line(f"line {n} of a paragraph of words", 570, 320 + 25 * n, right=890)
        for n in range(7)
    ]
    assert "text" in {block.kind for block in _told(prose)}


@pytest.mark.parametrize("unit", ["%", "kWh"])
def test_a_unit_off_the_corner_of_a_chart_is_its_axis_s(unit: str) -> None:
    lines = [*_labels(), _line(unit, 535, 272, right=555), _line("Much later text", 60, 900)]
    [figure] = [block for block in _told(lines) if block.kind == "figure"]
    assert unit in figure.text


@pytest.mark.parametrize("top", [255, 268])
@pytest.mark.parametrize("bar", [True, False])
def test_a_heading_above_or_below_a_chart_is_no_label(top: int, bar: bool) -> None:
    """It is short and as near as labels are; a coloured bar before it is no legend's key."""
    ticks = [_line(f"{n}.0", 515, 310 + 40 * n, right=550) for n in range(5)]
    heads = [
        Line(text=text, polygon=polygon_of((574, y, 650, y + 28)))
        for text, y in (("Data", top), ("Order", 560))
    ]
    fills = tuple((560.0, y, 566.0, y + 28) for y in (top, 560)) if bar else ()
    drawn = Drawn(pictures=(CHART,), charts=(CHART,), fills=fills)
    later = [_line("And then the words of the text go on", 60, 700 + 30 * n) for n in range(3)]
    _, blocks = structure([*heads, *ticks, *later], WIDTH, HEIGHT, drawn=drawn)
    [figure] = [block for block in blocks if block.kind == "figure"]
    assert len(figure.line_indexes) == len(ticks)


@pytest.mark.parametrize(
    ("text", "top"),
    [("• Sell the boat", 272), ("• Sell the boat", 525), ("2. Buy a mill", 272)],
)
def test_an_item_above_or_below_a_chart_is_no_label(text: str, top: int) -> None:
    found = _told([*_labels()[:-1], _line(text, 600, top)])
    assert [block.text for block in found if block.kind != "figure"] == [text]


def test_a_bold_row_at_the_left_above_a_drawing_is_no_label() -> None:
    """One in the middle is the title of the chart."""

    def kept(left: float) -> list[str]:
        row = replace(_line("The two types", left, 272), bold=True)
        return [block.text for block in _told([row]) if block.kind != "figure"]

    assert kept(560) == ["The two types"]
    assert not kept(665)
