"""What is dark on a picture, and what hangs together of it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pagetide.engines.pixels.ink import Pixels, dark_spots, darkest
from pagetide.engines.rules.components import component_boxes

pictures = arrays.arrays(
    np.uint8, st.tuples(st.integers(1, 24), st.integers(1, 24)), elements=st.integers(0, 255)
)


@given(pictures, st.sampled_from([3, 15, 31]), st.sampled_from([12, 15]))
def test_dark_spots_are_those_of_opencv(grey: Pixels, around: int, by: int) -> None:
    expected = cv2.adaptiveThreshold(
        grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, around, by
    )
    assert np.array_equal(dark_spots(grey, around, by), expected)


@given(pictures.map(lambda grey: np.where(grey < 100, np.uint8(255), np.uint8(0))))
def test_boxes_of_components_are_those_of_opencv(ink: Pixels) -> None:
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    assert sorted(component_boxes(ink).tolist()) == sorted(stats[1:, :4].tolist())


@pytest.mark.parametrize("colour", [(0, 0, 255), (255, 0, 0), (0, 200, 255)])
def test_every_colour_is_dark_beside_white(colour: tuple[int, int, int]) -> None:
    page = np.full((1, 2, 3), 255, np.uint8)
    page[0, 0] = colour
    assert darkest(page).tolist() == [[0, 255]]
