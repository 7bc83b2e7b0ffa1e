"""Removes blobs without a job, once the same store has missed them twice."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping

import msgspec

from pagetide.server.jobs.job import BATCHES
from pagetide.server.ports import Blobs, Store
from pagetide.server.service import blob_owner

log = logging.getLogger(__name__)

OLD_S = 3600.0  # a blob without a job is being uploaded, unless it is older
AGAIN_S = 3600.0  # between two sightings: a commit or a listing may be late, never so late
SIGHTED = "orphans"  # the value in the store: when each was first missed
MOST = 3000  # sighted at a time: DynamoDB holds 400 KB in a value


class Orphans:
    """Finds and removes them.

    Args:
        store: The truth.
        blobs: What is looked through.
        clock: Seconds since the epoch.
    """

    def __init__(
        self, store: Store, blobs: Blobs, clock: Callable[[], float] = time.time
    ) -> None:
        self._store, self._blobs, self._clock = store, blobs, clock

    def remove(self) -> int:
        """Remove what was missed an hour ago and still is; how many jobs' blobs.

        What a job that was erased has left goes at once.

        Raises:
            BlobsOfAnotherStore: Nothing was removed, for they are not this store's.
        """
        now = self._clock()
        blob_owner.claim(self._store, self._blobs, now - OLD_S)
        erased, unknown = self._unneeded(now - OLD_S)
        lost = self._missed_again(unknown, now)
        if lost:
            log.warning("orphans removed", extra={"count": len(lost)})
        for prefix in (*erased, *lost):
            if prefix.endswith("/"):
                self._blobs.delete_under(prefix)
            else:
                self._blobs.delete(prefix)
        return len(erased) + len(lost)

    def _unneeded(self, before: float) -> tuple[list[str], list[str]]:
        """Prefixes and keys whose jobs are erased, and those whose jobs the store misses."""
        erased, unknown = list[str](), list[str]()
        for prefix, job_id in dict(self._named(before)).items():
            job = self._store.job(job_id)
            if job is None:
                unknown.append(prefix)
            elif job.erased and prefix.endswith("/"):
                erased.append(prefix)
        return erased, unknown

    def _named(self, before: float) -> Iterator[tuple[str, str]]:
        """Prefixes and keys of blobs written before a time, each with its job's id."""
        for blob in self._blobs.under("jobs/"):
            if blob.modified < before:
                job_id = blob.key.split("/")[1]
                yield f"jobs/{job_id}/", job_id
        for blob in self._blobs.under(BATCHES):
            yield blob.key, blob.key.rpartition("/")[2]

    def _missed_again(self, unknown: list[str], now: float) -> list[str]:
        """The blobs missed before, long enough ago; the others are noted in the store."""
        noted = self._noted()
        first = {prefix: min(noted.get(prefix, now), now) for prefix in sorted(unknown)[:MOST]}
        again = [prefix for prefix, at in first.items() if at <= now - AGAIN_S]
        left = {prefix: at for prefix, at in first.items() if prefix not in set(again)}
        if left != noted:
            self._store.put_value(SIGHTED, msgspec.json.encode(left))
        return again

    def _noted(self) -> Mapping[str, float]:
        noted: dict[str, float] = msgspec.json.decode(
            self._store.value(SIGHTED, b"{}"), type=dict[str, float]
        )
        return noted
