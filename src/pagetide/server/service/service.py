"""Jobs from the outside: submit, status, results, cancel, erase."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from pagetide.errors import (
    JobEnded,
    JobGone,
    JobUnknown,
    PasswordNeeded,
    ResultNotReady,
    StoreFailed,
)
from pagetide.server.jobs import endings, owing
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import SYSTEM, Delivery, Job, Result, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import Backlog, Blobs, JobQuery, Store
from pagetide.server.service import blob_owner
from pagetide.server.service.erasing import clear
from pagetide.server.service.load.capacity import Capacity, Lines
from pagetide.server.service.load.demand import all_pools
from pagetide.server.service.notifier import Notifier
from pagetide.server.service.pages import Pages
from pagetide.server.service.reviews import Reviews
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.server.service.submitting.submission import (
    ModelPlaces,
    Submission,
    Submitter,
    check_formats,
)
from pagetide.settings import Settings
from pagetide.system.cipher import Cipher
from pagetide.system.disk_room import DiskRoom

MOST_AHEAD = 1000  # tasks before a job are counted no further

_FORGOTTEN = (
    "the document is encrypted, and its password was deleted when its job ended."
    " Request the format when you submit the document."
)


@dataclass(frozen=True)
class Marks:
    """Version marks of jobs: they differ where a job has changed.

    Attributes:
        versions: Of the jobs that were asked for.
        lines: In which jobs wait.
        starved: The pools that have work and no worker.
    """

    versions: Mapping[str, int]
    lines: Lines
    starved: frozenset[str]


class Service:
    """Everything a user can do; what workers do is in `worker`.

    Any number of threads may use it, and any number of services one store.

    Attributes:
        settings: As given.
        store: The truth.
        blobs: Documents and results.
        notifier: Tells of what has changed, and wakes workers.
        cipher: Hides what must not lie in the store in clear.
        reviews: Results that wait for a person.
        pages: The pages of jobs, and their pictures.
        capacity: What each pool has to do, and which workers are kept for it.
        clock: The store's time, in seconds since the epoch.
        room: On this server's disks.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        store: Store,
        blobs: Blobs,
        notifier: Notifier,
        models: ModelPlaces,
        inspector: Inspector,
        cipher: Cipher,
        vet_url: Callable[[str], None],
        clock: Callable[[], float] = time.time,
        room: DiskRoom | None = None,
    ) -> None:
        self.room = room or DiskRoom()
        self.settings, self.store, self.blobs, self.notifier = settings, store, blobs, notifier
        self._inspector, self.clock = inspector, clock
        self.cipher = cipher
        self._owned: str | None = None  # the mark of the identity that was found right
        self.capacity = Capacity(
            store=store,
            settings=settings,
            notifications=notifier.notifications,
            pools=all_pools(models.pools(), settings),
            clock=clock,
        )
        self.reviews = Reviews(
            store=store, blobs=blobs, notifier=notifier, settings=settings, clock=clock
        )
        self.pages = Pages(
            store=store, blobs=blobs, inspector=inspector, cipher=cipher, job=self.job
        )
        self._submitter = Submitter(
            settings=settings,
            store=store,
            blobs=blobs,
            notifier=notifier,
            models=models,
            inspector=inspector,
            cipher=cipher,
            vet_url=vet_url,
            clock=clock,
            room=self.room,
        )

    def submit(self, submission: Submission) -> Job:
        """Take a document in; once this returns, it will be read whatever dies.

        The same document, model and options of the same key are answered from the earlier
        result: the job is then `succeeded` at once.

        Raises:
            PagetideError: It is refused; nothing is left behind.
        """
        return self._submitter.submit(submission)

    def resubmit(self, job_id: str, submission: Submission) -> Job:
        """The job that a document was submitted as before, if it was to be read the same way.

        Args:
            job_id: That job's.
            submission: What is asked for now; its document is gone, and not looked at.

        Raises:
            IdempotencyConflict: It was to be read otherwise.
            PagetideError: See `job`.
        """
        return self._submitter.same(self.job(job_id, submission.owner), submission)

    def job(self, job_id: str, owner: str | None = None) -> Job:
        """A job.

        Args:
            job_id: Its id.
            owner: Whose jobs may be seen; None sees all.

        Raises:
            JobUnknown: There never was one, or it is another key's.
            JobGone: It was erased or has expired.
        """
        job = self.store.job(job_id)
        if job is None or (owner is not None and job.owner != owner):
            raise JobUnknown
        if job.erased:
            what = "has expired" if job.status == "expired" else "was erased"
            raise JobGone(f"The job {what}.")
        return job

    def jobs(self, query: JobQuery) -> tuple[Job, ...]:
        """Jobs, the newest first."""
        return self.store.jobs(query)

    def marks(self, job_ids: Collection[str]) -> Marks:
        """A value that changes when any of these jobs has, at little cost."""
        return Marks(
            self.store.versions(job_ids), self.capacity.lines(), self.capacity.starved()
        )

    def position(self, job: Job) -> int | None:
        """How many tasks wait before the job's first one, at most 1000; None unless queued."""
        if job.status != "queued":
            return None
        waiting = [task for task in self.store.tasks(job.id) if task.state == "waiting"]
        return min((self.store.ahead(task, MOST_AHEAD) for task in waiting[:1]), default=None)

    def result(self, job: Job, format_name: str) -> Result:
        """Where a result is; one that was not asked for before begins to be made.

        Raises:
            BadOption: There is no such format.
            ResultNotReady: The job is not done, or the format is being made.
            JobEnded: The job ended without results.
            PagetideError: The format cannot be made.
        """
        check_formats((format_name,))
        if format_name in job.results:
            return job.results[format_name]
        if not job.ended:
            raise ResultNotReady("The job is not done yet.")
        if "json" not in job.results:
            raise JobEnded(f"The job ended without a result: {job.status}.")
        self._make(job, format_name)
        raise ResultNotReady(f"The format {format_name} is being created.")

    def inline(self, job: Job) -> bytes | None:
        """The document's JSON, where it is there and small enough for a status."""
        info = job.results.get("json")
        if info is None or info.bytes > self.settings.inline_bytes:
            return None
        return self.blobs.get(info.key)

    def stream(self, info: Result, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """A result's bytes, in chunks."""
        return self.blobs.stream(info.key, start, end)

    def cancel(self, job_id: str, owner: str | None = None) -> Job:
        """Stop a job; what is being read is thrown away.

        Raises:
            JobUnknown: There is no such job.
            JobGone: It was erased or has expired.
            JobEnded: It has ended otherwise.
        """
        self.job(job_id, owner)
        now = self.clock()
        moved = self._change(
            job_id, None, lambda job, _: endings.cancel(job, now), durable=True
        )
        self.blobs.delete_under(f"{moved.job.prefix}pages/")
        return moved.job

    def erase(self, job_id: str, owner: str | None = None) -> None:
        """Remove a job's input, results and details.

        Once the store has kept that it is erased nobody gets anything of it. Where its blobs
        cannot be deleted now, the next call goes on, and the sweep does without one.

        Raises:
            JobUnknown: There is no such job.
            JobGone: It was erased already, or has expired, and nothing is left.
            StoreFailed: The store or the blobs cannot be reached.
        """
        found = self.store.job(job_id)
        if found is None or not found.clearing or owner not in (None, found.owner):
            found = self.job(job_id, owner)
        now = self.clock()
        clear(
            found, lambda job, _: endings.erase(job, now), self._change, self.blobs, self.room
        )

    def deliveries(self, job: Job) -> tuple[Delivery, ...]:
        """The deliveries to the job's webhook so far: of its end, and of its review."""
        tried = (task.deliveries for task in self.store.tasks(job.id))
        return tuple(sorted(chain.from_iterable(tried), key=lambda each: each.at))

    def redeliver(self, job: Job) -> None:
        """Call the job's webhook again.

        Raises:
            JobEnded: It has none, or has not ended.
        """
        now = self.clock()
        self._change(
            job.id, owing.delivery_id(job), lambda job, task: moves.redeliver(job, task, now)
        )

    def backlog(self, pool: str) -> Backlog:
        """The backlog of a pool.

        Raises:
            NotFound: There is no such pool.
        """
        self.capacity.check(pool)
        return self.store.backlog(pool, self.clock())

    def pools(self) -> tuple[str, ...]:
        """All pools."""
        return self.capacity.pools

    def check_health(self) -> None:
        """Check that the store and the blobs answer, take more, and belong to each other.

        Whose the blobs are is read again only where it has changed: probes come often.

        Raises:
            StoreFailed: One does not answer or take writes, or they do not.
            DiskFull: There is less room than the reserve.
        """
        self.room.check()
        self.store.backlog(SYSTEM, self.clock())
        try:
            self.store.check_writable()
        except StoreFailed as error:
            raise StoreFailed(f"The job store accepts no writes: {error.message}") from None
        found = self.blobs.find(blob_owner.KEYS[-1])
        mark = found.etag if found else ""
        if mark != self._owned:
            blob_owner.check(self.store, self.blobs)
            self._owned = mark

    def close(self) -> None:
        """Close everything."""
        self._inspector.close()
        self.notifier.close()
        self.store.close()

    def _make(self, job: Job, format_name: str) -> None:
        task_id = moves.format_task_id(job, format_name)
        known = {task.id: task for task in self.store.tasks(job.id)}
        failure = known[task_id].error if task_id in known else None
        if failure:
            forgotten = failure.code == PasswordNeeded.code
            why = _FORGOTTEN if forgotten else failure.message
            raise JobEnded(f"The format {format_name} cannot be created: {why}")
        now = self.clock()
        self._change(
            job.id, task_id, lambda job, task: moves.add_format(job, task, format_name, now)
        )

    def _change(
        self,
        job_id: str,
        task_id: str | None,
        move: Callable[[Job, Task | None], Moved],
        *,
        durable: bool = False,
    ) -> Moved:
        moved = self.store.change(job_id, task_id, move, durable=durable)
        self.notifier.moved(moved)
        return moved
