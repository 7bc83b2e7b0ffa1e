"""The few shapes that networks run in on a GPU, where every new one takes seconds to plan.

What is given is padded to the next of them, and what comes back is cut: of a page up to a
tenth of the side is padding, of a batch of lines of like width about as much.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.engines.ppocr.batches import PADDING

SIDES = (160, 320, 480, 640, 800, 960, 1120, 1280, 1440, 1600, 1920, 2240, 2560, 2880, 3200)
LINES = (16,)
# Steps of 64 pixels, from 640 on of a tenth: with steps of a quarter and 32 lines 0.15 points
# more characters were misread, with these the difference is within a character a page.
WIDTHS = (
    96,
    160,
    224,
    288,
    352,
    416,
    480,
    544,
    608,
    672,
    768,
    864,
    960,
    1056,
    1184,
    1312,
    1472,
    1632,
    1824,
    2016,
    2240,
    2464,
    2720,
    3008,
    3328,
    3680,
    4064,
    4480,
    4928,
    5440,
    5984,
    6400,
)
FRAMES = (256, 1024, 4096, 16384)


def page(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The page with its right and lower edge drawn out to the next size."""
    height, width = pixels.shape[:2]
    below, beside = _next(SIDES, height) - height, _next(SIDES, width) - width
    padded = cv2.copyMakeBorder(pixels, 0, below, 0, beside, cv2.BORDER_REPLICATE)
    return np.asarray(padded, np.uint8)


def lines(batch: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The batch, lines × 48 × width × 3, with empty lines behind and wider by what is empty."""
    count, height, width, channels = batch.shape
    shape = (_next(LINES, count), height, _next(WIDTHS, width), channels)
    padded = np.full(shape, PADDING, np.uint8)
    padded[:count, :, :width] = batch
    return padded


def frames(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """The frames × channels, with empty ones behind."""
    count, channels = features.shape
    padded = np.zeros((_next(FRAMES, count), channels), np.float32)
    padded[:count] = features
    return padded


def _next(known: Sequence[int], least: int) -> int:
    """The next known number, or beyond them the next multiple of the last."""
    place = bisect_left(known, least)
    return known[place] if place < len(known) else -(-least // known[-1]) * known[-1]
