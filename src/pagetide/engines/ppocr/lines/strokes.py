"""Lone strokes that the detector takes for dirt: a dash, a `1` or an `l` alone in a cell.

Of the words of drawn pages it misses these and hardly any other. What distinguishes one
from dirt and drawings is where it stands: in line with text beside it, in a column with text
above or below, and by itself. So only the empty places of such lines are looked at,
and the recogniser has the last word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.engines.pixels.ink import darkest, upper_median
from pagetide.engines.ppocr.detection import Quads
from pagetide.engines.ppocr.lines.decode import ReadLine

CONTRAST = 40  # of 255, between paper and ink
INK = 0.45  # of the way from the paper to the darkest: what is darker is ink
# In heights of the box beside it, which is half as high again as its capitals:
DASH_LENGTH, DASH_WEIGHT = (0.15, 1.0), 0.17
STEM_HEIGHT, STEM_WIDTH = (0.38, 0.8), 0.45
LEVEL = 0.22  # from the middle of its line, at most
APART = 0.3  # from the box beside it, at least
SPECKS = 0.02  # of its height squared: less ink is dirt
CLEAR = 0.2, 0.12  # beside and above it is nothing else
COLUMN = 0.5  # from the column's text, across, at most
CELLS = 2  # of a row have been found: other lines are prose
NEAR = 10.0  # to that text, down or up, at most
ALIKE = 1.6  # times as high may the column's text be, or this beside it
ROOM = 0.4  # of its height that the box around it has on both sides
DASHES = ("-", "–", "—", "−")
SURE_DASH, SURE_LETTER = 0.7, 0.95  # of drawings it was 0.53 and 0.89 at most
WIDE = 0.6  # is the room for one, at least
STEP = 0.2  # how finely a line's places are distinguished


class _Rows(NamedTuple):
    """Boxes of text, levelled: left, right, middle and height, in pixels of the page."""

    left: NDArray[np.float64]
    right: NDArray[np.float64]
    middle: NDArray[np.float64]
    height: NDArray[np.float64]
    slope: float


class _Place(NamedTuple):
    """Where nothing was found: left, right, the middle of its line and that one's height."""

    left: float
    right: float
    middle: float
    height: float


class _Stroke(NamedTuple):
    """The pixel where one begins, how far from the middle of its line it is, and its box."""

    at: tuple[int, int]
    off: float
    box: NDArray[np.float64]


def lone_strokes(pixels: NDArray[np.uint8], quads: Quads) -> Quads:
    """Boxes around what may be a letter or a dash by itself, and is in no box.

    Args:
        pixels: The page, upright: height × width × 3.
        quads: Boxes of text on it, as `Quads` are.

    Returns:
        As high as the lines that they stand in.
    """
    rows = _rows(quads)
    found = [each for place in _places(rows) for each in _strokes(pixels, place, rows.slope)]
    # What stands between two lines is the nearer one's: the last of a place is kept.
    nearest = {each.at: each.box for each in sorted(found, key=lambda each: -each.off)}
    return np.array([*nearest.values()], np.float32).reshape(-1, 4, 2)


def is_sure(line: ReadLine) -> bool:
    """Whether what was read in such a box is a dash, or one letter or figure beyond doubt."""
    if line.text in DASHES:
        return line.confidence >= SURE_DASH
    return len(line.text) == 1 and line.text.isalnum() and line.confidence >= SURE_LETTER


def _rows(quads: Quads) -> _Rows:
    along, down = quads[:, 1] - quads[:, 0], quads[:, 3] - quads[:, 0]
    width, height = np.linalg.norm(along, axis=1), np.linalg.norm(down, axis=1)
    long = width > 2 * height
    slope = float(np.median(along[long, 1] / along[long, 0])) if long.any() else 0.0
    middle = quads.mean(axis=1)
    level = middle[:, 1] - slope * middle[:, 0]
    order = np.argsort(level)
    order = order[width[order] > height[order] / 2]
    return _Rows(
        left=quads[order][:, [0, 3], 0].min(axis=1).astype(np.float64),
        right=quads[order][:, [1, 2], 0].max(axis=1).astype(np.float64),
        middle=level[order].astype(np.float64),
        height=height[order].astype(np.float64),
        slope=slope,
    )


