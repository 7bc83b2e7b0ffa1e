"""How high a page's letters are, from its picture alone."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.engines.pixels.ink import dark_spots
from pagetide.engines.rules.components import component_boxes

_USUAL = 16.0  # pixels: letters of 11 points at 144 dpi
_FEWEST, _MANY = 20, 200
_TALL = 500  # pixels
_LOWEST, _HIGHEST = 6.0, 60.0
_CONTRAST = 12


def letter_height(grey: NDArray[np.uint8]) -> float:
    """Pixels from the foot of a page's capitals to their top, roughly.

    Three quarters of what stands apart on the page is no higher, of what may be a letter.

    Args:
        grey: Height × width.
    """
    rows = grey.shape[0] // 2
    heights = _heights(grey[rows // 2 : rows // 2 + rows]) if rows >= _TALL else None
    if heights is None or heights.size < _MANY:  # of the middle of the page alone
        heights = _heights(grey)
    if heights.size < _FEWEST:
        return _USUAL
    return float(np.percentile(heights, 75))


def _heights(grey: NDArray[np.uint8]) -> NDArray[np.int32]:
    """The heights of what may be letters, in pixels."""
    rows, columns = (size // 2 for size in grey.shape)
    small = cv2.resize(
        grey[: 2 * rows, : 2 * columns], (columns, rows), interpolation=cv2.INTER_AREA
    )
    ink = dark_spots(np.asarray(small, np.uint8), 15, _CONTRAST)
    width, height = (2 * sides for sides in component_boxes(ink).T[2:])
    is_letter = (height >= _LOWEST) & (height <= _HIGHEST) & (width < 3 * height)
    return np.asarray(height[is_letter & (width * 6 > height)], np.int32)
