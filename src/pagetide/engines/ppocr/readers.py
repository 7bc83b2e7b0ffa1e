"""The networks of an engine, by language: opened when first needed, a few at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.ppocr.inference.runtime import Runtime
from pagetide.engines.ppocr.inference.weights import InstalledWeights, Weights
from pagetide.languages import Language

MOST = 3  # recognisers open at a time: each holds 20 to 100 MB


@dataclass(frozen=True)
class Reader:
    """A recogniser that is open, and what it is for a language."""

    weights: Weights
    runtime: Runtime


class Readers:
    """Recognisers by language, and the one detector. From any thread."""

    def __init__(
        self, installed: InstalledWeights, open_runtime: Callable[[Weights], Runtime]
    ) -> None:
        self._installed, self._open_runtime = installed, open_runtime
        self._opened: OrderedDict[str, Runtime] = OrderedDict()
        self._weights: dict[Language, Weights] = {}
        self._detecting: Runtime | None = None
        self._opening = threading.Lock()

    def reader(self, language: Language) -> Reader:
        """What reads a language.

        Raises:
            ModelUnavailable: It is not here; the message says what to run.
            RuntimeUnavailable: The runtime is not installed.
        """
        with self._opening:
            weights = self._weights.get(language) or self._installed.reading(language)
            self._weights[language] = weights
            key = weights.recogniser_name
            if key not in self._opened:
                self._opened[key] = self._open_runtime(weights)
            self._opened.move_to_end(key)
            if len(self._opened) > MOST:
                self._opened.popitem(last=False)
            runtime = self._opened[key]
            self._detecting = self._detecting or runtime
            staged = weights.staged and runtime.staged
            return Reader(replace(weights, staged=staged), runtime)

    def detect(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """See `runtime.Runtime`; all of them have the same detector, and one runs it."""
        assert self._detecting is not None  # noqa: S101 - a reader was opened first
        return self._detecting.detect(pixels)
