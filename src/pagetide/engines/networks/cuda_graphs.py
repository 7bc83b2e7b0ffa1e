"""A network on a CUDA device: a CUDA graph for every shape of what it is given.

Without one ONNX Runtime plans every convolution anew whenever a shape differs from the last:
on an H200 0.7 to 5 s for each change, where the network itself takes 5 ms. A graph is planned
and captured once, 0.5 to 2.5 s, and then replayed, so the shapes that callers give are to be
few.
"""

from __future__ import annotations

import threading
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

DEVICE_THREAD = "pagetide-cuda"
UNCAPTURED, GRAPH = -1, 1  # ONNX Runtime's number for none, and the one of each session


@contextmanager
def engine_failures() -> Iterator[None]:
    """What ONNX Runtime raises, whose errors have no common base, becomes `EngineFailed`."""
    try:
        yield
    except Exception as error:
        raise EngineFailed(f"ONNX Runtime failed ({type(error).__name__}).") from error


def on_device(ask: Callable[[], T]) -> T:
    """What is asked of the device, answered by its thread; from any thread, that one too."""
    if threading.current_thread().name.startswith(DEVICE_THREAD):
        return ask()
    return _device_thread().submit(ask).result()


@cache
def _device_thread() -> ThreadPoolExecutor:
    """The one thread of this process that uses the device.

    ONNX Runtime keeps graphs by thread, so that another one would capture each of them again;
    and while one is captured, no other thread may use the device. Processes run side by side.
    """
    return ThreadPoolExecutor(1, thread_name_prefix=DEVICE_THREAD)


class CudaGraphs:
    """A network, from any thread.

    Every shape has a session of its own: one that is given another shape plans anew and unloads
    kernels that its graphs still call (seen on an H200: "an illegal instruction").
    """

    def __init__(
        self, opened: Callable[[], ort.InferenceSession], device: str = "cuda"
    ) -> None:
        """Open the first session.

        Args:
            opened: Opens one; its provider is CUDA's with `enable_cuda_graph`.
            device: `cuda`, or `cpu` for sessions on the CPU, which capture nothing.
        """
        self._opened, self._device = opened, device
        self._unused: list[ort.InferenceSession] = [opened()]
        self._captured: dict[tuple[tuple[int, ...], ...], _Captured] = {}

    def run(self, *given: NDArray[Any]) -> list[NDArray[Any]]:
        """The network's outputs for its inputs; a shape's first time takes seconds.

        Raises:
            EngineFailed: ONNX Runtime failed.
        """
        with engine_failures():
            return on_device(partial(self._run, given))

    def _run(self, given: tuple[NDArray[Any], ...]) -> list[NDArray[Any]]:
        shapes = tuple(array.shape for array in given)
        if shapes not in self._captured:
            session = self._unused.pop() if self._unused else self._opened()
            self._captured[shapes] = _captured(session, given, self._device)
        return self._captured[shapes].replayed(given)


def _captured(
    session: ort.InferenceSession, given: tuple[NDArray[Any], ...], device: str
) -> _Captured:
    """Run it once without a graph, which plans it and gives the outputs' shapes."""
    names = [item.name for item in session.get_inputs()]
    results = session.run(None, dict(zip(names, given, strict=True)), _options(UNCAPTURED))
    inputs, outputs = (
        [ort.OrtValue.ortvalue_from_numpy(array, device, 0) for array in arrays]
        for arrays in (given, results)
    )
    binding = session.io_binding()
    for name, value in zip(names, inputs, strict=True):
        binding.bind_ortvalue_input(name, value)
    for output, value in zip(session.get_outputs(), outputs, strict=True):
        binding.bind_ortvalue_output(output.name, value)
    return _Captured(session, inputs, outputs, binding)


@dataclass(frozen=True)
class _Captured:
    """A graph, and where on the device its inputs and its outputs lie."""

    session: ort.InferenceSession
    inputs: list[ort.OrtValue]
    outputs: list[ort.OrtValue]
    binding: ort.IOBinding

    def replayed(self, given: tuple[NDArray[Any], ...]) -> list[NDArray[Any]]:
        """The outputs for others of these shapes; the first time captures the graph."""
        for value, array in zip(self.inputs, given, strict=True):
            value.update_inplace(array)
        self.session.run_with_iobinding(self.binding, _options(GRAPH))
        return [_copied(output) for output in self.outputs]


def _copied(output: ort.OrtValue) -> NDArray[Any]:
    """The output here: from a device `numpy` copies it; on the CPU it is written over next."""
    array: NDArray[Any] = output.numpy()
    return array.copy() if output.device_name() == "cpu" else array


def _options(graph: int) -> ort.RunOptions:
    options = ort.RunOptions()
    options.add_run_config_entry("gpu_graph_id", str(graph))
    return options
