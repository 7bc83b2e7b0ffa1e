"""The faults in a cluster under chaos, in an order that the seed decides."""

from __future__ import annotations

import random
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable

from bench.cluster_places import Place
from bench.cluster_processes import Cluster
from bench.cluster_trials import trials
from bench.cluster_watch import Recoveries

EVERY_S = (1.5, 5.0)
# How long workers are stopped: longer than a lease, and longer than one in doubt.
STALL_S = {"worker stalls": 5.0, "long worker stalls": 11.0}
KINDS = {"workers killed": 6, "APIs killed": 2, "worker stalls": 2, "long worker stalls": 1}


class Havoc:
    """Kills and stalls processes at random, and the parts when it is their turn.

    One ready worker is always left, otherwise nobody could resume the work.
    """

    def __init__(self, running: Cluster, recoveries: Recoveries, chance: random.Random) -> None:
        self._running, self._recoveries, self._chance = running, recoveries, chance
        self._counts: Counter[str] = Counter()
        self._ending = threading.Event()
        self._stalled: set[subprocess.Popen[bytes]] = set()
        self._threads: list[threading.Thread] = []
        self._failure: BaseException | None = None

    def start(self, progress: Callable[[], float]) -> None:
        """Begin.

        Args:
            progress: The share (0–1) of the jobs that have ended.
        """
        for target in (self._hit_processes, lambda: self._hit_parts(progress)):
            thread = threading.Thread(target=self._noting, args=(target,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def end(self) -> None:
        """Stop hitting; stalled processes continue."""
        self._ending.set()
        for thread in self._threads:
            thread.join()
        for stalled in list(self._stalled):
            self._resume(stalled)
        if self._failure:
            raise self._failure

    def said(self) -> str:
        """The faults so far."""
        return ", ".join(f"{count} {what}" for what, count in sorted(self._counts.items()))

    def _noting(self, target: Callable[[], None]) -> None:
        try:
            target()
        except BaseException as error:
            self._failure = error

    def _hit_processes(self) -> None:
        chance = self._chance
        while not self._ending.wait(chance.uniform(*EVERY_S)):
            kind = chance.choices([*KINDS], [*KINDS.values()])[0]
            api = kind == "APIs killed"
            place = chance.choice(self._running.apis if api else self._running.workers)
            victim = place.process
            if victim is None or victim in self._stalled or not place.runs():
                continue
            if not api and not self._another_works(place):
                continue
            stall_s = STALL_S.get(kind)
            victim.send_signal(signal.SIGSTOP if stall_s else signal.SIGKILL)
            if stall_s:
                self._stall(victim, stall_s)
            self._counts[kind] += 1
            if not api:
                self._recoveries.hit(victim.pid)

    def _another_works(self, place: Place) -> bool:
        """Whether a worker is left that could resume this one's work."""
        return any(
            other.process not in self._stalled and other.ready()
            for other in self._running.workers
            if other is not place
        )

    def _stall(self, victim: subprocess.Popen[bytes], seconds: float) -> None:
        """Continue it in time, whatever else waits: it may have been stopped holding a lock."""
        self._stalled.add(victim)
        timer = threading.Timer(seconds, self._resume, (victim,))
        timer.daemon = True
        timer.start()

    def _resume(self, victim: subprocess.Popen[bytes]) -> None:
        self._stalled.discard(victim)
        victim.send_signal(signal.SIGCONT)

    def _hit_parts(self, progress: Callable[[], float]) -> None:
        for share, trial in trials(self._running.parts):
            while progress() < share:
                if self._ending.wait(0.05):
                    return
            self._recoveries.broker_away(True)
            trial.act(self._pause)
            self._recoveries.broker_away(False)
            self._counts[trial.name] += 1

    def _pause(self, seconds: tuple[float, float]) -> None:
        """Let a fault last, unless everything is to end."""
        self._ending.wait(self._chance.uniform(*seconds))
