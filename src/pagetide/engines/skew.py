"""How far the text of a page's picture stands askew, told by its ink.

Boxes of short lines tell little: a detector draws most of them level.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

SIDE = 2000  # pixels of the longer side that it is looked at in
STRIP = 16  # pixels from left to right, whose ink is summed row by row
APART = 8, 4  # strips that are held against each other, mostly of one column of text
STEEP = 1  # pixel for each strip, at most, that one stands lower than the other
AROUND, DARKER = 31, 15  # pixels around one, than whose mean ink is so much darker, of 255
ALIKE = 0.1  # correlation of strips that show lines


def skew_of(pixels: Pixels) -> float | None:
    """Radians clockwise, up to three and a half degrees; None where no lines show it.

    Args:
        pixels: (height, width, 3), upright.
    """
    height, width = pixels.shape[:2]
    scale = min(1.0, SIDE / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    grey = cv2.cvtColor(
        cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), cv2.COLOR_RGB2GRAY
    )
    ink = cv2.adaptiveThreshold(
        grey, 1, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, AROUND, DARKER
    )
    strips = size[0] // STRIP
    sums = (
        ink[:, : strips * STRIP].reshape(size[1], strips, STRIP).sum(axis=2, dtype=np.float32)
    )
    rows = cv2.GaussianBlur(sums, (1, 5), 0) if sums.size else sums
    found = (_slope(rows, apart) for apart in APART)
    return next((math.atan(slope) for slope in found if slope is not None), None)


def _slope(rows: NDArray[np.float32], apart: int) -> float | None:
    """How much lower a strip stands for each pixel to the right; None where that is unsure."""
    (height, strips), most = rows.shape, STEEP * apart
    if strips <= apart or height <= 4 * most:
        return None
    left, right = rows[most : height - most, :-apart], rows[:, apart:]
    steps = range(-most, most + 1)
    found = [_alike(left, right[most + step : height - most + step]) for step in steps]
    best = int(np.argmax(found))
    if not 0 < best < len(found) - 1 or found[best] < ALIKE:
        return None
    before, top, after = found[best - 1 : best + 2]
    between = (before - after) / (2 * (before - 2 * top + after))
    return (steps[best] + between) / (apart * STRIP)


def _alike(left: NDArray[np.float32], right: NDArray[np.float32]) -> float:
    """How well the strips on the left agree with those on the right, −1 to 1."""
    one, two = left - left.mean(axis=0), right - right.mean(axis=0)
    return float((one * two).sum() / (np.linalg.norm(one) * np.linalg.norm(two) + 1e-9))
