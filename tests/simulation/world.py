"""A service and its processes in one thread, on a clock that moves only when told."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pagetide.document import SourceInfo
from pagetide.errors import BlobMissing, DiskFull, JobGone, JobUnknown, LeaseLost, StoreFailed
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.allowances import Allowance
from pagetide.server.jobs.job import SYSTEM, Delivery, Job, JobOptions, Result, Task, page_key
from pagetide.server.jobs.moved import Moved
from pagetide.server.maintenance.maintenance import Sweeper
from pagetide.server.service.notifier import Notifier
from pagetide.server.service.service import Service
from pagetide.server.service.submitting.submission import Submission
from pagetide.server.stores.memory import MemoryStore
from pagetide.server.stores.notifications.memory import MemoryNotifications
from pagetide.server.worker.assembly import has_all_pages
from pagetide.server.worker.claim import Claim
from pagetide.server.worker.claims import Claims
from pagetide.server.worker.outcomes import Outcomes
from pagetide.settings import Settings
from pagetide.system.cipher import Cipher
from tests.messages import MessageQueue
from tests.simulation.faults import START, Chances, Faulty, KeptBlobs, Killed

POOL = "cpu"
LATE = frozenset({"submit", "change"})
SETTINGS = Settings(cache=False, task_pages=2, lease_s=30.0)
NESTED = 2
ALLOWANCE = Allowance(active_pages=1000, pages_per_day=1000)  # counted, never reached


class Models:
    """Stands in for the catalogue: one model, one pool."""

    def pool(self, _: str) -> str:
        return POOL

    def pools(self) -> tuple[str, ...]:
        return (POOL,)

    def version(self, _: str) -> str:
        return "1"

    def vet_language(self, _: str, language: str) -> str:
        return language


class Pages:
    """Stands in for the sandbox: the document's name says how many pages it has."""

    def inspect(self, path: Path, name: str, password: str | None, owner: str) -> SourceInfo:
        return SourceInfo(
            name=name, sha256=name, bytes=1, media_type="application/pdf", page_count=int(name)
        )


class NoWatch:
    """A worker that hangs is not simulated: it is killed."""

    def rest(self) -> None:
        """Nothing is in hand."""


@dataclass
class World:
    """What all processes share, and what is known of it from outside."""

    rng: random.Random
    now: float = START
    accepted: dict[str, Job] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    told: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    deaths: int = 0
    charged: int = 0

    def __post_init__(self) -> None:
        self.chances = Chances(self.rng)
        self.store, self.blobs = Watched(self), KeptBlobs(self.clock)
        self.queue = Lossy(self)
        self.notifier = Notifier(MemoryNotifications(), self.queue, self.clock)
        self.numbers = itertools.count()
        self.running: list[Process] = []
        self.processes: list[Process] = [
            *(Reader(self) for _ in range(2)),
            *(Sweep(self), Caller(self), Asker(self), Eraser(self)),
        ]

    def clock(self) -> float:
        return self.now

    def step(self, process: Process) -> None:
        """Let a process do one thing; what kills it starts another in its place."""
        self.running.append(process)
        try:
            process.step()
        except Killed:
            process.die()
        except (StoreFailed, DiskFull):
            pass
        finally:
            self.running.remove(process)

    def anybody(self) -> None:
        """Let others do something between two calls of one."""
        if self.chances.quiet or len(self.running) > NESTED or self.rng.random() > 0.05:
            return
        others = [each for each in self.processes if each not in self.running]
        self.step(self.rng.choice(others))

    def pass_time(self) -> None:
        """A moment passes; leases are renewed by threads of their own meanwhile."""
        self.now += self.rng.expovariate(2.0)
        for process in self.processes:
            if isinstance(process, Reader) and process not in self.running:
                process.renew_when_due()


