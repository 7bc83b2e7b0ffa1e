"""Receives SageMaker's invocations as messages, in the endpoint's container.

SageMaker holds an invocation until it is answered, for an hour at most, so an invocation is a
message: it is answered when the message is done with or let go, and nobody else gets it until
then. The server that is asked is `sagemaker_server`.
"""

from __future__ import annotations

import threading
import time

from pagetide.errors import BadOption
from pagetide.server.jobs.job import URGENCIES
from pagetide.server.queues.sagemaker.server import Listening
from pagetide.server.queues.wake_text import WakeText


class Invocation:
    """The port `ports.Message`, until it is done or released: then it does nothing.

    Attributes:
        rank: How urgent it is; the smaller, the sooner.
        number: Counts invocations as they come.
        let_go: Set once it is done or released.
        kept: Whether it was done.
    """

    exact = True  # SageMaker is answered for the task that it was invoked for

    def __init__(self, text: WakeText, rank: int, number: int) -> None:
        self.job_id, self.task_id, self.trace = text.job, text.task, text.traceparent
        self.rank, self.number = rank, number
        self.let_go, self.kept = threading.Event(), False
        self._lock = threading.Lock()

    def renew(self, seconds: float) -> None:
        """See `ports.Message`: SageMaker holds it for as long as it may take at all."""

    def done(self) -> None:
        """See `ports.Message`."""
        self._end(kept=True)

    def release(self, delay_s: float = 0.0) -> None:
        """See `ports.Message`: it cannot be put off, so it comes again as soon as may be."""
        self._end(kept=False)

    def _end(self, kept: bool) -> None:
        with self._lock:
            if not self.let_go.is_set():
                self.kept = kept
                self.let_go.set()


class SageMakerReceiver:
    """The port `ports.Receiver`: what SageMaker invokes is what is received.

    Attributes:
        port: Where it listens.
    """

    def __init__(self, port: int, concurrency: int) -> None:
        """Listen, on all addresses.

        Args:
            port: Where; 0 means any free port.
            concurrency: Most invocations that are not answered yet.

        Raises:
            BadOption: The port cannot be had.
        """
        self._most, self._number = concurrency, 0
        self._open: list[Invocation] = []  # not answered yet
        self._waiting: list[Invocation] = []  # of these, not received yet
        self._changed = threading.Condition()
        self._woken = self._closed = False
        try:
            self._server = Listening(self, port)
        except OSError:
            raise BadOption(f"The port {port} for SageMaker cannot be opened.") from None
        self.port = self._server.server_port
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="pagetide-invocations"
        )
        self._thread.daemon = True
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many invocations are here that nobody has received yet."""
        with self._changed:
            return len(self._waiting)

    @property
    def ready(self) -> bool:
        """See `sagemaker_server.Inbox`: from its opening on, which is when models are warm."""
        return not self._closed

    def receive(self, timeout_s: float) -> Invocation | None:
        """See `ports.Receiver`; the most urgent of those that SageMaker has handed over."""
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while not (self._waiting or self._woken or self._closed):
                if not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    break
            self._woken = False
            if not self._waiting:
                return None
            first = min(self._waiting, key=lambda one: (one.rank, one.number))
            self._waiting.remove(first)
            return first

    def wake(self) -> None:
        """See `ports.Receiver`: at once."""
        with self._changed:
            self._woken = True
            self._changed.notify_all()

    def close(self) -> None:
        """See `ports.Receiver`: what is not answered yet is answered that it is let go."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            left = tuple(self._open)
            self._changed.notify_all()
        for invocation in left:
            invocation.release()
        self._server.end()
        self._thread.join()

    def take_up(self, text: WakeText, urgency: str) -> bool | None:
        """See `sagemaker_server.Inbox`."""
        with self._changed:
            if self._closed or len(self._open) >= self._most:
                return None
            self._number += 1
            invocation = Invocation(text, rank_of(urgency), self._number)
            self._open.append(invocation)
            self._waiting.append(invocation)
            self._changed.notify_all()
        invocation.let_go.wait()
        with self._changed:
            self._open.remove(invocation)  # before the answer, after which the next one comes
            if invocation in self._waiting:  # which nobody has received
                self._waiting.remove(invocation)
        return invocation.kept


def rank_of(urgency: str) -> int:
    """How soon a task of this urgency is received; what is not known is `interactive`."""
    known: dict[str, int] = {name: rank for rank, name in enumerate(URGENCIES)}
    return known.get(urgency.strip(), known["interactive"])
