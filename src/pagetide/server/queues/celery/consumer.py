"""A Celery worker inside our process: it has no signal handlers, logging or children."""

from __future__ import annotations

import logging
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from amqp.exceptions import AMQPError
from celery import Celery
from celery.concurrency.base import BasePool, apply_target
from celery.exceptions import CPendingDeprecationWarning, WorkerShutdown
from celery.worker import WorkController
from celery.worker.consumer import Consumer as CeleryConsumer
from kombu import Consumer as Taker
from kombu import Queue
from kombu.asynchronous import set_event_loop

log = logging.getLogger(__name__)

AGAIN_S = 1  # between attempts to reach a broker that is away
_making = threading.Lock()


def worker(
    app: Celery, name: str, concurrency: int, *, aside: Queue, ended: Callable[[], bool]
) -> Any:
    """A Celery worker that takes at most so many messages; `start` runs it in this thread.

    Args:
        app: Whose queues it takes from.
        name: How Celery's tools show it, `NAME@HOST`; unlike any other's.
        concurrency: The most that it holds at once.
        aside: Where RabbitMQ puts what is refused.
        ended: Asked while the broker is away; once it says so the worker stops.
    """
    with _making:  # Kombu has one event loop a process, which the next worker would share
        set_event_loop(None)
        try:
            made = WorkController(
                app=app,
                hostname=name,
                pool_cls=Threads,
                consumer_cls=Consumer,
                concurrency=concurrency,
                loglevel="WARNING",
                without_mingle=True,
                use_eventloop=True,
            )
        finally:
            set_event_loop(None)
    made.consumer.aside, made.consumer.ended = aside, ended
    return made


class Threads(BasePool):  # type: ignore[misc]  # Celery has no types
    """Runs every task in a thread of its own, at once: each has room, or was not taken.

    Celery's own keeps the interpreter from ending as long as a task is blocked.
    """

    signal_safe = False
    body_can_be_buffer = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._running = 0
        self._changed = threading.Condition()

    def on_apply(
        self,
        target: Any,
        args: Any = None,
        kwargs: Any = None,
        callback: Any = None,
        accept_callback: Any = None,
        **_: Any,
    ) -> None:
        """See `BasePool`."""

        def run() -> None:
            self.app.set_current()  # of this thread: where Celery looks for the task
            try:
                apply_target(target, args or (), kwargs, callback, accept_callback)
            finally:
                self._count(-1)

        self._count(1)
        threading.Thread(target=run, name="pagetide-message", daemon=True).start()

    def wait_idle(self, timeout_s: float) -> None:
        """Wait until no task runs, at most so long."""
        with self._changed:
            self._changed.wait_for(lambda: not self._running, timeout_s)

    def _count(self, more: int) -> None:
        with self._changed:
            self._running += more
            self._changed.notify_all()

    def terminate_job(self, pid: int, signal: Any = None) -> None:
        """See `BasePool`: a task of ours cannot be ended from there; cancel its job."""


