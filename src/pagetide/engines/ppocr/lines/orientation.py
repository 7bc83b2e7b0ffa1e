"""The orientation of a page and its lines, from the boxes and from how well they read.

The models are trained on upright text. Sideways pages show in the boxes, which stand instead
of lying; upside-down ones only in the reading: on 8 pages the mean confidence of upright text
was 0.93 to 1.00, of the same text upside down 0.61 to 0.78. No line is turned by itself on
the word of a classifier: that flips good lines (9.7 points of errors on one page).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.ppocr.detection import Quads
from pagetide.engines.ppocr.lines.crops import is_tall
from pagetide.engines.ppocr.lines.decode import ReadLine

SAMPLE = 8  # lines read both ways to tell up from down
DOUBTFUL = 0.87  # a page that reads worse on average is tried upside down
UNREAD = 0.1  # of the ink of lines on average: with more they are not read, whichever way
MARGIN = 0.05  # and is taken to be so when that reads better by this


def stands_sideways(quads: Quads) -> bool:
    """Whether most of the page's text, by length, runs up or down the page."""
    lengths = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2).max(axis=1)
    tall = np.array([is_tall(quad) for quad in quads], bool)
    return bool(lengths[tall].sum() > lengths.sum() / 2)


def sample(quads: Quads) -> list[int]:
    """Places of the most telling boxes: the longest ones, for they hold most letters."""
    lengths = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
    return [int(i) for i in np.argsort(-lengths, kind="stable")[:SAMPLE]]


def mean_confidence(lines: Sequence[ReadLine]) -> float:
    """The lines' mean confidence, each weighted by its letters; 0 where there are none."""
    letters = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / letters if letters else 0.0


def reads_better_turned(straight: Sequence[ReadLine], turned: Sequence[ReadLine]) -> bool:
    """Whether lines read clearly better upside down than as they stand.

    Of a script that the network cannot read the confidence says nothing.
    """
    if sum(line.unread for line in turned) > UNREAD * len(turned):
        return False
    return mean_confidence(turned) > mean_confidence(straight) + MARGIN


def upright(pixels: NDArray[np.uint8], degrees: int) -> NDArray[np.uint8]:
    """A copy of a page, whose content stands turned clockwise by `degrees`, turned back."""
    return np.ascontiguousarray(np.rot90(pixels, degrees // 90))
