"""The rules by which jobs and tasks change, tried in every order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from msgspec.structs import replace

from pagetide.document import TEXT_LAYER, Failure, ModelInfo
from pagetide.errors import JobEnded, LeaseLost
from pagetide.server.jobs import endings, losses
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import SYSTEM, Delivery, Job, Task
from pagetide.server.jobs.losses import FINISH_TRIES, TRIES
from pagetide.server.jobs.moved import Moved, TaskAlone, TaskTaken
from pagetide.server.jobs.owing import PAUSES_S
from tests.contract.stores import DIED, LEASE_S, NOW, RESULT, died, make

SECRET = "Kennwort!"  # noqa: S105
BROKEN = Failure(code="engine_failed", message="The engine failed.")
FLAGS = st.booleans()
CHOICES = st.integers(0, 1000)


def lapsed(
    job: Job, task: Task | None, token: str, now: float, answering_s: float = 60
) -> Moved:
    """A lease has run out, where a holder may take five seconds to renew."""
    return losses.lapse(job, task, token, now, DIED, grace_s=5, answering_s=answering_s)


class Life(RuleBasedStateMachine):
    """A job's life: whatever may happen to it, in any order."""

    @initialize(
        ranges=st.lists(st.integers(1, 6), min_size=1, max_size=4),
        webhook=FLAGS,
        formats=st.sampled_from([(), ("md",)]),
    )
    def submit(self, ranges: list[int], webhook: bool, formats: tuple[str, ...]) -> None:
        starts = [sum(ranges[:n]) + 1 for n in range(len(ranges))]
        pages = [
            tuple(range(first, first + n)) for first, n in zip(starts, ranges, strict=True)
        ]
        self.job, tasks = make("job", *pages, password=SECRET)
        self.job = replace(
            self.job,
            webhook_url="https://example.org/" if webhook else None,
            options=replace(self.job.options, formats=formats),
        )
        self.tasks = {task.id: task for task in tasks}
        self.webhook = webhook
        self.now = NOW
        self.tokens = 0
        self.stale: list[tuple[str, str]] = []
        self.recorded: Counter[int] = Counter()
        self.unread: set[int] = set()
        self.ends: list[str] = []

    # What may happen

    @precondition(lambda self: self._pick("waiting"))
    @rule(choice=CHOICES)
    def claim(self, choice: int) -> None:
        self._claim(choice)

    @rule(choice=CHOICES, beside=FLAGS, other=FLAGS)
    def hear(self, choice: int, beside: bool, other: bool) -> None:
        """A message names a task: it is taken only if it waits, is due, and may be."""
        known = [*sorted(self.tasks), "job.gone"]
        task = self.tasks.get(known[choice % len(known)])
        given: dict[str, Any] = {"worker": "w", "token": "heard", "until": self.now + LEASE_S}
        given["pool"] = "gpu" if other else "cpu"
        take = partial(moves.take, self.job, task, now=self.now, beside=beside, **given)
        if task is None or task.state == "done" or task.pool != given["pool"]:
            with pytest.raises(LeaseLost):
                take()
        elif task.lease or task.due > self.now:
            with pytest.raises(TaskTaken) as raised:
                take()
            assert raised.value.free_at == (task.lease.until if task.lease else task.due)
        elif task.alone and beside:
            with pytest.raises(TaskAlone):
                take()
        else:
            [taken] = take().tasks
            assert (
                taken
                == moves.lease(
                    self.job, task, "w", "heard", self.now + LEASE_S, self.now
                ).tasks[0]
            )

    @precondition(lambda self: self._pick("waiting"))
    @rule(choice=CHOICES)
    def do(self, choice: int) -> None:
        """A task from its beginning to its end."""
        task = self._claim(choice)
        if task.kind == "read":
            self._record(task, task.pages_left, read=True)
            self._complete(self.tasks[task.id])
        elif task.kind == "finish":
            self._finish(task)
        else:
            self._deliver(task, 200)

    @precondition(lambda self: self._pick("leased"))
    @rule(choice=CHOICES)
    def renew(self, choice: int) -> None:
        task = self._pick("leased", choice)
        self._apply(moves.renew(self.job, task, _token(task), self.now + 99))
        lease = self.tasks[task.id].lease
        assert lease is not None
        assert lease.until == self.now + 99

    @precondition(lambda self: self._pick("leased", kind="read"))
    @rule(choice=CHOICES, numbers=st.sets(st.integers(1, 24)), read=FLAGS)
    def record(self, choice: int, numbers: set[int], read: bool) -> None:
        self._record(self._pick("leased", choice, kind="read"), numbers, read)

    @precondition(lambda self: self._pick("leased", kind="read"))
    @rule(choice=CHOICES, goes_on=FLAGS)
    def complete(self, choice: int, goes_on: bool) -> None:
        self._complete(self._pick("leased", choice, kind="read"), goes_on=goes_on)

    @precondition(lambda self: self._pick("leased", kind="finish"))
    @rule(choice=CHOICES)
    def finish(self, choice: int) -> None:
        self._finish(self._pick("leased", choice, kind="finish"))

    @precondition(lambda self: self._pick("leased"))
    @rule(choice=CHOICES)
    def give_back(self, choice: int) -> None:
        task = self._pick("leased", choice)
        self._apply(moves.give_back(self.job, task, _token(task), self.now))
        assert self.tasks[task.id].attempts == task.attempts

    @precondition(lambda self: self._pick("leased") or self._pick("waiting"))
    @rule(choice=CHOICES, times=st.integers(1, 8))
    def lose(self, choice: int, times: int) -> None:
        """The holder dies, and so do those that come after it."""
        for _ in range(times):
            task = self._pick("leased", choice) or self._claim(choice)
            self._apply(died(self.job, task, _token(task), self.now, DIED))
            if not self._pick("waiting"):
                break

    @precondition(lambda self: self._pick("leased"))
    @rule(choice=CHOICES)
    def begin(self, choice: int) -> None:
        task = self._pick("leased", choice)
        self._apply(moves.begin(self.job, task, _token(task)))

    @precondition(lambda self: self._pick("leased"))
    @rule(choice=CHOICES, late=FLAGS)
    def lapse(self, choice: int, late: bool) -> None:
        """The sweep comes by: it takes nothing before it has doubted the holder."""
        task = self._pick("leased", choice)
        now = max(self.now, task.lease.until) if late else self.now
        moved = lapsed(self.job, task, _token(task), now)
        if now < task.lease.until:
            assert moved == Moved(job=self.job)
        elif not task.lease.doubts:
            doubted = replace(task.lease, doubts=1, until=now + 5)
            assert moved.tasks == (replace(task, lease=doubted),)
        elif not task.lease.begun:
            assert {each.attempts for each in moved.tasks if each.id == task.id} <= {
                task.attempts
            }
        self.now = now
        self._apply(moved)

    @precondition(lambda self: self._fatal() and self._pick("leased"))
    @rule(choice=CHOICES)
    def fail(self, choice: int) -> None:
        task = self._pick("leased", choice)
        if task.kind != "deliver":
            ended = self.job.ended
            self._apply(moves.fail(self.job, task, _token(task), BROKEN, self.now))
            assert ended or self.job.error == BROKEN

    @precondition(lambda self: self._pick("leased", kind="deliver"))
    @rule(status=st.sampled_from([None, 204, 301, 500]))
    def deliver(self, status: int | None) -> None:
        self._deliver(self._pick("leased", kind="deliver"), status)

    @precondition(lambda self: self.job.ended)
    @rule()
    def redeliver(self) -> None:
        task = self.tasks.get("job.deliver")
        if task is None:
            with pytest.raises(JobEnded):
                moves.redeliver(self.job, task, self.now)
        else:
            self._apply(moves.redeliver(self.job, task, self.now))
            assert self.tasks["job.deliver"].state != "done"

    @precondition(lambda self: self.job.ended)
    @rule(name=st.sampled_from(["html", "pdf"]))
    def add_format(self, name: str) -> None:
        task = self.tasks.get(moves.format_task_id(self.job, name))
        if "json" not in self.job.results:
            with pytest.raises(JobEnded):
                moves.add_format(self.job, task, name, self.now)
        else:
            self._apply(moves.add_format(self.job, task, name, self.now))

    @precondition(lambda self: self._fatal() or self.job.ended)
    @rule()
    def cancel(self) -> None:
        if self.job.ended and self.job.status != "cancelled":
            with pytest.raises(JobEnded):
                endings.cancel(self.job, self.now)
        else:
            self._apply(endings.cancel(self.job, self.now))
            assert self.job.status == "cancelled"

    @precondition(lambda self: self._fatal())
    @rule(ask=st.sampled_from(["erase", "expire"]))
    def clear(self, ask: str) -> None:
        if ask == "erase":
            self._apply(endings.erase(self.job, self.now))
        elif self.job.ended:
            erased, before = self.job.erased, self.job.status
            self._apply(endings.expire(self.job))
            assert self.job.status == (before if erased else "expired")
        assert self.job.erased == (self.tasks == {})

    @rule(seconds=st.floats(0.1, 1000))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    # What must always be so

    @invariant()
    def tasks_open_are_read_tasks_not_done(self) -> None:
        reading = [task for task in self._reading() if task.state != "done"]
        assert self.job.tasks_open == len(reading)

    @invariant()
    def every_page_is_in_one_place(self) -> None:
        if self.job.ended:
            assert self._reading() == []
            return
        wanted = range(1, self.job.page_count + 1)
        places = [number for task in self._reading() for number in task.pages]
        assert sorted(places) == list(wanted)
        for task in self._reading():
            assert sorted([*task.done, *task.failures, *task.pages_left]) == sorted(task.pages)

    @invariant()
    def pages_are_counted_once(self) -> None:
        assert set(self.recorded.values()) <= {1}
        assert self.job.pages_failed <= self.job.pages_done <= self.job.page_count
        if not self.job.ended:
            given_up = sum(len(task.failures) for task in self._reading())
            assert self.job.pages_done == len(self.recorded) + given_up
            assert self.job.pages_failed == len(self.unread) + given_up

    @invariant()
    def a_task_is_leased_when_it_has_a_lease(self) -> None:
        for task in self.tasks.values():
            assert (task.state == "leased") == (task.lease is not None)
            assert task.state != "done" or not task.pages_left
            assert task.kind != "read" or task.attempts <= 2 * TRIES

    @invariant()
    def a_stale_token_is_refused(self) -> None:
        for task_id, token in self.stale[-6:]:
            task = self.tasks.get(task_id)
            for move in _with_token(self.job, task, token, self.now):
                with pytest.raises(LeaseLost):
                    move()
            moved = losses.lose(self.job, task, token, self.now, DIED)
            assert moved == Moved(job=self.job)

    @invariant()
    def finishing_follows_reading(self) -> None:
        finish = self.tasks.get("job.finish")
        if not self.job.ended:
            assert (finish is not None) == (self.job.tasks_open == 0)
        if "json" in self.job.results:
            all_failed = self.job.pages_failed == self.job.page_count
            assert self.job.status in (("failed",) if all_failed else ("succeeded", "partial"))

    @invariant()
    def it_ends_once(self) -> None:
        told = {"succeeded", "partial", "failed", "cancelled"}
        assert len([status for status in self.ends if status in told]) <= 1
        assert (self.job.finished_at is not None) == self.job.ended

    @invariant()
    def the_password_is_gone_after_the_end_and_never_shown(self) -> None:
        assert self.job.password == (None if self.job.ended else SECRET)
        assert SECRET not in f"{self.job!r} {self.job} {list(self.tasks.values())!r}"

    @invariant()
    def the_webhook_is_told_of_the_end(self) -> None:
        told = "job.deliver" in self.tasks
        assert told == (self.webhook and self.job.ended and not self.job.erased)

    # How it is done

    def _reading(self) -> list[Task]:
        return [task for task in self.tasks.values() if task.kind == "read"]

    def _pick(self, state: str, choice: int = 0, *, kind: str | None = None) -> Any:
        """One of the tasks that are in a state, or None."""
        all_ = self.tasks.values()
        tasks = [task for task in all_ if task.state == state and kind in (None, task.kind)]
        return tasks[choice % len(tasks)] if tasks else None

    def _claim(self, choice: int) -> Task:
        task = self._pick("waiting", choice)
        token = f"token-{self.tokens}"
        self.tokens += 1
        until = self.now + LEASE_S
        self._apply(moves.lease(self.job, task, "worker", token, until, self.now))
        return self.tasks[task.id]

    def _fatal(self) -> bool:
        """Seldom, or few jobs would live long."""
        return self.tokens % 7 == 6

    def _record(self, task: Task, numbers: Collection[int], read: bool) -> None:
        done = dict.fromkeys(numbers, read)
        new = set(numbers) & set(task.pages_left)
        self._apply(moves.record(self.job, task, _token(task), done, self.now + LEASE_S))
        self.recorded.update(new)
        self.unread |= set() if read else new

    def _complete(self, task: Task, *, goes_on: bool = False) -> None:
        until = self.now + LEASE_S if goes_on else None
        complete = partial(moves.complete_read, self.job, task, _token(task), self.now)
        if task.pages_left:
            with pytest.raises(ValueError, match="not done"):
                complete(until=until)
            return
        moved = complete(until=until)
        assert bool(moved.wakes) == (moved.job.tasks_open == 0 and not goes_on)
        self._apply(moved)

    def _finish(self, task: Task) -> None:
        results = {name: RESULT for name in ("json", "raw", *task.formats)}
        self._apply(moves.complete_finish(self.job, task, _token(task), results, self.now))
        assert set(results) <= set(self.job.results)

    def _deliver(self, task: Task, status: int | None) -> None:
        delivery = Delivery(at=self.now, elapsed_ms=1, status=status)
        self._apply(moves.delivered(self.job, task, _token(task), delivery, 0.5))
        after = self.tasks[task.id]
        assert after.deliveries[-1] == delivery
        if delivery.succeeded or len(after.deliveries) > len(PAUSES_S):
            assert after.state == "done"
        else:
            assert after.due > self.now

    def _apply(self, moved: Moved) -> None:
        """What a store does, and a look at what was not to change."""
        assert SECRET not in repr(moved)
        before = {task.id: task for task in self.tasks.values() if task.lease}
        drop = moved.drop
        self.tasks = {
            key: task
            for key, task in self.tasks.items()
            if drop == "none" or (drop == "read" and task.kind != "read")
        }
        self.tasks |= {task.id: task for task in moved.tasks}
        for key, task in before.items():
            now = self.tasks.get(key)
            if now is None or now.lease is None or now.lease.token != _token(task):
                self.stale.append((key, _token(task)))
        if self.job.status != moved.job.status and moved.job.ended:
            self.ends.append(moved.job.status)
        assert not (self.job.ended and not moved.job.ended)
        self.job = moved.job


