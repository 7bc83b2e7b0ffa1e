"""The checker of histories: one that keeps all promises, and one that breaks each rule."""

from __future__ import annotations

import pytest

from bench.history import (
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
from bench.promises import PROMISES, Breach, Promise, broken

PAGES = ((1, "one"), (2, "two"))
WANTED = Wanted(key="k", pages=PAGES, webhook=True, mark="secret")


def taken(job: str = "j", *, key: str = "k", at: float = 1.0) -> Submitted:
    return Submitted(key=key, code=202, job=job, began=at - 0.5, ended=at)


def look(
    status: str = "succeeded", *, job: str = "j", at: float = 3.0, finished: str = "noon"
) -> Looked:
    told = finished if status not in ("queued", "running") else None
    return Looked(job=job, code=200, status=status, finished_at=told, began=at - 0.1, ended=at)


def refused(code: int, *, at: float = 4.0) -> Looked:
    return Looked(job="j", code=code, began=at - 0.1, ended=at)


def read(*pages: tuple[int, str], at: float = 5.0, code: int = 200) -> Read:
    return Read(job="j", code=code, pages=pages, began=at)


def erased(code: int | None = 204, *, at: float = 4.0) -> Erased:
    return Erased(job="j", code=code, ended=at)


def called(status: str) -> Called:
    return Called(job="j", status=status, at=3.5)


UNKNOWN = Submitted(key="k", code=None, began=0.0, ended=0.4)
REFUSED = Submitted(key="k", code=503, began=0.0, ended=0.4)
CALLED = called("succeeded")
END = (read(*PAGES), Listed(job="j"))
WELL: tuple[Seen, ...] = (taken(), look("queued", at=2.0), look(), CALLED, *END)


@pytest.mark.parametrize(
    "seen",
    [
        WELL,
        (UNKNOWN, REFUSED, *WELL),
        (*WELL, taken(at=9.0)),  # a replay
        (*WELL, CALLED, CALLED),  # at least once
        (taken(), look("running"), erased(None), erased(503), erased(), Listed(job="j")),
        (taken(), look(), CALLED, erased(None), erased(410), refused(410, at=5.0)),
        (taken(), erased(at=4.0), look("running", at=4.05)),  # asked before it was answered
    ],
)
def test_what_keeps_all_promises(seen: tuple[Seen, ...]) -> None:
    assert broken([WANTED], seen) == []


@pytest.mark.parametrize(
    ("promise", "seen"),
    [
        ("lost", (taken(), look(), CALLED, read(*PAGES))),
        ("lost", (*WELL, refused(404))),
        ("lost", (*WELL, refused(410))),
        ("lost", (*WELL, read(code=410))),
        ("doubled", (*WELL, Listed(job="j"))),
        ("doubled", (*WELL, Listed(job="stranger"))),
        ("wrong", (taken(), look(), CALLED, read((1, "one")), Listed(job="j"))),
        ("wrong", (*WELL, read(*PAGES, (2, "two")))),
        ("wrong", (*WELL, read((1, "one"), (2, "too")))),
        ("wrong", (taken(), look(), CALLED, Listed(job="j"))),
        ("stuck", (UNKNOWN, REFUSED)),
        ("stuck", (taken(), look("running"), Listed(job="j"))),
        ("stuck", (taken(), erased(503), Listed(job="j"))),
        ("untrue endings", (taken(), look("partial"), *END, called("partial"))),
        ("untrue endings", (taken(), look("failed"), called("failed"), Listed(job="j"))),
        ("changed after the end", (*WELL, look(finished="one", at=6.0))),
        ("changed after the end", (*WELL, look("running", at=3.3))),
        ("webhooks that never came", (taken(), look(), *END)),
        ("webhooks without cause", (*WELL, Called(job="stranger", status="failed", at=1.0))),
        (
            "webhooks without cause",
            (taken(), CALLED, look("running", at=4.0), look(at=5.0), *END),
        ),
        ("webhooks without cause", (*WELL, called("failed"))),
        ("left after erasing", (taken(), look(), erased(at=4.0), look(at=6.0))),
        ("left after erasing", (taken(), look(), erased(at=4.0), read(*PAGES))),
        ("left after erasing", (taken(), erased(), Left(job="j", where="the store"))),
    ],
)
def test_what_breaks_one(promise: Promise, seen: tuple[Seen, ...]) -> None:
    assert {breach.promise for breach in broken([WANTED], seen)} == {promise}


def test_two_jobs_of_a_key() -> None:
    both = (*WELL, taken("i", at=2.0), look(job="i"), Listed(job="i"))
    found = broken([WANTED], both)
    assert Breach("doubled", "k", "it has the jobs i, j") in found


def test_a_webhook_that_nobody_asked_for() -> None:
    quiet = Wanted(key="k", pages=PAGES)
    assert [breach.promise for breach in broken([quiet], WELL)] == ["webhooks without cause"]


def test_every_promise_is_tried() -> None:
    marks = test_what_breaks_one.pytestmark  # type: ignore[attr-defined]
    assert {promise for promise, _ in marks[0].args[1]} == set(PROMISES)
