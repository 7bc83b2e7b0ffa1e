"""Receivers that hang delay nobody else's webhook."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagetide.server.jobs import owing
from pagetide.server.jobs.job import Job
from pagetide.server.maintenance import webhook_post
from pagetide.server.maintenance.call_limits import PER_HOST
from pagetide.server.maintenance.maintenance import Maintenance
from pagetide.server.maintenance.webhook_post import WebhookPost
from pagetide.server.service.submitting.inspection import Inspector
from tests.contract.stores import make
from tests.loopback import Loopback, answering, loopback
from tests.serving import Place
from tests.waiting import until

HANGING, QUICK, EACH = 4, 40, 10
LONG_S = 600.0


@pytest.fixture
def place(tmp_path: Path, inspecting: Inspector, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr(webhook_post, "TIMEOUT_S", LONG_S)
    return Place(tmp_path, inspecting, allow_hosts=("127.0.0.1",))


@contextmanager
def _delivering(place: Place) -> Iterator[None]:
    post = WebhookPost(place.store, place.settings)
    with closing(Maintenance(place.sweeper, place.deliverer(post), place.notifications, 60.0)):
        yield


@contextmanager
def _hanging() -> Iterator[Loopback]:
    with loopback() as server:
        server.answers["/hook"] = lambda _: server.closing.wait(LONG_S)
        yield server


@contextmanager
def _quick() -> Iterator[Loopback]:
    with loopback() as server:
        server.answers["/hook"] = answering(status=204)
        yield server


def _end(place: Place, name: str, owner: str, server: Loopback) -> Job:
    """A job that has ended, whose webhook is owed."""
    job, _ = make(name, owner=owner, due=place.clock())
    url = f"http://127.0.0.1:{server.port}/hook"
    job = replace(job, status="succeeded", finished_at=place.clock(), webhook_url=url)
    return place.store.submit(job, owing.delivery(job, place.clock()))


def _told(place: Place, jobs: list[Job]) -> int:
    return sum(bool(place.service.deliveries(job)) for job in jobs)


@pytest.mark.parametrize("owners", [HANGING, 1], ids=["four owners", "one owner"])
def test_four_that_hang_delay_none_of_forty(place: Place, owners: int) -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(_hanging()) for _ in range(HANGING)]
        late = [
            _end(place, f"slow-{i}-{n}", f"slow-{i % owners}", server)
            for n in range(EACH)
            for i, server in enumerate(slow)
        ]
        quick = stack.enter_context(_quick())
        soon = [_end(place, f"quick-{n}", f"quick-{n}", quick) for n in range(QUICK)]
        stack.enter_context(_delivering(place))
        for server in slow:  # before maintenance ends, which waits for those it calls
            stack.callback(server.closing.set)
        until(lambda: _told(place, soon) == QUICK)
        assert _told(place, late) == 0
        assert len(quick.received) == QUICK
        until(lambda: [len(server.received) for server in slow] == [PER_HOST] * HANGING)


def test_what_waited_for_a_host_is_told_when_it_answers(place: Place) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(_hanging())
        jobs = [_end(place, f"job-{n}", "ada", server) for n in range(3 * PER_HOST)]
        stack.enter_context(_delivering(place))
        until(lambda: len(server.received) == PER_HOST)
        server.answers["/hook"] = answering(status=204)
        server.closing.set()  # those that hang break off, and come again later
        until(lambda: _told(place, jobs) == len(jobs))
