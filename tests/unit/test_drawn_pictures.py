"""Pictures of drawn pages: a place on the page is found again in them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench.drawn.pictures import Picture, degraded


def _marked(x: int, y: int) -> Picture:
    pixels = np.full((400, 300, 3), 255, np.uint8)
    pixels[2 * y - 4 : 2 * y + 4, 2 * x - 4 : 2 * x + 4] = 0
    return Picture(pixels, ((2.0, 0.0, 0.0), (0.0, 2.0, 0.0)))


@pytest.mark.parametrize("seed", range(6))
def test_a_mark_is_found_again_on_a_degraded_picture(seed: int) -> None:
    worse = degraded(_marked(50, 120), seed)
    ys, xs = np.nonzero(worse.pixels.mean(axis=2) < 110)
    found = worse.back((float(xs.mean()) + 0.5, float(ys.mean()) + 0.5))
    assert math.dist(found, (50, 120)) < 1


def test_the_same_seed_degrades_the_same() -> None:
    one, other = degraded(_marked(50, 120), 4), degraded(_marked(50, 120), 4)
    assert np.array_equal(one.pixels, other.pixels)
    assert one.turned == other.turned


def test_a_clean_place_is_scaled_back() -> None:
    assert _marked(50, 120).back((30, 40)) == (15, 20)
