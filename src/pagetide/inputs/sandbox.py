"""The child process that untrusted bytes are opened in, seen from its parent.

One child serves one call at a time and is kept from call to call. A child that hangs is
killed, one that died is forgotten; the next call starts another.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import msgspec

from pagetide.errors import (
    Damaged,
    NotFound,
    OutOfMemory,
    PagetideError,
    PageTimeout,
    SandboxTooWeak,
)
from pagetide.inputs.confinement import missing
from pagetide.inputs.wire import Answer, Call, Channel
from pagetide.settings import Settings, plain_environment
from pagetide.system.ready_types import ready

_DYING_S = 5.0
_MOST_BUSY_S = 900.0  # threads of its libraries use several cores; see `limits.CPU_S`
_START_TIMEOUT_S = 60.0  # a cold disk and busy cores; 0.15 s as a rule
# How a child ends that is refused memory: PDFium and C++ abort, the kernel kills. (What it
# held tells nothing: Linux counts the parent's size at the fork as the child's peak.)
_STARVED = {-signal.SIGABRT, -signal.SIGKILL}


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What an input may cost; see `Settings` for each limit's meaning."""

    max_pages: int = 5000
    max_pixels: int = 100_000_000
    max_bytes: int = 1_000_000_000
    page_timeout_s: float = 20.0
    page_timeouts_max: int = 5
    memory_mb: int = 1200
    confined: str = "auto"

    @classmethod
    def of(cls, settings: Settings) -> Limits:
        """The limits that these settings name."""
        return cls(
            max_pages=settings.max_pages,
            max_pixels=settings.max_pixels,
            max_bytes=settings.max_bytes,
            page_timeout_s=settings.page_timeout_s,
            page_timeouts_max=settings.page_timeouts_max,
            memory_mb=settings.sandbox_memory_mb,
            confined=settings.sandbox,
        )


