"""A first row that alone is bold is a table's header, whatever is in it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.geometry import polygon_of
from pagetide.layout import Drawn, Rule
from pagetide.structure import structure

ROWS = (
    ("Blood", "11.03", "15.03", "19.03"),
    ("Sodium (mmol/l)", "133", "136", "138"),
    ("Glucose (mg/dl)", "162", "151", "124"),
    ("Potassium (mmol/l)", "4.6", "3.9", "4.4"),
)


def _header(bold: Sequence[int]) -> list[int]:
    lines = [
        Line(
            text=text,
            polygon=polygon_of((x, 300 + 40 * n, x + 10 * len(text), 320 + 40 * n)),
            bold=n in bold,
            source="text_layer",
        )
        for n, row in enumerate(ROWS)
        for x, text in zip((100, 400, 550, 700), row, strict=True)
    ]
    drawn = Drawn(rules=(Rule(start=(100, 330), end=(760, 330)),))
    _, blocks = structure(lines, 1000, 1400, drawn=drawn)
    [table] = [block.table for block in blocks if block.table]
    return sorted({cell.row for cell in table.cells if cell.header})


@pytest.mark.parametrize(("bold", "header"), [((0,), [0]), ((0, 3), []), ((0, 1, 2, 3), [])])
def test_dates_in_bold_above_figures_are_a_header(
    bold: Sequence[int], header: list[int]
) -> None:
    assert _header(bold) == header
