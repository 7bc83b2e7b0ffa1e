"""Settings of pools and of workers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pagetide.settings.field_kinds import positive, shaped
from pagetide.settings.tables import CANARY, LANGUAGES, NAMES, POOLS, WORKERS


@dataclass(frozen=True, kw_only=True)
class PoolSettings:
    """Pools.

    Attributes:
        pools: Which models other machines run, by pool, such as
            `{cpu = ["structure-lite", "pp-ocrv6"], gpu = ["paddleocr-vl"]}`: they are taken
            unseen, and any other is refused; empty means all models that can run here, in the
            pool `cpu`.
        languages: Where `pools` is set, the languages that they read beside those that the
            models bring along: `ru,ar` for all pools, or by pool, such as
            `{gpu = ["ru", "ar"], cpu = ["ko"]}`; a job in any other is refused.
        canary: A share of the new jobs of a pool that workers of another version get, such as
            `{cpu-next = 0.1}`: theirs is the pool `cpu-next`; empty means none.
        min_workers: Worker processes kept though there is no work: a number, or numbers by
            pool, such as `{cpu = 1, gpu = 0}`.
        max_workers: Maximum worker processes of a pool; 0 means one for every four cores.
    """

    pools: Mapping[str, tuple[str, ...]] = shaped(POOLS)
    languages: tuple[str, ...] | Mapping[str, tuple[str, ...]] = shaped(LANGUAGES)
    canary: Mapping[str, float] = shaped(CANARY)
    min_workers: int | Mapping[str, int] = shaped(WORKERS)
    max_workers: int = 0


@dataclass(frozen=True, kw_only=True)
class WorkerSettings:
    """Workers and the sweep.

    Attributes:
        version: What a worker calls its version in results; empty means the package's.
        pod_name: The Kubernetes pod that a worker runs in, at which it notes whether it is
            busy; empty means none.
        warm_models: Models that a worker of `pagetide worker` loads before it is ready; empty
            means `structure-lite` in the pool `cpu`, else none.
        health_port: Port at which a worker or sweep answers whether it is alive and ready, and
            tells its metrics; 0 means none.
        idle_s: Seconds that a worker waits for work before it ends.
        concurrency: Maximum tasks that a worker holds at once.
        lease_s: Seconds that a task is a worker's before it must renew.
        task_pages: Maximum pages of one task.
        page_deadline_s: A worker that gets no page done for so many seconds is ended.
        drain_s: Maximum seconds a worker may take to end when it is asked to.
        recycle_pages: After so many pages a worker makes way for a new one.
        recycle_mb: A worker that takes more memory, in megabytes, makes way for a new one.
        sweep: Whether the API process sweeps and calls webhooks; with `no`, run
            `pagetide sweep` beside it.
        sweep_s: Seconds between the server's looks for workers that died and wake-ups that
            were lost.
    """

    version: str = ""
    pod_name: str = ""
    warm_models: tuple[str, ...] = shaped(NAMES)
    health_port: int = 0
    idle_s: float = 30.0
    concurrency: int = positive(4)
    lease_s: float = positive(30.0)
    task_pages: int = positive(8)
    page_deadline_s: float = positive(120.0)
    drain_s: float = 25.0
    recycle_pages: int = positive(5000)
    recycle_mb: int = positive(3000)
    sweep: bool = True
    sweep_s: float = positive(2.0)
