"""A process whose wall clock is minutes off, by libfaketime."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.parts.server import PartMissing


def clock_off(seconds: float) -> Mapping[str, str]:
    """The environment of such a process; elapsed time stays correct.

    Raises:
        PartMissing: libfaketime is not installed.
    """
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if not found:
        raise PartMissing("libfaketime is not installed: apt-get install faketime")
    return {
        "LD_PRELOAD": str(found[0]),
        "FAKETIME": f"{seconds:+.0f}s",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "FAKETIME_DONT_RESET": "1",
        "NO_FAKE_STAT": "1",
    }
