"""Layout networks with several inputs, by name, on either runtime.

In f32 on every processor: these networks compute page pixels, which bf16 cannot distinguish.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.layout.runtime import THREADS
from pagetide.engines.layout.weights import Weights
from pagetide.engines.networks.cores import Cores
from pagetide.engines.networks.runtimes import opened
from pagetide.settings import Settings, available_cores

Floats = NDArray[np.float32]


class NamedRuntime(Protocol):
    """Runs one network. It may be run from several threads at once."""

    name: str  # with the precision, as the result names it

    def listing(self) -> str | None:
        """The labels that the network's metadata holds, one a line; None without."""
        ...

    def run(self, given: Mapping[str, Floats]) -> Sequence[NDArray[Any]]:
        """The network's outputs.

        Args:
            given: Arrays by the inputs' names; what the network does not take is left out.

        Raises:
            EngineFailed: The runtime failed.
        """
        ...


def open_named(settings: Settings, weights: Weights, cores: Cores | None) -> NamedRuntime:
    """The network, on the runtime that the settings name; `cores` are its own unless given.

    Raises:
        PagetideError: As `runtimes.opened`.
    """
    lent = cores or Cores(settings.threads or available_cores())

    def on_openvino() -> NamedRuntime:
        return OnOpenVino(weights, lent, cache_folder=settings.cache_folder)

    def on_onnx(cuda: bool) -> NamedRuntime:
        return OnOnnx(weights, lent, cuda=cuda)

    return opened(settings.runtime, on_openvino, on_onnx)


class OnOpenVino:
    """See `NamedRuntime`."""

    name = "openvino f32"

    def __init__(self, weights: Weights, cores: Cores, *, cache_folder: Path | None) -> None:
        from pagetide.engines.networks.openvino_networks import Networks

        networks = Networks(
            cores.count, bf16=False, cache_folder=cache_folder, made_from=(weights.sha256,)
        )
        self._model = networks.core.read_model(weights.file)
        self._names = [item.get_any_name() for item in self._model.inputs]
        streams = max(1, cores.count // THREADS)
        self._network = networks.network("layout", lambda: self._model, streams)
        self._cores = cores

    def listing(self) -> str | None:
        """See `NamedRuntime`."""
        try:
            labels: str = self._model.get_rt_info(["framework", "character"]).value
        except RuntimeError:
            return None
        return labels

    def run(self, given: Mapping[str, Floats]) -> Sequence[NDArray[Any]]:
        """See `NamedRuntime`."""
        with self._cores.lend(THREADS):
            return self._network.infer(*(given[name] for name in self._names))


class OnOnnx:
    """See `NamedRuntime`."""

    def __init__(self, weights: Weights, cores: Cores, *, cuda: bool) -> None:
        from pagetide.engines.networks.onnx_sessions import session

        self.name = f"onnxruntime {'cuda' if cuda else 'cpu'}"
        self._session = session(str(weights.file), cuda=cuda, threads=min(THREADS, cores.count))
        self._names = [item.name for item in self._session.get_inputs()]
        self._cores = cores

    def listing(self) -> str | None:
        """See `NamedRuntime`."""
        held: Mapping[str, str] = self._session.get_modelmeta().custom_metadata_map
        return held.get("character")

    def run(self, given: Mapping[str, Floats]) -> Sequence[NDArray[Any]]:
        """See `NamedRuntime`."""
        from pagetide.engines.networks.onnx_sessions import run

        with self._cores.lend(THREADS):
            return run(self._session, {name: given[name] for name in self._names})
