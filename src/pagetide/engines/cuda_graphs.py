"""A network on a CUDA device: a CUDA graph for every shape of what it is given.

Without one ONNX Runtime plans every convolution anew whenever a shape differs from the last:
on an H200 0.7 to 5 s for each change, where the network itself takes 5 ms. A graph is planned
and captured once, 0.5 to 2.5 s, and then replayed, so the shapes that callers give are to be
few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeVar

import onnxruntime as ort
from numpy.typing import NDArray

from pagetide.errors import EngineFailed

T = TypeVar("T")


@contextmanager
def engine_failures() -> Iterator[None]:
    """What ONNX Runtime raises, whose errors have no common base, becomes `EngineFailed`."""
    try:
        yield
    except Exception as error:
        raise EngineFailed(f"ONNX Runtime failed ({type(error).__name__}).") from error


def on_device(ask: Callable[[], T]) -> T:
    """What is asked of the device, answered by its thread."""
    return _device_thread().submit(ask).result()


@cache
def _device_thread() -> ThreadPoolExecutor:
    """The one thread of this process that uses the device.

    ONNX Runtime keeps graphs by thread, so that another one would capture each of them again;
    and while one is captured, no other thread may use the device. Processes run side by side.
    """
    return ThreadPoolExecutor(1, thread_name_prefix="pagetide-cuda")


class CudaGraphs:
    """A network of one input. From any thread."""

    def __init__(self, session: ort.InferenceSession, device: str = "cuda") -> None:
        """Take a session over.

        Args:
            session: Its provider is CUDA's with `enable_cuda_graph`.
            device: `cuda`, or `cpu` for a session on the CPU, which captures nothing.
        """
        self._session, self._device = session, device
        self._input = session.get_inputs()[0].name
        self._captured: dict[tuple[int, ...], _Captured] = {}

    def run(self, given: NDArray[Any]) -> list[NDArray[Any]]:
        """The network's outputs; a shape's first time takes seconds.

        Raises:
            EngineFailed: ONNX Runtime failed.
        """
        with engine_failures():
            return on_device(partial(self._run, given))

    def _run(self, given: NDArray[Any]) -> list[NDArray[Any]]:
        if given.shape not in self._captured:
            self._captured[given.shape] = self._capture(given)
        return self._captured[given.shape].replayed(self._session, given)

    def _capture(self, given: NDArray[Any]) -> _Captured:
        """Run it once without a graph, which plans it and tells the outputs' shapes."""
        outputs = self._session.run(None, {self._input: given}, _options(-1))
        here = [self._on_device(array) for array in (given, *outputs)]
        binding = self._session.io_binding()
        binding.bind_ortvalue_input(self._input, here[0])
        for output, value in zip(self._session.get_outputs(), here[1:], strict=True):
            binding.bind_ortvalue_output(output.name, value)
        number = len(self._captured) + 1  # 0 is the graph of a session that has but one
        return _Captured(here[0], here[1:], binding, _options(number))

    def _on_device(self, array: NDArray[Any]) -> ort.OrtValue:
        return ort.OrtValue.ortvalue_from_numpy(array, self._device, 0)


@dataclass(frozen=True)
class _Captured:
    """A graph, and where on the device its input and its outputs lie."""

    given: ort.OrtValue
    outputs: list[ort.OrtValue]
    binding: ort.IOBinding
    options: ort.RunOptions

    def replayed(
        self, session: ort.InferenceSession, given: NDArray[Any]
    ) -> list[NDArray[Any]]:
        """The outputs for another input of this shape; the first time captures the graph."""
        self.given.update_inplace(given)
        session.run_with_iobinding(self.binding, self.options)
        return [_copied(output) for output in self.outputs]


def _copied(output: ort.OrtValue) -> NDArray[Any]:
    """The output here: from a device `numpy` copies it; on the CPU it is written over next."""
    array: NDArray[Any] = output.numpy()
    return array.copy() if output.device_name() == "cpu" else array


def _options(graph: int) -> ort.RunOptions:
    options = ort.RunOptions()
    options.add_run_config_entry("gpu_graph_id", str(graph))
    return options
