"""The check of the job store."""

from __future__ import annotations

import secrets
import time
from contextlib import closing

from pagetide.cli.checks.clocks import judge, offset_s
from pagetide.cli.checks.examination import Steps
from pagetide.server import wiring
from pagetide.server.ports import Store
from pagetide.settings import Settings

NAME = "doctor"  # of a value; stays, empty, for the port knows no deleting
EMPTY = b"-"
_TRIES = 3  # another doctor may write the same value at the same time


def check_store(settings: Settings, steps: Steps) -> None:
    """Open it, which sees its schema; write and read; ask for the backlog and its time.

    Raises:
        PagetideError: Something is not as it must be.
    """
    steps.doing = "the store was opened"
    with closing(wiring.open_store(settings)) as store:
        steps.doing = "a value was written and read"
        steps.require(_keeps(store), "It returns something other than was written.")
        steps.doing = "its jobs were counted"
        pools = settings.pools or ("cpu",)
        waiting = sum(store.backlog(pool, time.time()).waiting for pool in pools)
        steps.notes.append(f"{waiting} task{'' if waiting == 1 else 's'} waiting")
        steps.doing = "it was asked for the time"
        offset = offset_s(store.clock)
        judge(offset, settings.lease_s / 3, "leases compare clocks", steps)


def _keeps(store: Store) -> bool:
    try:
        for _ in range(_TRIES):
            written = secrets.token_bytes(16)
            store.put_value(NAME, written)
            if store.value(NAME, EMPTY) == written:
                return True
        return False
    finally:
        store.put_value(NAME, EMPTY)
