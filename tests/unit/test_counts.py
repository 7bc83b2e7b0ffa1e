"""What becomes of a job is counted where it happens, once, whoever does it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from pagetide.errors import JobGone
from pagetide.server.jobs.job import Job
from pagetide.server.jobs.losses import TRIES
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.telemetry import metrics
from tests.serving import Place, pdf

COUNTED = (
    "pagetide_jobs_total",
    "pagetide_pages_total",
    "pagetide_cache_hits_total",
    "pagetide_page_seconds_count",
)


class Counts:
    """What was counted since it was made, by name and its last label but the pool."""

    def __init__(self) -> None:
        self._before = _now()

    def __call__(self, name: str) -> dict[str, float]:
        """By state; those that did not grow are left out."""
        grown: Counter[str] = Counter()
        for series, number in _now().items():
            if series.startswith(f"pagetide_{name}"):
                state = series.partition('state="')[2].partition('"')[0]
                grown[state] += int(number - self._before.get(series, 0))
        return {state: number for state, number in grown.items() if number}


def _now() -> dict[str, float]:
    told = metrics.render().decode().splitlines()
    pairs = [line.rpartition(" ") for line in told if line.startswith(COUNTED)]
    return {series: float(number) for series, _, number in pairs}


@pytest.fixture
def place(tmp_path: Path, inspecting: Inspector) -> Place:
    return Place(tmp_path, inspecting)


def claimed(place: Place) -> Job:
    """A job that a worker holds a task of."""
    job = place.submit(pdf(1))
    claim(place)
    return place.job(job)


def claim(place: Place) -> None:
    now = place.clock()
    taken = place.store.claim(
        "cpu", "w", now=now, until=now + place.settings.lease_s, token=f"t{now}", beside=False
    )
    assert taken
    place.begin(taken[1])


def read(place: Place) -> Job:
    job = place.submit(pdf(2))
    place.work()
    return place.job(job)


def erased(place: Place) -> None:
    place.service.erase(claimed(place).id)


def erased_twice(place: Place) -> None:
    job = claimed(place)
    place.service.erase(job.id)
    with pytest.raises(JobGone):
        place.service.erase(job.id)


def erased_at_the_end(place: Place) -> None:
    place.service.erase(read(place).id)


def cancelled(place: Place) -> None:
    job = claimed(place)
    for _ in range(2):
        place.service.cancel(job.id)


def expired(place: Place) -> None:
    job = read(place)
    place.clock.ahead = job.expires_at - place.clock() + 1
    for _ in range(2):
        place.sweeper.expire()


def erased_and_swept(place: Place) -> None:
    job = read(place)
    place.service.erase(job.id)
    place.clock.ahead = job.expires_at - place.clock() + 1
    place.sweeper.expire()


def sent_again(place: Place) -> None:
    for _ in range(2):
        place.submit(pdf(2), idempotency_key="a")


ENDS: dict[str, tuple[Callable[[Place], object], dict[str, float]]] = {
    "read": (read, {"queued": 1, "succeeded": 1}),
    "erased while it is read": (erased, {"queued": 1, "cancelled": 1}),
    "erased twice": (erased_twice, {"queued": 1, "cancelled": 1}),
    "erased at its end": (erased_at_the_end, {"queued": 1, "succeeded": 1}),
    "cancelled twice": (cancelled, {"queued": 1, "cancelled": 1}),
    "expired": (expired, {"queued": 1, "succeeded": 1, "expired": 1}),
    "erased, then swept": (erased_and_swept, {"queued": 1, "succeeded": 1}),
    "sent again": (sent_again, {"queued": 1}),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_job_is_counted_as_it_comes_and_as_it_goes(place: Place, name: str) -> None:
    play, wanted = ENDS[name]
    counts = Counts()
    play(place)
    assert counts("jobs_total") == wanted


def test_a_job_that_is_answered_at_once_has_ended(place: Place) -> None:
    read(place)
    counts = Counts()
    assert place.submit(pdf(2)).cached_from
    assert counts("jobs_total") == {"succeeded": 1}
    assert counts("cache_hits_total") == {"": 1}


def test_a_page_whose_readers_all_died_is_a_page_that_failed(place: Place) -> None:
    job = claimed(place)
    counts = Counts()
    for _ in range(2 * TRIES - 1):
        place.lapse()
        claim(place)
    place.lapse()
    assert place.job(job).pages_failed == 1
    assert counts("pages_total") == {"failed": 1}
    assert counts("page_seconds_count") == {}  # it took none
    place.work()
    assert counts("pages_total") == {"failed": 1}
    assert counts("jobs_total") == {"failed": 1}
