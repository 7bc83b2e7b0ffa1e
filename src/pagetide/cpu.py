"""What this machine's processor can do."""

from __future__ import annotations

import functools
from pathlib import Path


@functools.cache
def features() -> frozenset[str]:
    """The processor's features by the names Linux gives them, such as `avx2` or `amx_bf16`.

    Empty where the system does not tell.
    """
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return frozenset()
    flags = (line.partition(":")[2] for line in lines if line.startswith(("flags", "Features")))
    return frozenset(next(flags, "").split())


@functools.cache
def model_name() -> str:
    """The processor's name, or `unknown`."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "unknown"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "unknown")
