"""Shaded boxes on a page's picture: rows and cells with a ground of their own."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.geometry import Box

Grey = NDArray[np.uint8]
Sides = tuple[int, int, int, int]

_SHRUNK = 4
_MEDIAN = 5  # shrunk pixels: what covers less than half of so much is letters
_LEAST = 6  # of 255: less is a scan's own unevenness
_SPREAD = 5
_DARK = 128
_MOST_SHADES = 4
_LEAST_SHARE = 0.002  # of the page
_WHOLE_PAGE = 0.9
_FULL = 0.8  # of its box, for a shape to be one
_PARTLY = 0.4
_OWN = 0.35  # of a box's pixels have its shade; the rest is letters
_RIM = 12  # pixels to both sides of its upper and lower edge: somewhere there are no letters
_STEP = 0.35  # of the shade's difference from the page: its edges are sharp
_MOST_BOXES = 500
_MOSTLY, _SAMPLED = 0.7, 100
_SEARCHED = 6  # pixels to each side, for where an edge lies


def find_shades(grey: Grey, letter: float) -> tuple[tuple[Box, ...], list[Box]]:
    """The boxes of a picture that have a ground of their own, in its pixels.

    And the bounds of whatever has one, boxes or not, on which lines may be light.

    Args:
        grey: Height × width.
        letter: How high its letters are, in pixels.
    """
    ground = _ground(grey)
    total = ground.size
    if not total:
        return (), []
    counts = np.bincount(ground.ravel(), minlength=256)
    plain = int(np.argmax(np.convolve(counts, np.ones(3), "same")))
    counts[np.abs(np.arange(256) - plain) <= _LEAST] = 0
    boxes: list[Box] = []
    grounds: list[Box] = []
    if plain < _DARK:
        grounds.append((0.0, 0.0, float(grey.shape[1]), float(grey.shape[0])))
    for _ in range(_MOST_SHADES):
        near = np.convolve(counts, np.ones(2 * _SPREAD + 1), "same")
        shade = int(np.argmax(near))
        if near[shade] < _LEAST_SHARE * total:
            break
        low, high = max(0, shade - _SPREAD), min(255, shade + _SPREAD)
        alike = cv2.inRange(ground, low, high)
        counts[low : high + 1] = 0
        found = _boxes(np.asarray(alike, np.uint8), letter / _SHRUNK, total)
        for box, is_full in found[:_MOST_BOXES]:
            if not _is_shade(grey, box, shade):
                continue
            whole = _whole(grey, box, shade)
            grounds.append(whole or box)
            sharp = is_full or whole
            sharp = sharp and _sharp(grey, whole or box, abs(shade - plain))
            boxes += [sharp] if sharp and sharp not in boxes else []
    return tuple(boxes[:_MOST_BOXES]), grounds


def _ground(grey: Grey) -> Grey:
    """What the letters stand on, shrunk."""
    rows, columns = (size // _SHRUNK for size in grey.shape)
    if not rows or not columns:
        return np.zeros((0, 0), np.uint8)
    small = cv2.resize(
        grey[: rows * _SHRUNK, : columns * _SHRUNK],  # whole blocks are averaged faster
        (columns, rows),
        interpolation=cv2.INTER_AREA,
    )
    return np.asarray(cv2.medianBlur(small, _MEDIAN), np.uint8)


def _boxes(alike: Grey, letter: float, total: int) -> list[tuple[Box, bool]]:
    """The bounds of what hangs together, in pixels, and whether it fills them."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(alike, connectivity=4)
    boxes: list[tuple[Box, bool]] = []
    for x, y, width, height, count in stats[1:].tolist():
        is_large = height >= 1.2 * letter and width >= 3 * letter
        if is_large and _PARTLY * width * height <= count < _WHOLE_PAGE * total:
            inner = _without_fringe(alike, (x, y, x + width, y + height))
            is_full = inner is not None and _share(alike, inner) >= _FULL
            sides = inner if inner and is_full else (x, y, x + width, y + height)
            x0, y0, x1, y1 = (float(side * _SHRUNK) for side in sides)
            boxes.append(((x0, y0, x1, y1), is_full))
    return boxes


