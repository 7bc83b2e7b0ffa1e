"""Cut lines out of a page, as the recogniser wants them: 48 pixels high."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

LINE_HEIGHT = 48
FRAME = 8  # pixels: what the recogniser makes one step of
TALL = 1.5  # a box this many times as high as wide holds a sideways line
WIDEST = 6400  # pixels; a longer line (of 133 times its height) is squeezed to it

Crop = NDArray[np.uint8]
"""48 × width × 3, uint8, blue-green-red: one line, upright."""


def is_tall(quad: NDArray[np.float32]) -> bool:
    """Whether the box stands rather than lies: its text runs up or down the page."""
    width, height = _sides(quad)
    return height >= TALL * width


def turned(quad: NDArray[np.float32], quarters: int) -> NDArray[np.float32]:
    """The same box, its corners counted from another one.

    Args:
        quad: 4 × 2.
        quarters: How far its text stands turned clockwise, in quarter turns: 1 reads down
            the page, 3 reads up, 2 is upside down.
    """
    return np.roll(quad, -quarters, axis=0)


def cut(pixels: NDArray[np.uint8], quad: NDArray[np.float32]) -> Crop:
    """The part of the page under a box, scaled to 48 pixels high.

    Args:
        pixels: The page: height × width × 3.
        quad: 4 × 2, page pixels, from the text's own top left clockwise.

    Returns:
        48 × width × 3; the width is at least 8.
    """
    width, height = _sides(quad)
    across = min(max(8, round(LINE_HEIGHT * width / max(height, 1))), WIDEST)
    box = _upright_box(quad)
    if box is not None:
        part = _slice(pixels, box)
        shrinks = part.shape[0] > 2 * LINE_HEIGHT
        how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
        return np.asarray(cv2.resize(part, (across, LINE_HEIGHT), interpolation=how))
    return _warped(pixels, quad, across, max(1, round(width)), max(1, round(height)))


def _sides(quad: NDArray[np.float32]) -> tuple[float, float]:
    top, bottom = quad[1] - quad[0], quad[2] - quad[3]
    left, right = quad[3] - quad[0], quad[2] - quad[1]
    width = max(np.hypot(*top), np.hypot(*bottom))
    height = max(np.hypot(*left), np.hypot(*right))
    return float(width), float(height)


def _upright_box(quad: NDArray[np.float32]) -> tuple[int, int, int, int] | None:
    """The box in whole pixels, when it is upright within a pixel; else None."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = quad
    tilt = max(abs(y0 - y1), abs(y2 - y3), abs(x0 - x3), abs(x1 - x2))
    if tilt > 1.0 or x1 <= x0 or y3 <= y0:
        return None
    return round(min(x0, x3)), round(min(y0, y1)), round(max(x1, x2)), round(max(y2, y3))


def _slice(pixels: NDArray[np.uint8], box: tuple[int, int, int, int]) -> NDArray[np.uint8]:
    x0, y0, x1, y1 = box
    height, width = pixels.shape[:2]
    x0, y0 = min(max(x0, 0), width - 1), min(max(y0, 0), height - 1)
    return pixels[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]


def _warped(
    pixels: NDArray[np.uint8],
    quad: NDArray[np.float32],
    across: int,
    width: int,
    height: int,
) -> Crop:
    # Warping straight to 48 pixels would skip source pixels of a tall line, so a line more
    # than twice as high is first taken at its own size.
    if height > 2 * LINE_HEIGHT:
        whole = _warp(pixels, quad, min(width, 4 * WIDEST), min(height, 4096))
        size = (across, LINE_HEIGHT)
        return np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA))
    return _warp(pixels, quad, across, LINE_HEIGHT)


def _warp(
    pixels: NDArray[np.uint8], quad: NDArray[np.float32], width: int, height: int
) -> Crop:
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), corners)
    warped = cv2.warpPerspective(
        pixels,
        matrix,
        (width, height),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(warped)
