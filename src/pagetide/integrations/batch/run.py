"""A run from its plan to its report, whoever does the items."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol

from pagetide.integrations.batch.apart import Apart
from pagetide.integrations.batch.items import ItemWorker, Job
from pagetide.integrations.batch.ledger import Ledger
from pagetide.integrations.batch.plan import Done, Entry, Item, RunOptions, known, remaining
from pagetide.server.ports import Place


class Executor(Protocol):
    """Does items: processes here, or actors on a cluster."""

    def do(self, items: Sequence[Item]) -> Iterator[Done]:
        """Do all of them, in any order."""
        ...

    def close(self) -> None:
        """End them at once."""
        ...


class Run:
    """One run, or what is left of it.

    Attributes:
        done: The ledger, by the items' names.
    """

    def __init__(self, options: RunOptions, found: Sequence[Entry], target: Place) -> None:
        """See what is to be done, and what was done before.

        Args:
            options: What is asked for.
            found: The documents that the source holds.
            target: Where shards and ledger lie.

        Raises:
            PagetideError: The target cannot be reached, or another run lies there.
        """
        self._options, self._target = options, target
        self._ledger = Ledger(target)
        self._ledger.begin(options)
        self._units = self._ledger.plan(found, options)
        self.done = self._ledger.done()

    @property
    def items(self) -> tuple[int, int]:
        """How many items are done, and how many there are as far as it is known."""
        return len(self.done), known(self._units, self.done, self._options.rows)

    def go(self, executor: Executor, on_done: Callable[[Done], None]) -> None:
        """Do what is left; a unit's leftovers come in the next round.

        Raises:
            PagetideError: Something that ends the run: it can be begun again.
        """
        while items := list(remaining(self._units, self.done, self._options.rows)):
            for done in executor.do(items):
                self.done[done.item] = done
                on_done(done)

    def end(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Put the report, and remove what waited to be put together."""
        for name, content in files:
            self._target.put(name, content)
        if self._options.rows == "documents":
            for name in self._ledger.names():
                if name.startswith("_pagetide/pages/"):
                    self._target.remove(name)


class Processes:
    """Does items in processes of this machine."""

    def __init__(self, job: Job, workers: int) -> None:
        self._workers = [Apart(partial(ItemWorker.opened, job)) for _ in range(workers)]

    def do(self, items: Sequence[Item]) -> Iterator[Done]:
        """See `Executor`."""
        waiting: queue.SimpleQueue[Item] = queue.SimpleQueue()
        results: queue.SimpleQueue[Done | BaseException] = queue.SimpleQueue()
        for item in items:
            waiting.put(item)
        for one in self._workers:
            threading.Thread(target=_do, args=(one, waiting, results), daemon=True).start()
        for _ in items:
            result = results.get()
            if isinstance(result, BaseException):
                raise result
            yield result

    def close(self) -> None:
        """End them at once."""
        for one in self._workers:
            one.close()


def _do(
    one: Apart,
    waiting: queue.SimpleQueue[Item],
    results: queue.SimpleQueue[Done | BaseException],
) -> None:
    while True:
        try:
            item = waiting.get_nowait()
        except queue.Empty:
            return
        try:
            results.put(one.work(item))
        except BaseException as error:  # whoever waits gets it
            results.put(error)
            return
