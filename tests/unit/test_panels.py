"""A shaded panel with a few words beside a text is read before it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.geometry import Box, box_of
from pagetide.layout import Drawn, Rule
from pagetide.structure import structure
from pagetide.structure.order.panels import panels
from tests.unit.tables_drawn import HEIGHT, WIDTH, across, down, prose, text

PANEL: Box = (90, 295, 230, 410)
SAID = (
    "Keep clear of the winch while the rope runs out",
    "and never step over it. Let nobody stand near",
    "the bollards when the boats are made fast or",
    "let go from the quay at night",
)
EDGE = [across(y, 90, 760) for y in (295, 410)] + [down(x, 295, 410) for x in (90, 760)]


def _lines(names: Sequence[str], count: int) -> list[Line]:
    lines = [text(name, 100, 300 + 26 * n) for n, name in enumerate(names)]
    return lines + [text(said, 245, 300 + 26 * n) for n, said in enumerate(SAID[:count])]


def _texts(lines: Sequence[Line], fill: Box, rules: Sequence[Rule]) -> list[str]:
    edges = [across(y, fill[0], fill[2]) for y in (fill[1], fill[3])]
    edges += [down(x, fill[1], fill[3]) for x in (fill[0], fill[2])]
    shade = [Rule(start=edge.start, end=edge.end, thickness=0) for edge in edges]
    drawn = Drawn(rules=(*rules, *shade), fills=(fill,))
    _, blocks = structure([*prose(60), *lines, *prose(600)], WIDTH, HEIGHT, drawn=drawn)
    assert all(block.table is None for block in blocks)
    return [" ".join(block.text.split()) for block in blocks]


@pytest.mark.parametrize("rules", [EDGE, []], ids=["framed", "open"])
@pytest.mark.parametrize("names", [("!", "WARNING"), ("WARNING",), ("!", "GREAT", "DANGER")])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_panel_is_read_before_the_text_beside_it(
    names: Sequence[str], count: int, rules: Sequence[Rule]
) -> None:
    found = " ".join(_texts(_lines(names, count), PANEL, rules))
    assert " ".join([*names, *SAID[:count]]) in found


def _panels(lines: Sequence[Line], *fills: Box) -> list[list[Box]]:
    return list(panels([box_of(line.polygon) for line in lines], fills, 20.0))


def test_shaded_cells_of_a_table_are_no_panels() -> None:
    lines = _lines(("Winch", "Quay"), 4)
    halves = [(90.0, 295.0, 230.0, 350.0), (90.0, 350.0, 230.0, 410.0)]
    assert _panels(lines, *halves) == []
    assert _panels(lines, PANEL, (230, 295, 760, 410)) == []
    assert _panels(lines, PANEL) != []


def test_a_text_that_goes_on_below_its_panel_is_not_cut() -> None:
    lines = _lines(("!", "WARNING"), 4)
    assert _panels(lines, (*PANEL[:3], 360.0)) == []
