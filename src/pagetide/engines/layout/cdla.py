"""The CDLA layout model: a small PicoDet that names ten kinds of area."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.engines.layout import picodet
from pagetide.engines.layout.runtime import Normal, Runtime
from pagetide.engines.layout.weights import NAME, Weights
from pagetide.geometry import polygon_of
from pagetide.layout import Area
from pagetide.layout.labels import kind_of

WIDTH, HEIGHT = 608, 800
LABELS = (  # the file's own metadata lists them so
    "text",
    "title",
    "figure",
    "figure_caption",
    "table",
    "table_caption",
    "header",
    "footer",
    "reference",
    "equation",
)
# The means and deviations of ImageNet's channels, as the model was trained with.
NORMAL = Normal(
    centre=tuple(255 * mean for mean in (0.485, 0.456, 0.406)),
    scale=tuple(1 / (255 * deviation) for deviation in (0.229, 0.224, 0.225)),
)
LEAST = 0.5
OVERLAP = 0.5


class CdlaLayout:
    """Finds a page's areas; see `Layout`."""

    name = NAME

    def __init__(self, runtime: Runtime, weights: Weights) -> None:
        self._runtime = runtime
        self.runtime = runtime.name
        self.sha256 = weights.sha256

    def find(
        self, pixels: NDArray[np.uint8], *, least: float = LEAST, across: bool = True
    ) -> tuple[Area, ...]:
        """The page's areas, the surest first.

        Args:
            pixels: The page: height × width × 3, blue-green-red.
            least: Areas of less confidence (0–1) are left out.
            across: Whether of two areas in one place only the surer stays though their labels
                differ.

        Raises:
            EngineFailed: The runtime failed.
        """
        height, width = pixels.shape[:2]
        seen = cv2.resize(pixels, (WIDTH, HEIGHT), interpolation=_interpolation(pixels))
        found = picodet.decoded(
            self._runtime.run(np.asarray(seen, np.uint8)[np.newaxis]),
            (WIDTH, HEIGHT),
            least=least,
            overlap=OVERLAP,
            across=across,
        )
        back = np.array((width / WIDTH, height / HEIGHT) * 2, np.float32)
        return tuple(
            Area(
                label=LABELS[number],
                kind=kind_of("cdla", LABELS[number]),
                polygon=polygon_of((x0, y0, x1, y1)),
                confidence=round(float(confidence), 4),
            )
            for (x0, y0, x1, y1), number, confidence in zip(
                (found.boxes * back).tolist(), found.classes, found.confidences, strict=True
            )
        )

    def close(self) -> None:
        """Nothing is held but memory."""


def _interpolation(pixels: NDArray[np.uint8]) -> int:
    """Averaging where the page is much larger: else thin strokes fall between the samples."""
    large = pixels.shape[0] > 2 * HEIGHT
    return int(cv2.INTER_AREA if large else cv2.INTER_LINEAR)
