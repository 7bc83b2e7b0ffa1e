"""Receives a pool's messages: hands them from Celery's threads to ours."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from secrets import token_hex
from typing import Any

from celery.exceptions import Reject, WorkerShutdown

from pagetide.server.jobs.job import URGENCIES
from pagetide.server.queues.celery.application import HEADER, application, entity
from pagetide.server.queues.celery.broker import Broker
from pagetide.server.queues.celery.consumer import AGAIN_S, worker

log = logging.getLogger(__name__)

CLOSE_S = 2.0  # the longest that closing waits for the broker


class CeleryMessage:
    """The port `ports.Message`: a Celery task that is blocked until it is let go."""

    exact = False

    def __init__(
        self, job_id: str, task_id: str, trace: str, renew: Callable[[], None]
    ) -> None:
        self.job_id, self.task_id, self.trace = job_id, task_id, trace
        self._renew = renew
        self._ended = threading.Event()
        self._requeue = False

    def renew(self, seconds: float) -> None:
        """See `ports.Message`: it lasts as long as the queue's leases do."""
        if not self._ended.is_set():
            self._renew()

    def done(self) -> None:
        """See `ports.Message`."""
        self._ended.set()

    def release(self, delay_s: float = 0.0) -> None:
        """See `ports.Message`: without a delay it goes back; else the sweep sends it again.

        A broker puts nothing off without a queue for every delay, and to hold it meanwhile
        would take the place of another.
        """
        if not self._ended.is_set():
            self._requeue = delay_s <= 0
            self._ended.set()

    def wait(self) -> bool:
        """Wait until it is let go; whether it goes back to the queue."""
        self._ended.wait()
        return self._requeue


class CeleryReceiver:
    """The port `ports.Receiver`: a Celery worker in a thread of ours.

    While the broker is away nothing is received, and nothing is raised: the worker connects
    again by itself.
    """

    def __init__(self, broker: Broker, pool: str, concurrency: int) -> None:
        self._app = application(broker, (pool,), self._hold)
        self._broker = broker
        self._concurrency = concurrency
        self._name = f"pagetide-{pool}@{socket.gethostname()}-{os.getpid()}-{token_hex(3)}"
        self._changed = threading.Condition()
        self._lines: dict[str, deque[CeleryMessage]] = {name: deque() for name in URGENCIES}
        self._blocked: set[CeleryMessage] = set()
        self._woken = False
        self._closing = threading.Event()
        self._worker: Any = None
        self._thread = threading.Thread(
            target=self._run, name=f"pagetide-celery-{pool}", daemon=True
        )
        self._thread.start()

    def receive(self, timeout_s: float) -> CeleryMessage | None:
        """See `ports.Receiver`."""
        with self._changed:
            self._changed.wait_for(self._something, max(0.0, timeout_s))
            self._woken = False
            for line in self._lines.values():
                if line and not self._closing.is_set():
                    return line.popleft()
        return None

    def wake(self) -> None:
        """See `ports.Receiver`."""
        with self._changed:
            self._woken = True
            self._changed.notify_all()

    def close(self) -> None:
        """See `ports.Receiver`; what is held goes back at once, if the broker is there."""
        with self._changed:
            if self._closing.is_set():
                return
            self._closing.set()
            blocked = tuple(self._blocked)
        self.wake()
        worker = self._worker
        if worker:
            worker.consumer.stop_taking()
        for message in blocked:
            message.release()
        if worker:
            worker.pool.wait_idle(CLOSE_S / 2)
            worker.consumer.shut_down()
        self._thread.join(CLOSE_S)

    def _something(self) -> bool:
        return self._woken or self._closing.is_set() or any(self._lines.values())

    def _run(self) -> None:
        """Run a worker; another when it ended by itself, as after `celery control shutdown`."""
        while not self._closing.is_set():
            try:
                self._worker = worker(
                    self._app,
                    self._name,
                    self._concurrency,
                    aside=entity(self._broker, self._broker.dead),
                    ended=self._closing.is_set,
                )
                self._worker.start()
            except WorkerShutdown:
                pass  # asked to end once more while it ended, as its broker was away
            except Exception:
                log.exception("receiver broke")
            self._closing.wait(AGAIN_S)
        self._app.close()

    def _hold(self, request: Any, job_id: str, task_id: str) -> None:
        """The body of Celery's task: wait until our worker has released the message."""
        message = CeleryMessage(
            job_id,
            task_id,
            str(getattr(request, HEADER, None) or ""),
            partial(self._worker.consumer.renew, request.properties.get("delivery_tag")),
        )
        urgency = request.delivery_info["routing_key"].rpartition("-")[2]
        with self._changed:
            if self._closing.is_set():
                message.release()
            self._blocked.add(message)
            self._lines[urgency].append(message)
            self._changed.notify_all()
        back = message.wait()
        with self._changed:
            self._blocked.discard(message)
        if back:
            raise Reject("given back", requeue=True)
