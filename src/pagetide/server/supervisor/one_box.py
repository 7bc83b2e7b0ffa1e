"""One box: an API process, workers as the work asks for, and this process above them.

This process answers nobody and reads nothing, so there is little it could die of. It holds
the listening socket: while an API process that died is started again, callers wait a moment
instead of being refused.
"""

from __future__ import annotations

import logging
import signal
import socket
from contextlib import closing, suppress
from multiprocessing import connection

from pagetide.errors import PagetideError
from pagetide.server.maintenance.maintenance import Sweeper
from pagetide.server.ports import Subscriber
from pagetide.server.supervisor.api_process import ApiProcess
from pagetide.server.supervisor.forked_workers import ForkedWorkers
from pagetide.server.wiring import open_blobs, open_notifier, open_store, pools
from pagetide.settings import Settings
from pagetide.telemetry import metrics

log = logging.getLogger(__name__)

RETRY_S = 1.0  # until the store is asked again after it failed


class Supervisor:
    """Runs `pagetide serve` until it is stopped."""

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        self._settings, self._socket = settings, listening
        self._pools = pools(settings)[:-1]  # but for the system pool
        notifier = open_notifier(settings)
        self._notifications = notifier.notifications
        metrics.report_to(self._notifications.publish)
        self._workers = ForkedWorkers(settings, self._pools)
        store = open_store(settings)
        self._store = store
        self._sweeper = Sweeper(
            store=store, blobs=open_blobs(settings), notifier=notifier, settings=settings
        )
        self._api: ApiProcess | None = None
        self._ending = False
        self._wakes, self._waker = socket.socketpair()

    def run(self) -> None:
        """Serve until `end` is called or SIGTERM or SIGINT comes."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.end())
        self._api = ApiProcess(self._settings, self._socket)
        self._workers.warm()
        try:
            with closing(self._notifications.subscribe(*self._pools)) as listener:
                while not self._ending:
                    self._reconcile_safely(listener)
        finally:
            self._stop()

    def end(self) -> None:
        """Make `run` return soon: everything is drained first."""
        self._ending = True
        with suppress(OSError):
            self._waker.send(b"x")

    def _reconcile_safely(self, listener: Subscriber) -> None:
        """A store that cannot be reached for a while must not take the box down with it."""
        try:
            self._reconcile(listener)
        except PagetideError as error:
            log.error("the box could not look after its work", extra={"code": error.code})
            connection.wait([self._wakes], timeout=RETRY_S)

    def _reconcile(self, listener: Subscriber) -> None:
        for member in self._workers.reap():
            self._sweeper.take_from(member.name)
        self._workers.kill_hung()
        wait = self._workers.scale()
        assert self._api  # noqa: S101 - it is made before the first round
        self._api.revive()
        waited_for: list[socket.socket | int] = [
            self._wakes,
            self._api.sentinel,
            *self._workers.sentinels,
        ]
        connection.wait([listener.fileno(), *waited_for], timeout=wait)
        listener.wait(0)

    def _stop(self) -> None:
        if self._api:
            self._api.stop()
        self._workers.stop()
        metrics.report_to(None)
        self._store.close()
        for end in (self._socket, self._wakes, self._waker):
            end.close()
