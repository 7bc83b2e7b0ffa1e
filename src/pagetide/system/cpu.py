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


def multiplies_bf16() -> bool:
    """Whether bf16 is faster than f32 here: by AMX tiles, or by AVX-512's dot products.

    On a Zen 5 core, which has only the latter, lines are recognised 2.0 times as fast and
    pages searched 1.9 times as fast as in f32.
    """
    return not features().isdisjoint({"amx_bf16", "avx512_bf16"})


@functools.cache
def model_name() -> str:
    """The processor's name, or `unknown`."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "unknown"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "unknown")
