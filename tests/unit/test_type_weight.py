"""Bold type on a picture."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pagetide.document import Line
from pagetide.engines.pixels.type_weight import with_bold
from pagetide.geometry import Point, polygon_of

Pixels = NDArray[np.uint8]

HEIGHT = 36  # of a line's box
TEXTS = ("words of a page", "are mostly of one", "weight of type so", "Heavier ones head")


def _page(*weights: int, ink: int = 30, ground: int = 240) -> tuple[Pixels, list[Line]]:
    """A page of lines whose strokes are so many pixels wide."""
    page = np.full((80 + 60 * len(weights), 640), ground, np.uint8)
    lines = []
    for place, weight in enumerate(weights):
        top, text = 40 + 60 * place, TEXTS[place % len(TEXTS)]
        for at in range(len(text)):
            page[top + 8 : top + 28, 60 + 16 * at : 60 + 16 * at + weight] = ink
        right = 60.0 + 16 * len(text)
        lines.append(
            Line(text=text, polygon=polygon_of((55, top, right, top + HEIGHT)), confidence=0.9)
        )
    return page, lines


def _bold(page: Pixels, lines: list[Line]) -> list[bool]:
    return [line.bold for line in with_bold(lines, page)]


def test_lines_of_wider_strokes_are_bold() -> None:
    assert _bold(*_page(3, 3, 3, 5)) == [False, False, False, True]


def test_lines_of_one_weight_are_not() -> None:
    assert not any(_bold(*_page(5, 5, 5, 5)))


def test_light_letters_on_a_dark_ground_are_weighed_alike() -> None:
    assert _bold(*_page(3, 3, 3, 5, ink=245, ground=40)) == [False, False, False, True]


def test_a_soft_picture_tells_the_same() -> None:
    page, lines = _page(3, 3, 3, 5)
    soft = np.asarray(cv2.GaussianBlur(page, (0, 0), 1.2), np.uint8)
    assert _bold(soft, lines) == [False, False, False, True]


@pytest.mark.parametrize("degrees", [8, -8, 90, 180])
def test_a_page_askew_or_turned_tells_the_same(degrees: float) -> None:
    page, lines = _page(3, 3, 3, 5)
    height, width = page.shape[:2]
    side = int(math.hypot(height, width)) + 20
    middle = (width / 2, height / 2)
    matrix = cv2.getRotationMatrix2D(middle, -degrees, 1.0)
    matrix[:, 2] += (side - width) / 2, (side - height) / 2
    askew = cv2.warpAffine(page, matrix, (side, side), borderValue=(240, 240, 240))

    def moved(point: Point) -> Point:
        x, y = matrix @ (*point, 1.0)
        return (float(x), float(y))

    turned = [
        Line(text=line.text, polygon=tuple(map(moved, line.polygon)), confidence=0.9)
        for line in lines
    ]
    assert _bold(np.asarray(askew, np.uint8), turned) == [False, False, False, True]


def test_nothing_is_said_of_what_cannot_be_weighed() -> None:
    page, lines = _page(3, 3, 3)
    tiny = Line(text="tiny", polygon=polygon_of((500, 10, 530, 15)), confidence=0.9)
    empty = Line(text="empty", polygon=polygon_of((420, 60, 600, 96)), confidence=0.9)
    off = Line(text="outside", polygon=polygon_of((900, 60, 1200, 96)), confidence=0.9)
    assert with_bold([*lines, tiny, empty, off], page) == (*lines, tiny, empty, off)
    assert with_bold([], page) == ()