def _token(task: Task) -> str:
    assert task.lease is not None
    return task.lease.token


def _with_token(
    job: Job, task: Task | None, token: str, now: float
) -> list[Callable[[], Moved]]:
    """All that a holder may do."""
    delivery = Delivery(at=now, elapsed_ms=1, status=200)
    return [
        lambda: moves.renew(job, task, token, now),
        lambda: moves.begin(job, task, token),
        lambda: moves.record(job, task, token, {1: True}, now),
        lambda: moves.complete_read(job, task, token, now),
        lambda: moves.complete_finish(job, task, token, {}, now),
        lambda: moves.fail(job, task, token, BROKEN, now),
        lambda: moves.give_back(job, task, token, now),
        lambda: moves.delivered(job, task, token, delivery, 0),
    ]


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=150, stateful_step_count=60)


def finished(job: Job, tasks: tuple[Task, ...], work: Callable[[Task], int]) -> tuple[Job, int]:
    """Bring a job to its end with a worker that reads so many pages of a task, then dies.

    Returns:
        The job, and how often the worker died.
    """
    known = {task.id: task for task in tasks}
    deaths = 0
    for turn in range(1000):
        waiting = [task for task in known.values() if task.state == "waiting"]
        if not waiting:
            return job, deaths
        token = f"token-{turn}"
        moved = moves.lease(job, waiting[0], "worker", token, NOW, NOW)
        task = moved.tasks[0]
        if task.kind == "finish":
            moved = moves.complete_finish(moved.job, task, token, {"json": RESULT}, NOW)
        else:
            read = work(task)
            done = dict.fromkeys(task.pages_left[:read], True)
            dies = read < len(task.pages_left)
            deaths += dies
            moved = moves.record(moved.job, task, token, done, NOW)
            if dies:
                moved = died(moved.job, moved.tasks[0], token, NOW, DIED)
            else:
                moved = moves.complete_read(moved.job, moved.tasks[0], token, NOW)
        if moved.drop == "read":
            known = {}
        known |= {task.id: task for task in moved.tasks}
        job = moved.job
    raise AssertionError("the job does not end")