def _places(rows: _Rows) -> Iterator[_Place]:
    """The empty places in line with text, above or below other text."""
    last = -np.inf
    for middle, height in zip(rows.middle.tolist(), rows.height.tolist(), strict=True):
        if middle - last < LEVEL * height:  # of the same line
            continue
        last = middle
        near = slice(*np.searchsorted(rows.middle, middle + np.array([-NEAR, NEAR]) * height))
        left, right, high = rows.left[near], rows.right[near], rows.height[near]
        beside = np.abs(rows.middle[near] - middle) < (high + height) * 0.4
        if np.count_nonzero(beside) < CELLS:
            continue
        column = (high < ALIKE * height) & (high * ALIKE > height) & ~beside
        steps = int(right.max() / (STEP * height)) + 8
        taken = _covered(left[beside], right[beside], height, APART, steps) > 0
        free = (_covered(left[column], right[column], height, COLUMN, steps) > 0) & ~taken
        edges = np.flatnonzero(free[1:] != free[:-1]) + 1
        for start, end in edges.reshape(-1, 2) * STEP:
            if end - start >= WIDE:
                yield _Place(float(start * height), float(end * height), middle, height)


def _covered(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    height: float,
    around: float,
    steps: int,
) -> NDArray[np.int32]:
    """How many boxes, and so much around them, cover each step of a line; none the last."""
    step = STEP * height
    starts = np.maximum((left - around * height) / step, 1).astype(np.intp)
    ends = np.minimum((right + around * height) / step + 1, steps - 1).astype(np.intp)
    changes = np.bincount(starts, minlength=steps) - np.bincount(ends, minlength=steps)
    return np.asarray(np.cumsum(changes), np.int32)


def _strokes(pixels: NDArray[np.uint8], place: _Place, slope: float) -> Iterator[_Stroke]:
    """What stands by itself in an empty place as a stroke does."""
    high = place.height
    ends = [place.middle + slope * x for x in (place.left, place.right)]
    left, top = max(0, round(place.left)), max(0, round(min(ends) - high / 2))
    part = pixels[top : round(max(ends) + high / 2), left : round(place.right)]
    if not part.size or int(part.max()) - int(part.min()) < CONTRAST:
        return
    grey = darkest(part)
    paper, ink = float(upper_median(grey.ravel())), float(grey.min())
    if paper - ink < CONTRAST:
        return
    dark = np.asarray(grey < paper - INK * (paper - ink), np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=8)
    beside, above = (round(part * high) for part in CLEAR)
    stats = stats[1:]
    for x, y, w, h, area in stats[_are_strokes(*stats[:, 2:4].T / high)].tolist():
        if min(x, y) == 0 or x + w == dark.shape[1] or y + h == dark.shape[0]:
            continue  # it is cut
        across, down = left + x + w / 2, top + y + h / 2
        off = down - place.middle - slope * across
        around = dark[max(0, y - above) : y + h + above, max(0, x - beside) : x + w + beside]
        others = cv2.countNonZero(around) - area
        if abs(off) < LEVEL * high and others <= SPECKS * high * high:
            box = _box(left + x, left + x + w, place, slope)
            yield _Stroke((left + x, top + y), abs(off), box)


def _are_strokes(wide: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which of these sizes, in heights of a line's box, are those of a dash or a stem."""
    long, tall = DASH_LENGTH, STEM_HEIGHT
    dash = (long[0] <= wide) & (wide <= long[1]) & (high <= np.minimum(DASH_WEIGHT, wide / 1.5))
    stem = (tall[0] <= high) & (high <= tall[1]) & (wide <= np.minimum(STEM_WIDTH, high / 1.3))
    return np.asarray(dash | stem)


def _box(left: float, right: float, place: _Place, slope: float) -> NDArray[np.float64]:
    room, high = ROOM * place.height, place.height
    corners = (left - room, -0.5), (right + room, -0.5), (right + room, 0.5), (left - room, 0.5)
    return np.array([(x, place.middle + slope * x + part * high) for x, part in corners])
