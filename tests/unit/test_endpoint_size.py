"""How many instances an endpoint has: whatever happens in between, no work is left without one.

An endpoint, those who send it work, the alarm's function and the reaper take their steps in any
order. Who sends work stores it first and looks at the endpoint then, as the queue does.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.errors import StoreFailed
from pagetide.server.aws_lambda import endpoint_size, reaper, scale_in
from pagetide.server.aws_lambda.endpoint_size import (
    IDLE_S,
    EndpointSize,
    last_worked,
    note_work,
)
from pagetide.server.ports import Backlog
from pagetide.server.queues.sagemaker.service import EndpointState
from pagetide.server.stores.memory import MemoryStore
from pagetide.settings import Settings
from tests.serving import Wrapped

NOW = 1_000_000.0


@dataclass
class World:
    """An endpoint and its work.

    Attributes:
        work: Tasks that are stored and not done.
        backlog: What CloudWatch says of them.
        changing: So many writes find the endpoint being changed.
        between: What happens before each look and write, in turn.
    """

    desired: int = 1
    work: int = 0
    backlog_told: int = 0
    changing: int = 0
    changed: float = 0.0
    writes: list[int] = field(default_factory=list)
    between: Iterator[None] = field(default_factory=lambda: iter(()))

    def seen(self, name: str) -> EndpointState:
        next(self.between, None)
        return EndpointState(status="InService", desired=self.desired, changed=self.changed)

    def resize(self, name: str, instances: int) -> bool:
        next(self.between, None)
        self.changing -= 1
        if self.changing >= 0:
            return False
        self.writes.append(instances)
        self.desired = instances
        return True

    def backlog(self, name: str) -> int:
        return self.backlog_told


class Working(Wrapped):
    """A store with the world's work."""

    def __init__(self, world: World) -> None:
        super().__init__(MemoryStore())
        self.world = world

    def backlog(self, pool: str, now: float) -> Backlog:
        next(self.world.between, None)
        return Backlog(waiting=self.world.work)


def size_of(world: World, **given: Any) -> EndpointSize:
    return EndpointSize(
        endpoints=world,
        store=Working(world),
        settings=Settings(**given),
        name="ocr-gpu",
        pools=("gpu",),
        clock=lambda: NOW,
        pause=lambda seconds: None,
    )


def sending(world: World, looks_first: bool) -> Generator[None]:
    """Who sends work: stores it, looks at the endpoint, and wakes it where it sleeps.

    Yields between the steps. With `looks_first` it is as it must not be.
    """
    if looks_first:
        seen = world.desired
        yield
        world.work += 1
    else:
        world.work += 1
        yield
        seen = world.desired
    yield
    if seen == 0:
        world.desired = 1
    yield


@given(st.integers(0, 12), st.integers(0, 1))
def test_work_that_lands_at_any_moment_finds_an_instance(when: int, desired: int) -> None:
    world = World(desired=desired)

    def landing() -> Iterator[None]:
        for _ in range(when):
            yield
        yield from sending(world, looks_first=False)

    world.between = landing()
    size_of(world).sleep()
    for _ in world.between:  # who has not been done by then goes on
        pass
    assert world.work == 1 and world.desired == 1


def test_who_looked_before_storing_would_be_lost() -> None:
    """So the test above can fail."""
    world = World()

    def landing() -> Iterator[None]:
        looked = sending(world, looks_first=True)
        next(looked)
        for _ in range(20):
            yield
        yield from looked

    world.between = landing()
    assert size_of(world).sleep() == "asleep"
    for _ in world.between:
        pass
    assert world.work == 1 and world.desired == 0


