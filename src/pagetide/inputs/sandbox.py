"""The child process that untrusted bytes are opened in, seen from its parent.

One child serves one call at a time and is kept from call to call. A child that hangs is killed,
one that died is forgotten; the next call starts another.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from pagetide.errors import OutOfMemory, SandboxTooWeak
from pagetide.inputs.confinement import missing
from pagetide.inputs.limits import Limits
from pagetide.inputs.sandbox_child import Child, error_of, opened_file, ping
from pagetide.inputs.wire import Answer, Call
from pagetide.system.ready_types import ready

_MOST_BUSY_S = 900.0  # threads of its libraries use several cores; see `limits.CPU_S`


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
        self._child: Child | None = None

    def warm(self) -> None:
        """Start the child in the background."""
        with self.lock:
            self._living()

    def holds(self, generation: int) -> bool:
        """Whether the child of that generation still runs, with all it was given."""
        with self.lock:
            return generation == self.generation and bool(
                self._child and self._child.is_usable()
            )

    def confined(self) -> tuple[str, ...]:
        """Start the child, wait until it is ready, and return what confines it.

        Raises:
            SandboxTooWeak: That is less than the settings require.
            PagetideError: It cannot be started.
        """
        with self.lock:
            self.call(ping)
            return self.layers

    @property
    def child_pid(self) -> int | None:
        """The child's process id, or None while there is no child."""
        child = self._child
        return child.process.pid if child else None

    def call(
        self, function: Callable[..., Any], *args: Any, timeout_s: float | None = None
    ) -> Any:
        """The result of a function run in the child.

        Args:
            function: Of a module's top level, by which the child imports it. It must return
                bytes, or what MessagePack can carry (tuples arrive as lists).
            args: What MessagePack can carry, including bytes. A `Path` is opened here and
                reaches the function as a descriptor, since the child can open no file.
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
            returns: The value's type, for checking and decoding.
        """
        timeout_s = timeout_s or self.limits.page_timeout_s
        name = f"{function.__module__}:{function.__qualname__}"
        places = [place for place, arg in enumerate(args) if isinstance(arg, Path)]
        sent = [None if isinstance(arg, Path) else arg for arg in args]
        message = msgspec.msgpack.encode(Call(name, sent, timeout_s, places))
        with self.lock, ExitStack() as stack:
            files = [stack.enter_context(opened_file(args[place])) for place in places]
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
                self.close()  # its memory is fragmented, or most of its time is used up
        if answer.error_code:
            raise error_of(answer, self.limits)
        return value, payload

    def close(self) -> None:
        """End the child; a later call starts another."""
        with self.lock:
            if self._child:
                self._child.end()
                self._child = None

    def _living(self) -> Child:
        if self._child and not self._child.is_usable():
            self._child = None
        if self._child is None:
            self._child = Child(self.limits.memory_mb)
            self.generation += 1
            self.calls = 0
            self._busy_s = 0.0
        return self._child

    def _check(self, layers: tuple[str, ...]) -> None:
        """Record what confines the child, and refuse it if that does not suffice."""
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
