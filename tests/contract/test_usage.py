"""What `ports.Store` promises of allowances: what is used, and who is refused, to the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pagetide.document import Failure
from pagetide.errors import (
    ActivePagesReached,
    JobEnded,
    PagesPerDayReached,
    PagetideError,
    TooManyPages,
)
from pagetide.server.jobs import endings
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.allowances import DAY_S, Allowance, Usage, day_of
from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import Store
from tests.contract.stores import LASTING, NOW, STORES, Held, claim, held, make, new_place
from tests.contract.test_store import EXAMPLES, LONG, at_once

NINE = Allowance(active_pages=9)
NINE_A_DAY = Allowance(pages_per_day=9)
ALL = Allowance(active_pages=1000, pages_per_day=100_000)
MIDNIGHT = (day_of(NOW) + 1) * DAY_S
BROKEN = Failure(code="engine_failed", message="The engine failed.")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    opened = STORES[request.param](new_place(request.param, request))
    yield opened
    opened.close()


def submit(
    store: Store, job_id: str, pages: int, allowance: Allowance = NINE, **details: object
) -> Job:
    """Submit a job of so many pages, two to a task, as the intake does."""
    parts = [tuple(range(n, min(n + 2, pages + 1))) for n in range(1, pages + 1, 2)]
    job, tasks = make(job_id, *parts, **details)  # type: ignore[arg-type]
    counted = pages if allowance.limited else 0
    return store.submit(replace(job, pages_counted=counted), tasks, allowance)


def active(store: Store, owner: str = "ada") -> int:
    return store.usage(owner).active_pages


def change(store: Store, job_id: str, move: Callable[[Job], Moved]) -> Moved:
    return store.change(job_id, None, lambda job, _: move(job))


def finish(store: Store) -> None:
    """Read all that waits."""
    while claimed := claim(store):
        claimed.finish() if claimed.task.kind == "finish" else claimed.read()


def fail(store: Store) -> None:
    holder = held(store)
    store.change(
        holder.job.id,
        holder.task.id,
        lambda job, task: moves.fail(job, task, holder.token, BROKEN, NOW),
    )


ENDINGS: dict[str, Callable[[Store], object]] = {
    "succeeded": finish,
    "failed": fail,
    "cancelled": lambda store: change(store, "a", lambda job: endings.cancel(job, NOW)),
    "erased": lambda store: change(store, "a", lambda job: endings.erase(job, NOW)),
    "expired": lambda store: change(store, "a", endings.expire),
}


def test_who_has_used_nothing_has_used_nothing(store: Store) -> None:
    assert store.usage("ada") == Usage()


@pytest.mark.parametrize("ending", ENDINGS)
def test_pages_are_active_until_their_job_ends_and_of_the_day_for_good(
    store: Store, ending: str
) -> None:
    submit(store, "a", 5)
    assert store.usage("ada") == Usage(active_pages=5, day=day_of(NOW), day_pages=5)
    if ending == "expired":  # which happens to what has ended
        finish(store)
    ENDINGS[ending](store)
    assert store.usage("ada") == Usage(active_pages=0, day=day_of(NOW), day_pages=5)
    for late in (endings.expire, endings.cleared):
        with suppress(JobEnded):
            change(store, "a", late)
    assert active(store) == 0


def test_a_job_that_does_not_fit_is_refused_and_leaves_nothing(store: Store) -> None:
    submit(store, "a", 5)
    with pytest.raises(ActivePagesReached, match=r"may have 9 pages.* 4 are free.* has 5"):
        submit(store, "b", 5)
    assert store.job("b") is None
    assert store.tasks("b") == ()
    assert store.usage("ada") == Usage(active_pages=5, day=day_of(NOW), day_pages=5)
    assert store.count_active("ada", 9) == 1
    submit(store, "c", 4)
    change(store, "a", lambda job: endings.cancel(job, NOW))
    submit(store, "b", 5)
    assert active(store) == 9


def test_a_refused_jobs_idempotency_key_is_free(store: Store) -> None:
    submit(store, "a", 5)
    with pytest.raises(ActivePagesReached):
        submit(store, "b", 5, idempotency_key="one")
    assert store.named("ada", "one") is None
    assert submit(store, "c", 4, idempotency_key="one").id == "c"


def test_pages_of_the_day_are_refused_until_midnight_in_utc(store: Store) -> None:
    last = MIDNIGHT - 90.5
    submit(store, "a", 6, NINE_A_DAY, due=last)
    change(store, "a", lambda job: endings.erase(job, NOW))  # which gives no page back
    with pytest.raises(
        PagesPerDayReached, match=r"9 pages.* per day.* 3 are left.*UTC"
    ) as told:
        submit(store, "b", 4, NINE_A_DAY, due=last)
    assert told.value.retry_after_s == 90
    assert store.job("b") is None
    submit(store, "c", 3, NINE_A_DAY, due=MIDNIGHT - 0.001)
    submit(store, "d", 9, NINE_A_DAY, due=MIDNIGHT)
    assert store.usage("ada").today(MIDNIGHT) == 9
    with pytest.raises(PagesPerDayReached):
        submit(store, "e", 1, NINE_A_DAY, due=MIDNIGHT + 1)


def test_what_can_never_fit_is_told_so(store: Store) -> None:
    for allowance in (NINE, NINE_A_DAY):
        with pytest.raises(TooManyPages, match="9 pages"):
            submit(store, "a", 10, allowance)
    assert store.usage("ada") == Usage()
    assert store.job("a") is None


def test_a_repeated_request_is_answered_and_counts_once(store: Store) -> None:
    submit(store, "a", 9, idempotency_key="one")
    assert submit(store, "b", 9, idempotency_key="one").id == "a"
    assert active(store) == 9


def test_what_has_ended_already_counts_nothing(store: Store) -> None:
    submit(store, "a", 9)
    job, _ = make("b", (1, 2))
    store.submit(replace(job, status="succeeded", tasks_open=0, pages_counted=2), (), NINE)
    assert store.usage("ada") == Usage(active_pages=9, day=day_of(NOW), day_pages=9)


def test_keys_are_counted_apart_and_those_without_an_allowance_not(store: Store) -> None:
    submit(store, "a", 9)
    submit(store, "b", 8, owner="bob")
    submit(store, "c", 30, Allowance(), owner="eve")
    assert [active(store, owner) for owner in ("ada", "bob", "eve")] == [9, 8, 0]
    finish(store)
    assert [active(store, owner) for owner in ("ada", "bob", "eve")] == [0, 0, 0]


def test_a_job_of_many_tasks_is_counted_as_well(store: Store) -> None:
    """DynamoDB writes it in parts, and drops it so."""
    submit(store, "a", 260, Allowance(active_pages=260))
    assert active(store) == 260
    with pytest.raises(ActivePagesReached):
        submit(store, "b", 260, Allowance(active_pages=300))
    assert store.job("b") is None
    assert store.tasks("b") == ()
    change(store, "a", lambda job: endings.cancel(job, NOW))
    assert active(store) == 0


def test_of_twelve_that_submit_at_once_as_many_as_fit_are_kept(store: Store) -> None:
    def tried(job_id: str) -> Callable[[], bool]:
        def call() -> bool:
            try:
                submit(store, job_id, 2)
            except ActivePagesReached:
                return False
            return True

        return call

    kept = at_once([tried(f"job-{n}") for n in range(12)])
    assert sum(kept) == 4
    assert store.usage("ada") == Usage(active_pages=8, day=day_of(NOW), day_pages=8)
    assert store.count_active("ada", 99) == 4


@pytest.mark.parametrize("name", LASTING)
def test_two_processes_count_together(name: str, request: pytest.FixtureRequest) -> None:
    place = new_place(name, request)
    one, two = STORES[name](place), STORES[name](place)

    def ended(store: Store, job_id: str) -> Callable[[], bool]:
        return lambda: bool(change(store, job_id, lambda job: endings.cancel(job, NOW)))

    def tried(store: Store, job_id: str) -> Callable[[], bool]:
        def call() -> bool:
            with suppress(ActivePagesReached):
                return submit(store, job_id, 3).id == job_id
            return False

        return call

    for n in range(3):
        submit(one, f"old-{n}", 3)
    calls = [tried(store, f"new-{n}") for n, store in enumerate((one, two) * 3)]
    at_once([*calls, *(ended(store, f"old-{n}") for n, store in enumerate((one, two, one)))])
    jobs = [one.job(f"new-{n}") for n in range(6)]
    assert active(one) == active(two) == 3 * sum(job is not None for job in jobs) <= 9
    one.close()
    two.close()


# Whatever happens to jobs

Happening = tuple[str, int]
KINDS = ("submit", "free", "claim", "read", "lose", "finish", "cancel", "erase", "fail")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow(why)] if (why := LONG.get(name)) else [])
        for name in STORES
    ],
)
def test_active_pages_are_those_of_jobs_that_have_not_ended(
    name: str, request: pytest.FixtureRequest
) -> None:
    @settings(max_examples=EXAMPLES.get(name, 60), deadline=None)
    @given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 99)), max_size=40))
    def whatever_happens(happenings: list[Happening]) -> None:
        ledger = Ledger(STORES[name](new_place(name, request)))
        for kind, choice in happenings:
            ledger.happen(kind, choice)
            ledger.check()
        ledger.end_all()
        ledger.close()

    whatever_happens()


class Ledger:
    """A store, what was submitted to it, and who holds what."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.jobs: list[str] = []
        self.holders: list[Held] = []
        self.accepted = 0

    def happen(self, kind: str, choice: int) -> None:
        with suppress(PagetideError, ValueError):  # what cannot be changes nothing
            getattr(self, f"_{kind}")(choice)

    def check(self) -> None:
        jobs = [job for job_id in self.jobs if (job := self.store.job(job_id))]
        open_pages = sum(job.page_count for job in jobs if not job.ended and job.owner == "ada")
        assert self.store.usage("ada").active_pages == open_pages <= 12
        assert self.store.usage("ada").day_pages == self.accepted
        assert self.store.usage("eve") == Usage()

    def end_all(self) -> None:
        for job_id in self.jobs:
            with suppress(JobEnded):
                change(self.store, job_id, lambda job: endings.cancel(job, NOW))
        assert active(self.store) == 0
        self.check()

    def close(self) -> None:
        self.store.close()

    def _submit(self, choice: int) -> None:
        pages = 1 + choice % 7
        name = f"job-{len(self.jobs):03}"
        submit(self.store, name, pages, Allowance(active_pages=12, pages_per_day=60))
        self.jobs.append(name)
        self.accepted += pages

    def _free(self, choice: int) -> None:
        name = f"job-{len(self.jobs):03}"
        submit(self.store, name, 1 + choice % 3, Allowance(), owner="eve")
        self.jobs.append(name)

    def _claim(self, _: int) -> None:
        if claimed := claim(self.store):
            self.holders.append(claimed)

    def _read(self, choice: int) -> None:
        self._holder(choice, "read").read()

    def _finish(self, choice: int) -> None:
        self._holder(choice, "finish").finish()

    def _lose(self, choice: int) -> None:
        self._holder(choice).lose()

    def _fail(self, choice: int) -> None:
        holder = self._holder(choice)

        def move(job: Job, task: Task | None) -> Moved:
            return moves.fail(job, task, holder.token, BROKEN, NOW)

        self.store.change(holder.job.id, holder.task.id, move)

    def _cancel(self, choice: int) -> None:
        change(self.store, self._job(choice), lambda job: endings.cancel(job, NOW))

    def _erase(self, choice: int) -> None:
        change(self.store, self._job(choice), lambda job: endings.erase(job, NOW))

    def _job(self, choice: int) -> str:
        if not self.jobs:
            raise JobEnded
        return self.jobs[choice % len(self.jobs)]

    def _holder(self, choice: int, kind: str | None = None) -> Held:
        of_kind = [each for each in self.holders if kind in (None, each.task.kind)]
        if not of_kind:
            raise JobEnded
        holder = of_kind[choice % len(of_kind)]
        self.holders.remove(holder)
        return holder
