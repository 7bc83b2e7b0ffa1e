"""The worker processes of one box: started when there is work, restarted when they die."""

from __future__ import annotations

import logging
import math
import multiprocessing
import os
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterable
from ctypes import c_double
from dataclasses import dataclass, replace

from pagetide.server.scaling.one_box import OneBox
from pagetide.server.service.load import demand
from pagetide.server.supervisor.child_process import ChildProcess
from pagetide.server.supervisor.restarts import Restarts
from pagetide.server.wiring import open_store, open_worker
from pagetide.settings import Settings, available_cores
from pagetide.telemetry import metrics, tracing
from pagetide.telemetry.logs import configure

log = logging.getLogger(__name__)

# What a worker needs before it can read. The process that workers are forked from has
# imported it, so that one starts in a fraction of the second that the imports take.
PRELOAD = (
    "pagetide.server.supervisor.forked_workers",
    "pagetide.server.worker.worker",
    "pagetide.server.stores.sql",
    "pagetide.server.blobs",
    "pagetide.server.stores.notifications.fifo",
    "pagetide.engines.ppocr.engine",
    "pagetide.engines.ppocr.inference.choice",
    "pagetide.engines.ppocr.inference.openvino_runtime",
    "pagetide.exports",
)
LOOK_S = 2.0  # a notification may be lost
MIN_LOOK_S = 0.05
NICENESS = 10  # reading takes all the processor there is; who asks something is answered first
EARLY_S = 3.0  # a forked worker is at work sooner than others: see `Restarts`
STARTING_S = 120.0  # a process on a busy computer may take so long to its first word
SILENT_LEASES = 2  # a worker that was silent for so many leases has hung


@dataclass
class Member:
    """One worker process.

    Attributes:
        beat: When it last said that it runs, by the monotonic clock; 0 until it first does.
        kept: It stays though it sees no work, until it is stopped.
    """

    name: str
    pool: str
    process: ChildProcess
    beat: c_double
    born: float
    kept: bool = False

    def last_report(self) -> float:
        """When it last reported; while it starts it need not report."""
        reported: float = self.beat.value
        return reported or self.born + STARTING_S


