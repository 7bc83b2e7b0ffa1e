"""A worker in a process of its own: whatever kills it, its page alone is lost.

An engine is other people's code that computes on strangers' pages. Where it takes its process
with it, the process is started anew; where that happens twice with the same work, page by
page, and the page at which it dies is given up.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

import pagetide
from pagetide.errors import PagetideError, WorkerLost
from pagetide.integrations.batch.part_reader import Care

_DEATHS_TOGETHER = 2
_DEATHS_BEFORE_A_PAGE = 3
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    "from pagetide.integrations.batch.apart import serve; serve(int(sys.argv[2]))"
)


class Working(Protocol):
    """What does the work there."""

    def work(self, work: Any, care: Care) -> Any:
        """The result."""
        ...

    def close(self) -> None:
        """End it."""
        ...


class Apart:
    """Does one piece of work at a time in a child process; used by one thread."""

    def __init__(self, make: Callable[[], Working]) -> None:
        """Prepare; the child starts with the first work.

        Args:
            make: Makes the worker there; it is pickled, as is the work.
        """
        self._make = make
        self._child: _Child | None = None
        self._closed = False

    def work(self, work: Any) -> Any:
        """What the worker makes of it.

        Raises:
            PagetideError: What it raised; `WorkerLost` where it dies before any page.
        """
        deaths = early = 0
        lost: set[tuple[int, int]] = set()
        while True:
            child = self._child = self._child or _Child(self._make)
            apart = deaths >= _DEATHS_TOGETHER
            try:
                return child.ask(work, apart, frozenset(lost))
            except EOFError:
                self._end()
            deaths += 1
            if apart and child.at:
                lost.add(child.at)
            elif apart:
                early += 1
            if self._closed or early >= _DEATHS_BEFORE_A_PAGE:
                raise WorkerLost("The reading process died each time before its first page.")

    def close(self) -> None:
        """End the child at once; any thread may do so."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child:
            child.end()


class _Child:
    def __init__(self, make: Callable[[], Working]) -> None:
        ours, theirs = socket.socketpair()
        root = str(Path(pagetide.__file__).parents[1])
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, by our own Python
                [sys.executable, "-c", _START, root, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        self._connection = Connection(ours.detach())
        self.at: tuple[int, int] | None = None
        self._make: Callable[[], Working] | None = make

    def ask(self, work: Any, apart: bool, lost: frozenset[tuple[int, int]]) -> Any:
        """What comes of it; raises EOFError where the child dies."""
        self.at = None
        try:
            if self._make:
                self._connection.send(self._make)
                self._make = None
            self._connection.send((work, apart, lost))
            while True:
                kind, payload = self._connection.recv()
                if kind == "at":
                    self.at = payload
                elif kind == "error":
                    raise payload
                else:
                    return payload
        except OSError:
            raise EOFError from None

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._connection.close()


def serve(descriptor: int) -> None:
    """What the child does, until its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it, too, and ends this one
    threading.Thread(target=_end_with_parent, args=(descriptor,), daemon=True).start()
    connection = Connection(descriptor)
    worker: Working | None = None
    make = connection.recv()
    while True:
        work, apart, lost = connection.recv()
        care = Care(
            apart=apart, lost=lost, at=lambda key, page: connection.send(("at", (key, page)))
        )
        try:
            worker = worker or make()
            connection.send(("done", worker.work(work, care)))
        except PagetideError as error:
            connection.send(("error", error))


def _end_with_parent(descriptor: int) -> None:
    """End at once where the parent has: nobody would have what is being read."""
    watched = select.poll()
    watched.register(descriptor, 0)
    watched.poll()  # only that the other side is closed comes unasked
    os._exit(1)
