"""What is dark on a picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]


def darkest(pixels: Pixels) -> Pixels:
    """The least of each pixel's three colours: text of any colour is dark in it.

    Args:
        pixels: Height × width × 3.
    """
    least = np.minimum(pixels[..., 0], pixels[..., 1])  # OpenCV's takes five times as long
    return np.asarray(np.minimum(least, pixels[..., 2], out=least), np.uint8)


def dark_spots(grey: Pixels, around: int, by: int) -> Pixels:
    """255 where a picture is darker than what is around, 0 elsewhere.

    As OpenCV's `adaptiveThreshold` by the mean, which takes three times as long.

    Args:
        grey: Height × width.
        around: Pixels, odd: the sides of the square whose mean counts.
        by: So much darker at least, of 255.
    """
    mean = cv2.blur(grey, (around, around), borderType=cv2.BORDER_REPLICATE)
    darker = cv2.subtract(mean, grey)
    return np.asarray(cv2.threshold(darker, by - 1, 255, cv2.THRESH_BINARY)[1], np.uint8)


def upper_median(numbers: NDArray[np.int16] | Pixels) -> int:
    """The upper of two in the middle; NumPy's own median takes five times as long.

    Args:
        numbers: One after the other, one at least.
    """
    at = numbers.size // 2
    return int(np.partition(numbers, at)[at])
