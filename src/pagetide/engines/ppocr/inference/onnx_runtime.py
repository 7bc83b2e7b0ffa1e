"""The networks on ONNX Runtime: on the CPU, or on a CUDA device.

The second choice on a CPU: detection took about two and a half times as long as on OpenVINO
in f32 on the machine where both were measured side by side.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from pagetide.engines.networks.cores import Cores
from pagetide.engines.networks.onnx_padding import UnknownLayer, blind_to_padding, taking_ends
from pagetide.engines.networks.onnx_pixels import taking_pixels
from pagetide.engines.networks.onnx_sessions import Opening, Run, network
from pagetide.engines.ppocr import batches, first_stage
from pagetide.engines.ppocr.first_stage.letters import FirstFrames
from pagetide.engines.ppocr.inference import buckets
from pagetide.engines.ppocr.inference import onnx_graphs as graphs
from pagetide.engines.ppocr.inference.notes import characters, dictionary, fitted, normalisation
from pagetide.engines.ppocr.inference.runtime import Frames, only_head
from pagetide.engines.ppocr.inference.weights import Weights
from pagetide.engines.ppocr.lines.crops import FRAME, LINE_HEIGHT, Crop
from pagetide.errors import ModelUnavailable

_log = logging.getLogger(__name__)

DETECTOR_THREADS = 4  # as on OpenVINO


class OnnxRuntime:
    """Runs the networks through ONNX Runtime; see `runtime.Runtime`."""

    def __init__(
        self, weights: Weights, cores: Cores, *, cuda: bool, opening: Opening = network
    ) -> None:
        self.name = f"onnxruntime {'cuda' if cuda else 'cpu'}"
        self.fits = buckets.fits if cuda else batches.on_cpu
        self.staged = not cuda
        self.side_by_side = 1 if cuda else cores.count  # a GPU reads a full batch as soon
        self._cores = cores
        self._weights, self._cuda, self._network = weights, cuda, opening
        self._detector_threads = 1 if cuda else DETECTOR_THREADS
        self._opening = threading.Lock()
        self.latin_first = weights.recogniser_known
        recogniser = self._loaded(weights.recogniser, (LINE_HEIGHT, 320), FRAME)
        self.characters = _characters(recogniser, weights)
        if self.latin_first:
            head = graphs.cut_head(recogniser)
            ending = graphs.with_head(recogniser, head.latin(self.characters))
            self._full_head = self._opened(graphs.head_alone(head), 1)
        else:
            ending = graphs.best_classes(recogniser)
        self._recogniser = self._opened(taking_pixels(ending), 1)
        if cuda:
            self._meet_shapes()

    def _meet_shapes(self) -> None:
        """Have every shape of lines captured, and a usual page's: seconds that none waits."""
        started = time.monotonic()
        self.detect(np.zeros((*buckets.USUAL_PAGE, 3), np.uint8))
        for width in buckets.WIDTHS:
            frames = self.recognise([np.zeros((LINE_HEIGHT, width, 3), np.uint8)])
        if self.latin_first:
            for count in buckets.FRAMES:
                self.read_fully(np.zeros((count, frames.features.shape[2]), np.float32))
        _log.info("the GPU's shapes were met in %.0f s", time.monotonic() - started)

    @cached_property
    def _detector(self) -> Run:
        how = normalisation(self._weights.detector_notes) or ()
        loaded = self._loaded(self._weights.detector, (320, 320))
        detector = taking_pixels(loaded, *how)
        return self._opened(detector, min(self._detector_threads, self._cores.count))

    def _loaded(self, path: Path, size: tuple[int, int], frame: int = 1) -> onnx.ModelProto:
        """A network; on a GPU one that takes where padding begins."""
        model = onnx.load(path)
        if not self._cuda:
            return model
        try:
            return blind_to_padding(model, size=size, frame=frame)
        except UnknownLayer as layer:
            _log.warning("padding may change what %s reads: %s is unknown", path.name, layer)
            return taking_ends(model)

    def _opened(self, model: onnx.ModelProto, threads: int) -> Run:
        return self._network(model.SerializeToString(), cuda=self._cuda, threads=threads)

    def detect(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """See `runtime.Runtime`."""
        height, width = pixels.shape[:2]
        with self._opening:
            detector = self._detector
        with self._cores.lend(self._detector_threads):
            given = buckets.page(pixels) if self._cuda else (pixels[np.newaxis],)
            (probability,) = detector(*given)
        plane: NDArray[np.float32] = probability[0, 0, :height, :width]
        return plane

    def recognise(self, crops: Sequence[Crop]) -> Frames:
        """See `runtime.Runtime`."""
        given = buckets.lines(crops) if self._cuda else [batches.stack(crops)]
        with self._cores.lend(1):
            outputs = self._recogniser(*given)
        outputs = [each[: len(crops)] for each in outputs]
        if not self.latin_first:
            return only_head(*outputs, width=given[0].shape[2])
        frames = batches.padded(max(crop.shape[1] for crop in crops)) // FRAME
        classes, confidences, scores, features = (each[:, :frames] for each in outputs)
        if self._cuda:  # nobody is to ask what the padding says
            inside = given[-1][: len(crops), ::FRAME][:, :frames]
            scores = np.where(inside, scores, np.float32(np.inf))
        return Frames(
            classes=classes, confidences=confidences, scores=scores, features=features
        )

    @cached_property
    def first_characters(self) -> tuple[str, ...]:
        """See `runtime.Runtime`."""
        return ("", *_listing_in(onnx.load(first_stage.WEIGHTS)).split("\n"))

    def read_first(self, crops: Sequence[Crop]) -> FirstFrames:
        """See `runtime.Runtime`."""
        with self._opening:
            network = self._first_stage
        with self._cores.lend(1):
            blank, shares, classes = network(batches.stack(crops))
        return FirstFrames(blank=blank, shares=shares, classes=classes)

    @cached_property
    def _first_stage(self) -> Run:
        return self._opened(taking_pixels(onnx.load(first_stage.WEIGHTS)), 1)

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
    listing = _listing_in(model)
    if weights.recogniser_known:
        return characters(listing)
    if weights.recogniser_notes:
        listing = dictionary(weights.recogniser_notes)
    shape = model.graph.output[0].type.tensor_type.shape.dim
    if not listing or len(shape) != 3:
        raise ModelUnavailable(
            f"{weights.recogniser_name} is not a recognizer with a dictionary."
        )
    return fitted(listing, shape[2].dim_value, weights.recogniser_name)


def _listing_in(model: onnx.ModelProto) -> str:
    listing: dict[str, str] = {entry.key: entry.value for entry in model.metadata_props}
    return listing.get("character", "")
