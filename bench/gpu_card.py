"""The local GPU: its type, and its utilisation."""

from __future__ import annotations

import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import onnxruntime

from pagetide.settings import available_cores
from pagetide.system.cpu import model_name

EVERY_S = 0.1


@dataclass
class Used:
    """Measurements of the card since `begin` was called.

    Attributes:
        shares: Per cent of the time in which a kernel ran, a sample of each tenth of a second.
        memory_gib: Peak memory.
    """

    shares: list[int] = field(default_factory=list)
    memory_gib: float = 0.0

    def begin(self) -> None:
        """Discard earlier measurements."""
        self.shares.clear()

    @property
    def share(self) -> float:
        """The mean; 0 without measurements."""
        return sum(self.shares) / max(1, len(self.shares))


class Card:
    """The first GPU by NVML's count; none without NVML."""

    def __init__(self, nvml: Any, handle: Any) -> None:
        self._nvml, self._handle = nvml, handle

    @classmethod
    def here(cls) -> Card:
        """The card; without `nvidia-ml-py` or a driver nothing is known of it."""
        with suppress(ImportError):
            import pynvml

            with suppress(pynvml.NVMLError):
                pynvml.nvmlInit()
                return cls(pynvml, pynvml.nvmlDeviceGetHandleByIndex(0))
        return cls(None, None)

    def described(self) -> str:
        """One line: card, driver, runtime, processor."""
        card = "no GPU that NVML knows"
        if self._nvml:
            name = self._nvml.nvmlDeviceGetName(self._handle)
            card = f"{name}, driver {self._nvml.nvmlSystemGetDriverVersion()}"
        return (
            f"{card}; ONNX Runtime {onnxruntime.__version__}; {model_name()},"
            f" {available_cores()} cores; Python {platform.python_version()}"
        )

    @contextmanager
    def watched(self) -> Iterator[Used]:
        """Sample the card every tenth of a second while the block runs."""
        used, ended = Used(), threading.Event()

        def look() -> None:
            while not ended.wait(EVERY_S):
                rates = self._nvml.nvmlDeviceGetUtilizationRates(self._handle)
                memory = self._nvml.nvmlDeviceGetMemoryInfo(self._handle).used / 2**30
                used.shares.append(rates.gpu)
                used.memory_gib = max(used.memory_gib, memory)

        watching = threading.Thread(target=look, daemon=True)
        if self._nvml:
            watching.start()
        try:
            yield used
        finally:
            ended.set()
            if self._nvml:
                watching.join()
