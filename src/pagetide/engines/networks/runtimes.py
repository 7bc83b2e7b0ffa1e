"""Which runtime runs an engine's networks here."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from pagetide.errors import BadOption, EngineFailed, PagetideError, RuntimeUnavailable, nearest

RUNTIMES = ("auto", "openvino", "onnxruntime", "cuda")

T = TypeVar("T")

_log = logging.getLogger(__name__)


def opened(runtime: str, on_openvino: Callable[[], T], on_onnx: Callable[[bool], T]) -> T:
    """The networks, on the runtime of that name; `auto` is OpenVINO, the fastest on a CPU.

    Args:
        runtime: One of `RUNTIMES`.
        on_openvino: Opens them on OpenVINO; imports it.
        on_onnx: Opens them on ONNX Runtime, which it imports; given whether on CUDA.

    Raises:
        RuntimeUnavailable: It is not installed, or the hardware it needs is not there.
        BadOption: There is no such runtime.
        EngineFailed: A network cannot be opened.
    """
    if runtime not in RUNTIMES:
        raise BadOption(f"There is no runtime {runtime!r}; {nearest(runtime, RUNTIMES)}")
    try:
        if runtime in ("auto", "openvino"):
            return on_openvino()
        return on_onnx(runtime == "cuda")
    except ImportError as error:
        raise RuntimeUnavailable(
            f"The runtime {runtime!r} needs the package {error.name}, which is not installed."
        ) from error
    except PagetideError:
        raise
    except Exception:  # the runtimes raise what they like over a file that is no network
        _log.exception("network not opened")
        raise EngineFailed(
            "A network cannot be opened: it is damaged or of the wrong kind; run"
            " `pagetide models verify`."
        ) from None
