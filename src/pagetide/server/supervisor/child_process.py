"""A child process by its pidfd.

`multiprocessing` learns of an end from the process that forked it. When that one is killed, all
that it forked seem to have ended, though they go on working.
"""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from multiprocessing.process import BaseProcess


class ChildProcess:
    """A started process."""

    def __init__(self, process: BaseProcess) -> None:
        assert process.pid is not None  # noqa: S101 - it has been started
        self._process, self.pid = process, process.pid
        self._fd: int | None = None
        with suppress(ProcessLookupError):  # it has ended already
            self._fd = os.pidfd_open(process.pid)
        if self._fd is not None and not process.is_alive():
            self._forget()  # the number may be another's by now

    @property
    def sentinel(self) -> int:
        """Becomes ready when it ends."""
        return self._process.sentinel if self._fd is None else self._fd

    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._fd is not None and not self.wait(0.0)

    def wait(self, timeout_s: float) -> bool:
        """Whether it has ended, within so many seconds."""
        if self._fd is None:
            return True
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        return bool(poll.poll(1000 * timeout_s))

    def terminate(self) -> None:
        """Ask it to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self._signal(signal.SIGKILL)

    def close(self) -> int | None:
        """Release it once it has ended; its exit code, 255 where it is not known any more."""
        self._process.join()  # who forked it sees the end a moment after the kernel
        code = self._process.exitcode
        self._process.close()
        self._forget()
        return code

    def _signal(self, number: signal.Signals) -> None:
        if self._fd is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._fd, number)

    def _forget(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
