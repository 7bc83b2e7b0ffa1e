"""Looks at what has arrived, and has several files read at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial

from pagetide.errors import PagetideError
from pagetide.integrations.folder_watch.deciding import ENDS_ALL, is_due
from pagetide.integrations.folder_watch.notes import Notes, legible, may_be_read
from pagetide.integrations.folder_watch.reading import Ended, FileReader
from pagetide.server.ports import Place

# What a file is left alone for when a place could not be reached for it; each time longer.
REST_S, LONGEST_REST_S = 30.0, 600.0
_LOOK_S = 0.2  # how long a signal may go unseen
OnEnded = Callable[[Ended], object]
OnTrouble = Callable[[str, PagetideError], object]


class Watcher:
    """Reads the files of a place that have not been read.

    Attributes:
        unfinished: How many files were still growing at the last look.
    """

    def __init__(
        self,
        source: Place,
        target: Place,
        reader: FileReader,
        *,
        clock: Callable[[], float],
        on_ended: OnEnded,
        on_trouble: OnTrouble,
    ) -> None:
        """Prepare.

        Args:
            source: Where files arrive.
            target: Where results and notes lie.
            reader: Reads one.
            clock: Seconds since 1970.
            on_ended: Called with what became of a file, from any thread.
            on_trouble: Called with a file's name, or an empty one, and why a place could not be
                reached; it is tried again.
        """
        self._source, self._reader, self._clock = source, reader, clock
        self._on_ended, self._on_trouble = on_ended, on_trouble
        self._notes = Notes(target)
        self._seen: dict[str, str] = {}
        self._in_hand: set[str] = set()
        self._rests: dict[str, tuple[float, float]] = {}  # how long, and from when
        self._changed = threading.Condition()
        self._stopped = False
        self._fatal: BaseException | None = None
        self.unfinished = 0

    def stop(self) -> None:
        """Begin no other file, and end when those in hand are read."""
        # Called by a signal, perhaps while this very thread holds the condition: no lock here.
        self._stopped = True

    def look(self) -> list[tuple[str, str]]:
        """The files to read now, with their stamps.

        A file that can be seen while it grows must have been the same at the look before.

        Raises:
            PagetideError: A place cannot be reached.
        """
        with self._changed:
            busy = set(self._in_hand)  # before the notes: what ends meanwhile is not due again
        self._notes.look()
        files = {f.name: f.stamp for f in self._source.files() if may_be_read(f.name)}
        before, self._seen = self._seen, files
        self._rests = {name: rest for name, rest in self._rests.items() if name in files}
        whole = [
            name for name in files if not self._source.grows or before.get(name) == files[name]
        ]
        self.unfinished = len(files) - len(whole)
        return [
            (name, files[name]) for name in sorted(whole) if self._due(name, files[name], busy)
        ]

    def postponed(self) -> int:
        """How many files had failed before the last look, and are to be tried again later."""
        now, count = self._now(), 0
        for name, stamp in self._seen.items():
            read, failed = self._notes.known(name)
            waits = (
                failed is not None and failed.retryable and not is_due(stamp, read, failed, now)
            )
            count += waits
        return count

    def run(self, *, every_s: float, at_once: int, once: bool = False) -> None:
        """Look and read until it is stopped.

        Args:
            every_s: How long to wait between two looks.
            at_once: Most files in hand.
            once: End when what is there has been read.

        Raises:
            PagetideError: No file can be read in this way; or, with `once`, a place cannot be
                reached.
        """
        with ThreadPoolExecutor(at_once, "pagetide-arrival") as pool:
            settled = not self._source.grows
            while not self._ending:
                for name, stamp in self._looked(once):
                    if not self._free(at_once):
                        break
                    self._begin(pool, name, stamp)
                if once and settled:
                    break
                settled = True
                self._wait(every_s)
        if self._fatal:
            raise self._fatal

    @property
    def _ending(self) -> bool:
        return self._stopped or self._fatal is not None

    def _looked(self, once: bool) -> list[tuple[str, str]]:
        try:
            return self.look()
        except PagetideError as error:
            if once:
                raise
            self._on_trouble("", error)
            return []

    def _due(self, name: str, stamp: str, busy: set[str]) -> bool:
        if name in busy or self._is_resting(name):
            return False
        return is_due(stamp, *self._notes.known(name), self._now())

    def _is_resting(self, name: str) -> bool:
        rest_s, since = self._rests.get(name, (0.0, 0.0))
        return 0 <= self._clock() - since < rest_s  # less than nothing: the clock was put back

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)

    def _free(self, at_once: int) -> bool:
        """Wait until another file may be begun; whether it is to be."""
        with self._changed:
            while len(self._in_hand) >= at_once and not self._ending:
                self._changed.wait(_LOOK_S)  # a signal cannot notify
        return not self._ending

    def _wait(self, seconds: float) -> None:
        left = seconds
        while left > 0 and not self._ending:
            time.sleep(min(_LOOK_S, left))
            left -= _LOOK_S

    def _begin(self, pool: ThreadPoolExecutor, name: str, stamp: str) -> None:
        with self._changed:
            self._in_hand.add(name)
        future = pool.submit(self._reader.read, name, stamp)
        future.add_done_callback(partial(self._end, name))

    def _end(self, name: str, future: Future[Ended | None]) -> None:
        try:
            ended = future.result()
            self._rests.pop(name, None)
            if ended:
                self._on_ended(ended)
        except PagetideError as error:
            if isinstance(error, ENDS_ALL):
                self._fatal = error
                return
            before_s, _ = self._rests.get(name, (REST_S / 2, 0.0))
            self._rests[name] = min(2 * before_s, LONGEST_REST_S), self._clock()
            self._on_trouble(legible(name), error)
        except BaseException as error:
            self._fatal = error
        finally:
            with self._changed:
                self._in_hand.discard(name)
                self._changed.notify_all()
