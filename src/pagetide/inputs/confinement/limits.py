"""Resource limits of a child."""

from __future__ import annotations

import resource
from pathlib import Path

CPU_S = 7200  # of all its threads; its parent will have replaced a child long before
_OPEN_FILES = 256


def confine(memory_mb: int) -> list[str]:
    """Set the limits for good; their hard values are lowered, too.

    Args:
        memory_mb: Memory it may take beside what is mapped now.
    """
    for limit, value in (
        (resource.RLIMIT_AS, _mapped_bytes() + (memory_mb << 20)),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, CPU_S),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_NPROC, 0),  # it does not apply to root
    ):
        hard = resource.getrlimit(limit)[1]
        held = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (held, held))
    return ["limits"]


def _mapped_bytes() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 256 << 20  # no /proc: about what Python and the libraries map
    return pages * resource.getpagesize()
