"""Boxes to tick on a picture: small thin frames with four corners."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.engines.pixels.ink import dark_spots
from pagetide.engines.rules.components import component_boxes
from pagetide.geometry import Box
from pagetide.layout import CheckBox

Ink = NDArray[np.bool_]

# In heights of a letter.
_SIDES = 0.75, 2.4
_SQUARE = 1.25  # the longer side, in the shorter
_EDGE = 0.16  # of a side: where a frame's edge lies, beside the box around it
_WHOLE = 0.9  # of an edge's length: so much of it is there
_THIN, _THIN_PIXELS = 0.18, 2.5  # of a side: as thick as a frame is; letters are thicker
_INSIDE = 0.24  # of a side, from each edge: what is drawn further in is a mark
_MARKED = 0.06  # of what is inside: so much of it is ink
_CONTRAST = 12
_MOST = 2000  # a page with more that may be one is a drawing


def find_check_boxes(grey: NDArray[np.uint8], letter: float) -> list[CheckBox]:
    """Frames that are no letters, from the top.

    Args:
        grey: Height × width, the text upright.
        letter: How high its letters are, in pixels.
    """
    window = 2 * round(1.5 * letter) + 1
    ink = dark_spots(grey, max(window, 3), _CONTRAST)
    boxes = component_boxes(ink)
    least, most = (side * letter for side in _SIDES)
    short, long = boxes[:, 2:].min(axis=1), boxes[:, 2:].max(axis=1)
    may_be = boxes[(short >= least) & (long <= most) & (long <= _SQUARE * short)]
    from_top = may_be[np.lexsort((may_be[:, 0], may_be[:, 1]))]
    found = []
    for left, top, width, height in from_top[:_MOST].tolist():
        part = (slice(top, top + height), slice(left, left + width))
        dark = _is_dark(grey[part])
        own = _trimmed(_filling(ink[part]) & dark)
        if own.size and _is_frame(own):
            box: Box = (float(left), float(top), float(left + width), float(top + height))
            found.append(CheckBox(box=box, marked=_is_marked(dark)))
    return found


def _filling(ink: NDArray[np.uint8]) -> Ink:
    """The ink that hangs together and reaches all four sides of its box, where one does."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    whole = (stats[1:, 2] == ink.shape[1]) & (stats[1:, 3] == ink.shape[0])
    return np.asarray(labels == 1 + int(np.argmax(whole)))


def _is_dark(grey: NDArray[np.uint8]) -> Ink:
    """What is nearer to the darkest of a part than to its ground."""
    return np.asarray(grey < (float(grey.min()) + float(grey.max())) / 2)


def _trimmed(ink: Ink) -> Ink:
    """The ink without the empty rows and columns around it."""
    rows, columns = (np.flatnonzero(ink.any(axis=axis)) for axis in (1, 0))
    if not rows.size:
        return ink[:0]
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _is_frame(ink: Ink) -> bool:
    """Whether ink runs along all four edges of its box, into the corners, and is thin there."""
    depths: list[float] = []
    sides: tuple[Ink, ...] = (ink, ink[::-1], ink.T, ink.T[::-1])
    for side in sides:
        high, wide = side.shape
        near = np.asarray(side[: max(2, round(_EDGE * high))].any(axis=0))
        corner = max(2, round(_EDGE * wide))
        if near.mean() < _WHOLE or not (near[:corner].any() and near[-corner:].any()):
            return False
        # How far the ink goes on from where it begins, in the middle of the edge.
        for x in range(wide // 4, wide - wide // 4):
            column = [bool(pixel) for pixel in side[: high // 2, x]]
            begins = column.index(True) if True in column else 0
            ends = column.index(False, begins) if False in column[begins:] else len(column)
            depths.append((ends - begins) / high)
    return bool(np.median(depths) <= max(_THIN, _THIN_PIXELS / min(ink.shape)))


def _is_marked(ink: Ink) -> bool:
    high, wide = (max(1, round(_INSIDE * size)) for size in ink.shape)
    inside = ink[high:-high, wide:-wide]
    return bool(inside.size and inside.mean() >= _MARKED)
