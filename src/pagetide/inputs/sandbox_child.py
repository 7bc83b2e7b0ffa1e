"""The sandbox's child process: started, asked, ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from pagetide.errors import Damaged, NotFound, OutOfMemory, PagetideError, PageTimeout
from pagetide.inputs.limits import Limits
from pagetide.inputs.wire import Answer, Channel
from pagetide.settings import plain_environment
from pagetide.system.ready_types import ready

_DYING_S = 5.0
_START_TIMEOUT_S = 60.0  # a cold disk and busy cores; usually 0.15 s
# How a child ends that is refused memory: PDFium and C++ abort, the kernel kills. (Its memory
# use says nothing: Linux counts the parent's size at the fork as the child's peak.)
_STARVED = {-signal.SIGABRT, -signal.SIGKILL}


class Child:
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
        self._layers: tuple[str, ...] | None = None  # until it has reported that it is ready
        # The child can never send more than its memory holds.
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
            message, _ = self._channel.receive(deadline=time.monotonic() + _START_TIMEOUT_S)
            answer = msgspec.msgpack.decode(message, type=ready(Answer))
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
        """End the child and return the error that its failure means."""
        if isinstance(error, EOFError):
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(_DYING_S)  # to learn the cause, before we kill it
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


def ping() -> None:
    """Checks that a child answers."""


def opened_file(path: Path) -> IO[bytes]:
    """A file, for the child to read."""
    try:
        return path.open("rb")
    except OSError:
        raise NotFound("The file no longer exists or cannot be read.") from None


def _out_of_memory(memory_mb: int) -> OutOfMemory:
    return OutOfMemory(f"Reading needs more memory than the limit of {memory_mb} MB.")


def error_of(answer: Answer, limits: Limits) -> PagetideError:
    """The error that the child reported."""
    if answer.error_code == OutOfMemory.code:
        return _out_of_memory(limits.memory_mb)
    kinds = [PagetideError]
    for kind in kinds:
        if kind.code == answer.error_code:
            return kind(answer.error_message)
        kinds.extend(kind.__subclasses__())
    return PagetideError(answer.error_message)