@given(pages=st.integers(1, 40), killers=st.sets(st.integers(1, 40), max_size=4), keeps=FLAGS)
def test_only_the_pages_that_kill_workers_fail(
    pages: int, killers: set[int], keeps: bool
) -> None:
    """Whether the worker keeps the pages before the one it dies on, or none."""
    job, tasks = make("job", tuple(range(1, pages + 1)))
    killers &= set(range(1, pages + 1))

    def work(task: Task) -> int:
        before = [n for n, page in enumerate(task.pages_left) if page in killers]
        if not before:
            return len(task.pages_left)
        return before[0] if keeps else 0

    job, deaths = finished(job, tasks, work)
    expected = {0: "succeeded", pages: "failed"}
    assert job.status == expected.get(len(killers), "partial")
    assert (job.pages_done, job.pages_failed) == (pages, len(killers))
    halvings = pages.bit_length()
    assert deaths <= len(killers) * (2 * TRIES + halvings)


def test_a_range_of_eight_is_given_up_after_eight_deaths() -> None:
    job, tasks = make("job", tuple(range(1, 9)))
    job, deaths = finished(job, tasks, lambda task: 0 if 5 in task.pages_left else 8)
    assert (job.pages_failed, deaths) == (1, 3 + 1 + 1 + 3)


