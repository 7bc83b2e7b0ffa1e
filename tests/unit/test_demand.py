"""The one number that autoscalers read: never 0 while somebody works, never under the least."""

from __future__ import annotations

import random
import secrets
import threading
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.errors import BadOption
from pagetide.server.jobs.job import SYSTEM
from pagetide.server.ports import Backlog, JobQuery, Store
from pagetide.server.service.load.demand import (
    CAPACITY_S,
    KEPT_S,
    LARGE,
    TASKS_A_WORKER,
    Demand,
    DemandCache,
    Warm,
    all_pools,
    keep_warm,
    kept_warm,
    look,
)
from pagetide.server.stores.memory import open_store
from pagetide.settings import Settings
from tests.contract.stores import NOW, Held, claim, make
from tests.waiting import until

COUNTS = st.integers(0, 10_000)
WORKERS = st.integers(0, 100)
TASKS = st.integers(1, 50)
NONE = Settings()


@given(COUNTS, st.integers(1, 10_000), WORKERS, TASKS)
def test_it_is_never_0_while_a_task_is_held(
    waiting: int, leased: int, workers: int, tasks: int
) -> None:
    wanted = Demand(backlog=Backlog(waiting=waiting, leased=leased), workers=workers)
    assert wanted.size(tasks) >= leased


@given(COUNTS, COUNTS, WORKERS, TASKS)
def test_it_is_never_less_than_the_kept_workers_are_worth(
    waiting: int, leased: int, workers: int, tasks: int
) -> None:
    size = Demand(backlog=Backlog(waiting=waiting, leased=leased), workers=workers).size(tasks)
    assert size >= workers * tasks
    assert size in (waiting + leased, workers * tasks)


@given(COUNTS, WORKERS)
def test_to_claim_a_task_changes_nothing(waiting: int, workers: int) -> None:
    before = Demand(backlog=Backlog(waiting=waiting + 1), workers=workers)
    after = Demand(backlog=Backlog(waiting=waiting, leased=1), workers=workers)
    assert before.size() == after.size()


@given(COUNTS, COUNTS, st.floats(0, 1e6))
def test_a_pool_is_starved_only_where_nobody_works(
    waiting: int, leased: int, oldest_s: float
) -> None:
    backlog = Backlog(waiting=waiting, leased=leased, oldest_s=oldest_s)
    since = Demand(backlog=backlog, now=NOW).starved_since
    starved = waiting > 0 and leased == 0 and oldest_s > CAPACITY_S
    assert since == (NOW - oldest_s if starved else None)


def test_nothing_to_do_is_0() -> None:
    assert look(open_store("memory:"), NONE, "cpu", NOW).size() == 0


def test_work_of_later_does_not_count_until_then() -> None:
    store = open_store("memory:")
    store.submit(*make("now"))
    store.submit(*make("later", due=NOW + 60))
    assert look(store, NONE, "cpu", NOW).size() == 1
    assert look(store, NONE, "cpu", NOW + 59).size() == 1
    assert look(store, NONE, "cpu", NOW + 60).size() == 2


def test_the_least_is_of_its_own_pool() -> None:
    store, settings = open_store("memory:"), Settings(min_workers={"gpu": 2})
    assert look(store, settings, "gpu", NOW).size() == 2 * TASKS_A_WORKER
    assert look(store, settings, "gpu", NOW).size(1) == 2
    assert look(store, settings, "cpu", NOW).size() == 0


def test_what_is_warmed_counts_until_its_time_is_up() -> None:
    store = open_store("memory:")
    keep_warm(store, "gpu", Warm(workers=3, until=NOW + 10))
    held = look(store, NONE, "gpu", NOW + 9.9)
    assert (held.size(), held.workers) == (3 * TASKS_A_WORKER, 3)
    assert held.warm == Warm(workers=3, until=NOW + 10)
    over = look(store, NONE, "gpu", NOW + 10)
    assert (over.size(), over.warm) == (0, None)
    assert look(store, NONE, "cpu", NOW).warm is None


def test_the_larger_of_least_and_warm_counts() -> None:
    store, settings = open_store("memory:"), Settings(min_workers=2)
    keep_warm(store, "cpu", Warm(workers=1, until=NOW + 10))
    assert look(store, settings, "cpu", NOW).workers == 2
    keep_warm(store, "cpu", Warm(workers=3, until=NOW + 10))
    assert look(store, settings, "cpu", NOW).workers == 3


