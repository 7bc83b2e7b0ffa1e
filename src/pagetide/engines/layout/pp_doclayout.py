"""The PP-DocLayout family: detection transformers that name twenty and more kinds of area.

Every edition takes the picture at one size together with that size and its scale, and gives
boxes of the page as rows: class, confidence, x0, y0, x1, y1, and from V2 on one or two
numbers that give the reading order. Labels and sizes stand in the model's `inference.yml`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.engines.layout.doclayout_description import Description
from pagetide.engines.layout.named_runtimes import NamedRuntime
from pagetide.engines.layout.picodet import apart
from pagetide.engines.layout.weights import Weights
from pagetide.errors import EngineFailed
from pagetide.geometry import polygon_of
from pagetide.layout import Area
from pagetide.layout.labels import kind_of

Floats = NDArray[np.float32]

# What PaddleX 3.7's pipelines ask of a box, by label; V3 asks 0.3 of every one.
LEAST = 0.5
LEAST_OF = {
    "text": 0.4,
    "vertical_text": 0.4,
    "doc_title": 0.4,
    "paragraph_title": 0.4,
    "formula": 0.4,
    "display_formula": 0.4,
    "inline_formula": 0.4,
    "seal": 0.45,
}
LEAST_OF_V3 = 0.3
SAME_LABEL, OTHER_LABEL = 0.6, 0.98  # intersection over union of boxes that are one


class PPDocLayout:
    """Finds a page's areas; see `Layout`."""

    def __init__(
        self, name: str, runtime: NamedRuntime, weights: Weights, description: Description
    ) -> None:
        self.name = name
        self.runtime = runtime.name
        self.sha256 = weights.sha256
        self._run = runtime.run
        self._description = description

    def find(self, pixels: NDArray[np.uint8]) -> tuple[Area, ...]:
        """The page's areas, the surest first; `order` is the model's where it gives one.

        Args:
            pixels: The page: height × width × 3, blue-green-red.

        Raises:
            EngineFailed: The runtime failed, or the network gives no such rows.
        """
        height, width = pixels.shape[:2]
        rows = self._rows(_table(self._run(self._fed(pixels))))
        areas = []
        for rank, row in enumerate(_ordered(rows)):
            label = self._description.labels[int(row[0])]
            x0, x1 = np.clip(row[[2, 4]], 0, width).tolist()
            y0, y1 = np.clip(row[[3, 5]], 0, height).tolist()
            areas.append(
                Area(
                    label=label,
                    kind=kind_of("paddle", label),
                    polygon=polygon_of((x0, y0, x1, y1)),
                    confidence=round(min(float(row[1]), 1.0), 4),
                    order=rank if row.size > 6 else None,
                )
            )
        return tuple(sorted(areas, key=lambda area: -(area.confidence or 0.0)))

    def close(self) -> None:
        """Nothing is held but memory."""

    def _fed(self, pixels: NDArray[np.uint8]) -> dict[str, Floats]:
        wide, high = self._description.size
        seen = cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB)
        seen = cv2.resize(seen, (wide, high), interpolation=cv2.INTER_CUBIC)
        planes = (seen.astype(np.float32) - self._description.centre) * self._description.scale
        scale = (high / pixels.shape[0], wide / pixels.shape[1])
        return {
            "image": np.ascontiguousarray(planes.transpose(2, 0, 1)[np.newaxis]),
            "im_shape": np.array([[high, wide]], np.float32),
            "scale_factor": np.array([scale], np.float32),
        }

    def _rows(self, table: Floats) -> Floats:
        """The rows sure enough, of boxes in one place the surest."""
        classes = table[:, 0].astype(int)
        known = (classes >= 0) & (classes < len(self._description.labels))
        least = np.array([self._least(label) for label in self._description.labels], np.float32)
        kept = table[known & (table[:, 1] >= least[np.where(known, classes, 0)])]
        kept = kept[np.argsort(-kept[:, 1], kind="stable")]
        alone = apart(
            kept[:, 2:6], kept[:, 0].astype(np.intp), same=SAME_LABEL, other=OTHER_LABEL
        )
        rows: Floats = kept[alone]
        return rows

    def _least(self, label: str) -> float:
        return LEAST_OF_V3 if "V3" in self.name else LEAST_OF.get(label, LEAST)


def _table(outputs: Sequence[NDArray[Any]]) -> Floats:
    """The rows among the network's outputs."""
    for output in outputs:
        if output.ndim == 2 and output.shape[1] in (6, 7, 8):
            return output.astype(np.float32)
    raise EngineFailed("The layout model returns no rows of boxes.")


def _ordered(rows: Floats) -> Floats:
    """The rows in the model's reading order, or as they come.

    V2's two numbers are a place, and among equal places a vote; V3 gives the place alone.
    """
    if rows.shape[1] == 8:
        return rows[np.lexsort((-rows[:, 7], rows[:, 6]))]
    if rows.shape[1] == 7:
        return rows[np.argsort(rows[:, 6], kind="stable")]
    return rows
