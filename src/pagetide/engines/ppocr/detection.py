"""From a page picture to the detector's input, and from its map to text boxes.

The detector is a differentiable-binarisation network: it gives, for each input pixel, the
probability that a *shrunk* text area covers it. Boxes are found around the connected areas
and grown back.

Source: Liao et al., "Real-time Scene Text Detection with Differentiable Binarization"
(arXiv:1911.08947); the constants are those that PP-OCRv6 small is commonly run with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

TEXT_PROBABILITY = 0.3  # a pixel above it is text
BOX_PROBABILITY = 0.5  # an area whose mean is below it is not text
# What is text, but fills no rectangle, falls apart where the network is less sure: a line and
# the index above it, two lines that touch.
CUTS = (0.6, 0.8)
GROWTH = 1.6  # area × growth / perimeter: how far a shrunk box is grown on each side
SMALLEST_SIDE = 3.0  # of a shrunk box, in input pixels
LOW_LINE = 14.0  # pixels of the map: lines lower than that are found badly
HIGH_LINE = 20.0  # and well when they are so high
MOST_CLOSER = 2  # times the side of the first look, at most
MOST_BOXES = 4000  # a page of noise gives more; the largest are kept and the rest counted

Contour = NDArray[np.int32]
Quads = NDArray[np.float32]
"""n × 4 × 2, page pixels: top left, top right, bottom right, bottom left as they lie."""


def input_size(
    height: int, width: int, *, long_side: int, short_side: int = 736
) -> tuple[int, int]:
    """The size at which a page is searched for text: height and width, multiples of 32.

    Args:
        height: Page pixels.
        width: Page pixels.
        long_side: A page whose longer side has more pixels is scaled down to it.
        short_side: A page whose shorter side has fewer pixels is scaled up to it, but never
            past `long_side`: small print in a small picture is found only enlarged.
    """
    scale = min(max(1.0, short_side / min(height, width)), long_side / max(height, width))
    return _multiple_of_32(height * scale), _multiple_of_32(width * scale)


def low_line(quads: Quads) -> float:
    """The height, in page pixels, that a quarter of the text by length stays below.

    0 where there is none.
    """
    if not len(quads):
        return 0.0
    widths = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
    heights = np.linalg.norm(quads[:, 3] - quads[:, 0], axis=1)
    across, high = np.maximum(widths, heights), np.minimum(widths, heights)
    order = np.argsort(high)
    lengths = np.cumsum(across[order])
    return float(high[order][np.searchsorted(lengths, lengths[-1] / 4)])


def closer_side(line: float, own: int, long_side: int) -> int | None:
    """The longest side at which a page is to be searched again, or None if once was enough.

    Lines that stand too low on the map run together or are missed: on sheets of 2,300 to
    8,300 words 98 % were found where lines were 15.6 pixels high on the map, 82 to 87 % at
    12.8 and 52 % at 10.4. A page in which a quarter of the text stands lower than that is
    searched at the size that makes it high enough, as far as the picture and the limit go.

    Args:
        line: `low_line` of what was found at `long_side`.
        own: The page's longest side, in pixels.
        long_side: As given to `input_size`.
    """
    low = line * long_side / own
    if not 0 < low < LOW_LINE or own <= long_side:
        return None
    return min(own, MOST_CLOSER * long_side, round(long_side * HIGH_LINE / low))


def _multiple_of_32(side: float) -> int:
    return max(32, round(side / 32) * 32)


def find_boxes(probability: NDArray[np.float32], height: int, width: int) -> tuple[Quads, int]:
    """Boxes around the text areas of a probability map, in page pixels.

    Args:
        probability: Map height × map width, 0–1.
        height: The page's, in pixels; the map may be of another size.
        width: Likewise.

    Returns:
        The boxes in reading order of their top edges, and how many were left out because
        the page held more than `MOST_BOXES`.
    """
    contours = _contours((probability > TEXT_PROBABILITY).astype(np.uint8))
    dropped = max(0, len(contours) - MOST_BOXES)
    if dropped:
        contours = sorted(contours, key=cv2.contourArea, reverse=True)[:MOST_BOXES]
    found = [quad for contour in contours for quad in _grown_boxes(contour, probability, CUTS)]
    if not found:
        return np.empty((0, 4, 2), np.float32), dropped
    quads = np.stack(found)
    map_height, map_width = probability.shape
    quads *= np.array([width / map_width, height / map_height], np.float32)
    return _in_order(_clipped(quads, height, width)), dropped


def _grown_boxes(
    contour: Contour, probability: NDArray[np.float32], cuts: Sequence[float]
) -> Iterator[NDArray[np.float32]]:
    """The box of an area; those of its parts where it fills too little of its own."""
    middle, (side_a, side_b), angle = cv2.minAreaRect(contour)
    if min(side_a, side_b) < SMALLEST_SIDE:
        return
    shrunk = cv2.boxPoints((middle, (side_a, side_b), angle))
    if _mean_inside(shrunk, probability) < BOX_PROBABILITY:
        for part in _parts(contour, probability, cuts[0]) if cuts else ():
            yield from _grown_boxes(part, probability, cuts[1:])
        return
    margin = side_a * side_b * GROWTH / (2 * (side_a + side_b))
    grown = cv2.boxPoints((middle, (side_a + 2 * margin, side_b + 2 * margin), angle))
    yield _as_it_lies(np.asarray(grown, np.float32))


def _parts(contour: Contour, probability: NDArray[np.float32], cut: float) -> Sequence[Contour]:
    """Where an area is surer than `cut`, if it is text at all by its own pixels."""
    x, y, width, height = cv2.boundingRect(contour)
    there = probability[y : y + height, x : x + width]
    own = np.zeros(there.shape, np.uint8)
    cv2.drawContours(own, [contour], -1, 1, cv2.FILLED, offset=(-x, -y))
    if cv2.mean(there, own)[0] < BOX_PROBABILITY:
        return ()
    return _contours(own & (there > cut), offset=(x, y))


def _contours(mask: NDArray[np.uint8], offset: tuple[int, int] = (0, 0)) -> Sequence[Contour]:
    thick = cv2.dilate(mask, np.ones((2, 2), np.uint8))
    found, _ = cv2.findContours(thick, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE, offset=offset)
    return [np.asarray(contour, np.int32) for contour in found]


def _mean_inside(quad: NDArray[np.float32], probability: NDArray[np.float32]) -> float:
    height, width = probability.shape
    x0, y0 = np.maximum(np.floor(quad.min(axis=0)).astype(int), 0)
    x1, y1 = np.ceil(quad.max(axis=0)).astype(int) + 1
    part = probability[y0 : min(y1, height), x0 : min(x1, width)]
    if part.size == 0:
        return 0.0
    inside = np.zeros(part.shape, np.uint8)
    cv2.fillPoly(inside, [(quad - (x0, y0)).astype(np.int32)], 1)
    return float(cv2.mean(part, inside)[0])


def _as_it_lies(quad: NDArray[np.float32]) -> NDArray[np.float32]:
    """The corners clockwise from the top left, telling left from right first."""
    by_x = quad[np.argsort(quad[:, 0], kind="stable")]
    left, right = by_x[:2], by_x[2:]
    top_left, bottom_left = left[np.argsort(left[:, 1], kind="stable")]
    top_right, bottom_right = right[np.argsort(right[:, 1], kind="stable")]
    return np.stack([top_left, top_right, bottom_right, bottom_left])


def _clipped(quads: Quads, height: int, width: int) -> Quads:
    np.clip(quads[:, :, 0], 0, width, out=quads[:, :, 0])
    np.clip(quads[:, :, 1], 0, height, out=quads[:, :, 1])
    sides = quads[:, [1, 3]] - quads[:, [0]]
    long_enough: Quads = quads[np.linalg.norm(sides, axis=2).min(axis=1) > SMALLEST_SIDE]
    return long_enough


def _in_order(quads: Quads) -> Quads:
    return quads[np.lexsort((quads[:, 0, 0], quads[:, 0, 1]))]
