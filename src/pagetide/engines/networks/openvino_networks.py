"""Networks on OpenVINO: compiled once and kept, run from several threads at once."""

from __future__ import annotations

import io
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.networks.compiled_cache import CompiledCache
from pagetide.engines.networks.quiet_openvino import ov
from pagetide.errors import EngineFailed
from pagetide.system import cpu


class Networks:
    """Compiles an engine's networks for the CPU, or takes them from where they are kept."""

    def __init__(
        self, threads: int, *, bf16: bool, cache_folder: Path | None, made_from: tuple[str, ...]
    ) -> None:
        """Open it.

        Args:
            threads: Most cores that one network may use.
            bf16: Whether to multiply in bf16; else in f32.
            cache_folder: Where compiled networks are kept; None keeps none.
            made_from: What they depend on besides OpenVINO and the processor: versions or
                digests of the weights and of the code that rewrites them.
        """
        self.core = _opened()
        self.precision = "bf16" if bf16 else "f32"
        self._threads = threads
        self._cache = CompiledCache(
            cache_folder,
            ov.get_version(),
            cpu.model_name(),
            " ".join(sorted(cpu.features())),
            f"{self.precision} {threads}",
            *made_from,
        )

    def kept(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Something read from the weights, kept beside the networks made of them."""
        content = self._cache.load(name)
        if content is None:
            content = make()
            self._cache.store(name, content)
        return content

    def opening(
        self, name: str, build: Callable[[], ov.Model], streams: int
    ) -> Future[Network]:
        """`network`, in a thread: a process that starts has other things to do meanwhile."""
        opener = ThreadPoolExecutor(1, thread_name_prefix="pagetide-opening")
        opened = opener.submit(self.network, name, build, streams)
        opener.shutdown(wait=False)
        return opened

    def network(self, name: str, build: Callable[[], ov.Model], streams: int) -> Network:
        """The network of this name.

        Args:
            name: What it is kept under.
            build: Reads and rewrites its model; called where nothing is kept.
            streams: How many callers may run it side by side.
        """
        config = {
            "INFERENCE_PRECISION_HINT": self.precision,
            "NUM_STREAMS": streams,
            "INFERENCE_NUM_THREADS": self._threads,
            "ENABLE_CPU_PINNING": False,
        }
        content = self._cache.load(name)
        if content is not None:
            try:
                return Network(self.core.import_model(content, "CPU", config))
            except RuntimeError:
                pass  # cut short, or of another build: compile it again
        compiled = self.core.compile_model(build(), "CPU", config)
        exported = io.BytesIO()
        compiled.export_model(exported)
        self._cache.store(name, exported.getvalue())
        return Network(compiled)


def _opened() -> ov.Core:
    """OpenVINO with its plugin for the CPU, loaded by a thread that ends with it.

    The plugin gives the thread that loads it a stack for signals (`sigaltstack`; AMX needs a
    large one), and unmaps that stack with itself, whichever thread lets it go: the next signal
    then ended the process, Ctrl-C and SIGTERM as well. Seen with OpenVINO 2026.4.
    """
    core = ov.Core()
    loading = threading.Thread(target=core.get_property, args=("CPU", "AVAILABLE_DEVICES"))
    loading.start()
    loading.join()
    return core


class Network:
    """A compiled model and the requests it is run through, one for each caller at a time."""

    def __init__(self, compiled: ov.CompiledModel) -> None:
        self._compiled = compiled
        self._idle: queue.SimpleQueue[ov.InferRequest] = queue.SimpleQueue()

    def infer(self, *given: NDArray[Any]) -> list[NDArray[Any]]:
        """Copies of the model's outputs.

        Args:
            given: One array for each of its inputs.

        Raises:
            EngineFailed: OpenVINO failed.
        """
        try:
            request = self._idle.get_nowait()
        except queue.Empty:
            request = self._compiled.create_infer_request()
        try:
            request.infer(list(given), share_inputs=True)
            return [np.array(tensor.data) for tensor in request.output_tensors]
        except RuntimeError as error:
            raise EngineFailed("OpenVINO failed to run a network.") from error
        finally:
            self._idle.put(request)
