"""Which runtime runs the networks here."""

from __future__ import annotations

from pagetide.engines.networks.cores import Cores
from pagetide.engines.networks.runtimes import opened
from pagetide.engines.ppocr.inference.runtime import Runtime
from pagetide.engines.ppocr.inference.weights import Weights
from pagetide.settings import Settings
from pagetide.system.cpu import multiplies_bf16


def open_runtime(settings: Settings, weights: Weights, cores: Cores) -> Runtime:
    """The runtime that the settings name; `auto` is OpenVINO, the fastest on a CPU.

    Raises:
        RuntimeUnavailable: It is not installed, or the hardware it needs is not there.
        BadOption: There is no such runtime.
    """

    def on_openvino() -> Runtime:
        from pagetide.engines.ppocr.inference.openvino_runtime import OpenVinoRuntime

        return OpenVinoRuntime(
            weights, cores, bf16=multiplies_bf16(), cache_folder=settings.cache_folder
        )

    def on_onnx(cuda: bool) -> Runtime:
        from pagetide.engines.ppocr.inference.onnx_runtime import OnnxRuntime

        return OnnxRuntime(weights, cores, cuda=cuda)

    return opened(settings.runtime, on_openvino, on_onnx)
