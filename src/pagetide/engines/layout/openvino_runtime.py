"""A layout network on OpenVINO: bf16 where the CPU multiplies it in hardware, else f32."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.layout.runtime import THREADS, Normal
from pagetide.engines.layout.weights import Weights
from pagetide.engines.networks import openvino_pixels
from pagetide.engines.networks.compiled_cache import digest_of
from pagetide.engines.networks.cores import Cores
from pagetide.engines.networks.openvino_networks import Networks
from pagetide.engines.networks.quiet_openvino import ov


class OpenVinoRuntime:
    """See `runtime.Runtime`."""

    def __init__(
        self,
        weights: Weights,
        normal: Normal,
        cores: Cores,
        *,
        bf16: bool,
        cache_folder: Path | None,
    ) -> None:
        self.name = f"openvino {'bf16' if bf16 else 'f32'}"
        self._cores = cores
        networks = Networks(
            cores.count,
            bf16=bf16,
            cache_folder=cache_folder,
            made_from=(weights.sha256, repr(normal), digest_of(openvino_pixels.__file__)),
        )

        def build() -> ov.Model:
            model = networks.core.read_model(weights.file)
            return openvino_pixels.taking_pixels(model, normal.centre, normal.scale)

        streams = max(1, cores.count // THREADS)
        self._network = networks.opening("layout", build, streams)

    def run(self, pixels: NDArray[np.uint8]) -> Sequence[NDArray[Any]]:
        """See `runtime.Runtime`."""
        network = self._network.result()
        with self._cores.lend(THREADS):
            return network.infer(pixels)