class ForkedWorkers:
    """Keeps the workers of all pools at the number that the work is worth."""

    def __init__(self, settings: Settings, pools: Iterable[str]) -> None:
        self._settings = settings
        self._pools = tuple(pools)
        self._policies = {
            pool: OneBox(most=max(settings.least_workers(pool), settings.workers_per_pool))
            for pool in self._pools
        }
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(list(PRELOAD))
        self._store = open_store(settings)
        self._members: list[Member] = []
        self._restarts = Restarts(EARLY_S)

    def warm(self) -> None:
        """Start the process that workers are forked from."""
        from multiprocessing import forkserver

        forkserver.ensure_running()

    @property
    def sentinels(self) -> list[int]:
        """Become ready when a worker's process ends."""
        return [member.process.sentinel for member in self._members]

    @property
    def count(self) -> int:
        """Worker processes there are."""
        return len(self._members)

    def reap(self) -> list[Member]:
        """Forget the workers whose processes have ended; those that died of something."""
        ended = [member for member in self._members if not member.process.is_alive()]
        return [member for member in ended if self._remove(member)]

    def scale(self) -> float:
        """Start the workers that are missing; for how many seconds to wait before looking."""
        return min([LOOK_S, *map(self._scale, self._pools)])

    def _scale(self, pool: str) -> float:
        asked = time.time()
        number, least = self._desired(pool, asked)
        self._keep(pool, least)
        wait = self._start_missing(pool, number, least)
        metrics.workers(pool=pool, count=len(self._of(pool)))
        due = self._store.next_due(pool)
        if due is None or due <= asked:  # what is due has been counted
            return wait
        return min(wait, max(due - time.time(), MIN_LOOK_S))

    def _start_missing(self, pool: str, number: int, least: int) -> float:
        """Start them, or wait as long as early deaths want; for how many seconds to wait."""
        missing = number - len(self._of(pool))
        pause_s = self._restarts.pause_s(pool, time.monotonic())
        if missing > 0 and pause_s:
            return pause_s
        for _ in range(missing):
            self._start(pool, kept=len(self._kept(pool)) < least)
        return LOOK_S

    def _desired(self, pool: str, now: float) -> tuple[int, int]:
        """How many workers a pool should have, and how many of them though there is no work.

        Who warms it gets no more than it may have.
        """
        found, policy = (
            demand.look(self._store, self._settings, pool, now),
            self._policies[pool],
        )
        return policy.worth(found.size()), min(found.workers, policy.most)

    def _of(self, pool: str) -> list[Member]:
        return [member for member in self._members if member.pool == pool]

    def _kept(self, pool: str) -> list[Member]:
        return [member for member in self._of(pool) if member.kept]

    def _keep(self, pool: str, least: int) -> None:
        """Stop workers that no longer need to be kept; what they hold is not lost."""
        for member in self._kept(pool)[least:]:
            member.kept = False
            member.process.terminate()

    def kill_hung(self) -> None:
        """End workers that have said nothing for so long that their leases are lost."""
        silent = time.monotonic() - SILENT_LEASES * self._settings.lease_s
        for member in self._members:
            if member.last_report() < silent and member.process.is_alive():
                log.error("worker hangs and is killed", extra={"worker": member.name})
                member.process.kill()

    def stop(self) -> None:
        """Ask all workers to end; wait as long as they may take, then kill them."""
        for member in self._members:
            member.process.terminate()
        deadline = time.monotonic() + self._settings.drain_s
        for member in self._members:
            if not member.process.wait(max(0.0, deadline - time.monotonic())):
                member.process.kill()
            member.process.close()
        self._store.close()

    def _start(self, pool: str, *, kept: bool) -> None:
        name, beat = f"{pool}-{secrets.token_hex(4)}", self._context.RawValue(c_double, 0.0)
        args = (self._settings_of(kept), pool, name, beat)
        process = self._context.Process(target=work, args=args, name=name)
        process.start()
        log.info("worker started", extra={"worker": name, "pool": pool})
        member = Member(
            name=name,
            pool=pool,
            process=ChildProcess(process),
            beat=beat,
            born=time.monotonic(),
            kept=kept,
        )
        self._members.append(member)

    def _settings_of(self, kept: bool) -> Settings:
        most = self._settings.workers_per_pool
        threads = self._settings.threads or max(1, available_cores() // most)
        idle_s = math.inf if kept else self._settings.idle_s
        return replace(self._settings, threads=threads, idle_s=idle_s)

    def _remove(self, member: Member) -> bool:
        """Forget one whose process has ended; whether it died of something."""
        self._members.remove(member)
        code = member.process.close()
        log.info("worker left", extra={"worker": member.name, "exit": code})
        if code == 0:
            self._restarts.left(member.pool)
            return False
        now = time.monotonic()
        self._restarts.died(member.pool, now, now - member.born, member.beat.value > 0)
        return True


def work(settings: Settings, pool: str, name: str, beat: c_double) -> None:
    """The whole life of a worker process."""
    os.nice(NICENESS)
    configure(settings)
    worker = open_worker(settings, pool, name, lambda: setattr(beat, "value", time.monotonic()))
    signal.signal(signal.SIGTERM, lambda *_: worker.stop())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's; the server asks by SIGTERM
    _when_orphaned(worker.stop)
    try:
        reason = worker.run()
    finally:
        worker.close()
        tracing.flush()
    log.info("worker leaves", extra={"worker": name, "reason": reason})


def _when_orphaned(stop: Callable[[], None]) -> None:
    """Call for the end when the server is gone, however it went."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent:
            parent.join()
            stop()

    threading.Thread(target=watch, name="pagetide-orphan", daemon=True).start()
