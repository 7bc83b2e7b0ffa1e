"""Keeps the servers that all processes of a test run share: one of each, from its first use on.

`python -m tests.parts.keeper SOCKET` is the keeper. The process that runs pytest starts one and
hangs up in the end, however it ends; then the keeper stops what it started.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any, TypeVar

from tests.parts.server import Server

SOCKET = "TESTS_KEEPER"  # the environment's name for where the keeper listens
CHECKOUT = Path(__file__).parents[2]

S = TypeVar("S", bound=Server)


@contextmanager
def keeping(folder: Path) -> Iterator[None]:
    """Run a keeper for this process and its children, with a folder for its socket."""
    where = str(folder / "keeper")
    command = [sys.executable, "-m", __name__, where]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=CHECKOUT
    ) as process:
        assert process.stdin and process.stdout
        assert process.stdout.readline(), "the keeper did not start"
        os.environ[SOCKET] = where
        try:
            yield
        finally:
            os.environ.pop(SOCKET, None)
            process.stdin.close()


def is_there() -> bool:
    """Whether this process has a keeper."""
    return SOCKET in os.environ


@cache
def given(kind: type[S], *arguments: Any) -> S:
    """The server of a kind that all share; it cannot be stopped.

    Raises:
        PartMissing: It is not installed.
    """
    return kind.attached(_asked("share", kind, arguments))


@contextmanager
def lent(kind: type[S]) -> Iterator[S]:
    """A server of a kind that nobody else uses for so long: it may be stopped and emptied.

    Raises:
        PartMissing: It is not installed.
    """
    number, told = _asked("lend", kind)
    server: Any = Lent(number, kind.attached(told))
    try:
        with server.used():
            yield server
    finally:
        _asked("take_back", number)


class Lent:
    """A server that runs in the keeper, which does what changes its process."""

    REMOTE = ("start", "stop", "kill", "wipe")

    def __init__(self, number: int, server: Server) -> None:
        self._number, self._server = number, server

    def __getattr__(self, name: str) -> Any:
        if name in self.REMOTE:
            return partial(_asked, "change", self._number, name)
        return getattr(self._server, name)


def _asked(*request: object) -> Any:
    with Client(os.environ[SOCKET]) as asking:
        asking.send(request)
        answer = asking.recv()
    if isinstance(answer, Exception):
        raise answer
    return answer


class _Keeper:
    """What has been started: one of each that is shared, and those that are lent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: dict[object, threading.Lock] = {}
        self._shared: dict[object, Server] = {}
        self._lent: list[Server] = []
        self._free: list[int] = []

    def answer(self, asking: Connection) -> None:
        """Do what is asked; an error is theirs to see, who asked."""
        with asking:
            try:
                what, *given = asking.recv()
                asking.send(getattr(self, what)(*given))
            except Exception as error:
                asking.send(error)

    def share(self, kind: type[Server], arguments: tuple[Any, ...]) -> dict[str, Any]:
        """How to use the server that all share."""
        with self._lock:
            turn = self._turns.setdefault((kind, arguments), threading.Lock())
        with turn:
            if (kind, arguments) not in self._shared:
                self._shared[kind, arguments] = kind(*arguments).__enter__()
        return self._shared[kind, arguments].told()

    def lend(self, kind: type[Server]) -> tuple[int, dict[str, Any]]:
        """The number of a server that nobody has, and how to use it."""
        with self._lock:
            for number in self._free:
                if type(self._lent[number]) is kind:
                    self._free.remove(number)
                    return number, self._lent[number].told()
        server = kind().__enter__()
        with self._lock:
            self._lent.append(server)
            return len(self._lent) - 1, server.told()

    def change(self, number: int, method: str) -> None:
        """Start, stop, kill or empty one that is lent."""
        getattr(self._lent[number], method)()

    def take_back(self, number: int) -> None:
        """The next may have it."""
        self._free.append(number)

    def end(self) -> None:
        """Stop all of them, side by side."""
        with ThreadPoolExecutor() as stopping:
            for server in (*self._shared.values(), *self._lent):
                stopping.submit(server.__exit__, None, None, None)


def _listen(listener: Listener, keeper: _Keeper) -> None:
    while True:
        asking = listener.accept()
        threading.Thread(target=keeper.answer, args=(asking,), daemon=True).start()


def main() -> None:
    """Keep servers until standard input ends."""
    keeper = _Keeper()
    os.environ[SOCKET] = sys.argv[1]  # for the servers: some start programs of ours
    with Listener(sys.argv[1], "AF_UNIX", backlog=64) as listener:
        threading.Thread(target=_listen, args=(listener, keeper), daemon=True).start()
        print(flush=True)  # noqa: T201
        sys.stdin.read()
        keeper.end()


if __name__ == "__main__":
    main()
