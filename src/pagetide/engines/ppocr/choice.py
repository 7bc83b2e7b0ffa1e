"""Which runtime runs the networks here."""

from __future__ import annotations

from pagetide.cpu import multiplies_bf16
from pagetide.engines.ppocr.cores import Cores
from pagetide.engines.ppocr.runtime import Runtime
from pagetide.engines.ppocr.weights import Weights
from pagetide.errors import BadOption, RuntimeUnavailable, nearest
from pagetide.settings import Settings

RUNTIMES = ("auto", "openvino", "onnxruntime", "cuda")


def open_runtime(settings: Settings, weights: Weights, threads: int) -> Runtime:
    """The runtime that the settings name; `auto` is OpenVINO, the fastest on a CPU.

    Raises:
        RuntimeUnavailable: It is not installed, or the hardware it needs is not there.
        BadOption: There is no such runtime.
    """
    cores = Cores(threads)
    try:
        if settings.runtime in ("auto", "openvino"):
            from pagetide.engines.ppocr.openvino_runtime import OpenVinoRuntime

            return OpenVinoRuntime(
                weights,
                cores,
                bf16=multiplies_bf16(),
                cache_folder=settings.cache_folder,
            )
        if settings.runtime in ("onnxruntime", "cuda"):
            from pagetide.engines.ppocr.onnx_runtime import OnnxRuntime

            return OnnxRuntime(weights, cores, cuda=settings.runtime == "cuda")
    except ImportError as error:
        raise RuntimeUnavailable(
            f"The runtime {settings.runtime!r} needs the package {error.name}, "
            "which is not installed."
        ) from error
    raise BadOption(
        f"There is no runtime {settings.runtime!r}; {nearest(settings.runtime, RUNTIMES)}"
    )
