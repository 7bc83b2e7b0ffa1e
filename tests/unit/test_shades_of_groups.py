"""Shades behind the names of groups in one table: they count alike wherever rules are."""

from __future__ import annotations

from pagetide.geometry import Box, box_of
from pagetide.layout import Drawn
from pagetide.structure.tables import title_shades
from tests.unit.tables_drawn import across, row, text

XS = (100.0, 500.0, 640.0, 760.0)
RIGGING: Box = (90, 130, 850, 160)
GALLEY: Box = (90, 216, 850, 246)


def _titles(last: tuple[str, ...]) -> list[Box]:
    """The shades that are set apart, of two groups, the first one's item above a rule."""
    lines = [*row(("Tar", "4", "8.25", "33.00"), XS, 105), text("Rigging", 100, 135)]
    lines += [*row(("Rope", "3", "3.10", "9.30"), XS, 165), text("9.30", 760, 192)]
    lines += [text("Galley", 100, 221), *row(last, XS, 250)]
    lines += [*row(("Oven", "1", "80.0", "80.00"), XS, 280), text("80.00", 760, 330)]
    rules = tuple(across(y, 90, 850) for y in (100, 189, 320))
    boxes = [box_of(line.polygon) for line in lines]
    return title_shades(lines, boxes, Drawn(rules=rules, fills=(RIGGING, GALLEY)))


def test_shades_alike_between_items_are_apart_if_one_is() -> None:
    assert _titles(("Pan", "3", "12.0", "36.00")) == [RIGGING, GALLEY]


def test_a_shade_above_headers_is_for_itself() -> None:
    assert _titles(("Article", "Count", "Price", "Amount")) == [RIGGING]
