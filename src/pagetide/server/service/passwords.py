"""The password of a job's PDF: encrypted in the store, in clear only where it is opened."""

from __future__ import annotations

from pagetide.server.jobs.job import Job
from pagetide.system.cipher import Cipher


def kept(cipher: Cipher, password: str | None, job_id: str) -> str | None:
    """A password encrypted for the store; None where there is none.

    Raises:
        SecretMissing: There is no secret to encrypt it with.
        StoreFailed: The secret cannot be made or read.
        DiskFull: There is no room for it.
    """
    return None if password is None else cipher.encrypt(password, _about(job_id))


def of(cipher: Cipher, job: Job) -> str | None:
    """The password that opens a job's document; None where there is none, or no more.

    Raises:
        SecretMissing: There is no secret here to decrypt it with.
        SecretWrong: It was encrypted with another one.
        StoreFailed: The secret cannot be read.
    """
    return None if job.password is None else cipher.decrypt(job.password, _about(job.id))


def _about(job_id: str) -> str:
    return f"password of {job_id}"
