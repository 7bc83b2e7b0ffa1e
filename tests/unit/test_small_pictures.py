"""Which pictures of a page's drawing are figures: none as small as a letter, in its line."""

from __future__ import annotations

from pagetide.geometry import Box
from pagetide.layout import Drawn
from pagetide.structure.figures.drawn import drawn_figures

PAGE: Box = (0.0, 0.0, 1000.0, 1400.0)
TEXTS: list[Box] = [(100.0, 100.0 + 30 * n, 300.0, 120.0 + 30 * n) for n in range(3)]
TABLE: Box = (100.0, 400.0, 900.0, 700.0)


def _figures(*pictures: Box) -> list[Box]:
    return drawn_figures(Drawn(pictures=pictures), [], [TABLE], TEXTS, PAGE)


def test_a_sign_at_a_lines_end_or_in_a_table_is_none() -> None:
    assert _figures((306.0, 102.0, 330.0, 119.0), (700.0, 420.0, 724.0, 437.0)) == []


def test_a_small_picture_by_itself_and_a_large_one_beside_a_line_are() -> None:
    alone, large = (600.0, 900.0, 624.0, 917.0), (306.0, 90.0, 400.0, 140.0)
    assert _figures(alone, large) == [large, alone]
