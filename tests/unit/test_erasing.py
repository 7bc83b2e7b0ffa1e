"""Erasing is carried on until nothing is left, whatever fails in the middle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pagetide.errors import DiskFull, JobGone, StoreFailed
from pagetide.server.blobs import ObjectBlobs
from pagetide.server.service.submitting.inspection import Inspector
from tests.serving import Place, Wrapped, pdf


@pytest.fixture
def place(tmp_path: Path, inspecting: Inspector) -> Place:
    return Place(tmp_path, inspecting, blobs=ObjectBlobs.in_folder(tmp_path / "blobs"))


class Away(Wrapped):
    """Blobs that delete nothing for as long as they are away."""

    away = True

    def delete_under(self, prefix: str) -> int:
        if self.away:
            raise StoreFailed
        removed: int = self._inner.delete_under(prefix)
        return removed


def _failing(place: Place) -> Any:
    """The service's and the sweep's blobs, away."""
    blobs: Any = Away(place.blobs)
    place.service.blobs = blobs
    place.sweeper._blobs = blobs
    return blobs


def _half_erased(place: Place) -> tuple[str, Any]:
    job, blobs = place.submit(pdf(1)), _failing(place)
    with pytest.raises(StoreFailed):
        place.service.erase(job.id)
    with pytest.raises(JobGone):
        place.service.job(job.id)
    assert place.blob_keys() == [f"{job.prefix}input"]
    return job.id, blobs


def _again(place: Place, job_id: str) -> None:
    place.service.erase(job_id)


def _sweep(place: Place, job_id: str) -> None:
    place.sweeper.expire()


@pytest.mark.parametrize("goes_on", [_again, _sweep])
def test_it_goes_on(place: Place, goes_on: Callable[[Place, str], None]) -> None:
    job_id, blobs = _half_erased(place)
    with pytest.raises(StoreFailed):
        goes_on(place, job_id)
    blobs.away = False
    goes_on(place, job_id)
    assert place.blob_keys() == []
    with pytest.raises(JobGone):
        place.service.erase(job_id)


def test_a_job_that_expires_while_the_blobs_are_away_is_cleared_later(place: Place) -> None:
    job = place.submit(pdf(1))
    place.work()
    blobs = _failing(place)
    place.clock.ahead += place.settings.ttl_s + 10
    with pytest.raises(StoreFailed):
        place.sweeper.expire()
    assert place.blob_keys(job)
    blobs.away = False
    place.sweeper.expire()
    assert place.blob_keys() == []


def test_another_key_neither_erases_nor_learns_of_it(place: Place) -> None:
    job_id, _ = _half_erased(place)
    with pytest.raises(Exception, match="no such job"):
        place.service.erase(job_id, "somebody else")


def _fill_until_deleted(place: Place) -> None:
    """Let the disk be full for the store until blobs were deleted."""
    store, blobs = place.store, place.blobs
    full = [True]

    def change(*given: Any, **more: Any) -> Any:
        if full[0]:
            raise DiskFull
        return store.change(*given, **more)

    def delete_under(prefix: str) -> int:
        full[0] = False
        return blobs.delete_under(prefix)

    for part in (place.service, place.sweeper):
        wrapped_store, wrapped_blobs = Wrapped(store), Wrapped(blobs)
        wrapped_store.change = change  # type: ignore[attr-defined]
        wrapped_blobs.delete_under = delete_under  # type: ignore[attr-defined]
        for name, wrapped in (("store", wrapped_store), ("blobs", wrapped_blobs)):
            setattr(part, name if part is place.service else f"_{name}", wrapped)


def test_on_a_full_disk_a_job_can_be_erased(place: Place) -> None:
    job = place.submit(pdf(1))
    _fill_until_deleted(place)
    place.service.erase(job.id)
    assert place.blob_keys() == []
    with pytest.raises(JobGone):
        place.service.job(job.id)


def test_on_a_full_disk_jobs_expire(place: Place) -> None:
    job = place.submit(pdf(1))
    place.work()
    _fill_until_deleted(place)
    place.clock.ahead += place.settings.ttl_s + 10
    place.sweeper.expire()
    assert place.blob_keys() == []
    assert place.store.job(job.id).cleared  # type: ignore[union-attr]
