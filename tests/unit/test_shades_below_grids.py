"""Shaded titles below a table whose cells are all drawn, and shaded cells of a row."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.geometry import Box, box_of
from pagetide.layout import Drawn, Rule
from pagetide.structure.tables import find_tables, title_shades
from tests.unit.tables_drawn import (
    BILL_HEADS,
    BILL_ITEMS,
    BILL_XS,
    HEIGHT,
    WIDTH,
    across,
    down,
    prose,
    row,
    rows_from,
    shade,
    text,
)

EDGES = (90.0, 410.0, 610.0, 750.0, 850.0)


def _grid(edges: Sequence[float], ys: Sequence[float]) -> list[Rule]:
    return [
        *(across(y, edges[0], edges[-1]) for y in ys),
        *(down(x, ys[0], ys[-1]) for x in edges),
    ]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_options_in_columns_below_a_grid_are_not_its_rows_where_a_shaded_title_follows(
    count: int,
) -> None:
    lines = rows_from([BILL_HEADS, *BILL_ITEMS], 310, BILL_XS)
    rules = _grid(EDGES, (300, 340, 380, 420, 460))
    for n in range(count):
        lines += row(("Rope and tar", "Sail", "", "Anchor"), BILL_XS, 500 + 30 * n)
    marks = [text(str(n), 100 + 50 * n, 610) for n in range(5)]
    rules += _grid([90 + 50 * n for n in range(6)], (605, 635))
    title = text("What is agreed", 100, 655)
    lines = [*prose(80), *lines, *marks, title, *prose(720)]
    boxes = [box_of(line.polygon) for line in lines]
    fills = ((190.0, 605.0, 240.0, 635.0), (90.0, 650.0, 850.0, 680.0))
    drawn = Drawn(rules=(*rules, *shade(650, 680)), fills=fills)
    first, *_ = find_tables(lines, boxes, drawn, [], WIDTH, HEIGHT)
    assert first.table.rows == 4 and first.box[3] < 480


def _shades(lines: Sequence[Line], rules: Sequence[Rule], fill: Box) -> list[Box]:
    boxes = [box_of(line.polygon) for line in lines]
    return title_shades(lines, boxes, Drawn(rules=tuple(rules), fills=(fill,)))


@pytest.mark.parametrize("chosen", range(5))
def test_the_shaded_one_of_a_row_of_cells_is_no_title(chosen: int) -> None:
    marks = [text(str(n), 100 + 50 * n, 610) for n in range(5)]
    rules = _grid([90 + 50 * n for n in range(6)], (605, 635))
    left = 90.0 + 50 * chosen
    assert _shades([*marks, *prose(900)], rules, (left, 605, left + 50, 635)) == []


def test_a_shade_in_a_box_of_its_own_is_a_title() -> None:
    fill = (90.0, 605.0, 400.0, 635.0)
    lines = [text("What is agreed", 100, 610), *prose(900)]
    assert _shades(lines, _grid((90, 400), (605, 635)), fill) == [fill]
    assert _shades(lines, [across(635, 90, 850)], fill) == [fill]