def test_the_halves_of_a_range_wait_in_the_line_that_it_waited_in() -> None:
    job, (task,) = make("job", (1, 2, 3, 4), pool="gpu", priority="batch", due=NOW - 9)
    for _ in range(TRIES):
        leased = moves.lease(job, task, "worker", "token", NOW, NOW)
        moved = died(leased.job, leased.tasks[0], "token", NOW, DIED)
        job, task = moved.job, moved.tasks[0]
    halves = [each for each in moved.tasks if each.state == "waiting"]
    places = [(half.pool, half.priority, half.due) for half in halves]
    assert places == [("gpu", "batch", NOW - 9)] * 2


def test_a_page_that_is_recorded_renews_the_lease() -> None:
    job, (task,) = make("job", (1, 2))
    task = moves.lease(job, task, "worker", "token", NOW + LEASE_S, NOW).tasks[0]
    (task,) = moves.record(job, task, "token", {1: True}, NOW + 2 * LEASE_S).tasks
    assert task.lease is not None
    assert task.lease.until == NOW + 2 * LEASE_S


def test_a_task_notes_the_engine_rather_than_the_text_layer() -> None:
    layer = ModelInfo(name=TEXT_LAYER, engine="e", version="1", runtime="r", language="auto")
    engine = replace(layer, name="pp-ocrv6")
    job, (task,) = make("job", (1, 2, 3, 4))
    task = moves.lease(job, task, "worker", "token", NOW, NOW).tasks[0]
    noted = []
    for page, model in enumerate((layer, None, engine, layer), 1):
        (task,) = moves.record(job, task, "token", {page: True}, NOW, model).tasks
        noted.append(task.model)
    assert noted == [layer, layer, engine, engine]


