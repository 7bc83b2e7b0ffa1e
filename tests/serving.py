"""A service and its workers in this process, for tests: all in memory, with a fake model."""

from __future__ import annotations

import functools
import io
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pypdf
from pypdf.generic import DecodedStreamObject, NameObject

from pagetide.document import Document
from pagetide.engines.catalogue import Models
from pagetide.errors import AddressRefused
from pagetide.inputs import Limits
from pagetide.reading import Reader
from pagetide.reading.opening import open_reader
from pagetide.server.blobs import ObjectBlobs
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import Job, JobOptions, Task
from pagetide.server.maintenance.deliverer import Deliverer, Post
from pagetide.server.maintenance.maintenance import GRACE, Sweeper
from pagetide.server.ports import Blobs, Notifications, Queue, Store
from pagetide.server.queues.store import StoreQueue
from pagetide.server.service.notifier import Notifier
from pagetide.server.service.service import Service
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.server.service.submitting.submission import Submission
from pagetide.server.stores.memory import MemoryStore
from pagetide.server.stores.notifications.memory import MemoryNotifications
from pagetide.server.wiring import open_cipher
from pagetide.server.worker.worker import Worker
from pagetide.settings import Settings

FIRST_WIDTH = 200  # pixels of page 1 of `pdf`; every further page is 2 wider


@functools.cache
def pdf(
    pages: int, *, first: int = FIRST_WIDTH, password: str = "", owner: str = "", blank: int = 0
) -> bytes:
    """A PDF of drawn pages, each of another width, by which the fake model identifies it.

    Blank pages, which no model need read, may follow.
    """
    writer, drawing = pypdf.PdfWriter(), DecodedStreamObject()
    drawing.set_data(b"20 20 50 40 re f")
    for i in range(pages):
        page = writer.add_blank_page(width=first / 2 + i, height=100)
        page[NameObject("/Contents")] = writer._add_object(drawing)
    for _ in range(blank):
        writer.add_blank_page(width=100, height=100)
    if password:
        writer.encrypt(password, owner or None, algorithm="AES-256")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def text_of_page(number: int, *, first: int = FIRST_WIDTH) -> str:
    """What the fake model reads on a page of `pdf`."""
    return f"{first + 2 * (number - 1)} by 200"


class Clock:
    """The time, which a test may advance; a stopped clock moves only this way."""

    def __init__(self, *, stands: bool = False) -> None:
        self.ahead = 0.0
        self._at = time.time() if stands else None

    def __call__(self) -> float:
        return (self._at or time.time()) + self.ahead


