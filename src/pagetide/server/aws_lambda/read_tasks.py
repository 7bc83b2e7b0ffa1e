"""The function that reads: SQS wakes it, and it works as any worker does.

The event source's settings: a batch of one, and `ReportBatchItemFailures`.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from pagetide.errors import BadOption, PagetideError
from pagetide.server.aws_lambda.calls import Event, Invocation, begun, remaining_s
from pagetide.server.aws_lambda.webhooks import BRIEF_S, Webhooks
from pagetide.server.queues.sqs.event import Batch, EventQueue, Source
from pagetide.server.queues.sqs.service import Sqs
from pagetide.server.wiring import open_notifications, open_queue, open_worker
from pagetide.server.worker.worker import Worker
from pagetide.settings import Settings
from pagetide.telemetry import tracing

log = logging.getLogger("pagetide")

SPARE_S = 5.0  # between a worker's last moment and the function's
Answer = dict[str, list[dict[str, str]]]


def handle(event: Event, context: Invocation) -> Answer:
    """Do the tasks of a batch of SQS messages.

    Args:
        event: Of SQS; all of its messages are of one queue of ours.
        context: Lambda's.

    Returns:
        The partial batch response: the messages that are not done, and come again.
    """
    left = reading().read(event, context)
    return {"batchItemFailures": [{"itemIdentifier": message} for message in left]}


@functools.cache
def reading() -> Reading:
    """The reader of this process, kept from its first call on."""
    return Reading(begun())


class Reading:
    """A worker that is kept from call to call, with its models loaded."""

    def __init__(self, settings: Settings) -> None:
        # It leaves when the event has nothing more for it.
        self._settings = replace(settings, idle_s=0.0)
        self._queue = EventQueue(open_queue(settings, open_notifications(settings)))
        self._webhooks = Webhooks(settings)
        self._sources: dict[str, tuple[Source, Sqs]] = {}
        self._worker: tuple[str, Worker] | None = None

    def read(self, event: Event, context: Invocation) -> tuple[str, ...]:
        """Do an event's tasks, in the time that the call has; the messages not done.

        Raises:
            BadOption: A setting is wrong, or the event is none that this function takes.
        """
        pool, batch = self._batch(event)
        try:
            self._work(pool, batch, context)
        except BadOption:
            raise
        except PagetideError as error:  # such as: the store is away
            log.error("nothing can be read now", extra={"code": error.code})
            self._leave()
        except BaseException:
            self._leave()
            raise
        finally:
            batch.close()
            self._queue.receive_from(None)
            tracing.flush()
        return batch.left

    def close(self) -> None:
        """Close everything."""
        self._leave()
        self._queue.close()
        self._webhooks.close()

    def _work(self, pool: str, batch: Batch, context: Invocation) -> None:
        self._queue.receive_from(batch)
        worker = self._worker_of(pool)
        seconds = remaining_s(context)
        spare_s = min(self._settings.drain_s + SPARE_S, seconds / 2)
        with _stopped_after(worker, seconds - spare_s) as stopped:
            reason = worker.run()
        if reason != "idle":  # it was stopped, or is at its time limit
            self._leave()
        if not stopped.is_set():
            self._webhooks.call_due(min(BRIEF_S, remaining_s(context)))

    def _batch(self, event: Event) -> tuple[str, Batch]:
        records = event.get("Records") or ()
        arns = {str(record.get("eventSourceARN")) for record in records}
        if len(arns) != 1:
            raise BadOption("This function accepts messages of only one SQS queue at a time.")
        source, sqs = self._source(arns.pop())
        batch = Batch(
            records,
            queue=source.name,
            sqs=sqs,
            lease_s=self._settings.lease_s,
            send=self._queue.send_on,
        )
        return source.pool, batch

    def _source(self, arn: str) -> tuple[Source, Sqs]:
        if arn not in self._sources:
            source = Source(arn, self._pools())
            self._sources[arn] = (source, source.open())
        return self._sources[arn]

    def _pools(self) -> tuple[str, ...]:
        canary = self._settings.canary_share
        named = tuple(self._settings.pools) or ("cpu",)
        return (*named, canary[0]) if canary else named

    def _worker_of(self, pool: str) -> Worker:
        if self._worker and self._worker[0] != pool:
            self._leave()
        if self._worker is None:
            self._worker = (pool, open_worker(self._settings, pool, queue=self._queue))
        return self._worker[1]

    def _leave(self) -> None:
        """Make the next call begin with a new worker."""
        gone, self._worker = self._worker, None
        if gone:
            with suppress(PagetideError):
                gone[1].close()


@contextmanager
def _stopped_after(worker: Worker, seconds: float) -> Iterator[threading.Event]:
    """Stop a worker when its time is nearly up; says whether it was."""
    stopped = threading.Event()

    def stop() -> None:
        log.warning("time is up", extra={"reason": "the function's deadline"})
        stopped.set()
        worker.stop()

    timer = threading.Timer(max(0.0, seconds), stop)
    timer.daemon = True
    timer.start()
    try:
        yield stopped
    finally:
        timer.cancel()
