"""Pictures and charts on a page's picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pagetide.document import Line
from pagetide.engines.pixels.pictures import pictures_on
from pagetide.geometry import Box, box_of, intersection_area, polygon_of

Pixels = NDArray[np.uint8]


def _page(height: int = 1400, width: int = 1000) -> tuple[Pixels, list[Line]]:
    """A page in uneven light with rows of letters, and the lines read of them."""
    light = np.linspace(250, 205, width).astype(np.uint8)
    page = np.repeat(np.repeat(light[None, :, None], height, axis=0), 3, axis=2).copy()
    lines = []
    for top in range(80, height - 80, 40):
        if 500 <= top < 900:
            continue
        for x in range(100, 880, 14):
            page[top + 6 : top + 22, x : x + 8] = 30
        lines.append(Line(text="x" * 55, polygon=polygon_of((98, top, 882, top + 28))))
    return page, lines


def _covered(box: Box, by: Box) -> float:
    shared = intersection_area(box, by)
    return shared / ((box[2] - box[0]) * (box[3] - box[1]))


def test_a_page_of_text_has_none() -> None:
    assert pictures_on(*_page()) == ()


def test_an_empty_page_and_one_without_lines_have_none() -> None:
    assert pictures_on(np.full((40, 30, 3), 255, np.uint8), []) == ()
    assert pictures_on(np.zeros((1, 1, 3), np.uint8), []) == ()


@pytest.mark.parametrize("shape", [(3000, 1), (1, 3000), (5000, 3), (9000, 40)])
def test_a_strip_is_looked_at_as_well(shape: tuple[int, int]) -> None:
    assert pictures_on(np.full((*shape, 3), 255, np.uint8), []) == ()


@pytest.mark.parametrize("scale", [1, 3])
def test_a_pie_is_one_whatever_the_pages_size(scale: int) -> None:
    page, lines = _page()
    cv2.circle(page, (500, 700), 120, (60, 110, 170), -1)
    page = np.repeat(np.repeat(page, scale, axis=0), scale, axis=1)
    lines = [
        Line(text=line.text, polygon=tuple((x * scale, y * scale) for x, y in line.polygon))
        for line in lines
    ]
    (found,) = pictures_on(page, lines)
    true = (380.0 * scale, 580.0 * scale, 620.0 * scale, 820.0 * scale)
    assert _covered(true, found) > 0.95
    assert _covered(found, true) > 0.9


def test_bars_on_an_axis_are_one_chart() -> None:
    page, lines = _page()
    page[820:823, 300:700] = 40
    for place, high in enumerate((90, 200, 140, 60, 170)):
        x = 320 + 75 * place
        page[820 - high : 820, x : x + 60] = (60, 110, 170)
    (found,) = pictures_on(page, lines)
    assert _covered((320.0, 620.0, 680.0, 820.0), found) > 0.95


def test_shades_behind_rows_and_thin_rules_are_none() -> None:
    page, lines = _page()
    page[520:560, 100:880] = (80, 50, 120)
    page[600:602, 100:880] = 20
    page[600:860, 100:102] = 20
    head = Line(text="Article", polygon=polygon_of((110, 526, 240, 554)))
    assert pictures_on(page, [*lines, head]) == ()


def test_text_on_a_dark_ground_is_no_hole_in_what_is_found() -> None:
    page, lines = _page()
    page[540:840, 200:800] = (40, 90, 60)
    (found,) = pictures_on(
        page, [*lines, Line(text="Sea", polygon=polygon_of((300, 600, 400, 630)))]
    )
    assert _covered((200.0, 540.0, 800.0, 840.0), found) > 0.95
    assert box_of(polygon_of(found)) == found


def test_text_on_flat_bands_that_are_filled_from_side_to_side_is_in_no_picture() -> None:
    page, lines = _page()
    page[520:620, 100:900] = (40, 110, 120)
    page[620:760, 100:900] = (120, 200, 210)
    said = [
        (120, 540, 520, 600),
        (110, 640, 400, 670),
        (110, 700, 400, 730),
        (600, 640, 890, 670),
    ]
    on_bands = [Line(text="Example Company", polygon=polygon_of(box)) for box in said]
    assert pictures_on(page, [*lines, *on_bands]) == ()
    page[520:760, 100:900:40] = (10, 40, 230)
    assert len(pictures_on(page, [*lines, *on_bands])) == 1
