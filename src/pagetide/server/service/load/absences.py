"""Reasons why a pool's workers cannot start: reported by them, read by servers.

A worker that cannot have its models reports it in the store. Servers then refuse work for its
pool, in place of taking what nobody reads. It holds for a while only: a pool without tasks gets
no worker, which alone could report that the fault was mended.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from pagetide.errors import ModelUnavailable
from pagetide.server.ports import Store
from pagetide.system.ready_types import ready

HOLDS_S = 600.0  # longer than an orchestrator waits until it starts a worker again
_NONE = b"{}"


class Absence(Struct, frozen=True):
    """Why no worker of a pool starts.

    Attributes:
        reason: A sentence; empty means that nothing keeps them.
        until: For how long that holds, in seconds since the epoch.
    """

    reason: str = ""
    until: float = 0.0


def report(store: Store, pool: str, reason: str, now: float) -> None:
    """Report that no worker of a pool can start.

    Raises:
        StoreFailed: The store cannot be reached.
    """
    absence = Absence(reason, now + HOLDS_S)
    store.put_value(_name(pool), msgspec.json.encode(absence))


def withdraw(store: Store, pool: str) -> None:
    """Report that one has started.

    Raises:
        StoreFailed: The store cannot be reached.
    """
    if _kept(store, pool).reason:
        store.put_value(_name(pool), _NONE)


def reason(store: Store, pool: str, now: float) -> str:
    """Why no worker of a pool starts; empty where nothing is known to keep them.

    Where one of them holds a task, others start in vain on another machine.

    Raises:
        StoreFailed: The store cannot be reached.
    """
    found = _kept(store, pool)
    if not found.reason or found.until <= now or store.backlog(pool, now).leased:
        return ""
    return found.reason


def check(store: Store, pool: str, now: float) -> None:
    """Check that no reason is known why workers of a pool cannot start.

    Raises:
        ModelUnavailable: Something is.
        StoreFailed: The store cannot be reached.
    """
    if found := reason(store, pool, now):
        raise ModelUnavailable(f"The workers of the pool {pool} cannot start: {found}")


def _kept(store: Store, pool: str) -> Absence:
    try:
        return msgspec.json.decode(store.value(_name(pool), _NONE), type=ready(Absence))
    except msgspec.MsgspecError:  # as another version wrote it
        return Absence()


def _name(pool: str) -> str:
    return f"absent:{pool}"
