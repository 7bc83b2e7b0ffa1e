"""SQS through AWS Lambda: called with messages, a function returns those not done.

Lambda deletes what the function does not name. What it names comes again when its hiding runs
out, which Lambda itself sets to the queue's, an hour or more. So each message is hidden here
for no longer than a lease, and again with every renewal: when a function is killed, another
one gets the message about as soon as the lease lets it.
"""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from pagetide.errors import BadOption, StoreFailed
from pagetide.net.aws_session import open_session
from pagetide.server.jobs.job import URGENCIES, Task
from pagetide.server.ports import Message, Queue
from pagetide.server.queues import wake_text
from pagetide.server.queues.aws_failures import translated
from pagetide.server.queues.cloud import Address
from pagetide.server.queues.held import Handle, HeldMessages, whole
from pagetide.server.queues.sqs.queue import SqsHandle
from pagetide.server.queues.sqs.service import Sqs

log = logging.getLogger(__name__)

AGAIN_S = 5  # 100 tries without a pause would make dead letters while a store restarts
_ARN = re.compile(r"arn:[a-z0-9-]+:sqs:([a-z0-9-]{1,32}):[0-9]+:([A-Za-z0-9_-]{1,80})")


class Source:
    """The queue that a function's messages come from.

    Attributes:
        pool: Whose tasks it wakes workers for.
        name: What it is called.
    """

    def __init__(self, arn: str, pools: Collection[str]) -> None:
        """See which queue it is.

        Args:
            arn: As the event says it.
            pools: The pools that there are.

        Raises:
            BadOption: It is no queue of one of these pools.
        """
        found = _ARN.fullmatch(arn)
        self.region, self.name = (found[1], found[2]) if found else ("", "")
        known, urgencies = "|".join(map(re.escape, pools)), "|".join(URGENCIES)
        parts = re.fullmatch(rf"(.+?)-({known})-({urgencies})", self.name)
        if parts is None:
            raise BadOption("The event does not come from a queue named PREFIX-POOL-URGENCY.")
        self.address = Address(self.region, parts[1], create=False)
        self.pool = parts[2]

    def open(self) -> Sqs:
        """The service that it is on; the endpoint is what boto3 finds.

        Raises:
            StoreFailed: The settings of the AWS SDK are of no use.
        """
        from botocore.config import Config

        quick = Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 2})
        with translated(f"SQS queue {self.name}"):
            client = open_session(self.region).create_client("sqs", config=quick)
        return Sqs(self.address, 1, client, client)


class Batch:
    """The port `ports.Receiver` over the messages of one event, and what follows from them.

    A `finish` task that a read task leaves behind is taken in hand at once, for whoever has
    read the last page is warm. If it is not, a message is sent after all.
    """

    def __init__(
        self,
        records: Sequence[Mapping[str, Any]],
        *,
        queue: str,
        sqs: Sqs,
        lease_s: float,
        send: Callable[[Sequence[Task], str], None],
    ) -> None:
        self._queue, self._sqs, self._send = queue, sqs, send
        self._hidden_s = whole(lease_s, least=1)
        self._records = deque(records)
        self._here: deque[_LocalMessage] = deque()
        self._left = {str(record["messageId"]): None for record in records}
        self._held, self._closed = HeldMessages(), False

    @property
    def left(self) -> tuple[str, ...]:
        """The ids of the messages that are not done."""
        return tuple(self._left)

    def receive(self, timeout_s: float) -> Message | None:
        """See `ports.Receiver`; nothing comes later, so it never waits."""
        if self._here:
            return self._here.popleft()
        while self._records:
            record = self._records.popleft()
            if text := wake_text.parse(record.get("body", "")):
                handle = self._handle(record)
                held = self._held.hold(text, handle)
                held.renew(self._hidden_s)
                return held
            self._put_away(record)
        return None

    def wake(self) -> None:
        """See `ports.Receiver`: nobody ever waits."""

    def close(self) -> None:
        """See `ports.Receiver`; messages are sent for what was to follow."""
        self._closed = True
        self._held.release()
        while self._records:
            _quietly(self._handle(self._records.popleft()), AGAIN_S)
        while self._here:
            self._here.popleft().release()

    def follow(self, task: Task, trace: str) -> bool:
        """Take in hand a task that follows; False where it is too late for that."""
        if not self._closed:
            self._here.append(_LocalMessage(task, trace, self._send))
        return not self._closed

    def _handle(self, record: Mapping[str, Any]) -> _Record:
        handle = SqsHandle(self._sqs, self._queue, record["receiptHandle"])
        return _Record(handle, lambda: self._left.pop(str(record["messageId"]), None))

    def _put_away(self, record: Mapping[str, Any]) -> None:
        log.warning("wake-up put away", extra={"reason": "not ours"})
        try:
            self._sqs.dead_letter(str(record.get("body", "")))
        except StoreFailed as error:  # it comes again, until SQS itself takes it away
            log.warning("dead letter not kept", extra={"code": error.code})
            return
        self._left.pop(str(record["messageId"]), None)


class EventQueue:
    """The port `ports.Queue` in a function: sends as ever, receives what the event brought."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._batch: Batch | None = None

    def receive_from(self, batch: Batch | None) -> None:
        """Receive these messages from now on, or none."""
        self._batch = batch

    def send(self, tasks: Sequence[Task], trace: str = "") -> None:
        """See `ports.Queue`; a `finish` task is done here, where there is time."""
        batch = self._batch
        elsewhere = [
            task
            for task in tasks
            if not (batch and task.kind == "finish" and batch.follow(task, trace))
        ]
        if elsewhere:
            self._queue.send(elsewhere, trace)

    def send_on(self, tasks: Sequence[Task], trace: str = "") -> None:
        """Send, and take nothing in hand."""
        self._queue.send(tasks, trace)

    def receiver(self, pool: str, concurrency: int) -> Batch:
        """See `ports.Queue`.

        Raises:
            StoreFailed: There is no event in hand.
        """
        if self._batch is None:
            raise StoreFailed("A function receives only the messages it is called with.")
        return self._batch

    def ready(self, pool: str) -> int | None:
        """See `ports.Queue`."""
        return self._queue.ready(pool)

    def close(self) -> None:
        """See `ports.Queue`."""
        self._queue.close()


class _Record:
    """See `held.Handle`; what is deleted here is deleted by Lambda."""

    def __init__(self, handle: Handle, done: Callable[[], object]) -> None:
        self._handle, self._done = handle, done

    def hide(self, seconds: int) -> None:
        self._handle.hide(max(seconds, AGAIN_S))

    def delete(self) -> None:
        self._done()


class _LocalMessage:
    """The port `ports.Message` for a task that no message was sent for."""

    exact = True

    def __init__(
        self, task: Task, trace: str, send: Callable[[Sequence[Task], str], None]
    ) -> None:
        self.job_id, self.task_id, self.trace = task.job_id, task.id, trace
        self._task, self._send = task, send

    def renew(self, seconds: float) -> None:
        """See `ports.Message`."""

    def done(self) -> None:
        """See `ports.Message`."""

    def release(self, delay_s: float = 0.0) -> None:
        """See `ports.Message`; what is put off is left to the sweep."""
        if delay_s <= 0:
            self._send([self._task], self.trace)


def _quietly(handle: Handle, seconds: int) -> None:
    try:
        handle.hide(seconds)
    except StoreFailed as error:
        log.warning("wake-up not let go", extra={"code": error.code})
