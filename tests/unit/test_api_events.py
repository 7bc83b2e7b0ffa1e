"""The API: long polls and server-sent events, woken by rings."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from pagetide.server.api.context import Context
from pagetide.server.api.hub import Hub
from pagetide.server.api.routes import events
from pagetide.server.jobs.job import Job
from pagetide.server.stores.notifications.memory import MemoryNotifications
from tests.serving import notifier_by
from tests.unit.api_fake import Desk, Site, play
from tests.waiting import until


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def hub_of(site: Site) -> Hub:
    context: Context = site.app.state.context
    return context.hub


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks again without a ring."""
    monkeypatch.setattr("pagetide.server.api.hub.LOOK_AGAIN_S", 1000.0)


@pytest.mark.usefixtures("patient")
def test_a_long_poll_is_woken_by_a_ring(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit(2)
        polls = [site.begin("GET", f"/v1/jobs/{job.id}?wait=60") for _ in range(3)]
        await followed(site)
        began = time.monotonic()
        await asyncio.to_thread(desk.finish, job.id)
        replies = [await poll.ended() for poll in polls]
        assert time.monotonic() - began < 30  # and not at the end of the minute
        assert [reply.json()["status"] for reply in replies] == ["succeeded"] * 3
        assert hub_of(site).followed == 0

    play(desk, steps)


def test_a_long_poll_ends_when_its_time_is_up(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit()
        began = time.monotonic()
        reply = await site.get(f"/v1/jobs/{job.id}?wait=0.3")
        assert time.monotonic() - began >= 0.3
        assert (reply.status, reply.json()["status"]) == (200, "queued")

    play(desk, steps)


def test_a_ring_that_was_lost_is_made_up_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagetide.server.api.hub.LOOK_AGAIN_S", 0.05)
    monkeypatch.setattr(desk.service.notifier.notifications, "publish", lambda *_: None)

    async def steps(site: Site) -> None:
        job = desk.submit()
        poll = site.begin("GET", f"/v1/jobs/{job.id}?wait=60")
        await followed(site)
        await asyncio.to_thread(desk.finish, job.id)
        assert (await poll.ended()).json()["status"] == "succeeded"

    play(desk, steps)


def test_a_job_is_not_looked_at_while_nothing_happens_to_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagetide.server.api.hub.LOOK_AGAIN_S", 0.01)
    store, looks, asked = desk.service.store, Counter[str](), list[set[str]]()
    job, versions = store.job, store.versions

    def look(job_id: str) -> Job | None:
        looks[job_id] += 1
        return job(job_id)

    def ask(job_ids: Collection[str]) -> dict[str, int]:
        asked.append(set(job_ids))
        return versions(job_ids)

    monkeypatch.setattr(store, "job", look)
    monkeypatch.setattr(store, "versions", ask)

    async def steps(site: Site) -> None:
        jobs = [desk.submit() for _ in range(3)]
        watching = [site.begin("GET", f"/v1/jobs/{each.id}/events") for each in jobs]
        for one in watching:
            await one.heard(b"event: status")
        await asyncio.to_thread(until, lambda: asked.count({each.id for each in jobs}) > 3)
        before, rounds = looks.copy(), len(asked)
        await asyncio.to_thread(until, lambda: len(asked) > rounds + 20)
        assert looks == before  # one question for all of them, and again and again
        await asyncio.to_thread(desk.finish, jobs[0].id)
        assert b'"succeeded"' in (await watching[0].ended()).body

    play(desk, steps)


def test_a_place_in_line_is_told_of_when_others_leave_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagetide.server.api.hub.LOOK_AGAIN_S", 0.01)
    monkeypatch.setattr("pagetide.server.api.hub.LINE_S", 0.0)

    async def steps(site: Site) -> None:
        first, last = desk.submit(), desk.submit()
        watching = site.begin("GET", f"/v1/jobs/{last.id}/events")
        await watching.heard(b'"position":1')
        await asyncio.to_thread(desk.finish, first.id)
        await watching.heard(b'"position":0')
        watching.leave()
        await watching.ended()

    play(desk, steps)


@pytest.mark.usefixtures("patient")
def test_who_leaves_is_forgotten(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit()
        for path in ("?wait=60", "/events", "/result?wait=60", "/pages/1?wait=60"):
            waiting = site.begin("GET", f"/v1/jobs/{job.id}{path}")
            await followed(site)
            waiting.leave()
            await waiting.ended()
            assert hub_of(site).followed == 0

    play(desk, steps)


@pytest.mark.usefixtures("patient")
def test_who_waits_goes_home_when_the_server_ends(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit()
        paths = ("?wait=60", "/events", "/result?wait=60")
        waiting = [site.begin("GET", f"/v1/jobs/{job.id}{path}") for path in paths]
        await followed(site)
        await waiting[1].heard(b"event: status")
        hub_of(site).stop()
        replies = [await one.ended() for one in waiting]
        assert [reply.status for reply in replies] == [200, 200, 202]

    play(desk, steps)


@pytest.mark.usefixtures("patient")
def test_events_tell_of_a_job_in_order(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        before = desk.submit()
        job = desk.submit(3)
        watching = site.begin("GET", f"/v1/jobs/{job.id}/events")
        await watching.heard(b'"status":"queued"')
        await site.ask("POST", f"/v1/jobs/{before.id}/cancel")
        await asyncio.to_thread(desk.read, job.id, 2)
        await watching.heard(b'"pages_done":2')
        await asyncio.to_thread(desk.finish, job.id)
        reply = await watching.ended()
        assert reply.headers["content-type"].startswith("text/event-stream")
        assert reply.headers["cache-control"] == "no-store"
        told = parsed(reply.body)
        assert [name for name, _ in told][:2] == ["position", "status"]
        statuses = [fields["status"] for name, fields in told if name == "status"]
        assert statuses == ["queued", "running", "succeeded"]
        done = [fields["pages_done"] for name, fields in told if name == "page"]
        assert done == sorted(set(done)) and done[-1] == 3
        name, last = told[-1]
        assert (name, last["pages_total"]) == ("status", 3)
        assert "result" not in last and last["result_url"]
        assert told[0][1] == {"position": 1}

    play(desk, steps)


def test_events_of_a_job_that_has_ended_end_at_once(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit().id)
        reply = await site.get(f"/v1/jobs/{job.id}/events")
        assert [name for name, _ in parsed(reply.body)] == ["page", "status"]

    play(desk, steps)


@pytest.mark.usefixtures("patient")
def test_events_end_with_a_problem_when_the_job_is_erased(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit()
        watching = site.begin("GET", f"/v1/jobs/{job.id}/events")
        await watching.heard(b"event: status")
        await site.ask("DELETE", f"/v1/jobs/{job.id}")
        name, fields = parsed((await watching.ended()).body)[-1]
        assert (name, fields["code"]) == ("problem", "job_gone")

    play(desk, steps)


def test_silence_is_broken_now_and_then(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "KEEP_ALIVE_S", 0.05)

    async def steps(site: Site) -> None:
        watching = site.begin("GET", f"/v1/jobs/{desk.submit().id}/events")
        await watching.heard(b"\n: still here\n\n")
        watching.leave()
        await watching.ended()

    play(desk, steps)


def test_many_who_watch_take_no_threads(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit()
        watching = [site.begin("GET", f"/v1/jobs/{job.id}/events") for _ in range(100)]
        for one in watching:
            await one.heard(b"event: status")
        assert (await site.get("/health/live")).status == 200
        await asyncio.to_thread(desk.finish, job.id)
        for one in watching:
            assert b'"succeeded"' in (await one.ended()).body

    play(desk, steps)


class Deaf(MemoryNotifications):
    """Notifications that have no file descriptor to wait for."""

    def subscribe(self, *topics: str) -> Any:
        listener = super().subscribe(*topics)
        listener.fileno = lambda: -1  # type: ignore[method-assign]
        return listener


@pytest.mark.usefixtures("patient")
def test_a_bell_without_a_descriptor_is_heard(desk: Desk) -> None:
    desk.service.notifier = notifier_by(Deaf())

    async def steps(site: Site) -> None:
        job = desk.submit()
        poll = site.begin("GET", f"/v1/jobs/{job.id}?wait=60")
        await followed(site)
        await asyncio.to_thread(desk.finish, job.id)
        assert (await poll.ended()).json()["status"] == "succeeded"

    play(desk, steps)


async def followed(site: Site) -> None:
    """Until somebody waits for a job."""
    async with asyncio.timeout(60):
        while not hub_of(site).followed:
            await asyncio.sleep(0)


def parsed(body: bytes) -> list[tuple[str, dict[str, Any]]]:
    """The events of a stream: name and data."""
    found = []
    for block in body.decode().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] != ":")
        if "event" in lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found
