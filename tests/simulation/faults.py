"""What fails, and when: before a call, after it, after it was given up; and who is killed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from pagetide.errors import BlobMissing, StoreFailed
from pagetide.server.ports.blobs import Blob

T = TypeVar("T")

START = 1_800_000_000.0


class Killed(BaseException):
    """The process that made the call is gone."""


class Chances:
    """How likely each fault is; all zero once the schedule only has to come to its end."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.quiet = False
        self.away = False
        self.kills_left = 2  # a range is halved after three: so none may be given up
        self.late: list[Callable[[], object]] = []
        self.failed = 0

    def fault(self, call: Callable[[], T], *, may_be_late: bool) -> T:
        """Make a call, or fail it: before it, after it, or so that it lands later."""
        if self.quiet:
            return call()
        if self.away:
            self.fail()
        drawn = self.rng.random()
        if drawn < 0.02:
            self.fail()
        if drawn < 0.03 and may_be_late:
            self.late.append(call)
            self.fail()
        self.kill()
        found = call()
        self.kill()
        if self.rng.random() < 0.02:
            self.fail()
        return found

    def fail(self) -> None:
        """The store or the blobs do not answer."""
        self.failed += 1
        raise StoreFailed

    def kill(self) -> None:
        """The process may die here."""
        if self.kills_left and self.rng.random() < 0.002:
            self.kills_left -= 1
            raise Killed

    def land(self) -> None:
        """What was given up lands after all."""
        while self.late:
            with suppress(Exception):  # nobody waits for its answer
                self.late.pop(0)()


class Faulty:
    """A store or blobs as one process sees them."""

    def __init__(
        self, inner: Any, chances: Chances, others: Callable[[], None], late: frozenset[str]
    ) -> None:
        self._inner, self._chances, self._others, self._late = inner, chances, others, late

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)

        def call(*given: Any, **named: Any) -> Any:
            self._others()  # anybody may do something between two calls
            return self._chances.fault(
                lambda: method(*given, **named), may_be_late=name in self._late
            )

        return call


class KeptBlobs:
    """Blobs in a dictionary, with the times of the simulated clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.kept: dict[str, tuple[bytes, float]] = {}

    def put(self, key: str, data: Any, *, durable: bool = False) -> Blob:
        """See `ports.Blobs`."""
        body = data if isinstance(data, bytes) else b"".join(data)
        self.kept[key] = (body, self._clock())
        return Blob(key=key, bytes=len(body), etag="", modified=self._clock())

    def put_file(self, key: str, path: Path) -> Blob:
        """See `ports.Blobs`; the document itself is nowhere."""
        return self.put(key, str(path).encode())

    def find(self, key: str) -> Blob | None:
        """See `ports.Blobs`."""
        if key not in self.kept:
            return None
        body, modified = self.kept[key]
        return Blob(key=key, bytes=len(body), etag="", modified=modified)

    def get(self, key: str) -> bytes:
        """See `ports.Blobs`."""
        if key not in self.kept:
            raise BlobMissing
        return self.kept[key][0]

    def copy(self, source: str, target: str) -> None:
        """See `ports.Blobs`."""
        self.put(target, self.get(source))

    def under(self, prefix: str) -> Iterator[Blob]:
        """See `ports.Blobs`."""
        for key in sorted(self.kept):
            if key.startswith(prefix) and (blob := self.find(key)):
                yield blob

    def delete(self, key: str) -> None:
        """See `ports.Blobs`."""
        self.kept.pop(key, None)

    def delete_under(self, prefix: str) -> int:
        """See `ports.Blobs`."""
        gone = [key for key in self.kept if key.startswith(prefix)]
        for key in gone:
            del self.kept[key]
        return len(gone)
