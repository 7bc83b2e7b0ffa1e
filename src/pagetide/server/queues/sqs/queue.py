"""The queue on Amazon SQS: standard queues, one for every pool and urgency.

    sqs://REGION/PREFIX                  credentials and endpoint as boto3 finds them
    sqs://REGION/PREFIX?create=no        queues are made by somebody else
    sqs://REGION/PREFIX?endpoint=URL     another service that speaks SQS

A receiver polls `interactive` and `batch` in turn, each for a second, and looks into `first`
between: SQS cannot wait at two queues at once, a poll cannot be broken off, and a second thread
would take a message that nobody has asked for yet. So a worker that finds nothing makes 90
requests a minute, and a message is received within about a second. After a message it first
asks all queues without waiting, so a worker that has work waits for none.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pagetide.errors import BadOption, StoreFailed, installing
from pagetide.net.aws_session import open_session
from pagetide.server.queues import cloud, wake_text
from pagetide.server.queues.aws_failures import AwsFailed, translated
from pagetide.server.queues.cloud import CloudQueue
from pagetide.server.queues.held import Held, HeldMessages, whole
from pagetide.server.queues.sqs.service import TOGETHER, Sqs

log = logging.getLogger(__name__)

FORM = "sqs://REGION/PREFIX, then ?endpoint=URL or ?create=no where needed"
POLL_S = 1  # a poll cannot be broken off, so this is how long `wake` may take
SENDERS = 4  # each posts a parcel
ANSWER_S = 2  # how long what renews, sends and counts waits for an answer
MOST_GARBAGE = 100  # that one poll puts away
_NOT_HELD = {
    "AWS.SimpleQueueService.MessageNotInflight",
    "MessageNotInflight",
    "ReceiptHandleIsInvalid",
    "InvalidParameterValue",  # a receipt that has run out
}


def open_queue(url: str, *, lease_s: float) -> CloudQueue:
    """The queue at an `sqs://` URL; close it when done.

    Args:
        url: See above.
        lease_s: How long a message is its receiver's before it must renew.

    Raises:
        BadOption: The URL is wrong, or boto3 is not installed.
        StoreFailed: The settings of the AWS SDK are of no use.
    """
    address = cloud.parse_address(url, FORM, r"[a-z0-9-]{1,32}", r"[A-Za-z0-9_-]{1,40}")
    try:
        from botocore.config import Config
    except ImportError:
        raise BadOption(
            f"The queue is on SQS, but boto3 is not installed: {installing('aws')}."
        ) from None
    # What may not take long is tried again anyway.
    once = {"total_max_attempts": 1}
    quick = Config(connect_timeout=1, read_timeout=ANSWER_S, retries=once)
    patient = Config(
        connect_timeout=3,
        read_timeout=POLL_S + 4,
        retries={"mode": "standard", "total_max_attempts": 3},
    )
    with translated(f"SQS queue {address.prefix}"):
        session = open_session(address.place)
        clients = [
            session.create_client("sqs", endpoint_url=address.endpoint or None, config=config)
            for config in (patient, quick)
        ]
    sqs, hidden_s = Sqs(address, lease_s, *clients), whole(lease_s, least=1)
    return CloudQueue(
        address,
        sqs,
        lambda names: SqsReceiver(sqs, names, hidden_s),
        together=TOGETHER,
        senders=SENDERS,
    )


class SqsReceiver:
    """The port `ports.Receiver` on the three queues of a pool."""

    def __init__(self, sqs: Sqs, names: Sequence[str], hidden_s: int) -> None:
        self._sqs, self._names, self._hidden_s = sqs, names, hidden_s
        self._held = HeldMessages()
        self._woken = threading.Event()
        self._quiet = False  # all have just been asked in vain

    def receive(self, timeout_s: float) -> Held | None:
        """See `ports.Receiver`."""
        deadline = time.monotonic() + timeout_s
        held = None if self._quiet and timeout_s > 0 else self._poll(lambda: 0)
        while held is None and (left := deadline - time.monotonic()) > 0:
            if left < POLL_S / 2:
                self._woken.wait(left)
            if self._woken.is_set():
                break
            held = self._poll(lambda: POLL_S if deadline - time.monotonic() > POLL_S / 2 else 0)
        self._woken.clear()
        self._quiet = held is None
        return held

    def wake(self) -> None:
        """See `ports.Receiver`: at the end of the poll, so within about `POLL_S`."""
        self._woken.set()

    def close(self) -> None:
        """See `ports.Receiver`."""
        self._woken.set()
        self._held.release()

    def _poll(self, poll_s: Callable[[], int]) -> Held | None:
        """Ask one queue after the other, until something is there or somebody wakes us."""
        for name in self._names:  # the first is asked often, but nothing waits for it
            if held := self._polled(name, 0 if name == self._names[0] else poll_s()):
                return held
            if self._woken.is_set():
                break
        return None

    def _polled(self, name: str, poll_s: int) -> Held | None:
        for _ in range(MOST_GARBAGE):
            answer = self._sqs.ask(
                name,
                "receive_message",
                patiently=True,
                MaxNumberOfMessages=1,
                WaitTimeSeconds=poll_s,
                VisibilityTimeout=self._hidden_s,
            )
            message = next(iter(answer.get("Messages", ())), None)
            if message is None:
                break
            if text := wake_text.parse(message.get("Body", "")):
                handle = SqsHandle(self._sqs, name, message.get("ReceiptHandle", ""))
                return self._held.hold(text, handle)
            self._put_away(name, message)
        return None

    def _put_away(self, name: str, message: Mapping[str, str]) -> None:
        log.warning("wake-up put away", extra={"reason": "not ours"})
        try:
            self._sqs.dead_letter(message.get("Body", ""))
            SqsHandle(self._sqs, name, message.get("ReceiptHandle", "")).delete()
        except StoreFailed as error:  # it comes again, until SQS itself takes it away
            log.warning("dead letter not kept", extra={"code": error.code})


class SqsHandle:
    """See `held.Handle`."""

    def __init__(self, sqs: Sqs, name: str, receipt: str) -> None:
        self._sqs, self._name, self._receipt = sqs, name, receipt

    def hide(self, seconds: int) -> None:
        """See `held.Handle`."""
        self._ask("change_message_visibility", VisibilityTimeout=seconds)

    def delete(self) -> None:
        """See `held.Handle`."""
        self._ask("delete_message")

    def _ask(self, action: str, **parameters: Any) -> None:
        try:
            self._sqs.ask(self._name, action, ReceiptHandle=self._receipt, **parameters)
        except AwsFailed as error:
            if error.service_code not in _NOT_HELD:
                raise
