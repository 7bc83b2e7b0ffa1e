"""Layout models: where on a page text, tables and figures stand, and what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pagetide.layout import Area
from pagetide.settings import Settings, available_cores

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from pagetide.engines.networks.cores import Cores


class Layout(Protocol):
    """Finds areas. It may be asked from several threads at once.

    Attributes:
        name: The model's.
        sha256: Of its weights.
        runtime: The library that runs it, and the precision.
    """

    name: str
    sha256: str
    runtime: str

    def find(self, pixels: NDArray[np.uint8]) -> tuple[Area, ...]:
        """The page's areas, the surest first, in pixels of the picture.

        Args:
            pixels: Height × width × 3, blue-green-red.

        Raises:
            EngineFailed: The runtime failed.
        """
        ...

    def close(self) -> None:
        """Give up what it holds."""
        ...


def open_layout(settings: Settings, cores: Cores | None = None) -> Layout:
    """The layout model that this package carries, on the runtime that the settings name.

    Args:
        settings: Threads, runtime, where compiled networks are kept.
        cores: Those of the engine that it works for; None means its own.

    Raises:
        ModelUnavailable: The installation lacks the weights.
        RuntimeUnavailable: The runtime is not installed.
        BadOption: There is no such runtime.
    """
    from pagetide.engines.layout import cdla
    from pagetide.engines.layout.runtime import Runtime
    from pagetide.engines.layout.weights import bundled
    from pagetide.engines.networks.cores import Cores
    from pagetide.engines.networks.runtimes import opened
    from pagetide.system.cpu import multiplies_bf16

    weights = bundled()
    lent = cores or Cores(settings.threads or available_cores())

    def on_openvino() -> Runtime:
        from pagetide.engines.layout.openvino_runtime import OpenVinoRuntime

        return OpenVinoRuntime(
            weights,
            cdla.NORMAL,
            lent,
            bf16=multiplies_bf16(),
            cache_folder=settings.cache_folder,
        )

    def on_onnx(cuda: bool) -> Runtime:
        from pagetide.engines.layout.onnx_runtime import OnnxRuntime

        return OnnxRuntime(weights, cdla.NORMAL, lent, cuda=cuda)

    return cdla.CdlaLayout(opened(settings.runtime, on_openvino, on_onnx), weights)


def open_pp_doclayout(folder: Path, settings: Settings, cores: Cores | None = None) -> Layout:
    """A model of the PP-DocLayout family that was pulled, on the runtime of the settings.

    Args:
        folder: Holds `inference.onnx`, and `inference.yml` unless the network carries its
            labels; its name is the model's, with or without `_onnx` behind it.
        settings: Threads, runtime, where compiled networks are kept.
        cores: Those of the engine that it works for; None means its own.

    Raises:
        ModelUnavailable: A file is missing, or is not what it should be.
        RuntimeUnavailable: The runtime is not installed.
        BadOption: There is no such runtime.
    """
    from pagetide.engines.layout.doclayout_description import described
    from pagetide.engines.layout.named_runtimes import open_named
    from pagetide.engines.layout.pp_doclayout import PPDocLayout
    from pagetide.engines.layout.weights import in_folder

    weights = in_folder(folder)
    runtime = open_named(settings, weights, cores)
    name = folder.name.removesuffix("_onnx")
    return PPDocLayout(name, runtime, weights, described(folder, runtime.listing))
