"""Batches: documents of one container, read each as a job, their results put into another.

A batch is kept as a blob that is named after its first job, so that it goes when that job is
forgotten. It moves on whenever it is looked at: what has been read by then is written.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pagetide.document.extraction import Extraction
from pagetide.errors import BlobMissing, JobUnknown, PagetideError
from pagetide.server.compat.azure.analysis import build, moment
from pagetide.server.compat.azure.batches.containers import Container
from pagetide.server.compat.azure.refusals import error_of, failure_of
from pagetide.server.compat.azure.request import AnalyzeRequest
from pagetide.server.compat.azure.wire import Error
from pagetide.server.jobs.job import BATCHES, Job
from pagetide.server.service.service import Service
from pagetide.system.ready_types import ready

WAITS, DONE, FAILED, SKIPPED = "running", "succeeded", "failed", "skipped"
_STATUSES = (DONE, FAILED, SKIPPED)
LOOK_S = 10.0  # results are written for so long at a look; the client looks again
_ID = re.compile(r"[0-9A-Za-z_-]{1,80}")


class Item(Struct, frozen=True, kw_only=True):
    """A document of a batch.

    Attributes:
        source: Its URL, without a signature.
        result: The name of the blob that its result becomes.
        status: As the protocol says it.
        job_id: The job's that reads it; empty where it was refused.
        error: Why it failed.
    """

    source: str
    result: str
    status: str = WAITS
    job_id: str = ""
    error: Error | None = None


class Batch(Struct, frozen=True, kw_only=True):
    """A batch.

    Attributes:
        target: URL of the container for its results; kept without its signature.
        sealed: The signature, encrypted; empty where there is none, or the batch has ended.
        overwrite: Whether a result may take the place of a blob.
        created_at: Seconds since the epoch, as `changed_at`.
    """

    id: str
    request: AnalyzeRequest
    target: str
    sealed: str = ""
    overwrite: bool
    created_at: float
    changed_at: float
    items: tuple[Item, ...]

    @property
    def ended(self) -> bool:
        """Whether every document has come to an end."""
        return all(item.status != WAITS for item in self.items)


class Detail(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What became of one document."""

    status: str
    source_url: str
    result_url: str | None = None
    error: Error | None = None


class Counts(Struct, frozen=True, kw_only=True, rename="camel"):
    """What became of all of them."""

    succeeded_count: int
    failed_count: int
    skipped_count: int
    details: list[Detail]


class BatchOperation(Struct, frozen=True, kw_only=True, rename="camel"):
    """How a batch stands."""

    result_id: str
    status: str
    created_date_time: str
    last_updated_date_time: str
    percent_completed: int
    result: Counts