@pytest.mark.parametrize("written", [b"", b"nonsense", b'{"workers":"many"}', b"[]"])
def test_what_another_version_wrote_holds_nothing(written: bytes) -> None:
    store = open_store("memory:")
    store.put_value("warm:cpu", written)
    assert kept_warm(store, "cpu") == Warm()


class Counted:
    """A store that counts how often it is asked for a backlog, and may be made to wait."""

    def __init__(self, waiting: int) -> None:
        self.waiting, self.count = waiting, 0
        self.free = threading.Event()
        self.free.set()

    def backlog(self, pool: str, now: float) -> Backlog:
        self.count += 1
        assert self.free.wait(60)
        return Backlog(waiting=self.waiting)

    def value(self, name: str, proposed: bytes) -> bytes:
        return proposed


def test_a_small_pool_is_looked_at_whenever_somebody_asks() -> None:
    store = Counted(LARGE - 1)
    looks = DemandCache(cast(Store, store), NONE, lambda: NOW)
    assert looks.look("cpu").size() == LARGE - 1
    store.waiting = 0
    assert looks.look("cpu").size() == 0
    assert store.count == 2


def test_a_large_pool_is_counted_once_a_second() -> None:
    store, now = Counted(LARGE), [NOW]
    looks = DemandCache(cast(Store, store), NONE, lambda: now[0])
    looks.look("cpu")
    store.waiting = 0
    now[0] += KEPT_S / 2
    assert (looks.look("cpu").size(), store.count) == (LARGE, 1)
    assert looks.look("gpu").size() == 0
    now[0] += KEPT_S / 2
    assert looks.look("cpu").size() == 0
    store.waiting = LARGE
    assert looks.look("cpu").size() == LARGE
    looks.forget("cpu")
    store.waiting = 1
    assert looks.look("cpu").size() == 1


def test_while_a_large_pool_is_counted_the_others_take_what_is_known() -> None:
    store, now = Counted(LARGE), [NOW]
    looks = DemandCache(cast(Store, store), NONE, lambda: now[0])
    known = looks.look("cpu")
    now[0] += KEPT_S
    store.free.clear()
    thread = threading.Thread(target=looks.look, args=["cpu"])
    thread.start()
    until(lambda: store.count == 2)
    assert looks.look("cpu") is known
    store.free.set()
    thread.join(60)
    assert looks.look("cpu").now == NOW + KEPT_S
    assert store.count == 2


@given(st.integers(0, 2**32))
def test_whatever_happens_it_is_not_idle_while_somebody_works(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    store = open_store("memory:")
    held: list[Held] = []
    now = NOW
    for _ in range(40):
        now += chance.choice((0.0, 1.0, 20.0))
        _act(chance, store, held, now)
        leased = _leased(store)
        found = look(store, NONE, "cpu", now)
        assert found.backlog.leased == leased
        assert found.size() >= leased
        assert found.starved_since is None or leased == 0


def _leased(store: Store) -> int:
    jobs = store.jobs(JobQuery(limit=100))
    return sum(task.state == "leased" for job in jobs for task in store.tasks(job.id))


def _act(chance: random.Random, store: Store, held: list[Held], now: float) -> None:
    match chance.randrange(5):
        case 0:
            due = now + chance.choice((0, 0, 30))
            store.submit(*make(secrets.token_hex(8), *[(n,) for n in range(1, 4)], due=due))
        case 1 | 2:
            if taken := claim(store, now=now):
                held.append(taken)
        case _ if held:
            mine = held.pop(chance.randrange(len(held)))
            what = chance.choice(("done", "back", "lost"))
            if mine.task.kind == "finish":
                mine.finish(now)
            elif what == "done":
                mine.record(*mine.task.pages_left, now=now)
                mine.complete(now)
            elif what == "back":
                mine.give_back(now)
            else:
                mine.lose(now)


def test_all_pools_are_those_of_models_and_settings_and_the_system() -> None:
    assert all_pools(("cpu",), NONE) == ("cpu", SYSTEM)
    named = Settings(
        pools={"gpu": ("paddleocr-vl",), "cpu": ("pp-ocrv6",)}, canary={"cpu-next": 0.1}
    )
    assert all_pools(("cpu", "gpu"), named) == ("cpu", "cpu-next", "gpu", SYSTEM)
    with pytest.raises(BadOption, match="PAGETIDE_POOLS cannot name system"):
        all_pools(("cpu",), Settings(pools={"cpu": ("fake",), "system": ("fake",)}))
