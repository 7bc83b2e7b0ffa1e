"""Which promises a history breaks: pure, so that each rule is tested by one that breaks it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from bench.history import (
    ENDED,
    Called,
    Erased,
    Left,
    Listed,
    Looked,
    Read,
    Seen,
    Submitted,
    Wanted,
)

Promise = Literal[
    "lost",
    "doubled",
    "wrong",
    "stuck",
    "untrue endings",
    "changed after the end",
    "webhooks that never came",
    "webhooks without cause",
    "left after erasing",
]
PROMISES: tuple[Promise, ...] = Promise.__args__  # type: ignore[attr-defined]
GONE = (404, 410)
T = TypeVar("T")


@dataclass(frozen=True)
class Breach:
    """A broken promise: of which job or key, and how."""

    promise: Promise
    whose: str
    how: str


def broken(wanted: Sequence[Wanted], seen: Sequence[Seen]) -> list[Breach]:
    """Every promise that was broken, once for each job and way.

    Args:
        wanted: The jobs, each submitted until it was accepted or given up.
        seen: What happened, to the end: all jobs were polled, read and listed once all
            was quiet, and their webhooks had time to come.
    """
    told = _Told(wanted, seen)
    rules = (_lost, _doubled, _wrong, _stuck, _untrue, _changed, _untold, _uncalled, _left)
    return list(dict.fromkeys(breach for rule in rules for breach in rule(told)))


class _Told:
    """A history by job.

    Attributes:
        wanted: The jobs to be read, by the id that a submit was answered with.
        ids: The ids that a key was answered with, by key.
        asked: Jobs with a request to be erased.
        erased: When it was first answered that a job is erased.
    """

    def __init__(self, wanted: Sequence[Wanted], seen: Sequence[Seen]) -> None:
        self._seen = seen
        self.ids: dict[str, dict[str, float]] = {each.key: {} for each in wanted}
        for submit in self.each(Submitted):
            if submit.taken:
                self.ids[submit.key].setdefault(submit.job, submit.ended)
        self.wanted = {job: each for each in wanted for job in self.ids[each.key]}
        self.taken = {job: at for ids in self.ids.values() for job, at in ids.items()}
        self.asked = {erase.job for erase in self.each(Erased)}
        self.erased: dict[str, float] = {}
        for erase in self.each(Erased):
            if erase.code == 204 or erase.code in GONE:
                self.erased.setdefault(erase.job, erase.ended)
        self.kept = [job for job in self.wanted if job not in self.asked]

    def each(self, kind: type[T]) -> Iterator[T]:
        """All observations of a kind."""
        return (each for each in self._seen if isinstance(each, kind))

    def asked_for(self) -> Iterator[Looked | Read]:
        """Every query for a job or its result."""
        yield from self.each(Looked)
        yield from self.each(Read)

    def looks(self, job: str) -> list[Looked]:
        """A job's statuses, in the order in which they were answered."""
        found = [look for look in self.each(Looked) if look.job == job and look.code == 200]
        return sorted(found, key=lambda look: look.ended)

    def end(self, job: str) -> Looked | None:
        """The first status that says that a job has ended."""
        return next((look for look in self.looks(job) if look.status in ENDED), None)


def _lost(told: _Told) -> Iterator[Breach]:
    """What was accepted and not erased is known for ever."""
    listed = {each.job for each in told.each(Listed)}
    for job in told.kept:
        if job not in listed:
            yield Breach("lost", job, "it is not in the list of all jobs")
    for seen in told.asked_for():
        known = seen.job in told.kept and seen.began > told.taken[seen.job]
        if known and seen.code in GONE:
            yield Breach("lost", seen.job, f"it was answered with {seen.code}")


def _doubled(told: _Told) -> Iterator[Breach]:
    """A key gives one job, and every job belongs to a key."""
    for key, ids in told.ids.items():
        if len(ids) > 1:
            yield Breach("doubled", key, f"it has the jobs {', '.join(sorted(ids))}")
    for job, times in Counter(each.job for each in told.each(Listed)).items():
        if times > 1:
            yield Breach("doubled", job, f"it is listed {times} times")
        if job not in told.wanted:
            yield Breach("doubled", job, "nobody was ever told of it")


def _wrong(told: _Told) -> Iterator[Breach]:
    """Every page is in the result, once, with its text."""
    good = set()
    for read in told.each(Read):
        if read.code == 200 and read.job in told.wanted:
            good.add(read.job)
            if read.pages != told.wanted[read.job].pages:
                yield Breach("wrong", read.job, f"it has the pages {read.pages}")
    for job in told.kept:
        end = told.end(job)
        if end and end.status == "succeeded" and job not in good:
            yield Breach("wrong", job, "its result was never read")


def _stuck(told: _Told) -> Iterator[Breach]:
    """Every key is accepted, every job ends, and every request to erase is confirmed."""
    for key, ids in told.ids.items():
        if not ids:
            yield Breach("stuck", key, "it was never taken in")
    for job in told.kept:
        if not told.end(job):
            yield Breach("stuck", job, "it has not ended")
    for job in told.asked - told.erased.keys():
        yield Breach("stuck", job, "nobody was told that it is erased")


def _untrue(told: _Told) -> Iterator[Breach]:
    """A job whose pages can all be read has succeeded, and no other."""
    for job in told.kept:
        for look in told.looks(job):
            if look.status in ENDED - {"succeeded"}:
                yield Breach("untrue endings", job, f"it is {look.status}")


def _changed(told: _Told) -> Iterator[Breach]:
    """What has ended stays unchanged."""
    for job in told.kept:
        end = told.end(job)
        for look in told.looks(job) if end else ():
            assert end
            same = (look.status, look.finished_at) == (end.status, end.finished_at)
            if look.began > end.ended and not same:
                how = f"{end.status} at {end.finished_at}, then {look.status}"
                yield Breach("changed after the end", job, f"{how} at {look.finished_at}")


def _untold(told: _Told) -> Iterator[Breach]:
    """Every end is announced at least once, if it was to be announced."""
    called = {call.job for call in told.each(Called)}
    for job in told.kept:
        if told.wanted[job].webhook and told.end(job) and job not in called:
            yield Breach("webhooks that never came", job, "it has ended, and was not told")


def _uncalled(told: _Told) -> Iterator[Breach]:
    """What is announced was requested, and is true."""
    promise: Promise = "webhooks without cause"
    for call in told.each(Called):
        wanted = told.wanted.get(call.job)
        if wanted is None or not wanted.webhook:
            yield Breach(promise, call.job, "nobody asked for it")
            continue
        for look in told.looks(call.job):
            if look.began > call.at and look.status not in ENDED:
                yield Breach(promise, call.job, f"it was told of while {look.status}")
            elif look.status in ENDED and look.status != call.status:
                yield Breach(promise, call.job, f"{call.status} was told of {look.status}")


def _left(told: _Told) -> Iterator[Breach]:
    """Once it was answered that a job is erased, nothing of it is available or found."""
    for seen in told.asked_for():
        if seen.code == 200 and seen.began > told.erased.get(seen.job, seen.began):
            yield Breach("left after erasing", seen.job, "it was answered once more")
    for left in told.each(Left):
        if left.job in told.asked:
            yield Breach("left after erasing", left.job, left.where)
