"""Pictures and charts on a page's picture: large areas of ink or colour that no line covers.

The layout model knows the figures of papers and leaves out most others: photos of a newspaper,
pies and bars of a report.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.document import Line
from pagetide.geometry import Box

Pixels = NDArray[np.uint8]
Mask = NDArray[np.uint8]

SIDE = 800  # pixels of the longer side that it is looked at in
TINY = 100  # and for what the paper looks like
SPREAD = 25  # of these: wider than the letters, and than most pictures
DARKER = 40  # than the paper around
COLOURED = 45  # of 255, of saturation above the page's own
THIN = 3  # pixels: thinner strokes are rules, axes and letters
GAP = 9  # pixels between bars of one chart
LEAST = 0.004  # of the page's area
FILLED = 0.15  # of its box
HIGH = 3.0  # typical line heights: what is less high is a shade behind a row
TEXT = 1.15  # as high as a line's box, so that its letters are covered
EDGE = 12  # of 255, between pixels side by side: a shade has no such edges but its letters'
FLAT = 0.03  # of a shade's pixels, at most, that are at an edge
CLOSED = 0.9  # of a shade's box that its colour and its letters cover
LETTERED = 0.05  # of it, at least, that its letters do


def pictures_on(pixels: Pixels, lines: Sequence[Line]) -> tuple[Box, ...]:
    """Boxes of pictures on a page.

    Args:
        pixels: (height, width, 3), BGR.
        lines: All that was read of it.

    Returns:
        From the top, in page pixels.
    """
    height, width = pixels.shape[:2]
    scale = min(1.0, SIDE / max(height, width))
    size = _scaled((width, height), scale)
    small = _shrunk(pixels, size)
    ink = _ink(small)
    letters = np.zeros_like(ink)
    polygons = [np.array(line.polygon, np.float32) * scale for line in lines]
    heights = [float(np.linalg.norm(p[3] - p[0])) for p in polygons if len(p) >= 4]
    for polygon in polygons:
        middle = polygon.mean(axis=0)
        grown = (middle + (polygon - middle) * (1.0, TEXT)).round().astype(np.int32)
        cv2.fillConvexPoly(letters, grown, (255,))
    ink[letters > 0] = 0
    least = max(HIGH * median(heights), 1.0) if heights else 1.0
    boxes = [
        box
        for box in _solid(ink)
        if min(box[2] - box[0], box[3] - box[1]) >= least
        and not _is_shade(box, small, ink, letters)
    ]
    area = LEAST * size[0] * size[1]
    return tuple(
        (x0 / scale, y0 / scale, x1 / scale, y1 / scale)
        for x0, y0, x1, y1 in sorted(boxes, key=lambda box: (box[1], box[0]))
        if (x1 - x0) * (y1 - y0) >= area
    )


def _scaled(size: tuple[int, int], by: float) -> tuple[int, int]:
    """A width and a height, each one pixel at least: a page may be a strip."""
    return max(1, round(size[0] * by)), max(1, round(size[1] * by))


def _shrunk(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    """The picture in another size, first by a whole number: that is eight times as fast."""
    whole = max(1, min(pixels.shape[1] // size[0], pixels.shape[0] // size[1]))
    columns, rows = (side // whole for side in (pixels.shape[1], pixels.shape[0]))
    blocks = pixels[: rows * whole, : columns * whole]
    blocks = cv2.resize(blocks, (columns, rows), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(blocks, size, interpolation=cv2.INTER_LINEAR), np.uint8)


def _ink(small: Pixels) -> Mask:
    """What is darker than the paper around it, or coloured."""
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    saturation = cv2.cvtColor(small, cv2.COLOR_BGR2HSV)[..., 1]
    size = (grey.shape[1], grey.shape[0])
    tiny = cv2.resize(grey, _scaled(size, TINY / max(size)), interpolation=cv2.INTER_AREA)
    paper = cv2.dilate(tiny, np.ones((SPREAD, SPREAD), np.uint8))
    paper = cv2.resize(paper, size, interpolation=cv2.INTER_LINEAR)
    darker = cv2.subtract(paper, grey) > DARKER
    coloured = saturation > COLOURED + float(np.median(saturation))
    lit = grey > DARKER  # where it is nearly black, colour is noise
    return np.where(darker | (coloured & lit), np.uint8(255), np.uint8(0))


def _is_shade(
    box: tuple[float, float, float, float], small: Pixels, ink: Mask, letters: Mask
) -> bool:
    """Whether text stands on a box that is filled from side to side with flat colours."""
    x0, y0, x1, y1 = map(int, box)
    inside = np.s_[y0 + 1 : y1 - 1, x0 + 1 : x1 - 1]
    lettered = letters[inside] > 0
    if (
        not lettered.size
        or lettered.mean() < LETTERED
        or (lettered | (ink[inside] > 0)).mean() < CLOSED
    ):
        return False
    steps = np.abs(np.diff(small[inside].astype(np.int16), axis=1)).max(axis=2)
    bare = ~(lettered[:, 1:] | lettered[:, :-1])
    return bool((steps[bare] > EDGE).sum() <= FLAT * bare.sum())


def _solid(ink: Mask) -> list[tuple[float, float, float, float]]:
    """Boxes of what is wider than strokes, with the strokes that touch it."""
    thick = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((THIN, THIN), np.uint8))
    if not thick.any():
        return []
    whole = cv2.morphologyEx(thick, cv2.MORPH_CLOSE, np.ones((GAP, GAP), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink | whole, connectivity=8)
    covered = np.bincount(labels[whole > 0].ravel(), minlength=len(stats))
    found = []
    for label, (x, y, w, h, _) in enumerate(stats):
        if label and covered[label] >= FILLED * w * h:
            found.append((float(x), float(y), float(x + w), float(y + h)))
    return found
