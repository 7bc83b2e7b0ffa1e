"""The rules by which a review goes on, tried in every order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from pagetide.errors import LeaseLost
from pagetide.server.jobs import losses, owing, review_task, reviewing
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import SYSTEM, Job, Task
from pagetide.server.jobs.moved import Moved, TaskTaken
from pagetide.server.jobs.review import Correction, Review, Rules, sampled
from pagetide.server.queues.store import StoreQueue
from pagetide.server.service.notifier import Notifier
from pagetide.server.stores.notifications.memory import MemoryNotifications
from tests.contract.stores import DIED, LEASE_S, NOW, RESULT, make

PEOPLE = ("Ann", "Ben", "Cleo")
CORRECTION = Correction(
    page=1, line=0, old="l2", new="12", polygon=((0, 0), (9, 0), (9, 5), (0, 5)), dpi=144
)


def finished(rules: Rules | None = None, *, webhook: str | None = None) -> Moved:
    """A job that has just ended, and is to be reviewed."""
    review = Review(rules=rules or Rules(below=0.9))
    job, (task,) = make("job", review=review, webhook_url=webhook)
    leased = moves.lease(job, task, "worker", "t", NOW + LEASE_S, NOW)
    read = moves.record_last(
        leased.job, leased.tasks[0], "t", {1: True}, NOW + LEASE_S, now=NOW, goes_on=True
    )
    return moves.complete_finish(
        read.job, read.tasks[-1], "t", {"json": RESULT}, NOW, reasons=("confidence",)
    )


def review_in(moved: Moved) -> Task:
    return next(task for task in moved.tasks if task.kind == "review")


class Reviewing(RuleBasedStateMachine):
    """Reviewers who come, go, die and come back, in any order."""

    @initialize()
    def end(self) -> None:
        moved = finished()
        self.job, self.task = moved.job, review_in(moved)
        self.now, self.tokens, self.closed = NOW, dict[str, str](), list[str]()

    @rule(who=st.sampled_from(PEOPLE))
    def claim(self, who: str) -> None:
        token = f"{who} at {self.now}"
        claim = partial(
            moves.take,
            pool=review_task.pool_of(self.job.owner),
            worker=reviewing.holder(who),
            token=token,
            until=self.now + LEASE_S,
            now=self.now,
            beside=True,
        )
        free = self.task.state == "waiting"
        try:
            self._moved(claim(self.job, self.task))
        except (TaskTaken, LeaseLost):
            assert not free
        else:
            assert free
            self.tokens[who] = token

    @rule(who=st.sampled_from(PEOPLE))
    def renew(self, who: str) -> None:
        self._as_holder(who, lambda token: moves.renew(*self._now, token, self.now + LEASE_S))

    @rule(who=st.sampled_from(PEOPLE))
    def skip(self, who: str) -> None:
        self._as_holder(who, lambda token: moves.give_back(*self._now, token, self.now))

    @rule(who=st.sampled_from(PEOPLE), corrects=st.booleans())
    def close(self, who: str, corrects: bool) -> None:
        corrections = [CORRECTION] * corrects
        review = self.job.review
        if review and review.token and review.token == self.tokens.get(who):
            moved = reviewing.close(*self._now, review.token, corrections, self.now)
            assert bool(moved.tasks) == (len(corrections) != review.corrections)
            self._moved(moved)
            assert self.job.review
            assert self.job.review.by == who
        elif self._as_holder(
            who, lambda token: reviewing.close(*self._now, token, corrections, self.now)
        ):
            self.closed.append(who)
            assert self.job.review
            assert self.job.review.by == who
            assert self.job.review.corrections == len(self.task.corrections) == len(corrections)

    @rule(seconds=st.sampled_from([1.0, LEASE_S / 2, LEASE_S * 2]))
    def pass_time(self, seconds: float) -> None:
        """Who is gone does not renew; the sweep takes what they held."""
        self.now += seconds
        if self.task.lease:
            self._moved(
                losses.lapse(
                    *self._now,
                    self.task.lease.token,
                    self.now,
                    DIED,
                    grace_s=1,
                    answering_s=60,
                )
            )

    @invariant()
    def it_is_never_lost(self) -> None:
        """Until it is closed somebody has it, or anybody may."""
        if not hasattr(self, "task"):
            return
        state = review_task.state(self.job, self.task)
        assert (state in ("waiting", "claimed")) == (not self.closed)
        assert (self.task.state == "leased") == (self.task.lease is not None)
        assert self.job.status == "succeeded"  # it stands beside the result
        assert self.task.attempts == 0
        assert not self.task.alone

    @invariant()
    def it_is_closed_once(self) -> None:
        if hasattr(self, "closed"):
            assert len(self.closed) <= 1

    @property
    def _now(self) -> tuple[Job, Task]:
        return self.job, self.task

    def _as_holder(self, who: str, move: Callable[[str], Moved]) -> bool:
        """Make a move; only who holds it may."""
        token = self.tokens.get(who, "never")
        holds = self.task.lease is not None and self.task.lease.token == token
        try:
            moved = move(token)
        except LeaseLost:
            assert not holds
            return False
        assert holds
        self._moved(moved)
        return True

    def _moved(self, moved: Moved) -> None:
        self.job = moved.job
        self.task = next(iter(moved.tasks), self.task)


TestReviewing = Reviewing.TestCase


def test_a_review_waits_once_the_job_has_ended() -> None:
    moved = finished()
    assert review_task.state(moved.job, review_in(moved)) == "waiting"
    assert moved.job.status == "succeeded"
    assert review_in(moved).pool == "review/ada"
    assert "review/ada" not in moved.wakes


@pytest.mark.parametrize("reasons", [(), ("sum",)])
def test_without_rules_or_reasons_there_is_none(reasons: tuple[str, ...]) -> None:
    job, _ = make("job", review=Review(rules=Rules(below=0.5)) if not reasons else None)
    assert review_task.asked(job, reasons, NOW) == (job, ())  # type: ignore[arg-type]
    assert review_task.state(job, None) == "none"


def test_a_job_of_which_no_page_was_read_is_not_reviewed() -> None:
    job, (task,) = make("job", review=Review(rules=Rules(sample=1)))
    leased = moves.lease(job, task, "worker", "t", NOW + LEASE_S, NOW)
    read = moves.record_last(
        leased.job, leased.tasks[0], "t", {1: False}, NOW + LEASE_S, now=NOW, goes_on=True
    )
    ended = moves.complete_finish(
        read.job, read.tasks[-1], "t", {"json": RESULT}, NOW, reasons=("sampled",)
    )
    assert ended.job.status == "failed"
    assert [task.kind for task in ended.tasks] == ["finish"]


def test_the_webhook_is_told_of_the_review_apart_from_the_end() -> None:
    moved = finished(webhook="https://example.com/hook")
    held = moves.lease(moved.job, review_in(moved), "review:Ann", "t", NOW + LEASE_S, NOW)
    closed = reviewing.close(held.job, held.tasks[0], "t", [CORRECTION], NOW)
    told = closed.tasks[-1]
    assert closed.wakes == (SYSTEM,)
    assert told.tells == "reviewed"
    assert told.id != owing.delivery_id(closed.job)


def test_no_worker_is_woken_for_what_a_person_does() -> None:
    sent: list[Task] = []

    class Recording(StoreQueue):
        def send(self, tasks: Iterable[Task], trace: str = "") -> None:
            sent.extend(tasks)

    notifications = MemoryNotifications()
    notifier = Notifier(notifications, Recording(notifications), lambda: NOW)
    moved = finished(webhook="https://example.com/hook")
    notifier.moved(moved)
    held = moves.lease(moved.job, review_in(moved), "review:Ann", "t", NOW + LEASE_S, NOW)
    notifier.moved(moves.give_back(held.job, held.tasks[0], "t", NOW))
    notifier.moved(losses.lose(held.job, held.tasks[0], "t", NOW, DIED))
    assert sent == []


def test_a_reviewer_of_a_workers_name_loses_nothing_with_the_worker() -> None:
    assert reviewing.holder("worker-1") != "worker-1"
    task = review_in(finished())
    held = moves.lease(finished().job, task, reviewing.holder("worker-1"), "t", NOW, NOW)
    assert reviewing.reviewer(held.tasks[0]) == "worker-1"
    assert reviewing.reviewer(replace(task, lease=None)) == ""


@given(st.text(), st.floats(0, 1), st.floats(0, 1))
def test_a_sample_is_in_every_larger_one(job_id: str, share: float, other: float) -> None:
    small, large = sorted((share, other))
    assert sampled(job_id, small) <= sampled(job_id, large)
    assert sampled(job_id, 1)
    assert not sampled(job_id, 0)


def test_a_sample_is_as_large_as_was_asked_for() -> None:
    drawn = sum(sampled(f"job_{number}", 0.1) for number in range(5000))
    assert 400 < drawn < 600
