"""The API process of one box."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
import time

from pagetide.settings import Settings

log = logging.getLogger(__name__)

PAUSE_S = 1.0  # between the starts of one that keeps dying
DRAIN_S = 10.0


class ApiProcess:
    """Runs it, and starts it again when it has died."""

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        self._settings, self._socket = settings, listening
        self._process = self._start()

    @property
    def sentinel(self) -> int:
        """Becomes ready when the process ends."""
        return self._sentinel

    def revive(self) -> None:
        """Start it again if it has ended."""
        if self._process.poll() is None:
            return
        log.error("the API process ended", extra={"exit": self._process.returncode})
        self._close()
        if time.monotonic() - self._started < PAUSE_S:
            time.sleep(PAUSE_S)
        self._process = self._start()

    def stop(self) -> None:
        """Ask it to end; kill it if it takes too long."""
        self._process.terminate()
        try:
            self._process.wait(DRAIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._close()

    def _start(self) -> subprocess.Popen[bytes]:
        """Start it, with its end of a pipe: when this process is gone, the pipe is closed."""
        self._started = time.monotonic()
        number = self._socket.fileno()
        process = subprocess.Popen(  # noqa: S603 - our own program, by our own Python
            [sys.executable, "-P", "-m", "pagetide", "api", "--fd", str(number)],
            stdin=subprocess.PIPE,
            pass_fds=[number],
            env=self._settings.as_environment(),
        )
        self._sentinel = os.pidfd_open(process.pid)
        return process

    def _close(self) -> None:
        os.close(self._sentinel)
        if self._process.stdin:
            self._process.stdin.close()
