"""The processors slowed for this program and all its children, by the kernel's own quota."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PERIOD_US = 10_000  # short, so that it is slow instead of stopping and starting
V1, V2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")


@contextmanager
def slowed(times: float) -> Iterator[None]:
    """As long as this lasts, processes begun here share a part of the processors.

    Args:
        times: How much slower; 1 changes nothing.

    Raises:
        SystemExit: No control group can be created: it needs root.
    """
    if times == 1:
        yield
        return
    quota = int((os.cpu_count() or 1) * PERIOD_US / times)
    before = V1 if V1.is_dir() else V2
    group = before / f"pagetide-chaos-{os.getpid()}"
    try:
        group.mkdir()
        _limit(group, quota)
        (group / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as error:
        raise SystemExit(f"the processors cannot be slowed: {error}") from None
    try:
        yield
    finally:
        for pid in (group / "cgroup.procs").read_text().split():
            (before / "cgroup.procs").write_text(pid)
        group.rmdir()


def _limit(group: Path, quota: int) -> None:
    if group.parent == V1:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (group / "cpu.cfs_quota_us").write_text(str(quota))
    else:
        (group / "cpu.max").write_text(f"{quota} {PERIOD_US}")
