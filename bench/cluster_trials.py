"""The faults of a cluster's parts and their times, which are not random."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

from bench.cluster_parts import Killed, Parts
from bench.relay import Relay
from bench.small_disk import filled

Span = tuple[float, float]
Pause = Callable[[Span], None]
Trouble = Callable[[], AbstractContextManager[None]]
AWAY_S = (1.0, 3.0)
FAILING_S = (4.0, 8.0)
STALLING_S = (6.0, 12.0)  # longer than a lease


@dataclass(frozen=True)
class Trial:
    """A fault of a part.

    Attributes:
        name: As its count is printed.
        act: Causes it, with the given pauses; returns when it is over.
    """

    name: str
    act: Callable[[Pause], None]


def trials(parts: Parts) -> list[tuple[float, Trial]]:
    """The trials of these parts, each with the share (0–1) of jobs that finish before it."""
    found = list(_of(parts))
    return [((n + 0.5) / len(found), trial) for n, trial in enumerate(found)]


def _of(parts: Parts) -> Iterator[Trial]:
    yield from _restarts(parts)
    yield from _behind_relays(parts, "answers 503", lambda relay: relay.failing, FAILING_S)
    if wipe := parts.wipe:
        yield Trial("wake-ups wiped out", lambda _: wipe())
    yield from _disk_full(parts)
    yield from _behind_relays(parts, "stalls", lambda relay: relay.stalling, STALLING_S)
    if database := parts.database:
        yield Trial("database failovers", lambda _: database.fail_over())
    yield from _restarts(parts)
    yield from _disk_full(parts)


def _restarts(parts: Parts) -> Iterator[Trial]:
    if parts.broker and parts.broker is not parts.database:
        yield Trial("broker restarts", partial(_restart, parts.broker))
    if parts.database:
        yield Trial("database restarts", partial(_restart, parts.database))


def _behind_relays(
    parts: Parts, what: str, trouble: Callable[[Relay], Trouble], span: Span
) -> Iterator[Trial]:
    for name, relay in (("object store", parts.objects), ("table", parts.table)):
        if relay:
            yield Trial(f"{name} {what}", partial(_lasting, trouble(relay), span))


def _disk_full(parts: Parts) -> Iterator[Trial]:
    if parts.disk:
        yield Trial("disk full", partial(_lasting, partial(filled, parts.disk), FAILING_S))


def _restart(server: Killed, pause: Pause) -> None:
    server.kill()
    pause(AWAY_S)
    server.start()


def _lasting(trouble: Trouble, span: Span, pause: Pause) -> None:
    with trouble():
        pause(span)