class Watched(MemoryStore):
    """The truth, and an eye on every change of it."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def _moved(self, old: Job, moved: Moved) -> Moved:
        known = dict(self._tasks[old.id])
        new = super()._moved(old, moved)
        for task in moved.tasks:
            before = known.get(task.id)
            self._world.charged += max(0, task.attempts - before.attempts) if before else 0
        if not old.ended and new.job.ended:
            self._world.ends[old.id] += 1
        used = self._usage[old.owner].active_pages
        if used != sum(job.active_pages for job in self._jobs.values()):
            self._world.wrong.append(f"{used} pages count as active after {old.id} changed")
        if old.ended and new.job.status not in (old.status, "expired"):
            self._world.wrong.append(f"{old.id} ended {old.status}, then {new.job.status}")
        if not new.job.ended and not any(
            t.state != "done" for t in self._tasks[old.id].values()
        ):
            self._world.wrong.append(
                f"{old.id} is {new.job.status} and nobody need do anything"
            )
        return new


class Lossy(MessageQueue):
    """Loses some messages, doubles others."""

    def __init__(self, world: World) -> None:
        super().__init__(clock=world.clock)
        self._world = world

    def send(self, tasks: Any, trace: str = "") -> None:
        rng, quiet = self._world.rng, self._world.chances.quiet
        for task in tasks:
            drawn = 1.0 if quiet else rng.random()
            for _ in range(0 if drawn < 0.1 else 2 if drawn < 0.2 else 1):
                super().send([task], trace)


class Process:
    """A process: its own view of the store and the blobs, which fail for it alone."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.name = f"{type(self).__name__}-{next(world.numbers)}"
        self.store: Any = Faulty(world.store, world.chances, world.anybody, LATE)
        self.blobs: Any = Faulty(world.blobs, world.chances, world.anybody, frozenset())
        self.start()

    def start(self) -> None:
        """Make what it works with."""

    def step(self) -> None:
        """Do one thing."""
        raise NotImplementedError

    def die(self) -> None:
        """It was killed; another takes its place."""
        self.name = f"{type(self).__name__}-{next(self.world.numbers)}"
        self.start()


class Reader(Process):
    """A worker: real claims and endings, and pages that are read by writing them down."""

    def start(self) -> None:
        world = self.world
        self.claims = Claims(
            self.store,
            world.notifier,
            pool=POOL,
            worker=self.name,
            lease_s=SETTINGS.lease_s,
            clock=world.clock,
            beat=lambda: None,
        )
        self.outcomes = Outcomes(
            claims=self.claims,
            store=self.store,
            blobs=self.blobs,
            watch=NoWatch(),  # type: ignore[arg-type]
            clock=world.clock,
        )
        self.inbox = world.queue.receiver(POOL, 1)
        self.stopped_until = 0.0
        self.due = world.now + SETTINGS.lease_s / 3

    def die(self) -> None:
        self.claims._ended.set()
        died = self.name
        self.world.deaths += self.begun()
        super().die()
        if self.world.rng.random() < 0.5:  # somebody saw it
            Sweep(self.world).seen_dead(died)

    def renew_when_due(self) -> None:
        if self.world.now >= max(self.due, self.stopped_until):
            self.due = self.world.now + SETTINGS.lease_s / 3
            try:
                self.due = self.world.now + self.claims.renew()
            except Killed:
                self.die()

    def begun(self) -> int:
        """Tasks that it holds and has begun, as the store knows or is about to learn."""
        held = self.world.store.leased_to(self.name)
        begun = sum(bool(task.lease and task.lease.begun) for task in held)
        return begun + len(self.world.chances.late)

    def step(self) -> None:
        world, chances = self.world, self.world.chances
        if chances.quiet:
            self.stopped_until = 0.0
        if world.now < self.stopped_until:
            return
        if chances.kills_left and world.rng.random() < 0.003:
            chances.kills_left -= 1
            world.deaths += self.begun()
            self.stopped_until = world.now + 5 * SETTINGS.lease_s
            return
        held = [claim for claim in self.claims.held if not claim.lost]
        for lost in self.claims.held:
            if lost.lost:
                self.claims.let_go(lost)
        try:
            if claim := held[0] if held else self.claims.take(self.inbox, 0.0):
                (self._finish if claim.task.kind == "finish" else self._read)(claim)
        except LeaseLost:
            pass
        except (StoreFailed, DiskFull) as error:
            self.outcomes.put_off(self.claims.held, error)

    def _read(self, claim: Claim) -> None:
        if self.blobs.find(claim.job.input) is None:
            self.outcomes.fail(claim, BlobMissing())
            return
        self.claims.begin(claim)
        left = claim.task.pages_left
        if left:
            key = page_key(claim.job, left[0], claim.token)
            self.blobs.put(key, b"page")
            record = partial(
                moves.record if left[1:] else moves.record_last,
                token=claim.token,
                pages={left[0]: True},
                until=self.claims.until(),
            )
            stops = self.world.rng.random() < 0.1
            try:
                if left[1:]:
                    self.claims.change(claim, record)
                else:
                    self.outcomes.record_last(claim, record, stops=stops)
            except LeaseLost:
                self.blobs.delete(key)
                raise
        else:
            self.outcomes.complete(claim)

    def _finish(self, claim: Claim) -> None:
        self.claims.begin(claim)
        job = claim.job
        tasks = [task for task in self.store.tasks(job.id) if task.kind == "read"]
        if claim.lost or not has_all_pages(job, tasks):
            self.outcomes.give_back(claim, claim.task.due)
            return
        done = {number: token for task in tasks for number, token in task.done.items()}
        gone = [n for n, token in done.items() if self._gone(job, n, token)]
        if gone:
            self.outcomes.read_again(claim, tuple(sorted(gone)))
            return
        body = ",".join(map(str, sorted(done))).encode()
        key = f"{job.prefix}results/document.json"
        self.blobs.put(key, body, durable=True)
        made = Result(key=key, media_type="application/json", bytes=len(body), sha256="")
        self.outcomes.finish(claim, {"json": made}, None)
        if not claim.lost:
            self.blobs.delete_under(f"{job.prefix}pages/")

    def _gone(self, job: Job, number: int, token: str) -> bool:
        return self.blobs.find(page_key(job, number, token)) is None


