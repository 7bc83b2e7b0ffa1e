"""One file, from its copy to its marker."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from pagetide.client import Client, RemoteJob, SubmitOptions
from pagetide.client.formats import suffix_of
from pagetide.client.problems import ending_of
from pagetide.errors import BlobMissing, CannotWrite, PagetideError
from pagetide.integrations.folder_watch.deciding import (
    ENDS_ALL,
    is_due,
    is_retryable,
    is_spent,
    key_of,
    pause_s,
)
from pagetide.integrations.folder_watch.notes import (
    FAILED,
    READ,
    Failed,
    Notes,
    Read,
    legible,
    written,
)
from pagetide.server.ports import Place

_SUCCESSES = ("succeeded", "partial")


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What became of a file: its job's status, its results, or why there are none."""

    name: str
    status: str
    job: str | None = None
    files: tuple[str, ...] = ()
    error: PagetideError | None = None


@dataclass(frozen=True, kw_only=True)
class _Accepted:
    """A file as it was copied, and what was known of it."""

    name: str
    stamp: str
    sha256: str
    copy: Path
    read: Read | None
    failed: Failed | None

    @property
    def called(self) -> str:
        """Its name for notes, keys and people."""
        return legible(self.name)

    @property
    def again(self) -> Failed | None:
        """The failure of the very content."""
        return self.failed if self.failed and self.failed.sha256 == self.sha256 else None


class _NoResult(Exception):
    """The server gave none: why, the job if there is one, and whether it ended badly."""

    def __init__(self, error: PagetideError, job: RemoteJob | None) -> None:
        self.error, self.job = error, job
        self.ended_badly = bool(job and job.ended and job.status not in _SUCCESSES)


class FileReader:
    """Has files read by a server; any number of threads may share it."""

    def __init__(
        self,
        source: Place,
        target: Place,
        client: Client,
        *,
        options: SubmitOptions,
        formats: Sequence[str],
        clock: Callable[[], float],
    ) -> None:
        self._source, self._target, self._client = source, target, client
        self._options, self._formats, self._clock = options, formats, clock
        self._notes = Notes(target)

    def read(self, name: str, stamp: str) -> Ended | None:
        """Read a file and put its results, or why there are none.

        Args:
            name: Which.
            stamp: What it was when it was whole.

        Returns:
            None where there is nothing to do: somebody else has read it, it has been changed
            or removed meanwhile, or its content is what was read before.

        Raises:
            PagetideError: A place cannot be reached, or no file can be read in this way.
        """
        read, failed = self._notes.now(name)
        if not is_due(stamp, read, failed, self._now()):
            return None
        try:
            with tempfile.TemporaryDirectory(prefix="pagetide-") as folder:
                copy = Path(folder, "document")
                with copy.open("w+b") as file:
                    same = self._source.copy(name, file) == stamp
                    sha256 = _sha256(file)
                taken = _Accepted(
                    name=name, stamp=stamp, sha256=sha256, copy=copy, read=read, failed=failed
                )
                return self._taken(taken) if same else None
        except BlobMissing:
            return None
        except OSError as error:
            reason = error.strerror or "it fails"
            raise CannotWrite(f"A temporary copy cannot be created: {reason}.") from None

    def _taken(self, taken: _Accepted) -> Ended | None:
        if taken.read and taken.read.sha256 == taken.sha256:
            self._mark(taken, taken.read.job, taken.read.status, taken.read.files)
            return None
        try:
            job = self._job(taken)
        except _NoResult as none:
            return self._failed(taken, none)
        files = self._put(taken, job)
        self._mark(taken, job.id, job.status, files)
        return Ended(name=taken.called, status=job.status, job=job.id, files=files)

    def _job(self, taken: _Accepted) -> RemoteJob:
        """Have the file read, and fetch the results to beside its copy."""
        options: SubmitOptions = {**self._options, "name": PurePosixPath(taken.called).name}
        spent = taken.again.spent if taken.again else 0
        options["idempotency_key"] = key_of(taken.called, taken.sha256, options, spent)
        job = None
        try:
            job = self._client.submit(taken.copy, **options)
            job = self._client.wait(job)
            if job.status not in _SUCCESSES:
                raise ending_of(job)
            for name in self._formats:
                self._client.save(job, taken.copy.with_name(name), name)
        except ENDS_ALL:
            raise
        except PagetideError as error:
            raise _NoResult(error, job) from error
        return job

    def _put(self, taken: _Accepted, job: RemoteJob) -> tuple[str, ...]:
        if taken.read:  # a marker must not stand beside the results of other content
            self._target.remove(taken.name + READ)
        files = []
        for name in self._formats:
            files.append(taken.called + suffix_of(name))
            self._target.put(taken.name + suffix_of(name), taken.copy.with_name(name))
        return tuple(files)

    def _mark(self, taken: _Accepted, job: str, status: str, files: tuple[str, ...]) -> None:
        note = Read(
            source=taken.called,
            sha256=taken.sha256,
            etag=taken.stamp,
            model=self._options.get("model", ""),
            job=job,
            status=status,
            files=files,
            read_at=self._now(),
        )
        self._target.put(taken.name + READ, written(note))
        if taken.failed:
            self._target.remove(taken.name + FAILED)

    def _failed(self, taken: _Accepted, none: _NoResult) -> Ended:
        before, error = taken.again, none.error
        tries = (before.tries if before else 0) + 1
        retryable = is_retryable(error)
        later = self._now() + timedelta(seconds=pause_s(error, tries))
        note = Failed(
            code=error.code,
            message=error.message,
            retryable=retryable,
            source=taken.called,
            sha256=taken.sha256,
            etag=taken.stamp,
            job=none.job.id if none.job else None,
            tries=tries,
            spent=(before.spent if before else 0) + is_spent(error, none.ended_badly),
            retry_at=later if retryable else None,
        )
        self._target.put(taken.name + FAILED, written(note))
        return Ended(name=taken.called, status="failed", job=note.job, error=error)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)


def _sha256(file: BinaryIO) -> str:
    file.seek(0)
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
