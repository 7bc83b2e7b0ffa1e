"""What a key may have, pages at once and a day and requests a second, and how it is told."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import iter_route_contexts
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pagetide.errors import StoreFailed
from pagetide.server.api.callers.auth import Asker
from pagetide.server.api.callers.rates import Rates
from pagetide.server.jobs.allowances import DAY_S, Usage
from pagetide.server.ports import JobQuery
from pagetide.telemetry import metrics
from tests.unit.api_fake import Desk, Reply, Site, play

Desks = Callable[..., Desk]
_names = (f"document-{n}" for n in itertools.count())


@pytest.fixture
def desk_of(tmp_path: Path) -> Desks:
    return lambda **settings: Desk(tmp_path, **settings)


@pytest.fixture
def desk(desk_of: Desks) -> Desk:
    return desk_of()


async def sent(site: Site, key: str, pages: int = 1, **headers: str) -> Reply:
    """Submit a document that nobody has sent before."""
    document = f"%PDF {pages} {next(_names)}".encode()
    form: list[Any] = [("model", "fake"), ("file", document, "a.pdf")]
    return await site.post_form("/v1/jobs", form, authorization=f"Bearer {key}", **headers)


def test_pages_of_jobs_that_have_not_ended_are_limited(desk: Desk) -> None:
    key = desk.key("ada", active_pages=4)

    async def steps(site: Site) -> None:
        first = await sent(site, key, 3)
        refused = await sent(site, key, 2)
        assert (refused.status, refused.code) == (429, "active_pages_reached")
        assert int(refused.headers["retry-after"]) > 0
        assert "4 pages" in refused.json()["detail"]
        assert (await sent(site, key, 5)).code == "too_many_pages"
        desk.finish(first.json()["id"])
        assert (await sent(site, key, 4)).status == 202

    play(desk, steps, keys_needed=True)
    assert len(desk.service.store.jobs(JobQuery())) == 2


def test_pages_a_day_are_limited(desk: Desk) -> None:
    key = desk.key("ada", pages_per_day=4)

    async def steps(site: Site) -> None:
        first = await sent(site, key, 3)
        desk.finish(first.json()["id"])
        refused = await sent(site, key, 2)
        assert (refused.status, refused.code) == (429, "pages_per_day_reached")
        assert 0 < int(refused.headers["retry-after"]) <= DAY_S
        assert "UTC" in refused.json()["detail"]
        assert (await sent(site, key, 1)).status == 202

    play(desk, steps, keys_needed=True)


def test_the_settings_say_for_keys_that_have_no_limit_of_their_own(desk_of: Desks) -> None:
    desk = desk_of(active_pages_per_key=2)
    ada, bob = desk.key("ada"), desk.key("bob", active_pages=3)

    async def steps(site: Site) -> None:
        for key, pages, status in ((ada, 3, 413), (ada, 2, 202), (ada, 1, 429), (bob, 3, 202)):
            assert (await sent(site, key, pages)).status == status

    play(desk, steps, keys_needed=True)


def test_where_keys_are_off_nothing_is_counted(desk_of: Desks) -> None:
    desk = desk_of(active_pages_per_key=1, pages_per_day_per_key=1)

    async def steps(site: Site) -> None:
        for _ in range(3):
            assert (await sent(site, "", 2)).status == 202

    play(desk, steps)


def test_a_limit_that_is_changed_holds_for_what_comes_then(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagetide.server.api.context.FRESH_S", 0.0)
    key = desk.key("ada")

    async def steps(site: Site) -> None:
        before = await sent(site, key, 9)
        kept = desk.service.store.keys()[0]
        desk.service.store.put_key(replace(kept, active_pages=2))
        assert (await sent(site, key, 2)).status == 202  # what was there is not counted
        assert (await sent(site, key, 1)).code == "active_pages_reached"
        desk.finish(before.json()["id"])  # and gives nothing back
        assert (await sent(site, key, 1)).code == "active_pages_reached"
        desk.service.store.put_key(kept)
        assert (await sent(site, key, 9)).status == 202

    play(desk, steps, keys_needed=True)


def test_an_upload_of_a_refused_job_can_be_submitted_later(desk: Desk) -> None:
    key = desk.key("ada", active_pages=2)
    bearer = {"authorization": f"Bearer {key}"}

    async def steps(site: Site) -> None:
        first = await sent(site, key, 2)
        made = await site.post_json("/v1/uploads", {}, **bearer)
        assert made.status == 201, made.body
        link = made.json()["url"].partition("8000")[2]
        assert (await site.ask("PUT", link, body=b"%PDF 1 uploaded")).status == 204
        asked = {"upload": made.json()["id"], "model": "fake"}
        refused = await site.post_json("/v1/jobs", asked, **bearer)
        assert refused.code == "active_pages_reached"
        desk.finish(first.json()["id"])
        assert (await site.post_json("/v1/jobs", asked, **bearer)).status == 202

    play(desk, steps, keys_needed=True)


# Requests a second


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time of the buckets, which stands still."""
    clock = Clock()
    taken = Rates.take

    def take(rates: Rates, key_id: str, most: int) -> int:
        rates._clock = clock
        return taken(rates, key_id, most)

    monkeypatch.setattr(Rates, "take", take)
    return clock


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@given(
    st.integers(1, 20), st.lists(st.floats(0, 3), min_size=1, max_size=80), st.floats(0, 1e9)
)
def test_in_no_second_does_a_key_get_more_than_twice_what_it_may(
    most: int, pauses: list[float], begin: float
) -> None:
    """Those of a full bucket, and those that are filled in meanwhile."""
    clock = Clock()
    clock.now = begin
    rates, taken = Rates(clock), []
    for pause in pauses:
        clock.now += pause
        left = rates.take("ada", most)
        assert -1 <= left < most
        if left >= 0:
            taken.append(clock.now)
    for since in taken:
        assert sum(since <= at < since + 1 for at in taken) <= 2 * most


