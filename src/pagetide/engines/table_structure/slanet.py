"""The SLANet family: a picture of a table to HTML tokens, and a box for each cell.

Source: PP-StructureV2 (arXiv 2210.05391) §3.3, and the description that is exported with the
models: the picture is made as large as fits a square, its bytes normalised, the rest is zero.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.document import Table
from pagetide.engines.layout.named_runtimes import NamedRuntime
from pagetide.engines.table_structure.description import END, START, Description
from pagetide.engines.table_structure.grid import Token, table_of
from pagetide.errors import EngineFailed
from pagetide.geometry import Polygon, polygon_of

_CELLS = ("<td>", "<td", "<td></td>")
_BOX, _CORNERS = 4, 8


class SlaNet:
    """See `TableStructure`."""

    def __init__(self, runtime: NamedRuntime, sha256: str, description: Description) -> None:
        self.name, self.sha256, self.runtime = description.name, sha256, runtime.name
        self._runtime, self._description = runtime, description
        self._mean = 255 * np.array(description.mean, np.float32)
        self._deviation = 255 * np.array(description.deviation, np.float32)

    def cells(self, pixels: NDArray[np.uint8]) -> Table:
        """See `TableStructure`."""
        if not pixels.size:
            return table_of([])
        side = self._description.side
        picture, scale = self._prepared(pixels)
        # The only input, whatever it is called.
        outputs = self._runtime.run(defaultdict(lambda: picture))
        boxes, chances = self._outputs_of(outputs)
        height, width = pixels.shape[:2]
        whole = (side / scale, side / scale) if self._description.is_padded else (width, height)
        return table_of(self._tokens(boxes, chances, whole, (width, height)))

    def _prepared(self, pixels: NDArray[np.uint8]) -> tuple[NDArray[np.float32], float]:
        """The network's picture, and how much larger it is than the table's own."""
        side = self._description.side
        height, width = pixels.shape[:2]
        scale = side / max(height, width)
        size = (max(1, int(width * scale)), max(1, int(height * scale)))
        square = np.zeros((side, side, 3), np.float32)
        square[: size[1], : size[0]] = (cv2.resize(pixels, size) - self._mean) / self._deviation
        return np.ascontiguousarray(square.transpose(2, 0, 1)[np.newaxis]), scale

    def _outputs_of(
        self, outputs: Any
    ) -> tuple[NDArray[np.float32] | None, NDArray[np.float32]]:
        """The boxes and the tokens' chances: steps × 4 or 8, steps × tokens.

        Exports differ in which comes first, and some have no boxes.
        """
        boxes = chances = None
        for output in outputs:
            if output.ndim == 3 and output.shape[2] == len(self._description.tokens):
                chances = output[0]
            elif output.ndim == 3 and output.shape[2] in (_BOX, _CORNERS):
                boxes = output[0]
        if chances is None or (boxes is not None and len(boxes) != len(chances)):
            raise EngineFailed(f"The network {self.name} does not match its description.")
        return boxes, chances

    def _tokens(
        self,
        boxes: NDArray[np.float32] | None,
        chances: NDArray[np.float32],
        whole: tuple[float, float],
        size: tuple[int, int],
    ) -> list[Token]:
        tokens: list[Token] = []
        for step, best in enumerate(chances.argmax(axis=1).tolist()):
            text = self._description.tokens[best]
            if text == END and step:
                break
            if text in (START, END):
                continue
            is_cell = text in _CELLS and boxes is not None
            tokens.append(
                Token(
                    text=text,
                    confidence=_confidence(float(chances[step, best])),
                    polygon=_polygon(boxes[step], whole, size)  # type: ignore[index]
                    if is_cell
                    else None,
                )
            )
        return tokens


def _confidence(chance: float) -> float | None:
    return round(chance, 4) if 0 <= chance <= 1 else None


def _polygon(
    numbers: NDArray[np.float32], whole: tuple[float, float], size: tuple[int, int]
) -> Polygon | None:
    """A cell's place in the table's pixels; None for one that says none.

    Args:
        numbers: Two corners or four, x before y, in shares of `whole`.
        whole: Width and height in pixels.
        size: Of the table's picture, beyond which nothing lies.
    """
    points = np.asarray(numbers, float).reshape(-1, 2) * whole
    if not np.isfinite(points).all() or not points.any():
        return None
    points = np.clip(points, 0, size)
    corners = tuple((round(x, 2), round(y, 2)) for x, y in points.tolist())
    if len(corners) == 2:
        (x0, y0), (x1, y1) = corners
        return polygon_of((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))
    return corners
