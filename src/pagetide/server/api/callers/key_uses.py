"""Records the use of API keys, at most once an hour, without delaying requests."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

import anyio.to_thread

from pagetide.server.ports import Store
from pagetide.server.service import key_use

AGAIN_S = 300.0  # after a store that did not answer

_log = logging.getLogger("pagetide.server.api")


class KeyUses:
    """The uses that this process has noted, for the tasks of one event loop."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store, self._clock = store, clock
        self._due: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def note(self, key_id: str) -> None:
        """Note that a key is used now; it is written meanwhile, if that is due."""
        now = self._clock()
        if now < self._due.get(key_id, 0.0):
            return
        self._due[key_id] = (now // key_use.STEP_S + 1) * key_use.STEP_S
        task = asyncio.create_task(self._write(key_id, now))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Wait for what is being written."""
        await asyncio.gather(*self._tasks)

    async def _write(self, key_id: str, now: float) -> None:
        try:
            await anyio.to_thread.run_sync(key_use.note, self._store, key_id, now)
        except Exception as error:  # whatever it is, no request has to do with it
            self._due[key_id] = now + AGAIN_S
            fields = {"reason": type(error).__name__}
            _log.warning("the use of an API key could not be noted", extra=fields)