def test_a_bucket_is_full_at_first_and_after_a_second() -> None:
    clock = Clock()
    rates = Rates(clock)
    assert [rates.take("ada", 3) for _ in range(5)] == [2, 1, 0, -1, -1]
    assert rates.take("bob", 1) == 0
    clock.now += 0.34
    assert [rates.take("ada", 3) for _ in range(2)] == [0, -1]
    clock.now += 60
    assert [rates.take("ada", 3) for _ in range(4)] == [2, 1, 0, -1]
    clock.now -= 30  # a clock that is put back fills nothing
    assert rates.take("ada", 3) == -1
    assert rates.take("ada", 9) == -1  # a larger bucket begins with what is left


def test_who_asks_too_often_is_told_when_to_come_again(desk: Desk, clock: Clock) -> None:
    ada, bob = desk.key("ada", requests_per_second=2), desk.key("bob")

    async def steps(site: Site) -> None:
        asked = [await site.get("/v1/jobs", authorization=f"Bearer {ada}") for _ in range(3)]
        assert [reply.status for reply in asked] == [200, 200, 429]
        assert [reply.headers["ratelimit"] for reply in asked] == [
            '"requests";r=1;t=1',
            '"requests";r=0;t=1',
            '"requests";r=0;t=1',
        ]
        assert {reply.headers["ratelimit-policy"] for reply in asked} == {'"requests";q=2;w=1'}
        assert asked[2].code == "too_many_requests"
        assert asked[2].headers["retry-after"] == "1"
        others = await site.get("/v1/jobs", authorization=f"Bearer {bob}")
        assert (others.status, "ratelimit" in others.headers) == (200, False)
        clock.now += 0.5
        assert (await site.get("/v1/jobs", authorization=f"Bearer {ada}")).status == 200

    play(desk, steps, keys_needed=True)


def test_what_needs_no_key_counts_for_none(desk: Desk, clock: Clock) -> None:
    key = desk.key("ada", requests_per_second=1)

    async def steps(site: Site) -> None:
        own = {"authorization": f"Bearer {key}"}
        for path in ("/health/live", "/health/ready", "/", "/ui/style.css") * 3:
            reply = await site.get(path, **own)
            assert (reply.status, "ratelimit" in reply.headers) == (200, False), path
        assert (await site.get("/v1/jobs", authorization="Bearer wrong")).status == 401
        assert (await site.get("/v1/models", **own)).status == 200
        assert (await site.get("/v1/models", **own)).status == 429

    play(desk, steps, keys_needed=True)


def test_a_refusal_for_a_scope_counts_and_tells(desk: Desk, clock: Clock) -> None:
    key = desk.key("ada", requests_per_second=1, scopes=("read",))

    async def steps(site: Site) -> None:
        refused = await sent(site, key)
        assert refused.code == "scope_missing"
        assert refused.headers["ratelimit"] == '"requests";r=0;t=1'
        assert (await sent(site, key)).code == "too_many_requests"

    play(desk, steps, keys_needed=True)