class Batches:
    """The batches of one caller.

    Args:
        service: Has their jobs and blobs.
        owner: The caller's mark.
        container: Opens the container at a URL.
        values: Finds the query fields of these names in a job's result.
    """

    def __init__(
        self,
        service: Service,
        owner: str,
        container: Callable[[str], Container],
        values: Callable[[Job, Sequence[str]], Extraction],
    ) -> None:
        self._service, self._owner, self._container = service, owner, container
        self._values = values
        digest = hashlib.sha256(f"azure\n{owner}".encode()).hexdigest()
        self._folder = f"{BATCHES}{digest}/"

    def keep(self, batch: Batch) -> None:
        """Keep a batch so that it outlives a power cut; its signature, until it has ended.

        Raises:
            SecretMissing: There is no secret to encrypt the signature with.
        """
        kept = self._sealed(batch)
        self._service.blobs.put(self._key(batch.id), msgspec.json.encode(kept), durable=True)

    def find(self, batch_id: str, model_id: str) -> Batch:
        """A batch.

        Raises:
            JobUnknown: The caller has none of this id and model.
        """
        if not _ID.fullmatch(batch_id):
            raise JobUnknown
        try:
            kept = self._service.blobs.get(self._key(batch_id))
        except BlobMissing:
            raise JobUnknown from None
        batch = msgspec.json.decode(kept, type=ready(Batch))
        if batch.request.model_id != model_id:
            raise JobUnknown
        return batch

    def every(self, model_id: str, after: str | None = None) -> Iterator[Batch]:
        """The caller's batches with a model, the newest first.

        Args:
            model_id: The model.
            after: Id of the one before the first; None means all of them.
        """
        names = (
            blob.key.rpartition("/")[2] for blob in self._service.blobs.under(self._folder)
        )
        for name in sorted(names, reverse=True):
            if after is not None and name >= after:
                continue
            try:
                yield self.find(name, model_id)
            except JobUnknown:
                continue

    def moved_on(self, batch: Batch) -> Batch:
        """The batch after what has been read in the meantime is written, or some of it.

        Raises:
            JobUnknown: It was erased in the meantime.
        """
        if batch.ended:
            return batch
        until = time.monotonic() + LOOK_S
        items = tuple(
            self._moved(batch, item) if time.monotonic() < until else item
            for item in batch.items
        )
        if items == batch.items:
            return batch
        if self._service.blobs.find(self._key(batch.id)) is None:
            raise JobUnknown
        moved = replace(batch, items=items, changed_at=time.time())
        self.keep(moved)
        return moved

    def erase(self, batch: Batch) -> None:
        """Forget a batch and all of its jobs; the results that are written stay."""
        self.forget(batch.items)
        self._service.blobs.delete(self._key(batch.id))

    def forget(self, items: Iterable[Item]) -> None:
        """Erase the jobs that read these documents."""
        for item in items:
            if item.job_id:
                self._erase_job(item.job_id)

    def shown(self, batch: Batch) -> BatchOperation:
        """How a batch stands, in the protocol's words."""
        ended = [item for item in batch.items if item.status != WAITS]
        counted = [sum(item.status == status for item in ended) for status in _STATUSES]
        return BatchOperation(
            result_id=batch.id,
            status=DONE if batch.ended else WAITS,
            created_date_time=moment(batch.created_at),
            last_updated_date_time=moment(batch.changed_at),
            percent_completed=100 * len(ended) // len(batch.items),
            result=Counts(
                succeeded_count=counted[0],
                failed_count=counted[1],
                skipped_count=counted[2],
                details=[self._detail(batch, item) for item in batch.items],
            ),
        )

    def _sealed(self, batch: Batch) -> Batch:
        """The batch as it may be kept."""
        target, _, signature = batch.target.partition("?")
        sealed = "" if batch.ended else batch.sealed
        if signature and not batch.ended:
            sealed = self._service.cipher.encrypt(signature, _about(batch))
        return replace(batch, target=target, sealed=sealed)

    def _opened(self, batch: Batch) -> Container:
        """The container for its results, with the signature that opens it."""
        if not batch.sealed:
            return self._container(batch.target)
        signature = self._service.cipher.decrypt(batch.sealed, _about(batch))
        return self._container(f"{batch.target}?{signature}")

    def _key(self, batch_id: str) -> str:
        return f"{self._folder}{batch_id}"

    def _detail(self, batch: Batch, item: Item) -> Detail:
        written = item.status in (DONE, SKIPPED)
        where = self._container(batch.target).address(item.result) if written else None
        return Detail(
            status=item.status, source_url=item.source, result_url=where, error=item.error
        )

    def _moved(self, batch: Batch, item: Item) -> Item:
        if item.status != WAITS:
            return item
        try:
            job = self._service.job(item.job_id, self._owner or None)
            if not job.ended:
                return item
            if failure := failure_of(job):
                return replace(item, status=FAILED, error=failure)
            return replace(item, status=self._written(batch, item, job))
        except PagetideError as error:
            return replace(item, status=FAILED, error=error_of(error))

    def _written(self, batch: Batch, item: Item, job: Job) -> str:
        container, names = self._opened(batch), batch.request.query_fields
        found = self._values(job, names) if names else None
        with closing(build(self._service, job, batch.request, found)) as built:
            kept = container.put(item.result, built, job_id=job.id, overwrite=batch.overwrite)
        return DONE if kept else SKIPPED

    def _erase_job(self, job_id: str) -> None:
        try:
            self._service.erase(job_id, self._owner or None)
        except PagetideError as error:
            if error.http_status not in (404, 410):
                raise


def _about(batch: Batch) -> str:
    return f"signature of {batch.id}"
