"""Checks that the blobs belong to this job store, by its identity stored beside them."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from itertools import islice

from pagetide.errors import BlobMissing, BlobsOfAnotherStore
from pagetide.server.ports import Blobs, Store

KEYS = ("identity/input", "identity/results")  # one where uploads are, one where results are
IDENTITY = "identity"  # of the value in the store
LOOKED_AT = 1000  # jobs whose blobs show the owner, where no identity lies beside them


def identity(store: Store, new: Callable[[], str] = lambda: secrets.token_hex(16)) -> str:
    """The store's identity; kept in it from the first call on."""
    return store.value(IDENTITY, new().encode()).decode()


def check(store: Store, blobs: Blobs) -> None:
    """Check that no other store has claimed the blobs.

    Raises:
        BlobsOfAnotherStore: One has.
    """
    own = identity(store)
    if any(found not in (None, own) for found in _claims(blobs)):
        raise BlobsOfAnotherStore(
            "The blobs belong to a different job store than the configured one;"
            " nothing is deleted. Configure the store that belongs to these blobs, or"
            " other blobs."
        )


def claim(store: Store, blobs: Blobs, before: float) -> None:
    """Check that the blobs are this store's; unclaimed ones are claimed for it.

    Blobs of before the first claim are taken for its own if it knows one of their jobs.

    Args:
        store: The one configured.
        blobs: Likewise.
        before: Blobs written before this time, in seconds since the epoch, are of jobs that
            a store knows; younger ones may be on their way.

    Raises:
        BlobsOfAnotherStore: Another store has claimed them, or this one knows none of the
            jobs whose blobs are there.
    """
    check(store, blobs)
    own = identity(store)
    unclaimed = [key for key, found in zip(KEYS, _claims(blobs), strict=True) if not found]
    if not unclaimed:
        return
    if len(unclaimed) == len(KEYS) and not _knows(store, blobs, before):
        raise BlobsOfAnotherStore(
            "The job store knows none of the jobs of these blobs; nothing is"
            f" deleted. If they are its own, write {own} to the blobs"
            f" {' and '.join(KEYS)}."
        )
    for key in unclaimed:
        blobs.put(key, own.encode(), durable=True)
    check(store, blobs)  # two may have claimed them at the same time


def _claims(blobs: Blobs) -> list[str | None]:
    return [_claim(blobs, key) for key in KEYS]


def _claim(blobs: Blobs, key: str) -> str | None:
    try:
        return blobs.get(key).decode(errors="replace").strip()
    except BlobMissing:
        return None


def _knows(store: Store, blobs: Blobs, before: float) -> bool:
    """Whether there are no older blobs, or those of a job that the store knows."""
    older = (blob for blob in blobs.under("jobs/") if blob.modified < before)
    seen = {blob.key.split("/")[1] for blob in islice(older, LOOKED_AT)}
    return not seen or any(store.job(job_id) for job_id in seen)
