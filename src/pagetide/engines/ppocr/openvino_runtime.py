"""The networks on OpenVINO: bf16 where the CPU multiplies it in hardware, else f32."""

from __future__ import annotations

import queue
import threading
from collections import OrderedDict
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from pagetide.engines.ppocr import openvino_graphs as graphs
from pagetide.engines.ppocr.cores import Cores
from pagetide.engines.ppocr.runtime import Frames
from pagetide.engines.ppocr.weights import Weights, characters

DETECTOR_THREADS = 4  # past it a page gains little, and more pages at once gain more
DETECTOR_SIZES = 4  # compiled page sizes kept: each holds its buffers


class OpenVinoRuntime:
    """Runs the networks on the CPU; see `runtime.Runtime` for what the methods give."""

    def __init__(self, weights: Weights, cores: Cores, *, bf16: bool) -> None:
        self.name = f"openvino {'bf16' if bf16 else 'f32'}"
        self._core = ov.Core()
        self._cores = cores
        self._precision = "bf16" if bf16 else "f32"
        self._weights = weights
        recogniser = self._core.read_model(weights.recogniser)
        self.characters = characters(recogniser.get_rt_info(["framework", "character"]).value)
        features, self._head = graphs.split_head(recogniser)
        latin = graphs.with_head(recogniser, features, self._head.latin(self.characters))
        self._recogniser = _Network(
            self._compile(graphs.taking_pixels(latin), streams=cores.count)
        )
        self._detectors: OrderedDict[tuple[int, ...], _Network] = OrderedDict()
        self._full_head: _Network | None = None
        self._compiling = threading.Lock()

    def detect(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """See `runtime.Runtime`."""
        detector = self._detector_for(pixels.shape)
        with self._cores.lend(DETECTOR_THREADS):
            (probability,) = detector.infer(pixels[np.newaxis])
        plane: NDArray[np.float32] = probability[0, 0]
        return plane

    def recognise(self, lines: NDArray[np.uint8]) -> Frames:
        """See `runtime.Runtime`."""
        with self._cores.lend(1):
            classes, confidences, scores, features = self._recogniser.infer(lines)
        return Frames(
            classes=classes, confidences=confidences, scores=scores, features=features
        )

    def read_fully(
        self, features: NDArray[np.float32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """See `runtime.Runtime`."""
        with self._compiling:
            if self._full_head is None:
                model = graphs.head_alone(self._head)
                self._full_head = _Network(self._compile(model, streams=self._cores.count))
        with self._cores.lend(1):
            classes, confidences, _ = self._full_head.infer(features)
        return classes, confidences

    def _detector_for(self, shape: tuple[int, ...]) -> _Network:
        with self._compiling:
            if shape not in self._detectors:
                if len(self._detectors) == DETECTOR_SIZES:
                    self._detectors.popitem(last=False)
                model = graphs.taking_pixels(self._core.read_model(self._weights.detector))
                model.reshape([1, *shape])
                streams = max(1, self._cores.count // DETECTOR_THREADS)
                self._detectors[shape] = _Network(self._compile(model, streams=streams))
            self._detectors.move_to_end(shape)
            return self._detectors[shape]

    def _compile(self, model: ov.Model, *, streams: int) -> ov.CompiledModel:
        return self._core.compile_model(
            model,
            "CPU",
            {
                "INFERENCE_PRECISION_HINT": self._precision,
                "NUM_STREAMS": streams,
                "INFERENCE_NUM_THREADS": self._cores.count,
                "ENABLE_CPU_PINNING": False,
            },
        )


class _Network:
    """A compiled model and the requests it is run through, one for each caller at a time."""

    def __init__(self, compiled: ov.CompiledModel) -> None:
        self._compiled = compiled
        self._idle: queue.SimpleQueue[ov.InferRequest] = queue.SimpleQueue()

    def infer(self, given: NDArray[Any]) -> list[NDArray[Any]]:
        try:
            request = self._idle.get_nowait()
        except queue.Empty:
            request = self._compiled.create_infer_request()
        try:
            request.infer([given], share_inputs=True)
            return [np.array(tensor.data) for tensor in request.output_tensors]
        finally:
            self._idle.put(request)
