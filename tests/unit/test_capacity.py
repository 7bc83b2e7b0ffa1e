"""A job whose pool has no worker says so, and for how long."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from pagetide.client.answers import RemoteJob, decoded
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import Job
from pagetide.server.jobs.moved import Moved
from pagetide.server.service.load.demand import CAPACITY_S
from tests.unit.api_fake import Desk, Site, play


class Clock:
    """The time, which a test puts ahead."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def desk(tmp_path: Path, clock: Clock) -> Desk:
    desk = Desk(tmp_path)
    capacity = desk.service.capacity
    capacity._clock = capacity._demand._clock = clock
    return desk


async def shown(site: Site, job: Job) -> Any:
    return (await site.get(f"/v1/jobs/{job.id}")).json()["waiting_for_capacity"]


def test_a_job_that_nobody_takes_says_so_after_a_while(desk: Desk, clock: Clock) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit(20)
        assert await shown(site, job) is None
        clock.ahead = CAPACITY_S + 0.1
        told = await shown(site, job)
        assert told["pool"] == "cpu"
        since = datetime.fromisoformat(told["since"])
        assert since.tzinfo == UTC
        assert abs(since.timestamp() - job.created_at) < 0.01
        later = desk.submit()  # waits for the same worker, since the same time
        assert await shown(site, later) == told

    play(desk, steps)


def test_it_is_of_the_form_that_is_described_and_that_the_client_knows(
    desk: Desk, clock: Clock
) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit()
        clock.ahead = 60.0
        reply = await site.get(f"/v1/jobs/{job.id}")
        description = (await site.get("/openapi.json")).json()
        ref = {"$ref": "#/components/schemas/JobView", **description}
        Draft202012Validator(ref).validate(reply.json())
        known = decoded(reply.body, RemoteJob).waiting_for_capacity
        assert known and known.pool == "cpu" and known.since
        assert abs(known.since.timestamp() - job.created_at) < 0.01

    play(desk, steps)


def test_a_worker_that_holds_a_task_of_the_pool_ends_it(desk: Desk, clock: Clock) -> None:
    async def steps(site: Site) -> None:
        first, second = desk.submit(), desk.submit()
        clock.ahead = 60.0
        assert await shown(site, second) is not None
        lease = desk._lease()
        assert lease.job.id == first.id
        assert await shown(site, second) is None
        lease.change(moves.give_back, 0.0)
        assert await shown(site, second) is None  # a worker holds none between two tasks
        clock.ahead += CAPACITY_S
        assert await shown(site, second) is not None

    play(desk, steps)


def test_a_running_job_whose_worker_died_says_so(desk: Desk, clock: Clock) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit(20)
        await asyncio.to_thread(desk.read, job.id, 3)
        clock.ahead = 60.0
        reply = (await site.get(f"/v1/jobs/{job.id}")).json()
        assert reply["status"] == "running" and reply["waiting_for_capacity"]

    play(desk, steps)


def test_ended_jobs_and_lists_say_nothing(desk: Desk, clock: Clock) -> None:
    async def steps(site: Site) -> None:
        ended = desk.finish(desk.submit().id)
        waits = desk.submit()
        clock.ahead = 60.0
        assert await shown(site, waits) is not None
        assert await shown(site, ended) is None
        listed = (await site.get("/v1/jobs")).json()["jobs"]
        assert [one["waiting_for_capacity"] for one in listed] == [None, None]

    play(desk, steps)


def test_work_of_later_waits_for_no_worker(desk: Desk, clock: Clock) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit()
        [task] = desk.service.store.tasks(job.id)

        def put_off(job: Job, _: object) -> Moved:
            return Moved(job=job, tasks=(replace(task, due=time.time() + 3600),))

        desk.service.store.change(job.id, task.id, put_off)
        clock.ahead = 60.0
        assert await shown(site, job) is None

    play(desk, steps)


def test_events_tell_of_it_and_of_its_end(
    desk: Desk, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagetide.server.api.hub.LOOK_AGAIN_S", 0.02)

    async def steps(site: Site) -> None:
        job = desk.submit()
        watching = site.begin("GET", f"/v1/jobs/{job.id}/events")
        await watching.heard(b'"status":"queued"')
        clock.ahead = 60.0
        await watching.heard(b'"waiting_for_capacity":{"pool":"cpu"')
        lease = desk._lease()
        await watching.heard(b'"status":"running"')
        lease.change(moves.give_back, 0.0)
        await asyncio.to_thread(desk.finish, job.id)
        blocks = (await watching.ended()).body.decode().split("\n\n")
        lines = [block.splitlines() for block in blocks if block.startswith("event: ")]
        told = [(name[7:], json.loads(data[6:])) for name, data in lines]
        assert [name for name, _ in told if name == "status"] == ["status"] * 3
        capacity = [fields for name, fields in told if name == "capacity"]
        assert capacity[0]["waiting_for_capacity"]["pool"] == "cpu"
        assert capacity[1:] == [{"waiting_for_capacity": None}]

    play(desk, steps)
