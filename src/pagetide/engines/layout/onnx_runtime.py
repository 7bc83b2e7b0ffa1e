"""A layout network on ONNX Runtime: on the CPU, or on a CUDA device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from pagetide.engines.layout.runtime import THREADS, Normal
from pagetide.engines.layout.weights import Weights
from pagetide.engines.networks.cores import Cores
from pagetide.engines.networks.onnx_pixels import taking_pixels
from pagetide.engines.networks.onnx_sessions import network


class OnnxRuntime:
    """See `runtime.Runtime`."""

    def __init__(self, weights: Weights, normal: Normal, cores: Cores, *, cuda: bool) -> None:
        self.name = f"onnxruntime {'cuda' if cuda else 'cpu'}"
        self._cores = cores
        model = taking_pixels(onnx.load(weights.file), normal.centre, normal.scale)
        self._run = network(
            model.SerializeToString(), cuda=cuda, threads=min(THREADS, cores.count)
        )

    def run(self, pixels: NDArray[np.uint8]) -> Sequence[NDArray[Any]]:
        """See `runtime.Runtime`."""
        with self._cores.lend(THREADS):
            return self._run(pixels)
