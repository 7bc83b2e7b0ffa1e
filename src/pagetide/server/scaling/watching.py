"""Looks pools up once for all who ask and all who follow."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field

from pagetide.errors import PagetideError, StoreFailed
from pagetide.server.ports import Notifications
from pagetide.server.service.load.demand import Demand

POLL_S = 1.0  # a notification may be lost, and there may be none
# A pool that has work is not looked at more often, however often it is notified.
BUSY_PAUSE_S = 0.25
# A store that is gone without a word keeps its own callers waiting for longer.
LOOK_S = 5.0
_LISTEN_S = 0.5  # so soon the thread that listens sees the end

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Look:
    """The result of a look at a pool, or its error.

    Attributes:
        began: By the monotonic clock.
    """

    began: float
    wanted: Demand | None = None
    failed: PagetideError | None = None


@dataclass
class Followed:
    """A pool that somebody follows.

    Attributes:
        active: Whether it wants a worker; None while that is not known.
        followers: Are set whenever `active` has changed.
        notified: Is set whenever the pool is.
    """

    active: bool | None = None
    followers: set[asyncio.Event] = field(default_factory=set)
    notified: asyncio.Event = field(default_factory=asyncio.Event)

    def know(self, active: bool | None) -> None:
        """Tell the followers, if it has changed."""
        if active != self.active:
            self.active = active
            self.wake()

    def wake(self) -> None:
        """Wake all followers."""
        for follower in self.followers:
            follower.set()


class Watch:
    """Looks at pools, in the event loop in which it was started.

    Attributes:
        pools: The pools there are.
        ending: Followers should go home.
    """

    def __init__(
        self,
        look: Callable[[str], Demand],
        notifications: Notifications,
        pools: tuple[str, ...],
    ) -> None:
        self.pools, self.ending = pools, False
        self._ask, self._notifications = look, notifications
        self._looks: dict[str, Look] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._followed: dict[str, Followed] = {}
        self._watching: dict[str, asyncio.Task[None]] = {}
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to receive notifications."""
        loop = asyncio.get_running_loop()
        self._thread = threading.Thread(
            target=self._listen, args=[loop], name="pagetide-notifications", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Send home all who follow."""
        self.ending = True
        for followed in self._followed.values():
            followed.wake()

    async def close(self) -> None:
        """Stop listening and looking."""
        self.stop()
        for task in self._watching.values():
            task.cancel()
        if self._thread:
            await asyncio.to_thread(self._thread.join)

    async def look(self, pool: str) -> Demand:
        """The demand of a pool, no older than this call; calls at the same time share a look.

        Raises:
            StoreFailed: The store cannot be reached.
        """
        asked = time.monotonic()
        async with self._locks[pool]:
            found = self._looks.get(pool)
            if found is None or found.began < asked:
                found = self._looks[pool] = await self._look_now(pool)
        if found.wanted is None:
            raise found.failed or StoreFailed()
        return found.wanted

    @contextmanager
    def following(self, pool: str) -> Iterator[tuple[Followed, asyncio.Event]]:
        """A followed pool, and an event that is set when it has changed."""
        followed = self._followed.setdefault(pool, Followed())
        changed = asyncio.Event()
        followed.followers.add(changed)
        if len(followed.followers) == 1:
            self._watching[pool] = asyncio.create_task(self._watch(pool, followed))
        try:
            yield followed, changed
        finally:
            followed.followers.discard(changed)
            if not followed.followers:
                self._watching.pop(pool).cancel()
                del self._followed[pool]

    async def _look_now(self, pool: str) -> Look:
        began = time.monotonic()
        try:
            async with asyncio.timeout(LOOK_S):
                return Look(began=began, wanted=await asyncio.to_thread(self._ask, pool))
        except TimeoutError:
            slow = StoreFailed("The job store does not answer in time.")
            return Look(began=began, failed=slow)
        except PagetideError as error:
            return Look(began=began, failed=error)

    async def _watch(self, pool: str, followed: Followed) -> None:
        while True:
            followed.notified.clear()
            followed.know(await self._active(pool))
            if followed.active:
                await asyncio.sleep(BUSY_PAUSE_S)
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await followed.notified.wait()

    async def _active(self, pool: str) -> bool | None:
        """Whether a pool wants a worker; None where that cannot be known."""
        try:
            return (await self.look(pool)).size() > 0
        except PagetideError as error:
            log.error("a pool cannot be looked at", extra={"pool": pool, "code": error.code})
        except Exception:  # whatever it was: who follows must go on
            log.exception("a pool cannot be looked at", extra={"pool": pool})
        return None

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        while not self.ending:
            try:
                with closing(self._notifications.subscribe(*self.pools)) as listener:
                    while not self.ending:
                        received = listener.wait(_LISTEN_S)
                        for pool in {topic for topic, _ in received}:
                            loop.call_soon_threadsafe(self._ring, pool)
            except Exception:  # whatever their client may raise: looks go on without it
                log.exception("notifications do not arrive")
                time.sleep(POLL_S)

    def _ring(self, pool: str) -> None:
        if pool in self._followed:
            self._followed[pool].notified.set()
