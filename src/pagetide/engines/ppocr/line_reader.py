"""Read batches of lines: with the Latin head, and again in full where that is not enough."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.ppocr import batches
from pagetide.engines.ppocr.crops import Crop
from pagetide.engines.ppocr.decode import BLANK, ReadLine, decode
from pagetide.engines.ppocr.runtime import Frames, Runtime

CERTAIN_BLANK = 0.98


def read_lines(runtime: Runtime, crops: Sequence[Crop], *, full: bool) -> list[ReadLine]:
    """Read one batch.

    Args:
        runtime: Runs the networks.
        crops: 48 pixels high, of about equal width.
        full: Read every line with the whole dictionary.
    """
    frames = runtime.recognise(batches.stack(crops))
    foreign = np.ones(len(crops), bool) if full else _foreign(runtime, frames)
    if foreign.any():
        frames = _read_again(runtime, frames, np.flatnonzero(foreign))
    return [
        decode(classes, confidences, runtime.characters, crop)
        for classes, confidences, crop in zip(
            frames.classes, frames.confidences, crops, strict=True
        )
    ]


def _read_again(runtime: Runtime, frames: Frames, rows: NDArray[np.intp]) -> Frames:
    features = frames.features[rows]
    classes, confidences = runtime.read_fully(features.reshape(-1, features.shape[-1]))
    frames.classes[rows] = classes.reshape(features.shape[:2])
    frames.confidences[rows] = confidences.reshape(features.shape[:2])
    return frames


def _foreign(runtime: Runtime, frames: Frames) -> NDArray[np.bool_]:
    """Which lines hold a character that the Latin head does not know.

    The full head is asked about the frames in doubt: those with a letter, and those whose
    blank is not certain. Where it says otherwise than the Latin head, the line is foreign.
    """
    doubtful = (frames.classes != BLANK) | (frames.confidences < CERTAIN_BLANK)
    classes, _ = runtime.read_fully(frames.features[doubtful])
    foreign = np.zeros(len(frames.classes), bool)
    foreign[np.nonzero(doubtful)[0][classes != frames.classes[doubtful]]] = True
    return foreign