class Place:
    """A service, its parts, and the workers that a test asks for."""

    def __init__(
        self,
        folder: Path,
        inspector: Inspector,
        *,
        store: Store | None = None,
        blobs: Blobs | None = None,
        notifications: Notifications | None = None,
        queue: Queue | None = None,
        store_url: str = "",
        **given: Any,
    ) -> None:
        given["store"] = store_url  # from the settings; it is not opened here
        told = {"data_dir": str(folder), "test_models": True, "idle_s": 0.0, **given}
        self.settings = replace(Settings(), **told)
        self.store = store or MemoryStore()
        self.blobs = blobs or ObjectBlobs.in_memory()
        self.clock = Clock()
        self.notifications = notifications or MemoryNotifications()
        self.queue = queue or StoreQueue(self.notifications)
        self.notifier = Notifier(self.notifications, self.queue, self.clock)
        self.uploads = folder / "uploads"
        self.uploads.mkdir(exist_ok=True)
        self.service = Service(
            settings=self.settings,
            store=self.store,
            blobs=self.blobs,
            notifier=self.notifier,
            models=Models(self.settings),
            inspector=inspector,
            cipher=open_cipher(self.settings),
            vet_url=vet_url,
            clock=self.clock,
        )
        self.sweeper = Sweeper(
            store=self.store,
            blobs=self.blobs,
            notifier=self.notifier,
            settings=self.settings,
            clock=self.clock,
        )

    def submit(
        self, content: bytes, *, name: str = "scan.pdf", options: Any = None, **asked: Any
    ) -> Job:
        """Submit a document, read by the fake model unless the options say otherwise."""
        path = self.uploads / f"upload-{threading.get_ident()}"
        path.write_bytes(content)
        chosen = JobOptions(**{"model": "fake", **(options or {})})
        return self.service.submit(
            Submission(document=path, name=name, options=chosen, **asked)
        )

    def begin(self, task: Task) -> None:
        """Its holder begins the work itself."""
        assert task.lease
        move = partial(moves.begin, token=task.lease.token)
        self.store.change(task.job_id, task.id, move)

    def lapse(self, sweeper: Sweeper | None = None, ends_s: float | None = None) -> None:
        """Leases expire, by default all, and no holder renews after that."""
        lease_s = self.settings.lease_s
        step_s = lease_s * GRACE / 3
        for seconds in (ends_s or lease_s + 1, *[step_s] * 4):
            self.clock.ahead += seconds
            (sweeper or self.sweeper).take_back()

    def work(self, **changed: Any) -> str:
        """Run a worker here until it leaves; returns why it did."""
        with closing(self.worker(**changed)) as worker:
            return worker.run()

    def worker(
        self,
        name: str = "worker",
        *,
        open_reader: Callable[[str], Reader] | None = None,
        abort: Callable[[], None] = lambda: None,
        beat: Callable[[], None] = lambda: None,
        **changed: Any,
    ) -> Worker:
        """A worker of the pool `cpu`; close it when done."""
        settings = replace(self.settings, **changed)
        return Worker(
            store=self.store,
            blobs=self.blobs,
            notifier=self.notifier,
            settings=settings,
            pool="cpu",
            name=name,
            cipher=open_cipher(settings),
            open_reader=open_reader or partial(reader_of, settings=settings),
            abort=abort,
            beat=beat,
            clock=self.clock,
        )

    @contextmanager
    def working(self, name: str = "worker", **changed: Any) -> Iterator[Working]:
        """A worker that runs in a thread, stopped at the end if it has not left."""
        running = Working(self.worker(name, **changed))
        try:
            yield running
        finally:
            running.end()

    def deliverer(self, post: Post) -> Deliverer:
        """The component that calls webhooks, without jitter."""
        return Deliverer(
            store=self.store,
            notifier=self.notifier,
            post=post,
            clock=self.clock,
            jitter=lambda: 0.0,
        )

    def job(self, job: Job) -> Job:
        """A job as it is now."""
        found = self.store.job(job.id)
        assert found is not None
        return found

    def task(self, job: Job, task_id: str) -> Task:
        """One of a job's tasks, by the end of its id."""
        found = {task.id: task for task in self.store.tasks(job.id)}
        return found[f"{job.id}.{task_id}"]

    def blob_keys(self, job: Job | None = None) -> list[str]:
        """The keys of all blobs, or of a job's, without its prefix."""
        if job is None:
            return sorted(blob.key for blob in self.blobs.under("jobs/"))
        return sorted(b.key.removeprefix(job.prefix) for b in self.blobs.under(job.prefix))

    def document(self, job: Job) -> Document:
        """What was read."""
        return Document.from_json(self.blobs.get(self.job(job).results["json"].key))

    def texts(self, job: Job) -> list[str]:
        """The text of each page that was read."""
        return [page.text for page in self.document(job).pages]

    def raw(self, job: Job) -> Any:
        """The engine's own findings."""
        return msgspec.json.decode(self.blobs.get(self.job(job).results["raw"].key))


class Working:
    """A worker in a thread."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.reason: str | BaseException = ""
        self._thread = threading.Thread(target=self._run, name="test-worker")
        self._thread.start()

    def join(self, seconds: float = 60.0) -> str | BaseException:
        """Wait until it leaves; returns why it did."""
        self._thread.join(seconds)
        assert not self._thread.is_alive(), "the worker has not left"
        return self.reason

    def end(self) -> None:
        """Stop it and close it."""
        self.worker.stop()
        self.join()
        self.worker.close()

    def _run(self) -> None:
        try:
            self.reason = self.worker.run()
        except BaseException as error:
            self.reason = error


class Wrapped:
    """A store, blobs or a queue whose methods a test partly replaces."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def reader_of(model: str, settings: Settings) -> Reader:
    """The reader of a model."""
    return open_reader(model, settings=settings)


def notifier_by(notifications: Notifications) -> Notifier:
    """Changes are announced by notifications; the store is the queue."""
    return Notifier(notifications, StoreQueue(notifications))


def vet_url(url: str) -> None:
    """Allow every URL except those of 127.0.0.1."""
    if "127.0.0.1" in url:
        raise AddressRefused


def inspector() -> Inspector:
    """The component that opens documents; close it when done."""
    return Inspector(Limits.of(Settings()))
