"""What a PicoDet network says of a page, as boxes with a class and a confidence.

The network looks at the page through four grids. Each of a grid's cells gives a confidence
for every class, and for each of the four edges a distribution over how far it lies from the
cell's middle. Source: PP-PicoDet (Yu et al., 2021) and the "generalized focal loss" (Li et
al., 2020), whose distribution of distances it takes over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.intp]

STRIDES = (8, 16, 32, 64)
MOST = 300  # candidates that overlaps are looked for among; a page has far fewer areas


@dataclass(frozen=True, kw_only=True)
class Detections:
    """Boxes, the surest first.

    Attributes:
        boxes: N × 4, x0, y0, x1, y1 in the network's pixels.
        classes: N numbers.
        confidences: N, 0–1.
    """

    boxes: Floats
    classes: Ints
    confidences: Floats


def decoded(
    outputs: Sequence[Floats],
    size: tuple[int, int],
    *,
    least: float,
    overlap: float,
    across: bool,
) -> Detections:
    """The boxes that the network's outputs hold.

    Args:
        outputs: Of one page: for each stride 1 × cells × classes confidences and 1 × cells ×
            4 · bins distances, in any order.
        size: The network's width and height in pixels.
        least: Boxes of less confidence (0–1) are left out.
        overlap: Of two boxes that overlap more than this (intersection over union, 0–1), the
            surer stays.
        across: Whether that is so for boxes of different classes too.
    """
    scores, distances = (_by_cells(kind) for kind in _parted(outputs))
    parts = [
        _candidates(score, distance, stride, size, least)
        for score, distance, stride in zip(scores, distances, STRIDES, strict=True)
    ]
    boxes, classes, confidences = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.argsort(-confidences, kind="stable")[:MOST]
    boxes, classes, confidences = boxes[order], classes[order], confidences[order]
    kept = apart(boxes, classes, same=overlap, other=overlap if across else 1.0)
    return Detections(boxes=boxes[kept], classes=classes[kept], confidences=confidences[kept])


def apart(boxes: Floats, classes: Ints, *, same: float, other: float) -> Ints:
    """Which boxes stay when of any two that overlap too much the first does.

    Args:
        boxes: N × 4, the surest first.
        classes: N numbers.
        same: The most intersection over union, 0–1, of two of one class that both stay.
        other: Likewise of two of different classes; 1 lets all of them.
    """
    most = np.where(classes[:, None] == classes[None, :], same, other)
    blocked = overlaps(boxes) > most
    alive = np.ones(len(boxes), bool)
    for place in range(len(boxes)):
        if alive[place]:
            alive[place + 1 :] &= ~blocked[place, place + 1 :]
    return np.flatnonzero(alive)


def overlaps(boxes: Floats) -> Floats:
    """Intersection over union of each box with each: N × N, 0–1."""
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    shared: Floats = np.prod(np.maximum(high - low, 0), axis=2, dtype=np.float32)
    areas: Floats = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1, dtype=np.float32)
    total: Floats = areas[:, None] + areas[None, :] - shared
    share: Floats = np.divide(shared, np.maximum(total, 1e-6), dtype=np.float32)
    return share


def _parted(outputs: Sequence[Floats]) -> tuple[list[Floats], list[Floats]]:
    """Confidences and distances: of each pair of one grid, the wider are the distances."""
    widths = sorted({each.shape[-1] for each in outputs})
    return (
        [each[0] for each in outputs if each.shape[-1] == widths[0]],
        [each[0] for each in outputs if each.shape[-1] == widths[-1]],
    )


def _by_cells(levels: list[Floats]) -> list[Floats]:
    return sorted(levels, key=len, reverse=True)


def _candidates(
    scores: Floats, distances: Floats, stride: int, size: tuple[int, int], least: float
) -> tuple[Floats, Ints, Floats]:
    """Boxes, classes and confidences that one grid's cells give."""
    cells, classes = np.nonzero(scores > least)
    bins = distances[cells].reshape(len(cells), 4, distances.shape[1] // 4)
    odds = np.exp(bins - bins.max(axis=2, keepdims=True))
    reach = (odds @ np.arange(bins.shape[2], dtype=np.float32)) / odds.sum(axis=2) * stride
    columns = -(-size[0] // stride)
    x = (cells % columns + 0.5) * stride
    y = (cells // columns + 0.5) * stride
    edges = (x - reach[:, 0], y - reach[:, 1], x + reach[:, 2], y + reach[:, 3])
    boxes = np.stack(edges, axis=1).astype(np.float32)
    np.clip(boxes, 0, (*size, *size), out=boxes)
    return boxes, classes, scores[cells, classes]