class Consumer(CeleryConsumer):  # type: ignore[misc]
    """Celery's, which on RabbitMQ takes no message that it has no room for.

    A quorum queue allows each of our three consumers as many messages as all together may have,
    and RabbitMQ gives them to a worker that is busy while others wait. So nothing is consumed
    while there is no room, and what waits is asked for by urgency before.
    """

    class Blueprint(CeleryConsumer.Blueprint):  # type: ignore[misc]
        """Without gossip, and without 28 queues for delays that we never ask for."""

        default_steps = tuple(
            step
            for step in CeleryConsumer.Blueprint.default_steps
            if not step.endswith((":Gossip", ":DelayedDelivery", ":Agent"))
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.aside: Queue | None = None
        self.ended: Callable[[], bool] = lambda: False
        self._takers: tuple[Taker, ...] = ()
        self._held: set[Any] = set()
        self._surplus: list[Any] = []

    @property
    def _room(self) -> int:
        limit: int = self.pool.num_processes
        return max(0, limit - len(self._held))

    def stop_taking(self) -> None:
        """Take no more messages; from any thread."""

        def stop() -> None:
            self.pool.limit = 0
            if self._takers:
                self._turn()
            elif self.task_consumer:
                self.task_consumer.cancel()

        self.hub.call_soon(stop)

    def renew(self, tag: str | None) -> None:
        """Restart a message's visibility timeout on Redis; soon, and from any thread."""

        def see() -> None:
            if tag and self.task_consumer:
                channel = self.task_consumer.channel
                with channel.conn_or_acquire() as client:
                    client.zadd(channel.unacked_index_key, {tag: time.time()}, xx=True)

        self.hub.call_soon(see)

    def shut_down(self) -> None:
        """End the worker, after what was asked of it before; from any thread."""

        def end() -> None:
            raise WorkerShutdown(0)

        self.hub.call_soon(lambda: self.hub.call_soon(end))

    def ensure_connected(self, conn: Any) -> Any:
        """See `CeleryConsumer`: try every second until it succeeds or the worker ends."""

        def check() -> None:
            if self.ended():
                raise WorkerShutdown(0)

        once = iter((log.warning,))

        def away(error: Exception, _: float) -> None:
            for warn in once:
                warn("broker away", extra={"reason": type(error).__name__})

        while True:
            check()
            try:
                return conn.ensure_connection(away, None, AGAIN_S, 0, AGAIN_S, callback=check)
            except AMQPError as error:  # RabbitMQ refuses us, which Celery takes for its end
                away(error, AGAIN_S)
            time.sleep(AGAIN_S)

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """See `CeleryConsumer`."""
        self._takers = ()
        self._surplus.clear()
        with warnings.catch_warnings():  # of what Celery 6 will do by default
            warnings.simplefilter("ignore", CPendingDeprecationWarning)
            super().on_connection_error_after_connected(exc)

    def on_decode_error(self, message: Any, exc: Exception) -> None:
        """See `CeleryConsumer`: RabbitMQ puts it aside, Redis drops it."""
        self._refuse(message, exc)

    def on_unknown_message(self, body: Any, message: Any) -> None:
        """See `CeleryConsumer`, which would log all that it says."""
        self._refuse(message)

    def on_unknown_task(self, body: Any, message: Any, exc: Exception) -> None:
        """See `CeleryConsumer`."""
        self._refuse(message, exc)

    def on_invalid_task(self, body: Any, message: Any, exc: Exception) -> None:
        """See `CeleryConsumer`."""
        self._refuse(message, exc)

    def _refuse(self, message: Any, error: Exception | None = None) -> None:
        reason = type(error).__name__ if error else "unknown format"
        log.warning("not a message of Pagetide", extra={"reason": reason})
        message.reject_log_error(log, self.connection_errors)

    def loop_args(self) -> Any:
        """See `CeleryConsumer`; the loop is to consume in turns."""
        if self.connection.transport.driver_type == "amqp":
            self.task_consumer.consume = self._start_taking
        return super().loop_args()

    def call_soon_ack(self, p: Any, *args: Any, **kwargs: Any) -> Any:
        """See `CeleryConsumer`; then there is room for another message.

        That is noted here, in the task's thread: if the connection breaks now, what the event
        loop was to do next may be lost.
        """
        self._held.discard(p.__self__)

        def settle() -> None:
            p(*args, **kwargs)
            self.hub.call_soon(self._turn)

        return self.hub.call_soon(settle)

    def _start_taking(self) -> None:
        if self.aside:
            self.aside(self.task_consumer.channel).declare()
        self._takers = tuple(
            Taker(
                self.task_consumer.channel,
                queues=[queue],
                accept=self.task_consumer.accept,
                on_message=self._on_delivery,
                auto_declare=False,
            )
            for queue in self.task_consumer.queues
        )
        self._turn()

    def _on_delivery(self, message: Any) -> None:
        if not self._room:
            self._surplus.append(message)
            return
        self._held.add(message)
        self.task_consumer.on_message(message)
        if message.acknowledged:  # by Celery: it was none of ours
            self._held.discard(message)
        elif not self._room:
            self.hub.call_soon(self._turn)

    def _turn(self) -> None:
        """Take what waits, the most urgent first; then, where there is room, what comes."""
        for taker in self._takers:
            taker.cancel()
        surplus, self._surplus = self._surplus, []
        for message in surplus:
            message.requeue()
        for taker in self._takers:
            self._fill(*taker.queues)
        for taker in self._takers:
            if self._room:
                taker.qos(prefetch_count=self._room, apply_global=False)
                taker.consume()

    def _fill(self, queue: Queue) -> None:
        while self._room and (message := queue.get(accept=self.task_consumer.accept)):
            self._on_delivery(message)
