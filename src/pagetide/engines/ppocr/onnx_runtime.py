"""The networks on ONNX Runtime: on the CPU, or on a CUDA device.

The second choice on a CPU: detection took about two and a half times as long as on OpenVINO
in f32 on the machine where both were measured side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray

from pagetide.engines.ppocr import onnx_graphs as graphs
from pagetide.engines.ppocr.cores import Cores
from pagetide.engines.ppocr.runtime import Frames
from pagetide.engines.ppocr.weights import Weights, characters
from pagetide.errors import EngineFailed, RuntimeUnavailable

DETECTOR_THREADS = 4  # as on OpenVINO


class OnnxRuntime:
    """Runs the networks through ONNX Runtime; see `runtime.Runtime`."""

    def __init__(self, weights: Weights, cores: Cores, *, cuda: bool) -> None:
        self.name = f"onnxruntime {'cuda' if cuda else 'cpu'}"
        self._cores = cores
        self._providers = _providers(cuda)
        recogniser = onnx.load(weights.recogniser)
        self.characters = characters(_metadata(recogniser)["character"])
        head = graphs.cut_head(recogniser)
        detector = onnx.load(weights.detector)
        threads = min(DETECTOR_THREADS, cores.count)
        self._detector = self._session(graphs.taking_pixels(detector), threads)
        latin = graphs.with_head(recogniser, head.latin(self.characters))
        self._recogniser = self._session(graphs.taking_pixels(latin), 1)
        self._full_head = self._session(graphs.head_alone(head), 1)

    def detect(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """See `runtime.Runtime`."""
        with self._cores.lend(DETECTOR_THREADS):
            (probability,) = _run(self._detector, pixels[np.newaxis])
        plane: NDArray[np.float32] = probability[0, 0]
        return plane

    def recognise(self, lines: NDArray[np.uint8]) -> Frames:
        """See `runtime.Runtime`."""
        with self._cores.lend(1):
            classes, confidences, scores, features = _run(self._recogniser, lines)
        return Frames(
            classes=classes, confidences=confidences, scores=scores, features=features
        )

    def read_fully(
        self, features: NDArray[np.float32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """See `runtime.Runtime`."""
        with self._cores.lend(1):
            classes, confidences, _ = _run(self._full_head, features)
        return classes, confidences

    def _session(self, model: onnx.ModelProto, threads: int) -> ort.InferenceSession:
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Idle threads must not spin: the cores belong to other lanes by then.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return ort.InferenceSession(
            model.SerializeToString(), options, providers=self._providers
        )


def _run(session: ort.InferenceSession, given: NDArray[Any]) -> list[NDArray[Any]]:
    try:
        outputs: list[NDArray[Any]] = session.run(None, {session.get_inputs()[0].name: given})
    except Exception as error:  # its errors have no common base
        raise EngineFailed(f"ONNX Runtime failed ({type(error).__name__}).") from error
    return outputs


def _providers(cuda: bool) -> list[str]:
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


def _metadata(model: onnx.ModelProto) -> dict[str, str]:
    return {entry.key: entry.value for entry in model.metadata_props}