@pytest.mark.parametrize(
    ("world", "done", "writes"),
    [
        (World(), "asleep", [0]),
        (World(desired=0), "left", []),
        (World(work=1), "left", []),
        (World(backlog_told=1), "left", []),
        (World(desired=0, work=1), "awake", [1]),
        (World(changing=1), "left", []),
        (World(desired=0, work=1, changing=3), "awake", [1]),
    ],
)
def test_what_the_alarms_function_does(world: World, done: str, writes: list[int]) -> None:
    size = size_of(replace(world, writes=[]))
    assert size.sleep() == done
    assert size.endpoints.writes == writes  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("world", "done"),
    [
        (World(desired=0, work=1), "awake"),
        (World(desired=0, backlog_told=2), "awake"),
        (World(work=1), "left"),
        (World(changed=NOW - IDLE_S), "asleep"),
        (World(changed=NOW - IDLE_S + 1), "left"),
        (World(desired=0, changed=0.0), "left"),
    ],
)
def test_what_the_reaper_does(world: World, done: str) -> None:
    assert size_of(replace(world, writes=[])).reconcile() == done


def test_the_reaper_waits_ten_minutes_after_the_last_work() -> None:
    world = World()
    size = size_of(world)
    note_work(size.store, "ocr-gpu", NOW - IDLE_S + 1)
    assert size.reconcile() == "left"
    note_work(size.store, "ocr-gpu", NOW - IDLE_S)
    note_work(size.store, "other", NOW)
    assert size.reconcile() == "asleep"
    size.store.put_value("worked:ocr-gpu", b"strange")
    assert last_worked(size.store, "ocr-gpu") == 0.0


def test_an_endpoint_that_stays_in_change_is_left_to_the_next_call() -> None:
    with pytest.raises(StoreFailed, match="is being changed: try again"):
        size_of(World(desired=0, work=1, changing=99)).reconcile()


def test_workers_that_are_to_be_kept_are_kept() -> None:
    assert size_of(World(), min_workers={"gpu": 1}).sleep() == "left"
    assert size_of(World(desired=0), min_workers={"gpu": 1}).reconcile() == "awake"


URL = "sagemaker://eu-west-1/ocr-{pool}/wakes?bucket=my-wakes"


def named(monkeypatch: pytest.MonkeyPatch, **given: Any) -> dict[str, tuple[str, ...]]:
    monkeypatch.setattr(endpoint_size, "open_service", lambda address: World())
    found = endpoint_size.sizes(Settings(**given), MemoryStore())
    return {each.name: each.pools for each in found}


def test_the_endpoints_are_those_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    pools = {"cpu": ("pp-ocrv6",), "gpu": ("pp-structurev3",), "vl": ("paddleocr-vl",)}
    assert named(monkeypatch, pools=pools) == {}
    assert named(monkeypatch, pools=pools, queues={"gpu": URL}) == {"ocr-gpu": ("gpu",)}
    assert named(monkeypatch, queue=URL) == {"ocr-cpu": ("cpu",)}
    both = {"ocr-cpu": ("cpu",), "ocr-gpu": ("gpu",), "ocr-vl": ("vl",)}
    assert named(monkeypatch, pools=pools, queue=URL) == both
    shared = URL.replace("-{pool}", "")
    assert named(monkeypatch, pools=pools, queue=shared) == {"ocr": ("cpu", "gpu", "vl")}
    apart = {"gpu": shared, "vl": shared.replace("/wakes", "/vl")}
    assert named(monkeypatch, pools=pools, queues=apart) == {"ocr": ("gpu", "vl")}
    own = {"gpu": URL, "gpu-next": URL}
    found = named(monkeypatch, pools=pools, queues=own, canary={"gpu-next": 0.1})
    assert found == {"ocr-gpu": ("gpu",), "ocr-gpu-next": ("gpu-next",)}


def test_the_functions_see_to_all_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    size = size_of(World())
    for module in (scale_in, reaper):
        monkeypatch.setattr(module, "endpoints", lambda: (size,))
    context: Any = None
    assert scale_in.handle({"strange": [1]}, context) == {"ocr-gpu": "asleep"}
    assert reaper.handle({}, context) == {"ocr-gpu": "left"}


def test_an_endpoint_that_fails_keeps_no_other_awake(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck, other = World(desired=0, work=1, changing=99), World()
    both = (size_of(stuck), replace(size_of(other), name="ocr-vl"))
    for module in (scale_in, reaper):
        other.desired = 1
        monkeypatch.setattr(module, "endpoints", lambda: both)
        context: Any = None
        with pytest.raises(StoreFailed, match="ocr-gpu is being changed"):
            module.handle({}, context)
        assert other.desired == 0