def test_a_try_counts_from_the_moment_the_work_began() -> None:
    job, (task,) = make("job", (1, 2))
    for _ in range(50):
        (task,) = moves.lease(job, task, "worker", "token", NOW, NOW).tasks
        (task,) = losses.lose(job, task, "token", NOW, DIED).tasks
        assert (task.state, task.attempts, task.alone) == ("waiting", 0, False)
    (task,) = moves.lease(job, task, "worker", "token", NOW, NOW).tasks
    (task,) = moves.begin(job, task, "token").tasks
    (task,) = losses.lose(job, task, "token", NOW, DIED).tasks
    assert (task.state, task.attempts, task.alone) == ("waiting", 1, True)


def test_what_the_holder_itself_says_counts_begun_or_not() -> None:
    job, (task,) = make("job", (1, 2))
    (task,) = moves.lease(job, task, "worker", "token", NOW, NOW).tasks
    (task,) = losses.lose(job, task, "token", NOW, BROKEN, reported=True).tasks
    assert (task.state, task.attempts, task.alone) == ("waiting", 1, True)


def test_a_holder_that_renews_after_an_outage_keeps_its_task() -> None:
    job, (task,) = make("job", (1, 2))
    (task,) = moves.lease(job, task, "worker", "token", NOW + LEASE_S, NOW).tasks
    late = NOW + 10 * LEASE_S
    (task,) = lapsed(job, task, "token", late).tasks
    assert lapsed(job, task, "token", late + 4) == Moved(job=job)
    (task,) = moves.renew(job, task, "token", late + LEASE_S).tasks
    assert task.lease and not task.lease.doubts
    assert lapsed(job, task, "token", late + 6) == Moved(job=job)


