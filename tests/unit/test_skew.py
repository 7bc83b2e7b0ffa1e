"""How far a page's picture stands askew, told by its ink."""

from __future__ import annotations

import math
import sys
from unicodedata import bidirectional

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pagetide.document import Line
from pagetide.engines.pixels.skew import skew_of
from pagetide.geometry import polygon_of
from pagetide.structure.upright import by_direction, runs_leftward

Pixels = NDArray[np.uint8]
EXACT = 0.1  # degrees


def _page(degrees: float) -> Pixels:
    """Short entries in columns, turned clockwise."""
    page = np.full((1400, 1000), 240, np.uint8)
    for top in range(100, 1300, 45):
        for left, count in ((100, 9), (400, 5), (760, 7)):
            for x in range(left, left + 16 * count, 16):
                page[top : top + 18, x : x + 9] = 30
    turn = cv2.getRotationMatrix2D((500, 700), -degrees, 1)
    return np.asarray(cv2.warpAffine(page, turn, (1000, 1400), borderValue=(240,)), np.uint8)


@pytest.mark.parametrize("degrees", [-2.5, -0.9, 0.0, 0.4, 1.6])
def test_columns_of_short_entries_show_it(degrees: float) -> None:
    found = skew_of(_page(degrees))
    assert found is not None
    assert abs(math.degrees(found) - degrees) < EXACT


@pytest.mark.parametrize("shape", [(1, 1), (3000, 2), (2, 3000), (1400, 1000)])
def test_a_page_without_ink_shows_none(shape: tuple[int, int]) -> None:
    assert skew_of(np.full(shape, 255, np.uint8)) is None


def test_noise_shows_none() -> None:
    noise = np.random.default_rng(3).integers(0, 255, (900, 700))
    assert skew_of(noise.astype(np.uint8)) is None


def test_what_the_ink_shows_counts_for_more_than_lines_that_were_drawn_level() -> None:
    lines = [Line(text="Harbour", polygon=polygon_of((80, y, 300, y + 20))) for y in (100, 140)]
    [(upright, _)] = by_direction(lines, 0.02)
    assert upright.angle == pytest.approx(0.02)
    [(upright, _)] = by_direction(lines)
    assert upright.angle == 0.0


def test_any_letter_that_runs_leftward_turns_a_page_of_figures_round() -> None:
    leftward = [
        letter
        for letter in map(chr, range(sys.maxunicode + 1))
        if bidirectional(letter) in ("R", "AL")
    ]
    assert len(leftward) > 1000
    assert all(runs_leftward([f"12 {letter}"]) for letter in leftward)
    assert not runs_leftward(["12", "3 May", "été"])
