"""What the pipeline needs from a runtime, whichever library runs the networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.ppocr.first_stage.letters import FirstFrames
from pagetide.engines.ppocr.lines.crops import FRAME, Crop
from pagetide.errors import EngineFailed


@dataclass(frozen=True, kw_only=True)
class Frames:
    """What the recogniser says of a batch, read with its first head.

    Attributes:
        classes: Lines × frames, int32: the best class among those the head keeps, numbered
            as in the full dictionary.
        confidences: Lines × frames, float32: its probability among the kept classes, 0–1.
        scores: Lines × frames, float32: its logit, which shows whether the full head may
            know better.
        features: Lines × frames × channels, float32: what every head reads from.
    """

    classes: NDArray[np.int32]
    confidences: NDArray[np.float32]
    scores: NDArray[np.float32]
    features: NDArray[np.float32]


def only_head(
    classes: NDArray[np.int32], confidences: NDArray[np.float32], *, width: int
) -> Frames:
    """What a recogniser without a Latin head says, which is final.

    Args:
        classes: Lines × frames.
        confidences: Likewise.
        width: Of the lines that it read, in pixels.

    Raises:
        EngineFailed: Its frames are not of the width that frames have.
    """
    if abs(classes.shape[1] * FRAME - width) > FRAME:
        raise EngineFailed("The recognizer is of an unknown kind.")
    nothing = np.empty((*classes.shape, 0), np.float32)
    return Frames(
        classes=classes,
        confidences=confidences,
        scores=np.full(classes.shape, np.inf, np.float32),
        features=nothing,
    )


class Runtime(Protocol):
    """Runs the two networks. Every method may be called from several threads at once."""

    name: str  # with the precision, as the result names it
    latin_first: bool
    """Whether the first head is a Latin one; else it is the only one, and knows all classes."""
    side_by_side: int
    """How many batches of lines it reads at a time."""
    staged: bool
    """Whether reading by stages is sooner; not on a GPU, which is done before it is asked."""

    @property
    def characters(self) -> tuple[str, ...]:
        """The full dictionary; class 0 is the blank."""
        ...

    def detect(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The probability that shrunk text covers each pixel: height × width, 0–1.

        Args:
            pixels: Height × width × 3, blue-green-red; both sides multiples of 32.
        """
        ...

    def fits(self, width: int) -> int:
        """How many lines of a width in pixels it is to be given at once, at least one."""
        ...

    def recognise(self, crops: Sequence[Crop]) -> Frames:
        """Read lines with the first head.

        Args:
            crops: As many as fit, of about equal width.

        Returns:
            Frames for every 8 pixels of the widest; those past a line's own end mean nothing.
        """
        ...

    @property
    def first_characters(self) -> tuple[str, ...]:
        """The first stage's letters; class 0 is the blank."""
        ...

    def read_first(self, crops: Sequence[Crop]) -> FirstFrames:
        """Read lines with the cascade's first stage, which is there where reading is staged.

        Args:
            crops: As for `recognise`.
        """
        ...

    def read_fully(
        self, features: NDArray[np.float32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The best class of the whole dictionary for each frame, and its probability.

        It is there where the first head is a Latin one.

        Args:
            features: Frames × channels, as `recognise` gave them.
        """
        ...
