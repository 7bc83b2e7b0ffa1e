"""What stands at the ticks of a chart's axes is of the chart, however far from its bars."""

from __future__ import annotations

import pytest

from pagetide.document import Line
from pagetide.geometry import Box, polygon_of
from pagetide.structure.figures.around import labels_of
from pagetide.structure.rows import Row

BARS: Box = (340, 600, 900, 880)


def _rows(*placed: tuple[str, float, float]) -> list[Row]:
    rows = []
    for n, (text, left, top) in enumerate(placed):
        box = (left, top, left + 8.0 * len(text), top + 14)
        rows.append(Row.of((n,), (Line(text=text, polygon=polygon_of(box)),), (box,)))
    return rows


def _column(texts: list[str], right: float | None, step: float = 65) -> list[Row]:
    lefts = [290 if right is None else right - 8 * len(text) for text in texts]
    tops = (650 + step * n for n in range(len(texts)))
    return _rows(*zip(texts, lefts, tops, strict=True))


@pytest.mark.parametrize("right", [310, None])
def test_evenly_spaced_numbers_beside_a_figure_are_its_ticks(right: float | None) -> None:
    rows = _column(["1200", "800", "400", "0"], right)
    assert labels_of(BARS, rows) == [0, 1, 2, 3]


def test_evenly_spaced_names_below_a_figure_are_its_ticks() -> None:
    rows = _rows(
        *((name, 360 + 140 * n, 910) for n, name in enumerate(["Nord", "Süd", "West"]))
    )
    assert labels_of(BARS, rows) == [0, 1, 2]


@pytest.mark.parametrize(
    "rows",
    [
        _column(["1200", "800"], 310),
        _column(["Step", "Then", "Last"], 310),
        _rows(("12", 290, 650), ("14", 290, 690), ("17", 290, 790)),
        _rows(("Nord", 360, 990), ("Süd", 500, 990), ("West", 640, 990)),
    ],
)
def test_few_words_uneven_or_far_ones_are_not(rows: list[Row]) -> None:
    assert labels_of(BARS, rows) == []