class Sweep(Process):
    """The real maintenance."""

    def start(self) -> None:
        self.sweeper = Sweeper(
            store=self.store,
            blobs=self.blobs,
            notifier=self.world.notifier,
            settings=SETTINGS,
            pools=(POOL,),
            clock=self.world.clock,
        )

    def step(self) -> None:
        self.sweeper.rescue()
        self.sweeper.tidy()

    def seen_dead(self, worker: str) -> None:
        """As the box does when a worker's process ends."""
        with suppress(StoreFailed, DiskFull, Killed):  # then its leases run out
            self.sweeper.take_from(worker)


class Caller(Process):
    """Calls webhooks by the real moves, over no network."""

    def step(self) -> None:
        world, token = self.world, f"hook-{next(self.world.numbers)}"
        taken = self.store.claim(
            SYSTEM, self.name, now=world.now, until=world.now + 60, token=token, beside=False
        )
        if taken is None:
            return
        job, task = taken
        if not world.store._jobs[job.id].ended:
            world.wrong.append(f"{job.id} was told of before its end")
        failed = not world.chances.quiet and world.rng.random() < 0.2
        world.told[job.id] += not failed
        note = Delivery(at=world.now, elapsed_ms=1, status=500 if failed else 200)
        move = partial(moves.delivered, token=token, delivery=note, jitter=0.0)
        with suppress(LeaseLost, JobUnknown):
            self.store.change(job.id, task.id, move)


class Asker(Process):
    """A client that submits, and asks again with the same key where it got no answer."""

    most = 3

    def start(self) -> None:
        self.service = _service(self)
        self.again: Submission | None = None

    def step(self) -> None:
        world = self.world
        if self.again is None:
            if len(world.accepted) >= self.most or world.chances.quiet:
                return
            self.again = Submission(
                document=Path("/nonexistent/document"),
                name=str(world.rng.randint(1, 5)),
                options=JobOptions(model="m"),
                webhook_url=world.rng.choice([None, "https://hook.example/"]),
                idempotency_key=f"key-{next(world.numbers)}",
                allowance=ALLOWANCE,
            )
        job = self.service.submit(self.again)
        world.accepted[job.id] = job
        self.again = None


class Eraser(Process):
    """A client that has jobs erased, and asks until it is told that they are."""

    def start(self) -> None:
        self.service = _service(self)
        self.job_id = getattr(self, "job_id", None)

    def step(self) -> None:
        world = self.world
        if self.job_id is None:
            left = sorted(set(world.accepted) - world.erased)
            if world.chances.quiet or not left or world.rng.random() > 0.05:
                return
            self.job_id = world.rng.choice(left)
        with suppress(JobGone):  # nothing is left
            self.service.erase(self.job_id)
        world.erased.add(self.job_id)
        self.job_id = None


def _service(process: Process) -> Service:
    return Service(
        settings=SETTINGS,
        store=process.store,
        blobs=process.blobs,
        notifier=process.world.notifier,
        models=Models(),
        inspector=Pages(),  # type: ignore[arg-type]
        cipher=Cipher(),
        vet_url=lambda _: None,
        clock=process.world.clock,
    )


def settled(world: World) -> Callable[[], bool]:
    """Whether nothing is left to do."""

    def look() -> bool:
        tasks: list[Task] = [t for job in world.accepted for t in world.store.tasks(job)]
        asked = any(getattr(each, "again", None) for each in world.processes)
        erasing = any(getattr(each, "job_id", None) for each in world.processes)
        return not asked and not erasing and all(task.state == "done" for task in tasks)

    return look
