"""What the callers of a service saw during faults, and what is found afterwards.

Times are seconds of this program's monotonic clock.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

ENDED = frozenset({"succeeded", "partial", "failed", "cancelled", "expired"})
Pages = tuple[tuple[int, str], ...]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A job to be submitted.

    Attributes:
        key: Its idempotency key.
        pages: Each page's number and its expected text.
        webhook: Whether its end is to be announced.
        mark: Words in its file name, metadata and webhook, and nowhere else.
    """

    key: str
    pages: Pages
    webhook: bool = False
    mark: str = ""


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """A submit and its answer; the code is None if there was none."""

    key: str
    code: int | None
    job: str = ""
    began: float
    ended: float

    @property
    def taken(self) -> bool:
        """Whether the service has promised to read it."""
        return self.code in (200, 202)


@dataclass(frozen=True, kw_only=True)
class Looked:
    """A query for a job's status."""

    job: str
    code: int
    status: str = ""
    finished_at: str | None = None
    began: float
    ended: float


@dataclass(frozen=True, kw_only=True)
class Read:
    """A query for a job's result."""

    job: str
    code: int
    pages: Pages = ()
    began: float


@dataclass(frozen=True, kw_only=True)
class Erased:
    """A request to erase a job; the code is None if there was no answer."""

    job: str
    code: int | None
    ended: float


@dataclass(frozen=True, kw_only=True)
class Called:
    """A webhook call."""

    job: str
    status: str
    at: float


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A job is in the list of all jobs, after all was quiet."""

    job: str


@dataclass(frozen=True, kw_only=True)
class Left:
    """Something of an erased job still exists, after all was quiet."""

    job: str
    where: str


Seen = Submitted | Looked | Read | Erased | Called | Listed | Left


class History:
    """All observations, by any thread."""

    def __init__(self) -> None:
        self._seen: list[Seen] = []
        self._lock = threading.Lock()

    def add(self, seen: Seen) -> None:
        """Record an observation."""
        with self._lock:
            self._seen.append(seen)

    @property
    def seen(self) -> tuple[Seen, ...]:
        """All of it so far."""
        with self._lock:
            return tuple(self._seen)
