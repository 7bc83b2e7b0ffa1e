"""The few shapes that networks run in on a GPU, where every new one takes seconds to plan.

What is given is padded to the next of them, and the networks are given where it ends. Padding
costs next to nothing: on an H200 the recogniser takes 2.4 ms for 16 lines of 640 pixels as for
128, the detector 2.1 ms for one page as for four.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.ppocr.batches import PADDING, padded
from pagetide.engines.ppocr.lines.crops import LINE_HEIGHT, Crop

Bytes = NDArray[np.uint8]
Batch = tuple[Bytes, Bytes, Bytes]
"""Pictures, N × height × width × 3, and what `blind_to_padding` calls rows and columns."""

SIDES = (320, 640, 960, 1280, 1600, 2240, 3200)
WIDTHS = (320, 640, 1280, 2560, 6400)
COLUMNS = 64 * 320  # pixels of width of all lines of a batch
FRAMES = (256, 1024, 2560)  # a batch has no more
USUAL_PAGE = (1600, 1280)


def fits(width: int) -> int:
    """How many lines a batch has whose widest is so wide."""
    return COLUMNS // _next(WIDTHS, padded(width))


def page(pixels: Bytes) -> Batch:
    """One page in the next size."""
    height, width = pixels.shape[:2]
    high, wide = _next(SIDES, height), _next(SIDES, width)
    page = np.full((1, high, wide, 3), PADDING, np.uint8)
    page[0, :height, :width] = pixels
    return page, _until([height], high), _until([width], wide)


def lines(crops: Sequence[Crop]) -> Batch:
    """A batch of as many lines as fit, the last of them empty; each ends as `padded` says."""
    ends = [padded(crop.shape[1]) for crop in crops]
    wide = _next(WIDTHS, max(ends))
    count = fits(wide)
    batch = np.full((count, LINE_HEIGHT, wide, 3), PADDING, np.uint8)
    for line, crop in zip(batch, crops, strict=False):
        line[:, : crop.shape[1]] = crop
    ends += [wide] * (count - len(crops))
    return batch, _until([LINE_HEIGHT] * count, LINE_HEIGHT), _until(ends, wide)


def frames(features: NDArray[np.float32]) -> NDArray[np.float32]:
    """The frames × channels, with empty ones behind."""
    count, channels = features.shape
    given = np.zeros((_next(FRAMES, count), channels), np.float32)
    given[:count] = features
    return given


def _until(ends: Sequence[int], length: int) -> Bytes:
    """A row of so many for each end: 1 before it, 0 from there on."""
    return (np.arange(length) < np.array(ends)[:, np.newaxis]).astype(np.uint8)


def _next(known: Sequence[int], least: int) -> int:
    """The next known number, or beyond them the next multiple of the last."""
    place = bisect_left(known, least)
    return known[place] if place < len(known) else -(-least // known[-1]) * known[-1]