class Sandbox:
    """A child process with little memory and a deadline, to run functions in.

    Any number of threads may call; one call runs at a time. The child starts with the first
    call or with `warm`, and ends with `close` or with this process, however that ends.

    Attributes:
        generation: Counts the children started. What one child holds is gone in the next.
        calls: Made to the present child.
        layers: What confines it, of `confinement.ALL`; empty until a call was made.
        lock: Held while a call runs; hold it to make several calls to the same child.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.generation = 0
        self.calls = 0
        self.layers: tuple[str, ...] = ()
        self._busy_s = 0.0
        self.lock = threading.RLock()
        self._child: _Child | None = None

    def warm(self) -> None:
        """Begin to start the child and return at once."""
        with self.lock:
            self._living()

    def holds(self, generation: int) -> bool:
        """Whether the child of that generation still runs, with all it was given."""
        with self.lock:
            return generation == self.generation and bool(
                self._child and self._child.is_usable()
            )

    def confined(self) -> tuple[str, ...]:
        """Start the child, wait until it is ready, and say what confines it.

        Raises:
            SandboxTooWeak: That is less than the settings require.
            PagetideError: It cannot be started.
        """
        with self.lock:
            self.call(_nothing)
            return self.layers

    @property
    def child_pid(self) -> int | None:
        """The child's process id, or None while there is no child."""
        child = self._child
        return child.process.pid if child else None

    def call(
        self, function: Callable[..., Any], *args: Any, timeout_s: float | None = None
    ) -> Any:
        """What a function returns when it runs in the child.

        Args:
            function: Of a module's top level, by which the child imports it. What it returns
                must be bytes, or what MessagePack can carry (tuples arrive as lists).
            args: What MessagePack can carry, bytes among it. A `Path` is opened here and
                reaches the function as a descriptor, for the child can open no file.
            timeout_s: How long it may run; by default as long as a page.

        Raises:
            PageTimeout: It ran too long.
            OutOfMemory: It needed more than the child may have.
            Damaged: The child crashed.
            NotFound: A file is gone or may not be read.
            SandboxTooWeak: The kernel cannot confine the child as the settings require.
            PagetideError: Whatever the function raised.
        """
        value, payload = self.fetch(function, *args, timeout_s=timeout_s)
        return bytes(payload) if value is None and payload else value

    def fetch(
        self,
        function: Callable[..., Any],
        *args: Any,
        timeout_s: float | None = None,
        returns: Any = Any,
    ) -> tuple[Any, bytearray]:
        """The value and the payload of the `Parcel` a function returns; see `call`.

        Args:
            function: As in `call`.
            args: As in `call`.
            timeout_s: As in `call`.
            returns: The value's type, by which it is checked and decoded.
        """
        timeout_s = timeout_s or self.limits.page_timeout_s
        name = f"{function.__module__}:{function.__qualname__}"
        places = [place for place, arg in enumerate(args) if isinstance(arg, Path)]
        sent = [None if isinstance(arg, Path) else arg for arg in args]
        message = msgspec.msgpack.encode(Call(name, sent, timeout_s, places))
        with self.lock, ExitStack() as stack:
            files = [stack.enter_context(_file(args[place])) for place in places]
            child = self._living()
            self.calls += 1
            begun = time.monotonic()
            try:
                self._check(child.layers())
                reply, payload = child.ask(message, files, timeout_s)
                answer = msgspec.msgpack.decode(reply, type=ready(Answer))
                kind = Any if answer.error_code else returns
                value = msgspec.msgpack.decode(answer.value, type=ready(kind))
            except BaseException as error:
                self._child = None
                raise child.failure(error, timeout_s) from None
            self._busy_s += time.monotonic() - begun
            if answer.error_code == OutOfMemory.code or self._busy_s > _MOST_BUSY_S:
                self.close()  # its memory is in pieces, or most of its time is spent
        if answer.error_code:
            raise _error(answer, self.limits)
        return value, payload

    def close(self) -> None:
        """End the child; a later call starts another."""
        with self.lock:
            if self._child:
                self._child.end()
                self._child = None

    def _living(self) -> _Child:
        if self._child and not self._child.is_usable():
            self._child = None
        if self._child is None:
            self._child = _Child(self.limits.memory_mb)
            self.generation += 1
            self.calls = 0
            self._busy_s = 0.0
        return self._child

    def _check(self, layers: tuple[str, ...]) -> None:
        """Learn what confines the child, and refuse it where that does not suffice."""
        self.layers = layers
        lacking = missing(layers)
        if lacking and self.limits.confined == "require":
            raise SandboxTooWeak(
                "PAGETIDE_SANDBOX is require, but this system cannot confine the"
                f" process that opens documents: {', '.join(lacking)} missing."
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Child:
    """One child process and the pipes to it."""

    def __init__(self, memory_mb: int) -> None:
        self._files, childs_files = socket.socketpair()
        command = [sys.executable, "-P", "-m", "pagetide.inputs.child"]
        command += [str(memory_mb), str(childs_files.fileno())]
        try:
            self.process = subprocess.Popen(  # noqa: S603  # our own module, by our own Python
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env=plain_environment(),
                pass_fds=(childs_files.fileno(),),
            )
        except OSError:
            self._files.close()
            raise PagetideError("The sandbox process could not be started.") from None
        finally:
            childs_files.close()
        assert self.process.stdin and self.process.stdout  # noqa: S101  # for the type
        self._owner = os.getpid()
        self._memory_mb = memory_mb
        self._layers: tuple[str, ...] | None = None  # until it has said that it is ready
        # The child can never have had more in its hands than its memory holds.
        self._channel = Channel(
            self.process.stdout.fileno(),
            self.process.stdin.fileno(),
            limit_bytes=(memory_mb + 512) << 20,
        )
        self._channel.widen()

    def is_usable(self) -> bool:
        """Whether the child runs and is this process's own, not that of one it forked from."""
        if self._owner != os.getpid():
            self.process.returncode = 0  # not ours to wait for
            self._close_pipes()
            return False
        return self.process.poll() is None

    def layers(self) -> tuple[str, ...]:
        """What confines the child; waits until it is ready."""
        if self._layers is None:
            said, _ = self._channel.receive(deadline=time.monotonic() + _START_TIMEOUT_S)
            answer = msgspec.msgpack.decode(said, type=ready(Answer))
            self._layers = msgspec.msgpack.decode(answer.value, type=tuple[str, ...])
        return self._layers

    def ask(
        self, message: bytes, files: Sequence[IO[bytes]], timeout_s: float
    ) -> tuple[bytearray, bytearray]:
        """The child's reply and its payload."""
        deadline = time.monotonic() + timeout_s
        for file in files:
            self._hand(file)
        self._channel.send(message, deadline=deadline)
        return self._channel.receive(deadline=deadline)

    def _hand(self, file: IO[bytes]) -> None:
        try:
            socket.send_fds(self._files, [b"f"], [file.fileno()])
        except OSError:
            raise EOFError from None  # the child is gone

    def failure(self, error: BaseException, timeout_s: float) -> BaseException:
        """End the child and say what its failing means."""
        if isinstance(error, EOFError):
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_DYING_S)  # to learn what of, before we kill it
        status = self.process.poll()
        self.end()
        if not isinstance(error, EOFError | TimeoutError | msgspec.MsgspecError):
            return error
        if self._layers is None:
            return PagetideError("The sandbox process could not be started.")
        if isinstance(error, TimeoutError) or status == -signal.SIGALRM:
            return PageTimeout(f"Reading took longer than the limit of {timeout_s:g} s.")
        if status in _STARVED:
            return _out_of_memory(self._memory_mb)
        return Damaged("The input is damaged: reading it crashed the sandbox process.")

    def end(self) -> None:
        """Kill the child and wait for it."""
        if self.is_usable():
            self.process.kill()
            self.process.wait()
        self._close_pipes()

    def _close_pipes(self) -> None:
        self._files.close()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()


def _nothing() -> None:
    """To see whether a child answers."""


def _file(path: Path) -> IO[bytes]:
    try:
        return path.open("rb")
    except OSError:
        raise NotFound("The file no longer exists or cannot be read.") from None


def _out_of_memory(memory_mb: int) -> OutOfMemory:
    return OutOfMemory(f"Reading needs more memory than the limit of {memory_mb} MB.")


def _error(answer: Answer, limits: Limits) -> PagetideError:
    """The error that the child reported."""
    if answer.error_code == OutOfMemory.code:
        return _out_of_memory(limits.memory_mb)
    kinds = [PagetideError]
    for kind in kinds:
        if kind.code == answer.error_code:
            return kind(answer.error_message)
        kinds.extend(kind.__subclasses__())
    return PagetideError(answer.error_message)
