"""What the pools had to do: sampled while there is work or somebody looks, else never."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pagetide.errors import StoreFailed
from pagetide.server.api.history import EVERY_S, KEPT_S, LINGER_S, History
from pagetide.server.api.hub import Hub
from pagetide.server.ports import Backlog
from pagetide.server.service.load.demand import Demand
from pagetide.server.service.service import Service
from pagetide.telemetry import metrics
from tests.serving import Clock
from tests.unit.api_fake import Desk, Site, play

Steps = Callable[[History, "Pools", Hub, Clock], Awaitable[None]]


class Pools:
    """A service's capacity, and how often it was looked at."""

    def __init__(self) -> None:
        self.pools = ("cpu", "system")
        self.backlog = Backlog()
        self.kept, self.looks = 0, 0
        self.failure: Exception | None = None

    @property
    def capacity(self) -> Pools:
        return self

    def wanted(self, pool: str) -> Demand:
        self.looks += pool == "cpu"
        if self.failure:
            raise self.failure
        return Demand(backlog=self.backlog if pool == "cpu" else Backlog(), workers=self.kept)


def watch(desk: Desk, steps: Steps) -> None:
    """Run a history on a clock that stands, and what a test does with it."""

    async def all_of_it() -> None:
        pools, hub, clock = (
            Pools(),
            Hub(desk.service.notifier.notifications, desk.service.marks),
            Clock(stands=True),
        )
        history = History(as_service(pools), hub, clock)
        await steps(history, pools, hub, clock)

    asyncio.run(all_of_it())


def as_service(pools: Pools) -> Service:
    service: object = pools
    assert hasattr(service, "capacity")
    return service  # type: ignore[return-value]


def test_at_rest_the_store_is_not_asked(tmp_path: Path) -> None:
    async def steps(history: History, pools: Pools, hub: Hub, clock: Clock) -> None:
        for _ in range(500):
            clock.ahead += EVERY_S
            await history.tick()
        assert pools.looks == 0

    watch(Desk(tmp_path), steps)


def test_a_ring_begins_the_watching_and_it_ends_after_the_work(tmp_path: Path) -> None:
    async def steps(history: History, pools: Pools, hub: Hub, clock: Clock) -> None:
        hub.notified, pools.backlog = 1, Backlog(waiting=3, leased=2)
        for _ in range(60):  # work for ten minutes, of which no ring tells any more
            clock.ahead += EVERY_S
            await history.tick()
        assert pools.looks == 60
        pools.backlog = Backlog()
        for _ in range(100):
            clock.ahead += EVERY_S
            await history.tick()
        assert 60 + LINGER_S / EVERY_S <= pools.looks <= 62 + LINGER_S / EVERY_S

    watch(Desk(tmp_path), steps)


def test_who_looks_gets_a_sample_of_now_but_not_one_each(tmp_path: Path) -> None:
    async def steps(history: History, pools: Pools, hub: Hub, clock: Clock) -> None:
        pools.backlog, pools.kept = Backlog(waiting=1, leased=4), 2
        views = await asyncio.gather(*(history.look() for _ in range(20)))
        assert pools.looks == 1
        cpu = views[0].pools["cpu"]
        assert (cpu.waiting, cpu.leased, cpu.kept) == ((1,), (4,), 2)
        clock.ahead += EVERY_S
        assert len((await history.look()).pools["cpu"].at) == 2

    watch(Desk(tmp_path), steps)


def test_samples_are_kept_for_an_hour(tmp_path: Path) -> None:
    async def steps(history: History, pools: Pools, hub: Hub, clock: Clock) -> None:
        pools.backlog = Backlog(leased=1)
        for _ in range(400):
            hub.notified += 1
            clock.ahead += EVERY_S
            await history.tick()
        view = await history.look()
        cpu = view.pools["cpu"]
        assert len(cpu.at) == len(cpu.waiting) == len(cpu.leased) == len(cpu.workers)
        assert KEPT_S / EVERY_S - 2 <= len(cpu.at) <= KEPT_S / EVERY_S + 2
        assert cpu.at[0] >= clock() - KEPT_S - 1
        assert view.since < view.now

    watch(Desk(tmp_path), steps)


def test_workers_are_told_where_somebody_has_told_of_them(tmp_path: Path) -> None:
    async def steps(history: History, pools: Pools, hub: Hub, clock: Clock) -> None:
        pools.pools = ("told-here", "never-told")
        metrics.apply(metrics.encode("workers", 3, {"pool": "told-here"}))  # as it is heard
        view = await history.look()
        assert view.pools["told-here"].workers == (3,)
        assert view.pools["never-told"].workers == (None,)

    watch(Desk(tmp_path), steps)


def test_a_store_that_fails_ends_no_watching(tmp_path: Path) -> None:
    async def steps(history: History, pools: Pools, hub: Hub, clock: Clock) -> None:
        hub.notified, pools.failure = 1, StoreFailed()
        await history.tick()
        with pytest.raises(StoreFailed):
            await history.look()
        pools.failure = None
        clock.ahead += EVERY_S
        await history.tick()
        assert len((await history.look()).pools["cpu"].at) == 1

    watch(Desk(tmp_path), steps)


def test_no_error_whatever_ends_the_watching(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steps(history: History, pools: Pools, hub: Hub, clock: Clock) -> None:
        monkeypatch.setattr("pagetide.server.api.history.EVERY_S", 0.0)
        hub.notified, pools.failure = 1, KeyError("cpu")
        history.start()
        async with asyncio.timeout(60):
            while pools.looks < 3:
                await asyncio.sleep(0.001)
        await history.close()

    watch(Desk(tmp_path), steps)


def test_it_begins_and_ends_with_the_server(tmp_path: Path) -> None:
    desk = Desk(tmp_path)

    async def steps(site: Site) -> None:
        desk.submit(pages=2)
        told = (await site.get("/v1/history")).json()
        assert told["every_s"] == EVERY_S
        assert told["pools"]["cpu"]["waiting"] == [1]
        assert set(told["pools"]) == {"cpu", "system"}

    play(desk, steps, host="localhost")


def test_it_needs_a_key_where_keys_are_needed(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        assert (await site.get("/v1/history")).code == "unauthorized"

    play(Desk(tmp_path), steps, keys_needed=True)