def test_a_holder_that_is_not_heard_of_after_all_loses_its_task() -> None:
    job, (task,) = make("job", (1, 2))
    (task,) = moves.lease(job, task, "worker", "token", NOW + LEASE_S, NOW).tasks
    (task,) = moves.begin(job, task, "token").tasks
    for now in (NOW + LEASE_S, NOW + LEASE_S + 5):
        (task,) = lapsed(job, task, "token", now).tasks
    assert (task.state, task.attempts) == ("waiting", 1)


def test_a_store_that_was_away_again_meanwhile_is_no_reason_to_lose_a_task() -> None:
    """Nobody could renew then: the holder gets the whole time once more, a few times."""
    job, (task,) = make("job", (1, 2))
    (task,) = moves.lease(job, task, "worker", "token", NOW, NOW).tasks
    (task,) = moves.begin(job, task, "token").tasks
    for doubts in range(1, losses.MOST_DOUBTS + 1):
        now = NOW + 5 * doubts
        (task,) = lapsed(job, task, "token", now, answering_s=4.9).tasks
        assert task.lease
        assert (task.lease.doubts, task.lease.until) == (doubts, now + 5)
    (task,) = lapsed(job, task, "token", now + 5, answering_s=4.9).tasks
    assert (task.state, task.attempts) == ("waiting", 1)


def test_a_finish_is_tried_for_as_long_as_the_pages_are_there() -> None:
    """Of the formats one may be what kills: they are left out, and that is said."""
    job, _ = make("job")
    job = replace(job, status="running", tasks_open=0, pages_done=3)
    task = Task(
        id="job.finish", job_id="job", kind="finish", pool="cpu", due=NOW, formats=("md",)
    )
    dues = []
    for _ in range(3 * FINISH_TRIES):
        leased = moves.lease(job, task, "worker", "token", NOW, NOW)
        moved = died(leased.job, leased.tasks[0], "token", NOW, DIED)
        job, task = moved.job, moved.tasks[0]
        dues.append(task.due)
        assert (job.status, task.state) == ("running", "waiting")
        assert (task.formats == ()) == (task.attempts >= FINISH_TRIES)
    assert dues == sorted(dues)
    assert task.error and task.error.code == DIED.code and "md" in task.error.message