def _without_fringe(alike: Grey, sides: Sides) -> Sides | None:
    """A shape's bounds without what sticks out of it, as the blur of letters beside it does."""
    x0, y0, x1, y1 = sides
    inside = alike[y0:y1, x0:x1] > 0
    rows = np.flatnonzero(inside.mean(axis=1) >= _PARTLY)
    columns = np.flatnonzero(inside.mean(axis=0) >= _PARTLY)
    if not rows.size or not columns.size:
        return None
    left, right, top, bottom = (int(each) for each in (*columns[[0, -1]], *rows[[0, -1]]))
    return (x0 + left, y0 + top, x0 + right + 1, y0 + bottom + 1)


def _share(alike: Grey, sides: Sides) -> float:
    x0, y0, x1, y1 = sides
    return cv2.countNonZero(alike[y0:y1, x0:x1]) / ((x1 - x0) * (y1 - y0))


def _is_shade(grey: Grey, box: Box, shade: int) -> bool:
    """Whether enough of a box has the shade close by.

    Lines of small letters look shaded from afar.
    """
    x0, y0, x1, y1 = (round(side) for side in box)
    inner = cv2.inRange(grey[y0:y1, x0:x1], shade - _SPREAD - 2, shade + _SPREAD + 2)
    return bool(cv2.countNonZero(inner) >= _OWN * inner.size)


def _whole(grey: Grey, box: Box, shade: int) -> Box | None:
    """A box as far to both sides as its shade runs above and below its letters.

    Bold or close letters part a shade on the shrunk picture, in pieces that are not full.
    """
    x0, y0, x1, y1 = (round(side) for side in box)
    runs = [
        max((_run(row, x0, x1) for row in rows), key=lambda run: run[1] - run[0])
        for at in (y0, y1)
        for rows in [_alike(grey[max(0, at - _RIM) : at + _RIM], shade)]
    ]
    (left, right), (low, high) = runs
    level = max(abs(left - low), abs(right - high)) <= _SHRUNK
    return (float(left), box[1], float(right), box[3]) if left < right and level else None


def _run(row: NDArray[np.bool_], x0: int, x1: int) -> tuple[int, int]:
    """From where to where a row is shaded around two places, without a break."""
    breaks = np.flatnonzero(~row)
    place = int(np.searchsorted(breaks, (x0 + x1) // 2))
    left = int(breaks[place - 1]) + 1 if place else 0
    right = int(breaks[place]) if place < len(breaks) else len(row)
    return (left, right) if left <= x0 + _SHRUNK and right >= x1 - _SHRUNK else (x0, x0)


def _alike(rows: Grey, shade: int) -> NDArray[np.bool_]:
    return np.abs(rows.astype(np.int16) - shade) <= _SPREAD + 2


def _sharp(grey: Grey, box: Box, contrast: int) -> Box | None:
    """The box with its edges where the picture changes most; None when one of them fades."""
    x0, y0, x1, y1 = (round(side) for side in box)
    rows, columns = grey[:, x0:x1], grey[y0:y1]
    least = max(_LEAST / 2, _STEP * contrast)
    left, top = _edge(columns, x0, 0, least), _edge(rows, y0, 1, least)
    right, bottom = _edge(columns, x1, 0, least), _edge(rows, y1, 1, least)
    if left is None or top is None or right is None or bottom is None:
        return None
    return (left, top, right, bottom) if left < right and top < bottom else None


def _edge(part: Grey, at: int, is_row: int, least: float) -> float | None:
    """Where the rows, or the columns, of a part change most near a place, and enough."""
    size = part.shape[0] if is_row else part.shape[1]
    if at <= _SEARCHED or at >= size - _SEARCHED:
        return float(at)  # the page's own edge
    near = part if is_row else part.T
    near = near[at - _SEARCHED : at + _SEARCHED + 1].astype(np.int16)
    near = near[:, :: max(1, near.shape[1] // _SAMPLED)]
    # Along most of an edge, not at some letters that end there.
    steps = np.percentile(np.abs(np.diff(near, axis=0)), 100 * (1 - _MOSTLY), axis=1)
    if steps.max() < least:
        return None
    return float(at - _SEARCHED + 1 + int(np.argmax(steps)))
