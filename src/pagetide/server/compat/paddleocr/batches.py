"""Batches: the jobs of a caller that were submitted under one name.

For each job lies a blob, empty but for its batch's name, in its batch's folder, whose name
nobody can guess who does not know both the caller and the batch. The sweep removes those
whose job is gone.
"""

from __future__ import annotations

import hashlib

from pagetide.errors import NotFound
from pagetide.server.jobs.job import BATCHES, Job
from pagetide.server.service.service import Service


def join(service: Service, job: Job, batch: str) -> None:
    """Note that a job belongs to a batch.

    The note is in the system's hands before the job's id is answered, so it outlives this
    process. It is not waited for until it would outlive a power cut as well, which takes
    four syncs: 10 to 20 ms where the disk is busy. The job does, and names its batch itself.
    """
    service.blobs.put(_folder(job.owner, batch) + job.id, batch.encode())


def jobs_of(service: Service, owner: str, batch: str) -> list[Job]:
    """The jobs of a batch, the first one first, those that were erased among them.

    Raises:
        NotFound: The caller has no such batch.
    """
    folder = _folder(owner, batch)
    names = sorted(blob.key.rpartition("/")[2] for blob in service.blobs.under(folder))
    found = [service.store.job(name) for name in names]
    jobs = [job for job in found if job is not None and job.owner == owner]
    if not jobs:
        raise NotFound("There is no such batch.")
    return jobs


def _folder(owner: str, batch: str) -> str:
    digest = hashlib.sha256(f"{owner}\n{batch}".encode()).hexdigest()
    return f"{BATCHES}{digest}/"
