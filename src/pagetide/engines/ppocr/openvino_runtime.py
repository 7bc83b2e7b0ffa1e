"""The networks on OpenVINO: bf16 where the CPU multiplies it in hardware, else f32."""

from __future__ import annotations

import io
import queue
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import openvino as ov
from numpy.typing import NDArray

from pagetide import cpu, languages
from pagetide.engines.ppocr import heads
from pagetide.engines.ppocr import openvino_graphs as graphs
from pagetide.engines.ppocr import openvino_rewrites as rewrites
from pagetide.engines.ppocr.compiled_cache import CompiledCache, digest_of
from pagetide.engines.ppocr.cores import Cores
from pagetide.engines.ppocr.runtime import Frames
from pagetide.engines.ppocr.weights import Weights, characters
from pagetide.errors import EngineFailed

DETECTOR_THREADS = 4  # past it a page gains little, and more pages at once gain more
DETECTOR_SIZES = 3  # page sizes compiled for at a time: each holds 200 MB of buffers
EAGER_SIZES = 2  # compiled for when first met; a further one only when it comes again
ANY_SIZE = (-1, -1, 3)


class OpenVinoRuntime:
    """Runs the networks on the CPU; see `runtime.Runtime` for what the methods give."""

    def __init__(
        self, weights: Weights, cores: Cores, *, bf16: bool, cache_folder: Path | None
    ) -> None:
        self.name = f"openvino {'bf16' if bf16 else 'f32'}"
        self._core = ov.Core()
        self._cores = cores
        self._precision = "bf16" if bf16 else "f32"
        self._weights = weights
        self._cache = CompiledCache(
            cache_folder,
            ov.get_version(),
            weights.version,
            cpu.model_name(),
            " ".join(sorted(cpu.features())),
            f"{self._precision} {cores.count}",
            digest_of(graphs.__file__, rewrites.__file__, heads.__file__, languages.__file__),
        )
        self._detectors: OrderedDict[tuple[int, ...], _Network] = OrderedDict()
        self._met: Counter[tuple[int, ...]] = Counter()
        self._compiling = threading.Lock()
        self._recogniser = self._network("recogniser", self._latin_recogniser, cores.count)

    @cached_property
    def characters(self) -> tuple[str, ...]:
        """The full dictionary; class 0 is the blank."""
        kept = self._cache.load("characters")
        if kept is None:
            kept = self._recognition[0].get_rt_info(["framework", "character"]).value.encode()
            self._cache.store("characters", kept)
        return characters(kept.decode())

    def detect(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        """See `runtime.Runtime`."""
        detector = self._detector(pixels.shape)
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
            head = self._full_head
        with self._cores.lend(1):
            classes, confidences, _ = head.infer(features)
        return classes, confidences

    @cached_property
    def _full_head(self) -> _Network:
        return self._network(
            "full head", lambda: graphs.head_alone(self._recognition[2]), self._cores.count
        )

    @cached_property
    def _recognition(self) -> tuple[ov.Model, ov.Output, heads.Head]:
        model = self._core.read_model(self._weights.recogniser)
        rewrites.part_first_concatenation(model)
        rewrites.pool_before_last_convolution(model)
        return model, *graphs.split_head(model)

    def _latin_recogniser(self) -> ov.Model:
        model, features, head = self._recognition
        latin = head.latin(self.characters)
        return graphs.taking_pixels(graphs.with_head(model, features, latin))

    def _detector(self, shape: tuple[int, ...]) -> _Network:
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
    def _any_size_detector(self) -> _Network:
        return self._compiled_detector(ANY_SIZE)

    def _compiled_detector(self, shape: tuple[int, ...]) -> _Network:
        def build() -> ov.Model:
            model = self._core.read_model(self._weights.detector)
            rewrites.part_first_concatenation(model)
            rewrites.transposed_as_depth_to_space(model)
            model = graphs.taking_pixels(model)
            model.reshape([1, *shape])
            return model

        streams = max(1, self._cores.count // DETECTOR_THREADS)
        return self._network(f"detector {shape}", build, streams)

    def _network(self, name: str, build: Callable[[], ov.Model], streams: int) -> _Network:
        config = {
            "INFERENCE_PRECISION_HINT": self._precision,
            "NUM_STREAMS": streams,
            "INFERENCE_NUM_THREADS": self._cores.count,
            "ENABLE_CPU_PINNING": False,
        }
        kept = self._cache.load(name)
        if kept is not None:
            try:
                return _Network(self._core.import_model(kept, "CPU", config))
            except RuntimeError:
                pass  # cut short, or of another build: compile it again
        compiled = self._core.compile_model(build(), "CPU", config)
        exported = io.BytesIO()
        compiled.export_model(exported)
        self._cache.store(name, exported.getvalue())
        return _Network(compiled)


class _Network:
    """A compiled model and the requests it is run through, one for each caller at a time."""

    def __init__(self, compiled: ov.CompiledModel) -> None:
        self._compiled = compiled
        self._idle: queue.SimpleQueue[ov.InferRequest] = queue.SimpleQueue()

    def infer(self, given: NDArray[Any]) -> list[NDArray[Any]]:
        """Copies of the model's outputs.

        Raises:
            EngineFailed: OpenVINO failed.
        """
        try:
            request = self._idle.get_nowait()
        except queue.Empty:
            request = self._compiled.create_infer_request()
        try:
            request.infer([given], share_inputs=True)
            return [np.array(tensor.data) for tensor in request.output_tensors]
        except RuntimeError as error:
            raise EngineFailed("OpenVINO failed to run a network.") from error
        finally:
            self._idle.put(request)
