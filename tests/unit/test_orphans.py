"""Orphans go only when the store that owns the blobs has missed them twice."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pagetide.errors import BlobsOfAnotherStore
from pagetide.server.blobs import ObjectBlobs
from pagetide.server.blobs.apart import ResultsApart
from pagetide.server.maintenance.orphans import AGAIN_S, MOST, OLD_S, Orphans
from pagetide.server.ports import Blobs, Store
from pagetide.server.service import blob_owner
from pagetide.server.stores.memory import MemoryStore
from tests.contract.stores import make


def _blobs(folder: Path) -> Blobs:
    return ObjectBlobs.in_folder(folder)


def _knows(store: Store, job_id: str) -> str:
    """Let a store know a job; the prefix of its blobs."""
    job, tasks = make(job_id)
    store.submit(job, tasks)
    return job.prefix


def _keys(blobs: Blobs) -> list[str]:
    return sorted(blob.key for blob in blobs.under("jobs/"))


def _sweeps(store: Store, blobs: Blobs, *hours: float) -> list[int]:
    """What each of some sweeps removes, made so many hours from now."""
    now = time.time()
    return [Orphans(store, blobs, clock=_at(now + 3600 * hour + 10)).remove() for hour in hours]


def _at(time_s: float) -> Callable[[], float]:
    return lambda: time_s


def test_another_stores_blobs_are_left(tmp_path: Path) -> None:
    blobs, owner, other = _blobs(tmp_path), MemoryStore(), MemoryStore()
    _sweeps(owner, blobs, 0)
    blobs.put("jobs/job_a/input", b"x")
    with pytest.raises(BlobsOfAnotherStore):
        _sweeps(other, blobs, 2)
    with pytest.raises(BlobsOfAnotherStore):
        _sweeps(other, blobs, 4)
    assert _keys(blobs) == ["jobs/job_a/input"]


def test_blobs_of_before_the_first_claim_are_left_by_a_store_that_knows_none(
    tmp_path: Path,
) -> None:
    blobs = _blobs(tmp_path)
    blobs.put("jobs/job_a/input", b"x")
    store = MemoryStore()
    with pytest.raises(BlobsOfAnotherStore, match="knows none") as refused:
        _sweeps(store, blobs, 2)
    for key in blob_owner.KEYS:  # as the sentence says
        assert key in refused.value.message
        blobs.put(key, blob_owner.identity(store).encode() + b"\n")
    assert _sweeps(store, blobs, 2, 4) == [0, 1]


def test_blobs_of_a_known_job_are_claimed(tmp_path: Path) -> None:
    blobs, store = _blobs(tmp_path), MemoryStore()
    blobs.put(f"{_knows(store, 'job_known')}input", b"x")
    blob_owner.claim(store, blobs, time.time() + 10)
    blob_owner.check(store, blobs)
    with pytest.raises(BlobsOfAnotherStore):
        blob_owner.check(MemoryStore(), blobs)


def test_results_of_another_store_are_seen_too(tmp_path: Path) -> None:
    results = _blobs(tmp_path / "results")
    _sweeps(MemoryStore(), ResultsApart(_blobs(tmp_path / "a"), results), 0)
    with pytest.raises(BlobsOfAnotherStore):
        _sweeps(MemoryStore(), ResultsApart(_blobs(tmp_path / "b"), results), 0)


def test_one_sighting_is_not_enough_and_a_job_that_appears_is_safe(tmp_path: Path) -> None:
    blobs, store = _blobs(tmp_path), MemoryStore()
    assert _sweeps(store, blobs, 0) == [0]
    for name in ("job_late", "job_never"):
        blobs.put(f"jobs/{name}/input", b"x")
    assert _sweeps(store, blobs, 2, 2.5) == [0, 0]
    _knows(store, "job_late")
    assert _sweeps(store, blobs, 3.1) == [1]
    assert _keys(blobs) == ["jobs/job_late/input"]


def test_a_clock_that_was_ahead_makes_no_sighting_older(tmp_path: Path) -> None:
    blobs, store = _blobs(tmp_path), MemoryStore()
    _sweeps(store, blobs, 0)
    blobs.put("jobs/job_a/input", b"x")
    assert _sweeps(store, blobs, 30, 2, 3.1) == [0, 0, 1]


def test_more_than_can_be_noted_go_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST * (len("jobs/") + 48 + 24) < 400_000
    monkeypatch.setattr("pagetide.server.maintenance.orphans.MOST", 2)
    blobs, store = _blobs(tmp_path), MemoryStore()
    _sweeps(store, blobs, 0)
    for name in "abc":
        blobs.put(f"jobs/job_{name}/input", b"x")
    assert _sweeps(store, blobs, 2, 3.1, 4, 5.1) == [0, 2, 0, 1]


def test_ages_and_sightings_are_an_hour() -> None:
    assert OLD_S == AGAIN_S == 3600
