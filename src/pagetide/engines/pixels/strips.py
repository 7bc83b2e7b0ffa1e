"""Parts of a picture, cut out upright."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Vector = NDArray[np.float64]


def strip(
    pixels: Pixels, start: Vector, along: Vector, down: Vector, size: tuple[int, int]
) -> Pixels:
    """A part of a picture, upright, with as many colours.

    Args:
        pixels: Height × width, or height × width × 3.
        start: Its left top corner.
        along: From one of its pixels to the next in a row, and
        down: to the one below.
        size: Its width and height.
    """
    ends = np.array([start, start + size[0] * along, start + size[1] * down])
    ends = np.vstack([ends, ends[1] + ends[2] - start])
    limits = (pixels.shape[1] - 1, pixels.shape[0] - 1)
    left, top = (int(each) for each in np.clip(ends.min(axis=0), 0, limits))
    right, bottom = (int(each) + 2 for each in np.clip(ends.max(axis=0), 0, limits))
    near = pixels[top:bottom, left:right]  # OpenCV takes no more than 32,767 pixels of a side
    matrix = np.stack([along, down, start - (left, top)], axis=1)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    warped = cv2.warpAffine(near, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(warped, np.uint8)
