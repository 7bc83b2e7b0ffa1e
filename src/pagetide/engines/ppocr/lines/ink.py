"""Ink on a page where no text was found."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.engines.ppocr.detection import Quads

LOOKED_AT = 960  # pixels of the long side, at which ink is sought
INK = 50  # of 255, from the paper
MARGIN = 32  # pixels of the page around it
AROUND = 7  # pixels, as it is looked at: what stands so near to text is part of it


def elsewhere(pixels: NDArray[np.uint8], quads: Quads) -> tuple[int, int, int, int] | None:
    """The box around the ink that is in no box of text, with a margin.

    Args:
        pixels: The page: height × width × 3.
        quads: The boxes of text, in its pixels.

    Returns:
        Left, top, right and bottom in whole pixels of the page; None where there is no ink.
    """
    height, width = pixels.shape[:2]
    scale = LOOKED_AT / max(height, width, LOOKED_AT)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA).astype(np.int16)
    ink = (np.abs(small - np.median(small, axis=(0, 1))) > INK).any(axis=2).astype(np.uint8)
    for quad in quads:
        corners = np.rint(quad * scale).astype(np.int32)
        cv2.fillConvexPoly(ink, corners, 0)
        cv2.polylines(ink, [corners], isClosed=True, color=0, thickness=AROUND)
    ys, xs = np.nonzero(ink)
    if not len(xs):
        return None
    return (
        max(0, int(xs.min() / scale) - MARGIN),
        max(0, int(ys.min() / scale) - MARGIN),
        min(width, int((xs.max() + 1) / scale) + MARGIN),
        min(height, int((ys.max() + 1) / scale) + MARGIN),
    )


def is_within(quad: NDArray[np.float32], others: Quads) -> bool:
    """Whether the middle of a box lies in one of others."""
    x, y = map(float, quad.mean(axis=0))
    return any(cv2.pointPolygonTest(other, (x, y), measureDist=False) >= 0 for other in others)
