"""The networks on ONNX Runtime: on the CPU, or on a CUDA device.

The second choice on a CPU: detection took about two and a half times as long as on OpenVINO
in f32 on the machine where both were measured side by side.
"""

from __future__ import annotations

import threading
from functools import cached_property

import numpy as np
import onnx
from numpy.typing import NDArray

from pagetide.engines.cores import Cores
from pagetide.engines.onnx_pixels import taking_pixels
from pagetide.engines.onnx_sessions import Opening, Run, network
from pagetide.engines.ppocr import buckets
from pagetide.engines.ppocr import onnx_graphs as graphs
from pagetide.engines.ppocr.batches import ON_CPU, ON_GPU
from pagetide.engines.ppocr.crops import FRAME
from pagetide.engines.ppocr.notes import characters, dictionary, fitted, normalisation
from pagetide.engines.ppocr.runtime import Frames, only_head
from pagetide.engines.ppocr.weights import Weights
from pagetide.errors import ModelUnavailable

DETECTOR_THREADS = 4  # as on OpenVINO


class OnnxRuntime:
    """Runs the networks through ONNX Runtime; see `runtime.Runtime`."""

    def __init__(
        self, weights: Weights, cores: Cores, *, cuda: bool, opening: Opening = network
    ) -> None:
        self.name = f"onnxruntime {'cuda' if cuda else 'cpu'}"
        self.batch = ON_GPU if cuda else ON_CPU
        self._cores = cores
        self._weights, self._cuda, self._network = weights, cuda, opening
        self._detector_threads = 1 if cuda else DETECTOR_THREADS
        self._opening = threading.Lock()
        self.latin_first = weights.recogniser_known
        recogniser = onnx.load(weights.recogniser)
        self.characters = _characters(recogniser, weights)
        if self.latin_first:
            head = graphs.cut_head(recogniser)
            ending = graphs.with_head(recogniser, head.latin(self.characters))
            self._full_head = self._opened(graphs.head_alone(head), 1)
        else:
            ending = graphs.best_classes(recogniser)
        self._recogniser = self._opened(taking_pixels(ending), 1)

    @cached_property
    def _detector(self) -> Run:
        how = normalisation(self._weights.detector_notes) or ()
        detector = taking_pixels(onnx.load(self._weights.detector), *how)
        return self._opened(detector, min(self._detector_threads, self._cores.count))

    def _opened(self, model: onnx.ModelProto, threads: int) -> Run:
        return self._network(model.SerializeToString(), cuda=self._cuda, threads=threads)

    def detect(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """See `runtime.Runtime`."""
        height, width = pixels.shape[:2]
        with self._opening:
            detector = self._detector
        with self._cores.lend(self._detector_threads):
            given = buckets.page(pixels) if self._cuda else pixels
            (probability,) = detector(given[np.newaxis])
        plane: NDArray[np.float32] = probability[0, 0, :height, :width]
        return plane

    def recognise(self, lines: NDArray[np.uint8]) -> Frames:
        """See `runtime.Runtime`."""
        count, _, width, _ = lines.shape
        with self._cores.lend(1):
            outputs = self._recogniser(buckets.lines(lines) if self._cuda else lines)
        if self._cuda:
            outputs = [each[:count, : width // FRAME] for each in outputs]
        if not self.latin_first:
            return only_head(*outputs, width=width)
        classes, confidences, scores, features = outputs
        return Frames(
            classes=classes, confidences=confidences, scores=scores, features=features
        )

    def read_fully(
        self, features: NDArray[np.float32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """See `runtime.Runtime`."""
        count = len(features)
        with self._cores.lend(1):
            outputs = self._full_head(buckets.frames(features) if self._cuda else features)
        classes, confidences, _ = (each[:count] for each in outputs)
        return classes, confidences


def _characters(model: onnx.ModelProto, weights: Weights) -> tuple[str, ...]:
    listing = {entry.key: entry.value for entry in model.metadata_props}.get("character", "")
    if weights.recogniser_known:
        return characters(listing)
    if weights.recogniser_notes:
        listing = dictionary(weights.recogniser_notes)
    shape = model.graph.output[0].type.tensor_type.shape.dim
    if not listing or len(shape) != 3:
        raise ModelUnavailable(f"{weights.recogniser_name} is no recogniser with a dictionary.")
    return fitted(listing, shape[2].dim_value, weights.recogniser_name)
