"""What goes wrong in a cluster under chaos, in an order that the seed decides."""

from __future__ import annotations

import random
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable

from bench.cluster_places import Place
from bench.cluster_processes import Cluster
from bench.cluster_watch import Recoveries

EVERY_S = (1.5, 5.0)
STALL_S = 5.0  # longer than a lease
AWAY_S = (1.0, 3.0)
# What befalls the broker, and at what share of the jobs ended: it is not left to chance.
TRIALS = ((0.2, "restart"), (0.45, "wipe"), (0.7, "restart"))


class Havoc:
    """Kills and stalls processes at random, and the broker when its time has come.

    One worker is always left that is ready, or nobody could take anything up.
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
        for target in (self._hit_processes, lambda: self._try_broker(progress)):
            thread = threading.Thread(target=self._noting, args=(target,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def end(self) -> None:
        """Hit nothing more; whatever was stopped goes on."""
        self._ending.set()
        for thread in self._threads:
            thread.join()
        for stalled in list(self._stalled):
            self._resume(stalled)
        if self._failure:
            raise self._failure

    def said(self) -> str:
        """What was done."""
        return ", ".join(f"{count} {what}" for what, count in sorted(self._counts.items()))

    def _noting(self, target: Callable[[], None]) -> None:
        try:
            target()
        except BaseException as error:
            self._failure = error

    def _hit_processes(self) -> None:
        chance = self._chance
        while not self._ending.wait(chance.uniform(*EVERY_S)):
            kind = chance.choices(["worker", "api", "stall"], [6, 2, 2])[0]
            place = chance.choice(
                self._running.apis if kind == "api" else self._running.workers
            )
            victim = place.process
            if victim is None or victim in self._stalled or not place.runs():
                continue
            if kind != "api" and not self._another_works(place):
                continue
            victim.send_signal(signal.SIGSTOP if kind == "stall" else signal.SIGKILL)
            if kind == "stall":
                self._stall(victim)
            self._counts["workers stalled" if kind == "stall" else f"{kind}s killed"] += 1
            if kind != "api":
                self._recoveries.hit(victim.pid)

    def _another_works(self, place: Place) -> bool:
        """Whether a worker is left that could take up what this one holds."""
        return any(
            other.process not in self._stalled and other.ready()
            for other in self._running.workers
            if other is not place
        )

    def _stall(self, victim: subprocess.Popen[bytes]) -> None:
        """Have it go on in time, whatever else waits: it may have stopped with a lock held."""
        self._stalled.add(victim)
        timer = threading.Timer(STALL_S, self._resume, (victim,))
        timer.daemon = True
        timer.start()

    def _resume(self, victim: subprocess.Popen[bytes]) -> None:
        self._stalled.discard(victim)
        victim.send_signal(signal.SIGCONT)

    def _try_broker(self, progress: Callable[[], float]) -> None:
        for share, trial in TRIALS:
            while progress() < share:
                if self._ending.wait(0.05):
                    return
            act = self._restart if trial == "restart" else self._running.parts.wipe
            if act is None or (trial == "restart" and self._running.parts.broker is None):
                continue
            self._recoveries.broker_away(True)
            act()
            self._recoveries.broker_away(False)
            self._counts[f"broker {'restarts' if trial == 'restart' else 'wipes'}"] += 1

    def _restart(self) -> None:
        broker = self._running.parts.broker
        assert broker
        broker.kill()
        self._ending.wait(self._chance.uniform(*AWAY_S))
        broker.start()