def test_results_that_cannot_be_made_by_who_lives_fail_the_job() -> None:
    job, _ = make("job")
    job = replace(job, status="running", tasks_open=0, webhook_url="https://example.org/")
    task = Task(id="job.finish", job_id="job", kind="finish", pool="cpu", due=NOW)
    for _ in range(FINISH_TRIES):
        assert not job.ended
        leased = moves.lease(job, task, "worker", "token", NOW, NOW)
        moved = losses.lose(leased.job, leased.tasks[0], "token", NOW, BROKEN, reported=True)
        job, task = moved.job, moved.tasks[0]
    assert (job.status, job.error, moved.drop) == ("failed", BROKEN, "all")
    assert [each.kind for each in moved.tasks] == ["deliver"]


def test_a_format_that_cannot_be_made_leaves_the_job_its_results() -> None:
    job, _ = make("job")
    job = replace(job, status="succeeded", results={"json": RESULT}, tasks_open=0)
    (task,) = moves.add_format(job, None, "pdf", NOW).tasks
    for _ in range(FINISH_TRIES):
        leased = moves.lease(job, task, "worker", "token", NOW, NOW)
        moved = died(leased.job, leased.tasks[0], "token", NOW, DIED)
        task = moved.tasks[0]
    assert (moved.job, task.state) == (job, "done")
    assert task.error and task.error.code == DIED.code and "pdf" in task.error.message
    (again,) = moves.add_format(job, task, "pdf", NOW).tasks
    assert (again.state, again.error, again.attempts) == ("waiting", None, 0)


def test_a_webhook_is_tried_for_a_day_and_then_no_more() -> None:
    job, _ = make("job")
    task = Task(id="job.deliver", job_id="job", kind="deliver", pool=SYSTEM, due=NOW)
    while task.state == "waiting":
        leased = moves.lease(job, task, "server", "token", NOW, task.due)
        delivery = Delivery(at=task.due, elapsed_ms=1, status=503)
        (task,) = moves.delivered(job, leased.tasks[0], "token", delivery, 0).tasks
    assert len(task.deliveries) == len(PAUSES_S) + 1
    assert 23 * 3600 <= task.deliveries[-1].at - NOW <= 25 * 3600
    gaps = [
        after.at - before.at
        for before, after in zip(task.deliveries, task.deliveries[1:], strict=False)
    ]
    assert gaps == sorted(gaps)
    (again,) = moves.redeliver(job, task, NOW).tasks
    assert (again.state, again.due, again.deliveries) == ("waiting", NOW, task.deliveries)


def test_a_job_is_given_its_time_to_live_at_its_end() -> None:
    job, _ = make("job")
    ended = endings.cancel(job, NOW + 9999).job
    assert (ended.finished_at, ended.expires_at) == (NOW + 9999, NOW + 9999 + job.ttl_s)


def test_a_tombstone_keeps_no_detail() -> None:
    job, _ = make(
        "job",
        password=SECRET,
        metadata={"patient": "Zoë"},
        webhook_url="https://example.org/hook",
        idempotency_key="invoice-1",
        request_hash="h",
        fingerprint="f",
        trace="00-1",
    )
    for moved in (endings.erase(job, NOW), endings.expire(endings.cancel(job, NOW).job)):
        kept = moved.job
        assert (kept.id, kept.owner, kept.erased, moved.drop) == ("job", "ada", True, "all")
        assert (kept.metadata, kept.results, kept.password) == ({}, {}, None)
        assert (kept.webhook_url, kept.idempotency_key, kept.trace) == (None, None, "")
        assert (kept.fingerprint, kept.request_hash, kept.input) == ("", "", "")
        assert (kept.source.name, kept.source.sha256) == ("", "")
