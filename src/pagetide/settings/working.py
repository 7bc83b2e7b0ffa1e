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
        pools: Models that other machines run, by pool, such as `{cpu = ["structure-lite",
            "pp-ocrv6"], gpu = ["paddleocr-vl"]}`: they are accepted without a check, and all
            others are refused. Empty means all models that can run here, in the pool `cpu`.
        languages: If `pools` is set: additional languages that they read, besides those that
            come with the models: `ru,ar` for all pools, or by pool, such as `{gpu = ["ru",
            "ar"], cpu = ["ko"]}`; jobs in other languages are refused.
        canary: Share of a pool's new jobs for workers of another version, such as `{cpu-next =
            0.1}`; those workers take the pool `cpu-next`. Empty means none.
        min_workers: Worker processes kept running without work: a number, or numbers by pool,
            such as `{cpu = 1, gpu = 0}`.
        max_workers: Maximum worker processes per pool; 0 means one per four cores.
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
        version: Version that a worker reports in results; empty means the package's version.
        pod_name: Name of the worker's Kubernetes pod, which it annotates as busy or idle; empty
            means none.
        warm_models: Models that `pagetide worker` loads before it is ready; empty means
            `structure-lite` in the pool `cpu`, otherwise none.
        health_port: Port for liveness, readiness and metrics of a worker or sweep; 0 means
            none.
        idle_s: How long a worker waits for work before it exits, in seconds.
        concurrency: Maximum tasks a worker holds at once.
        lease_s: Lease of a task, in seconds; the worker must renew it in this time.
        task_pages: Maximum pages of one task.
        page_deadline_s: A worker that completes no page for this many seconds is stopped.
        drain_s: Timeout for a worker to stop when asked to, in seconds.
        recycle_pages: After this many pages a worker is replaced by a new one.
        recycle_mb: A worker that uses more memory than this, in megabytes, is replaced by a new
            one.
        sweep: Whether the API process sweeps and calls webhooks; with `no`, run `pagetide
            sweep` separately.
        sweep_s: Interval of the server's checks for dead workers and lost wake-ups, in seconds.
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