def test_the_settings_say_how_often_any_key_may_ask(desk_of: Desks, clock: Clock) -> None:
    desk = desk_of(requests_per_second_per_key=1)
    ada, bob = desk.key("ada"), desk.key("bob", requests_per_second=2)

    async def steps(site: Site) -> None:
        for key, statuses in ((ada, [200, 429]), (bob, [200, 200, 429])):
            for status in statuses:
                reply = await site.get("/v1/models", authorization=f"Bearer {key}")
                assert reply.status == status

    play(desk, steps, keys_needed=True)


def test_an_event_stream_is_one_request(desk: Desk, clock: Clock) -> None:
    key = desk.key("ada", requests_per_second=2)

    async def steps(site: Site) -> None:
        job_id = (await sent(site, key)).json()["id"]
        watching = site.begin(
            "GET", f"/v1/jobs/{job_id}/events", headers={"authorization": f"Bearer {key}"}
        )
        await watching.heard(b"event: status")
        desk.finish(job_id)
        reply = await watching.ended()
        assert b"succeeded" in reply.body
        assert reply.headers["ratelimit"] == '"requests";r=0;t=1'

    play(desk, steps, keys_needed=True)


def test_no_route_asks_twice_who_asks(desk: Desk) -> None:
    """It would count twice."""

    def askers(dependant: Dependant) -> list[Asker]:
        own = [dependant.call] if isinstance(dependant.call, Asker) else []
        return own + [each for one in dependant.dependencies for each in askers(one)]

    routes = list(iter_route_contexts(desk.app().routes))
    asking = {route.path_format: len(askers(route.dependant)) for route in routes}
    assert {path: count for path, count in asking.items() if count > 1} == {}
    assert sum(asking.values()) > 40


# What is left, in headers


def test_a_submission_tells_what_is_left(desk: Desk, clock: Clock) -> None:
    key = desk.key("ada", active_pages=9, pages_per_day=20, requests_per_second=5)

    async def steps(site: Site) -> None:
        reply = await sent(site, key, 4)
        assert reply.headers["ratelimit-policy"] == (
            '"requests";q=5;w=1, "active-pages";q=9, "pages-day";q=20;w=86400'
        )
        told = re.fullmatch(
            r'"requests";r=4;t=1, "active-pages";r=5, "pages-day";r=16;t=(\d+)',
            reply.headers["ratelimit"],
        )
        assert told
        assert 1 <= int(told[1]) <= DAY_S
        refused = await sent(site, key, 6)
        assert refused.code == "active_pages_reached"
        assert '"active-pages";r=5, "pages-day";r=16;t=' in refused.headers["ratelimit"]
        looked = await site.get("/v1/jobs", authorization=f"Bearer {key}")
        assert looked.headers["ratelimit"] == '"requests";r=2;t=1'  # which asks no store

    play(desk, steps, keys_needed=True)


def test_a_key_without_limits_costs_the_store_no_question(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(desk.service.store, "usage", asked.append)
    key = desk.key("ada")

    async def steps(site: Site) -> None:
        reply = await sent(site, key)
        assert (reply.status, "ratelimit" in reply.headers) == (202, False)

    play(desk, steps, keys_needed=True)
    assert asked == []


def test_a_store_that_is_away_after_the_submission_takes_no_job_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = desk.key("ada", active_pages=9)
    answers = iter([Usage()])

    def usage(_: str) -> Usage:
        try:
            return next(answers)
        except StopIteration:
            raise StoreFailed from None

    monkeypatch.setattr(desk.service.store, "usage", usage)

    async def steps(site: Site) -> None:
        reply = await sent(site, key)
        assert (reply.status, "ratelimit" in reply.headers) == (202, False)

    play(desk, steps, keys_needed=True)


def test_refusals_are_counted_by_their_limit(desk: Desk, clock: Clock) -> None:
    counted: Counter[str] = Counter()
    metrics.report_to(lambda _, report: counted.update([report.partition("|1|")[0]]))
    key = desk.key("ada", active_pages=1, pages_per_day=2, requests_per_second=4, max_active=9)

    async def steps(site: Site) -> None:
        await sent(site, key)
        await sent(site, key)
        desk.finish(desk.service.jobs(JobQuery())[0].id)
        await sent(site, key)
        desk.finish(desk.service.jobs(JobQuery())[0].id)
        await sent(site, key)
        await sent(site, key)

    try:
        play(desk, steps, keys_needed=True)
    finally:
        metrics.report_to(None)
    codes = ("active_pages_reached", "pages_per_day_reached", "too_many_requests")
    assert [counted[f"refusals|code={code}"] for code in codes] == [1, 1, 1]
