"""Pages with few lines: where else there is ink is looked at, and low lines closer."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pagetide.engines.ppocr.page import PageOptions, read_page

WIDTH, HEIGHT = 2400, 3200


def looks(pixels: NDArray[np.uint8]) -> list[tuple[int, int]]:
    """The sizes at which a page is searched, by a detector that finds whatever is dark."""
    sizes: list[tuple[int, int]] = []

    def detect(scaled: NDArray[np.uint8]) -> NDArray[np.float32]:
        sizes.append(scaled.shape[:2])
        return np.asarray(scaled.min(axis=2) < 128, np.float32)

    next(read_page(pixels, detect, PageOptions(long_side=1600, min_confidence=0.5)), None)
    return sizes


def page_with(lines: int, height: int) -> NDArray[np.uint8]:
    pixels = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    for at in range(lines):
        pixels[400 + 300 * at : 400 + 300 * at + height, 300:1500] = 0
    return pixels


@pytest.mark.parametrize("lines", [3, 8])
def test_low_lines_are_looked_at_closer_however_few_they_are(lines: int) -> None:
    first, closer = looks(page_with(lines, height=10))[:2]
    assert max(first) == 1600 < max(closer)
    assert closer[0] / closer[1] == pytest.approx(first[0] / first[1], rel=0.02)


def test_lines_that_are_all_found_and_high_are_looked_at_once() -> None:
    assert len(looks(page_with(3, height=60))) == 1


def test_a_page_that_is_ink_to_its_edges_is_not_looked_at_again() -> None:
    pixels = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    pixels[:, np.arange(WIDTH) % 40 < 16] = 150  # no letters to the detector
    assert len(looks(pixels)) == 1
