"""Sends tasks to a Celery broker, and counts those waiting there."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from amqp.exceptions import AMQPError, ChannelError, MessageNacked
from kombu import Connection, Producer
from kombu.exceptions import KombuError, OperationalError
from redis.exceptions import RedisError

from pagetide.errors import StoreFailed
from pagetide.server.jobs.job import URGENCIES, Task
from pagetide.server.queues.celery.application import HEADER, application, entity
from pagetide.server.queues.celery.broker import ANSWER_S, TASK, Broker
from pagetide.server.queues.celery.receiver import CeleryReceiver

log = logging.getLogger(__name__)
T = TypeVar("T")

NACKED_S = 0.05  # before a message that the broker did not take is sent again
AWAY_S = 1.0  # for so long after it was away the broker is not tried again

# Of the libraries beneath; py-amqp may also come upon parts of itself that are closed already.
_BROKEN = (AMQPError, KombuError, RedisError, OSError, AttributeError)


class CeleryQueue:
    """The port `ports.Queue` over Celery."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._app = application(broker)
        self._sending, self._counting = Line(self._connect), Line(self._connect)

    def send(self, tasks: Sequence[Task], trace: str = "") -> None:
        """See `ports.Queue`: one connection for them all."""
        left = list(tasks)
        if not left:
            return
        try:
            self._sending.use(lambda connection: self._send(connection, left, trace))
        except StoreFailed as error:
            extra = {"count": len(left), "task": left[0].id, "reason": str(error)}
            log.warning("wake-up not sent", extra=extra)

    def receiver(self, pool: str, concurrency: int) -> CeleryReceiver:
        """See `ports.Queue`: it connects by itself, and again whenever it must."""
        return CeleryReceiver(self._broker, pool, concurrency)

    def ready(self, pool: str) -> int:
        """See `ports.Queue`."""
        names = [self._broker.queue(pool, urgency) for urgency in URGENCIES]
        return self._counting.use(lambda connection: sum(_count(connection, n) for n in names))

    def close(self) -> None:
        """See `ports.Queue`; receivers go on until they are closed themselves."""
        self._sending.close()
        self._counting.close()
        self._app.close()

    def _connect(self) -> Connection:
        """A connection without heartbeats: nobody is there to send them between two calls."""
        return self._app.connection_for_write(heartbeat=0)

    def _send(self, connection: Connection, left: list[Task], trace: str) -> None:
        """Send the first of those left until none is.

        RabbitMQ refuses what comes to a quorum queue that has no leader yet: seen at once after
        it was declared, on two busy cores, by one sender of fifty. It is asked again.
        """
        producer = self._app.amqp.Producer(connection, auto_declare=False)
        patient_until = time.monotonic() + ANSWER_S
        while left:
            try:
                self._publish(producer, left[0], trace)
            except OperationalError as error:
                nacked = isinstance(error.__cause__, MessageNacked)
                if not nacked or time.monotonic() > patient_until:
                    raise
                time.sleep(NACKED_S)
            else:
                del left[0]

    def _publish(self, producer: Producer, task: Task, trace: str) -> None:
        """Send one, and wait until the broker has it."""
        self._app.send_task(
            TASK,
            (task.job_id, task.id),
            task_id=task.id,
            queue=entity(self._broker, self._broker.queue(task.pool, task.urgency)),
            headers={HEADER: trace} if trace else {},
            producer=producer,
            confirm_timeout=ANSWER_S,
            add_to_parent=False,
        )


class Line:
    """One connection to the broker: made when it is needed, and anew when it has broken.

    While the broker is away, one caller at a time waits for it, with a second between; the
    others are refused at once.
    """

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._away_until = 0.0

    def use(self, work: Callable[[Connection], T]) -> T:
        """Do this over the connection; once more over a new one if an old one has broken.

        Raises:
            StoreFailed: The broker does not answer, or refuses.
        """
        with self._lock:
            if time.monotonic() < self._away_until:
                raise StoreFailed("The queue's broker did not answer a moment ago.")
            began, was_old = time.monotonic(), self._connection is not None
            try:
                return self._try(work)
            except _BROKEN as error:
                if not was_old or time.monotonic() > began + ANSWER_S / 2:
                    raise self._away(error) from None
            try:
                return self._try(work)
            except _BROKEN as error:
                raise self._away(error) from None

    def _try(self, work: Callable[[Connection], T]) -> T:
        try:
            self._connection = self._connection or self._connect()
            return work(self._connection)
        except _BROKEN:
            self._drop()
            raise

    def _away(self, error: Exception) -> StoreFailed:
        self._away_until = time.monotonic() + AWAY_S
        kind = type(error).__name__
        return StoreFailed(f"The queue's broker cannot be used: {kind}.")

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(*_BROKEN):
                connection.collect(socket_timeout=ANSWER_S)


def _count(connection: Connection, name: str) -> int:
    """How many messages wait in a queue; 0 where there is none of that name."""
    with connection.channel() as channel:
        try:
            return int(channel.queue_declare(name, passive=True).message_count)
        except ChannelError as error:
            if str(error.reply_code) != "404":
                raise
            return 0
