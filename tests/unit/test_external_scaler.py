"""What the external scaler is made of: its messages, what it is asked for, its looks."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from pagetide.errors import BadOption, StoreFailed
from pagetide.server.ports import Backlog, Notifications, Subscriber
from pagetide.server.scaling import watching
from pagetide.server.scaling.keda import external_scaler
from pagetide.server.scaling.keda.external_scaler import target_of
from pagetide.server.scaling.keda.messages import SCALER, messages
from pagetide.server.scaling.watching import Watch
from pagetide.server.service.load.demand import TASKS_A_WORKER, Demand
from pagetide.server.stores.notifications.memory import MemoryNotifications

POOLS = ("cpu", "gpu", "system")
PROTO = Path(external_scaler.__file__).with_suffix(".proto").read_text(encoding="utf-8")
BUSY, IDLE = Demand(backlog=Backlog(waiting=1)), Demand(backlog=Backlog())
PATIENCE_S = 60.0


def test_the_messages_are_those_of_the_proto_file() -> None:
    told = {}
    for name, body in re.findall(r"message (\w+) \{(.*?)\n\}", PROTO, re.S):
        fields = re.findall(r"^  ([\w<>, ]+) (\w+) = (\d+);", body, re.M)
        assert [int(number) for _, _, number in fields] == [*range(1, len(fields) + 1)]
        told[name] = {
            field: kind.replace("map<string, string>", "repeated Pair")
            for kind, field, _ in fields
        }
    assert told == {name: dict(fields) for name, fields in SCALER.items() if name != "Pair"}
    assert "package externalscaler;" in PROTO


def test_messages_are_on_the_wire_as_keda_writes_them() -> None:
    says = messages("externalscaler", SCALER)
    # By hand, after the encoding's specification: tags, lengths, values.
    ref = b"\x0a\x01w\x12\x02ns\x1a\x0b\x0a\x04pool\x12\x03cpu"
    read = says["ScaledObjectRef"].FromString(ref)
    assert (read.name, read.namespace) == ("w", "ns")
    assert [(pair.key, pair.value) for pair in read.scalerMetadata] == [("pool", "cpu")]
    value = says["MetricValue"](metricName="m", metricValue=5, metricValueFloat=1.0)
    written = b"\x0a\x01m\x10\x05\x19\x00\x00\x00\x00\x00\x00\xf0\x3f"
    assert value.SerializeToString() == written
    assert says["IsActiveResponse"](result=True).SerializeToString() == b"\x08\x01"


def test_what_is_asked_for() -> None:
    assert target_of({"pool": "gpu"}, POOLS) == ("gpu", TASKS_A_WORKER)
    more = {"pool": "cpu", "tasksPerWorker": "1", "scalerAddress": "scaler:9090"}
    assert target_of(more, POOLS) == ("cpu", 1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "`pool`"),
        ({"pool": ""}, "`pool`"),
        ({"pool": "gpus"}, "did you mean gpu or cpu?"),
        *[
            ({"pool": "cpu", "tasksPerWorker": text}, "`tasksPerWorker`")
            for text in ("", "0", "-1", "2.5", "four", "1000001", "²", "9" * 5000)
        ],
    ],
)
def test_what_cannot_be_asked_for(given: dict[str, str], said: str) -> None:
    with pytest.raises(BadOption, match=re.escape(said)) as caught:
        target_of(given, POOLS)
    assert len(caught.value.message) < 200


class Asked:
    """Stands in for the store: what it says, and how often it was asked."""

    def __init__(self) -> None:
        self.says: Demand | Exception = IDLE
        self.count = 0
        self.free = threading.Event()
        self.free.set()
        self._counting = threading.Lock()

    def __call__(self, pool: str) -> Demand:
        with self._counting:  # who sees the count may change what is said
            says, self.count = self.says, self.count + 1
        self.free.wait(PATIENCE_S)
        if isinstance(says, Exception):
            raise says
        return says


def play(
    steps: Callable[[Watch], Awaitable[None]], asked: Asked, notifications: Notifications
) -> None:
    """A watch, what a test does with it, and its end."""

    async def all_of_it() -> None:
        watch = Watch(asked, notifications, POOLS)
        watch.start()
        try:
            async with asyncio.timeout(PATIENCE_S):
                await steps(watch)
        finally:
            asked.free.set()
            await watch.close()

    asyncio.run(all_of_it())


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.002)


def test_those_who_ask_together_share_a_look() -> None:
    asked = Asked()

    async def steps(watch: Watch) -> None:
        asked.free.clear()
        first = asyncio.create_task(watch.look("cpu"))
        await until(lambda: asked.count == 1)
        asked.says = BUSY
        others = [asyncio.create_task(watch.look("cpu")) for _ in range(100)]
        await asyncio.sleep(0)
        asked.free.set()
        # Who asked after a look had begun gets what was found by one that began later.
        assert await first == IDLE
        assert await asyncio.gather(*others) == [BUSY] * 100
        assert asked.count == 2

    play(steps, asked, MemoryNotifications())


def test_pools_do_not_wait_for_each_other() -> None:
    asked = Asked()

    async def steps(watch: Watch) -> None:
        asked.free.clear()
        looks = [asyncio.create_task(watch.look(pool)) for pool in ("cpu", "gpu")]
        await until(lambda: asked.count == 2)
        asked.free.set()
        await asyncio.gather(*looks)

    play(steps, asked, MemoryNotifications())


def test_a_store_that_fails_is_no_idle_pool() -> None:
    asked = Asked()
    asked.says = StoreFailed("The store is gone.")

    async def steps(watch: Watch) -> None:
        looks = [watch.look("cpu") for _ in range(10)]
        for found in await asyncio.gather(*looks, return_exceptions=True):
            assert isinstance(found, StoreFailed)
        assert asked.count == 2
        asked.says = BUSY
        assert await watch.look("cpu") == BUSY

    play(steps, asked, MemoryNotifications())


def test_a_store_that_does_not_answer_keeps_nobody_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "LOOK_S", 0.02)
    asked = Asked()
    asked.free.clear()

    async def steps(watch: Watch) -> None:
        with pytest.raises(StoreFailed, match="in time"):
            await watch.look("cpu")
        with watch.following("cpu") as (followed, _):
            await until(lambda: asked.count > 1)
            assert followed.active is None

    play(steps, asked, MemoryNotifications())


def test_many_followers_cost_no_more_looks_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "POLL_S", 1000.0)
    asked, notifications = Asked(), MemoryNotifications()

    async def steps(watch: Watch) -> None:
        await until(lambda: notifications._listening)
        with watch.following("cpu") as (followed, news):
            await until(lambda: followed.active is False)
            contexts = [watch.following("cpu") for _ in range(50)]
            events = [context.__enter__()[1] for context in contexts]
            assert asked.count == 1
            for event in (news, *events):
                event.clear()
            asked.says = BUSY
            notifications.publish("cpu")
            await asyncio.gather(*(event.wait() for event in (news, *events)))
            assert (followed.active, asked.count) == (True, 2)
            for context in contexts:
                context.__exit__(None, None, None)
        assert not watch._followed

    play(steps, asked, notifications)


class Undescribed:
    """A listener without a file descriptor, as those that may have to connect again."""

    def __init__(self, inner: Subscriber) -> None:
        self._inner = inner
        self.wait, self.close = inner.wait, inner.close

    def fileno(self) -> int:
        return -1


class Deaf(MemoryNotifications):
    def subscribe(self, *topics: str) -> Any:
        return Undescribed(super().subscribe(*topics))


@pytest.mark.parametrize(
    "notifications", [MemoryNotifications(), Deaf()], ids=["by descriptor", "in a thread"]
)
def test_without_a_ring_it_is_found_by_looking(
    notifications: Notifications, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "POLL_S", 0.02)
    monkeypatch.setattr(watching, "BUSY_PAUSE_S", 0.02)
    asked = Asked()

    async def steps(watch: Watch) -> None:
        with watch.following("cpu") as (followed, _):
            await until(lambda: followed.active is False)
            asked.says = BUSY
            await until(lambda: followed.active is True)
            asked.says = StoreFailed()
            await until(lambda: followed.active is None)
            asked.says = RuntimeError("from a driver")
            seen = asked.count
            await until(lambda: asked.count > seen + 2)
            assert followed.active is None
            asked.says = IDLE
            await until(lambda: followed.active is False)

    play(steps, asked, notifications)


def test_a_bell_that_breaks_is_listened_to_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "POLL_S", 0.02)
    asked, notifications = Asked(), MemoryNotifications()
    whole, broken = notifications.subscribe, iter([True, True, False])

    def subscribe(*topics: str) -> object:
        if next(broken, False):
            raise StoreFailed
        return whole(*topics)

    monkeypatch.setattr(notifications, "subscribe", subscribe)

    async def steps(watch: Watch) -> None:
        await until(lambda: notifications._listening)
        monkeypatch.setattr(watching, "POLL_S", 1000.0)
        with watch.following("gpu") as (followed, _):
            await until(lambda: followed.active is False)
            asked.says = BUSY
            notifications.publish("gpu")
            await until(lambda: followed.active)

    play(steps, asked, notifications)


def test_a_busy_pool_that_rings_all_the_time_is_looked_at_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "BUSY_PAUSE_S", 0.05)
    asked, notifications = Asked(), MemoryNotifications()
    asked.says = BUSY

    async def steps(watch: Watch) -> None:
        with watch.following("cpu") as (followed, _):
            await until(lambda: followed.active)
            began, before = time.monotonic(), asked.count
            while (took := time.monotonic() - began) < 4 * watching.BUSY_PAUSE_S:
                notifications.publish("cpu")
                await asyncio.sleep(0.002)
            assert asked.count - before <= took / watching.BUSY_PAUSE_S + 1

    play(steps, asked, notifications)
