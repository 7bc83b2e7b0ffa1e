"""What the callers of a service saw while it was in trouble, and what is found after.

Times are seconds of this program's monotonic clock.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

ENDED = frozenset({"succeeded", "partial", "failed", "cancelled", "expired"})
Pages = tuple[tuple[int, str], ...]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A job that is to be submitted.

    Attributes:
        key: Its idempotency key.
        pages: Each page's number and text, as it must be read.
        webhook: Whether its end is to be told.
        mark: Words that stand in its file name, metadata and webhook, and nowhere else.
    """

    key: str
    pages: Pages
    webhook: bool = False
    mark: str = ""


@dataclass(frozen=True, kw_only=True)
class Submitted:
    """A submit and its answer; the code is None where none came."""

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
    """A job's status was asked for."""

    job: str
    code: int
    status: str = ""
    finished_at: str | None = None
    began: float
    ended: float


@dataclass(frozen=True, kw_only=True)
class Read:
    """A job's result was asked for."""

    job: str
    code: int
    pages: Pages = ()
    began: float


@dataclass(frozen=True, kw_only=True)
class Erased:
    """A job was to be erased; the code is None where no answer came."""

    job: str
    code: int | None
    ended: float


@dataclass(frozen=True, kw_only=True)
class Called:
    """A webhook came."""

    job: str
    status: str
    at: float


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A job stands in the list of all jobs, after all was quiet."""

    job: str


@dataclass(frozen=True, kw_only=True)
class Left:
    """Something of an erased job is still there, after all was quiet."""

    job: str
    where: str


Seen = Submitted | Looked | Read | Erased | Called | Listed | Left


class History:
    """All that was seen, by any thread."""

    def __init__(self) -> None:
        self._seen: list[Seen] = []
        self._lock = threading.Lock()

    def add(self, seen: Seen) -> None:
        """Note something."""
        with self._lock:
            self._seen.append(seen)

    @property
    def seen(self) -> tuple[Seen, ...]:
        """All of it so far."""
        with self._lock:
            return tuple(self._seen)
