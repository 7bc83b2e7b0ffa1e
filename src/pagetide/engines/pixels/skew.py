"""The skew of the text on a page's picture, measured on its ink.

Boxes of short lines show little of it: a detector draws most of them level.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.engines.pixels.ink import dark_spots

Pixels = NDArray[np.uint8]

SIDE = 2000  # pixels of the longer side that it is looked at in
STRIP = 16  # pixels from left to right, whose ink is summed row by row
APART = 8, 4  # strips that are held against each other, mostly of one column of text
STEEP = 1  # pixel for each strip, at most, that one stands lower than the other
AROUND, DARKER = 31, 15  # pixels around one, than whose mean ink is so much darker, of 255
ALIKE = 0.1  # correlation of strips that show lines


def skew_of(grey: Pixels) -> float | None:
    """Radians clockwise, up to three and a half degrees; None where no lines show it.

    Args:
        grey: (height, width), upright.
    """
    height, width = grey.shape
    scale = min(1.0, SIDE / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
    ink = dark_spots(np.asarray(small, np.uint8), AROUND, DARKER)
    strips = size[0] // STRIP
    if not strips:
        return None
    shares = cv2.resize(
        ink[:, : strips * STRIP], (strips, size[1]), interpolation=cv2.INTER_AREA
    )
    rows = cv2.GaussianBlur(shares.astype(np.float32), (1, 5), 0)
    found = (_slope(rows, apart) for apart in APART)
    return next((math.atan(slope) for slope in found if slope is not None), None)


def _slope(rows: NDArray[np.float32], apart: int) -> float | None:
    """How much lower a strip stands for each pixel to the right; None where that is unsure."""
    (height, strips), most = rows.shape, STEEP * apart
    if strips <= apart or height <= 4 * most:
        return None
    left, right = rows[most : height - most, :-apart], np.ascontiguousarray(rows[:, apart:])
    left = left - left.mean(axis=0)
    steps = range(-most, most + 1)
    length = math.sqrt(_dot(left, left))
    found = [_alike(left, length, right[most + s : height - most + s]) for s in steps]
    best = int(np.argmax(found))
    if not 0 < best < len(found) - 1 or found[best] < ALIKE:
        return None
    before, top, after = found[best - 1 : best + 2]
    between = (before - after) / (2 * (before - 2 * top + after))
    return (steps[best] + between) / (apart * STRIP)


def _alike(left: NDArray[np.float32], length: float, right: NDArray[np.float32]) -> float:
    """How well the strips on the left agree with those on the right, −1 to 1.

    Args:
        left: Their sums less each strip's mean, and
        length: the norm of these.
        right: As many sums.
    """
    means = right.mean(axis=0)  # they drop out beside what has none
    square = _dot(right, right) - len(right) * float(np.square(means).sum())
    return _dot(left, right) / (length * math.sqrt(max(square, 0.0)) + 1e-9)


def _dot(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """The sum of products.

    Not by NumPy's `dot`: the BLAS library has a thread for every core, and each spins for a
    tenth of a second after such a call. On 16 cores a page took 1.8 s of them, with this 0.1.
    """
    return float(np.einsum("ij,ij->", one, other))
