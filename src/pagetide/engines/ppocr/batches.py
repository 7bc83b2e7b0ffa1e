"""Lines of like width side by side: what the recogniser reads at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.ppocr.lines.crops import LINE_HEIGHT, Crop

STEP = 32  # pixels: widths are padded to a multiple, so that few shapes occur
NARROWEST = 96  # pixels: a lone letter with less around it is misread (a dagger as 十)
PADDING = 127  # what the recogniser was trained to see past a line's end


LINES = 8  # at most on a CPU: 1 to 16 lines cost the same within 8 %
COLUMNS = 4 * 960  # pixels of width, at most, unless a line alone has more

Fits = Callable[[int], int]
"""From a width in pixels to how many lines of it are read at once, at least one."""


def on_cpu(width: int) -> int:
    """See `Fits`."""
    return max(1, min(LINES, COLUMNS // padded(width)))


def plan(widths: Sequence[int], fits: Fits, parallel: int = 1) -> list[list[int]]:
    """Which lines to read together.

    Args:
        widths: Of each line, in pixels.
        fits: How many at once.
        parallel: How many batches are read side by side: few lines are shared out among them.

    Returns:
        Places in `widths`, each once; a batch's lines are padded to its widest. The widest
        batches come first, so that the last ones to be handed out are short and all threads
        end at about the same time.
    """
    batches: list[list[int]] = []
    most = -(-len(widths) // parallel)
    for i in sorted(range(len(widths)), key=lambda i: -widths[i]):
        if batches and len(batches[-1]) < min(most, fits(widths[batches[-1][0]])):
            batches[-1].append(i)
        else:
            batches.append([i])
    return batches


def padded(width: int) -> int:
    """The width a line takes in a batch."""
    return max(NARROWEST, -(-width // STEP) * STEP)


def stack(crops: Sequence[Crop]) -> NDArray[np.uint8]:
    """The crops as one array: lines × 48 × padded width × 3."""
    width = padded(max(crop.shape[1] for crop in crops))
    batch = np.full((len(crops), LINE_HEIGHT, width, 3), PADDING, np.uint8)
    for row, crop in zip(batch, crops, strict=True):
        row[:, : crop.shape[1]] = crop
    return batch
