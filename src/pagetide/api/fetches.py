"""Waiting for other people's servers: in threads of its own, a share of them for each key.

A server that answers slowly holds a thread until it has answered. Those who submit a document
must not wait for it, nor one key for what another key fetches.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

import anyio
import anyio.to_thread

P = ParamSpec("P")
T = TypeVar("T")

AT_ONCE = 128  # threads that hardly compute
OF_A_KEY = 16


class Fetches:
    """What is fetched at the moment, for whom."""

    def __init__(self, at_once: int = AT_ONCE, of_a_key: int = OF_A_KEY) -> None:
        self._all = anyio.CapacityLimiter(at_once)
        self._own = defaultdict[str, anyio.Semaphore](lambda: anyio.Semaphore(of_a_key))
        self._asking = Counter[str]()

    async def run(
        self, owner: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call what waits for a network, in a thread; first for its owner's turn."""
        self._asking[owner] += 1
        try:
            async with self._own[owner]:
                work = partial(function, *args, **kwargs)
                return await anyio.to_thread.run_sync(work, limiter=self._all)
        finally:
            self._asking[owner] -= 1
            if not self._asking[owner]:
                del self._asking[owner], self._own[owner]
