"""Photos of pages at an angle: found by the page's edges, straightened, mapped back."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.photos import Pixels, photo_of
from pagetide.geometry import Point, polygon_of
from pagetide.inputs.pictures.perspective import page_corners, straightened


def lined(width: int = 600, height: int = 800) -> Pixels:
    """A page with a dark bar at each tenth of its height."""
    page = np.full((height, width, 3), 255, np.uint8)
    for at in range(1, 10):
        row = height * at // 10
        page[row : row + 12, width // 10 : width * 9 // 10] = 20
    return page


@given(st.integers(0, 10_000))
@settings(max_examples=30)
def test_the_page_is_found_and_its_rows_run_level(seed: int) -> None:
    photo, corners = photo_of(lined(), seed)
    found = page_corners(photo)
    assert found is not None
    assert np.hypot(*(np.array(found) - corners).T).max() < 0.02 * max(photo.shape)
    made = straightened(photo)
    if made is None:
        assert _off_right_angles(corners) < 3  # degrees; from two on a page is straightened
        return
    pixels, straight = made
    assert pixels.shape[:2] == (straight.height, straight.width)
    assert _slope(photo) > 2 * _slope(pixels) or _slope(pixels) < 0.01


def _off_right_angles(corners: list[Point]) -> float:
    """How far the worst corner is off, in degrees."""
    points = np.array(corners)
    before, behind = np.roll(points, 1, axis=0) - points, np.roll(points, -1, axis=0) - points
    turns = [np.arctan2(each[:, 1], each[:, 0]) for each in (before, behind)]
    off = (np.degrees(np.subtract(*turns)) % 180) - 90
    return float(np.abs(off).max())


def _slope(pixels: Pixels) -> float:
    """The steepest of the bars, as far as they go down by what they go along."""
    dark = (cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY) < 0.4 * pixels.max()).astype(np.uint8)
    page = page_corners(pixels) or polygon_of((0, 0, pixels.shape[1], pixels.shape[0]))
    inside = np.zeros_like(dark)
    cv2.fillConvexPoly(inside, np.array(page, np.int32), 1)
    bars, _ = cv2.findContours(
        dark & cv2.erode(inside, np.ones((15, 15))), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
    )
    slopes = [
        abs(float(vy / vx))
        for bar in bars
        if len(bar) > 200
        for vx, vy, _, _ in [cv2.fitLine(bar, cv2.DIST_L2, 0, 0.01, 0.01).ravel()]
    ]
    assert len(slopes) == 9
    return max(slopes)


def test_a_place_on_the_straight_picture_is_the_same_on_the_photo() -> None:
    page = lined()
    page[395:405, 295:305] = (0, 0, 255)
    photo, _ = photo_of(page, 3)
    made = straightened(photo)
    assert made is not None
    pixels, straight = made
    (x, y), (x2, y2) = _red(pixels), _red(photo)
    assert straight.on_photo(((x, y),))[0] == pytest.approx((x2, y2), abs=2)


def _red(pixels: Pixels) -> tuple[float, float]:
    blue, green, red = np.moveaxis(pixels.astype(int), 2, 0)
    ys, xs = np.nonzero((red - green > 90) & (red - blue > 90))
    return float(xs.mean()), float(ys.mean())


@pytest.mark.parametrize(
    "photo",
    [
        np.full((300, 200, 3), 255, np.uint8),
        np.zeros((300, 200, 3), np.uint8),
        np.zeros((1, 1, 3), np.uint8),
        lined(),
        cv2.copyMakeBorder(lined(), 40, 40, 40, 40, cv2.BORDER_CONSTANT, value=(30, 30, 30)),
        photo_of(lined(), 3)[0][:, 150:],
        np.random.default_rng(0).integers(0, 255, (400, 300, 3), np.uint8),
    ],
    ids=["white", "black", "a pixel", "a scan", "a scan in a border", "cut", "noise"],
)
def test_what_shows_no_page_at_an_angle_stays_as_it_is(photo: Pixels) -> None:
    assert straightened(photo) is None
