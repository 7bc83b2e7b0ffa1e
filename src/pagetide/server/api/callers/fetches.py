"""Threads for slow work, of which each key has a share.

A server that answers slowly holds a thread until it has answered, and so does a document that
is slow to open. Those who submit must not wait for those who fetch, nor one key for another.
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


class Shares:
    """The work under way, by its owner.

    Args:
        all_of_them: So many threads there are, for all keys.
        of_a_key: So many of them one key may have.
    """

    def __init__(self, all_of_them: int = AT_ONCE, of_a_key: int = OF_A_KEY) -> None:
        self._all = anyio.CapacityLimiter(all_of_them)
        self._own = defaultdict[str, anyio.Semaphore](lambda: anyio.Semaphore(of_a_key))
        self._asking = Counter[str]()

    async def run(
        self, owner: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call what takes long, in a thread; its owner's turn comes first."""
        self._asking[owner] += 1
        try:
            async with self._own[owner]:
                work = partial(function, *args, **kwargs)
                return await anyio.to_thread.run_sync(work, limiter=self._all)
        finally:
            self._asking[owner] -= 1
            if not self._asking[owner]:
                del self._asking[owner], self._own[owner]
