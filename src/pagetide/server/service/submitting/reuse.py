"""Answers a job with the results of an earlier one that read the same document alike."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain
from pathlib import Path

from msgspec.structs import replace

from pagetide.errors import BlobMissing, PagetideError
from pagetide.server.jobs import owing
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import Job, Task
from pagetide.server.ports import Blobs

FROM_DOCUMENT = ("pdf", "figures")  # formats that need the document itself


def gives(earlier: Job, formats: Collection[str], password: str | None) -> bool:
    """Whether an earlier job's results have, or can be put into, the formats asked for.

    Its password is forgotten, so what needs the document itself must be there.
    """
    return password is None or set(formats) & set(FROM_DOCUMENT) <= earlier.results.keys()


def ended_by(earlier: Job, job: Job, blobs: Blobs, document: Path) -> Job | None:
    """The job, ended with copies of the earlier results; None where they are going or gone.

    Raises:
        StoreFailed: The blobs cannot be copied.
    """
    index = f"{earlier.prefix}results/pages.idx"
    results = {
        name: replace(info, key=_moved_key(info.key, earlier, job))
        for name, info in earlier.results.items()
    }
    try:
        for name, info in earlier.results.items():
            blobs.copy(info.key, results[name].key)
        blobs.copy(index, _moved_key(index, earlier, job))
        blobs.put_file(job.input, document)
    except PagetideError as error:
        blobs.delete_under(job.prefix)
        if isinstance(error, BlobMissing):
            return None
        raise
    return replace(
        job,
        status="succeeded",
        started_at=job.created_at,
        finished_at=job.created_at,
        password=None,
        pages_done=earlier.pages_done,
        cached_from=earlier.id,
        results=results,
    )


def left_to_do(ended: Job) -> tuple[Task, ...]:
    """Tasks for the formats that an earlier job's results lack, and for the webhook."""
    missing = [name for name in ended.options.formats if name not in ended.results]
    now = ended.created_at
    formats = (moves.add_format(ended, None, name, now).tasks for name in missing)
    return (*chain.from_iterable(formats), *owing.delivery(ended, now))


def _moved_key(key: str, source: Job, target: Job) -> str:
    return target.prefix + key.removeprefix(source.prefix)
