"""The networks on OpenVINO: bf16 where the CPU multiplies it in hardware, else f32."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.networks import openvino_pixels
from pagetide.engines.networks.compiled_cache import digest_of
from pagetide.engines.networks.cores import Cores
from pagetide.engines.networks.openvino_networks import Network, Networks
from pagetide.engines.networks.openvino_pixels import taking_pixels
from pagetide.engines.networks.quiet_openvino import ov
from pagetide.engines.ppocr import batches, first_stage
from pagetide.engines.ppocr.first_stage.letters import FirstFrames
from pagetide.engines.ppocr.inference import heads
from pagetide.engines.ppocr.inference import openvino_graphs as graphs
from pagetide.engines.ppocr.inference import openvino_rewrites as rewrites
from pagetide.engines.ppocr.inference.notes import characters, dictionary, fitted, normalisation
from pagetide.engines.ppocr.inference.runtime import Frames, only_head
from pagetide.engines.ppocr.inference.weights import Weights
from pagetide.engines.ppocr.lines.crops import Crop
from pagetide.errors import ModelUnavailable
from pagetide.languages import alphabets

DETECTOR_THREADS = 4  # past it a page gains little, and more pages at once gain more
DETECTOR_SIZES = 3  # page sizes compiled for at a time: each holds 200 MB of buffers
EAGER_SIZES = 2  # compiled for when first met; a further one only when it comes again
ANY_SIZE = (-1, -1, 3)


class OpenVinoRuntime:
    """Runs the networks on the CPU; see `runtime.Runtime` for what the methods give."""

    fits = staticmethod(batches.on_cpu)
    staged = True

    def __init__(
        self, weights: Weights, cores: Cores, *, bf16: bool, cache_folder: Path | None
    ) -> None:
        self.name = f"openvino {'bf16' if bf16 else 'f32'}"
        self._cores, self.side_by_side = cores, cores.count
        self._weights = weights
        self._networks = Networks(
            cores.count,
            bf16=bf16,
            cache_folder=cache_folder,
            made_from=(
                weights.carriers,
                digest_of(
                    graphs.__file__,
                    openvino_pixels.__file__,
                    rewrites.__file__,
                    heads.__file__,
                    alphabets.__file__,
                    str(first_stage.WEIGHTS),
                ),
            ),
        )
        self._detectors: OrderedDict[tuple[int, ...], Network] = OrderedDict()
        self._met: Counter[tuple[int, ...]] = Counter()
        self._compiling = threading.Lock()
        self.latin_first = weights.recogniser_known
        build = self._latin_recogniser if self.latin_first else self._plain_recogniser
        self._recogniser = self._networks.opening("recogniser", build, cores.count)
        if not self.latin_first:
            self._recogniser.result()  # raises where the network is no recogniser

    @cached_property
    def characters(self) -> tuple[str, ...]:
        """The full dictionary; class 0 is the blank."""
        kept = self._networks.kept("characters", self._character_listing).decode()
        if self.latin_first:
            return characters(kept)
        classes, _, listing = kept.partition("\n")
        return fitted(listing, int(classes), self._weights.recogniser_name)

    def _character_listing(self) -> bytes:
        """The dictionary; of a network that comes as it is, below the number of its classes."""
        if self.latin_first:
            return _listing_in(self._recognition[0]).encode()
        model = self._networks.core.read_model(self._weights.recogniser)
        notes = self._weights.recogniser_notes
        try:
            listing = dictionary(notes) if notes else _listing_in(model)
            classes = model.get_results()[0].get_output_partial_shape(0)[2].get_length()
        except RuntimeError:
            raise ModelUnavailable(
                f"{self._weights.recogniser_name} is not a recognizer with a dictionary."
            ) from None
        return f"{classes}\n{listing}".encode()

    def detect(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """See `runtime.Runtime`."""
        detector = self._detector(pixels.shape)
        with self._cores.lend(DETECTOR_THREADS):
            (probability,) = detector.infer(pixels[np.newaxis])
        plane: NDArray[np.float32] = probability[0, 0]
        return plane

    def recognise(self, crops: Sequence[Crop]) -> Frames:
        """See `runtime.Runtime`."""
        lines, recogniser = batches.stack(crops), self._recogniser.result()
        with self._cores.lend(1):
            outputs = recogniser.infer(lines)
        if not self.latin_first:
            return only_head(*outputs, width=lines.shape[2])
        classes, confidences, scores, features = outputs
        return Frames(
            classes=classes, confidences=confidences, scores=scores, features=features
        )

    def read_fully(
        self, features: NDArray[np.float32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """See `runtime.Runtime`."""
        with self._compiling:
            head = self._full_head
        with self._cores.lend(1):
            classes, confidences, _ = head.infer(features)
        return classes, confidences

    @cached_property
    def first_characters(self) -> tuple[str, ...]:
        """See `runtime.Runtime`."""

        def listing() -> bytes:
            return _listing_in(self._networks.core.read_model(first_stage.WEIGHTS)).encode()

        return ("", *self._networks.kept("first letters", listing).decode().split("\n"))

    def read_first(self, crops: Sequence[Crop]) -> FirstFrames:
        """See `runtime.Runtime`."""
        with self._compiling:
            network = self._first_stage
        with self._cores.lend(1):
            blank, shares, classes = network.infer(batches.stack(crops))
        return FirstFrames(blank=blank, shares=shares, classes=classes)

    @cached_property
    def _first_stage(self) -> Network:
        def build() -> ov.Model:
            return taking_pixels(self._networks.core.read_model(first_stage.WEIGHTS))

        return self._networks.network("first stage", build, self._cores.count)

    @cached_property
    def _full_head(self) -> Network:
        return self._networks.network(
            "full head", lambda: graphs.head_alone(self._recognition[2]), self._cores.count
        )

    @cached_property
    def _recognition(self) -> tuple[ov.Model, ov.Output, heads.Head]:
        model = self._networks.core.read_model(self._weights.recogniser)
        rewrites.part_first_concatenation(model)
        rewrites.pool_before_last_convolution(model)
        return model, *graphs.split_head(model)

    def _latin_recogniser(self) -> ov.Model:
        model, features, head = self._recognition
        latin = head.latin(self.characters)
        return taking_pixels(graphs.with_head(model, features, latin))

    def _plain_recogniser(self) -> ov.Model:
        self.characters  # noqa: B018 - raises where the network is no recogniser
        model = self._networks.core.read_model(self._weights.recogniser)
        return taking_pixels(graphs.best_classes(model))

    def _detector(self, shape: tuple[int, ...]) -> Network:
        """The detector for a page size: compiled for it, or for any size while it is rare.

        For one size it takes two thirds of the time, but half a second to compile.
        """
        with self._compiling:
            self._met[shape] += 1
            if shape not in self._detectors:
                rare = len(self._detectors) >= EAGER_SIZES and self._met[shape] == 1
                if rare:
                    return self._any_size_detector
                if len(self._detectors) == DETECTOR_SIZES:
                    self._detectors.popitem(last=False)
                self._detectors[shape] = self._compiled_detector(shape)
            self._detectors.move_to_end(shape)
            return self._detectors[shape]

    @cached_property
    def _any_size_detector(self) -> Network:
        return self._compiled_detector(ANY_SIZE)

    def _compiled_detector(self, shape: tuple[int, ...]) -> Network:
        def build() -> ov.Model:
            model = self._networks.core.read_model(self._weights.detector)
            if self._weights.detector_known:
                rewrites.part_first_concatenation(model)
                rewrites.transposed_as_depth_to_space(model)
            model = taking_pixels(model, *(normalisation(self._weights.detector_notes) or ()))
            model.reshape([1, *shape])
            return model

        streams = max(1, self._cores.count // DETECTOR_THREADS)
        return self._networks.network(f"detector {shape}", build, streams)


def _listing_in(model: ov.Model) -> str:
    listing: str = model.get_rt_info(["framework", "character"]).value
    return listing
