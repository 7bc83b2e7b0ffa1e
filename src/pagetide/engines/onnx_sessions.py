"""Networks on ONNX Runtime: on the CPU, or on a CUDA device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import onnxruntime as ort
from numpy.typing import NDArray

from pagetide.errors import EngineFailed, RuntimeUnavailable


def providers(*, cuda: bool) -> list[str]:
    """CUDA or nothing: a GPU asked for is never swapped for the CPU in silence.

    Raises:
        RuntimeUnavailable: The installed ONNX Runtime cannot use CUDA.
    """
    if not cuda:
        return ["CPUExecutionProvider"]
    if "CUDAExecutionProvider" not in ort.get_available_providers():
        raise RuntimeUnavailable(
            "The runtime 'cuda' needs onnxruntime-gpu and a CUDA device; "
            "the ONNX Runtime here has no CUDA provider."
        )
    return ["CUDAExecutionProvider", "CPUExecutionProvider"]


def session(model: bytes | str, *, cuda: bool, threads: int) -> ort.InferenceSession:
    """A network ready to run.

    Args:
        model: The ONNX model, or the path of its file.
        cuda: Whether it runs on a CUDA device.
        threads: Cores that one run takes.

    Raises:
        RuntimeUnavailable: The installed ONNX Runtime cannot use CUDA.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Idle threads must not spin: the cores belong to other lanes by then.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return ort.InferenceSession(model, options, providers=providers(cuda=cuda))


def run(
    network: ort.InferenceSession, given: NDArray[Any] | Mapping[str, NDArray[Any]]
) -> list[NDArray[Any]]:
    """The network's outputs.

    Args:
        network: A session.
        given: Its only input, or all of them by name.

    Raises:
        EngineFailed: ONNX Runtime failed.
    """
    feeds = given if isinstance(given, Mapping) else {network.get_inputs()[0].name: given}
    try:
        outputs: list[NDArray[Any]] = network.run(None, dict(feeds))
    except Exception as error:  # its errors have no common base
        raise EngineFailed(f"ONNX Runtime failed ({type(error).__name__}).") from error
    return outputs
