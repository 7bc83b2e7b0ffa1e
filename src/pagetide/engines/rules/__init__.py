"""Rules and shades on a page's picture: what is drawn on it besides letters and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pagetide.layout import NOTHING_DRAWN, Drawn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FEWEST_PIXELS = 16  # of a side: in a smaller picture nothing is distinct


def find_rules(grey: NDArray[np.uint8], angle: float = 0.0) -> Drawn:
    """The rules of a page's picture and its shaded boxes, in its pixels.

    Rules are dark lines on light ground or light lines on shaded ground, whole, broken,
    dashed or dotted, and the edges of shaded boxes, these with a thickness of 0. They run
    along the text or across it: longer than two lines of text are high along it, across it
    longer than four letters are high, or half as long where they meet another rule.

    Args:
        grey: Height × width, as `ink.darkest` makes it: coloured lines stand out.
        angle: How far the text runs askew: radians clockwise.
    """
    if min(grey.shape) < _FEWEST_PIXELS:
        return NOTHING_DRAWN
    from pagetide.engines.rules.page import look

    return look(grey, angle)
