"""The ports of wake-ups: notifications for all, and a queue whose messages are held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pagetide.server.jobs.job import Task


class Subscriber(Protocol):
    """Receives what is published on its topics."""

    def wait(self, timeout_s: float) -> tuple[tuple[str, str], ...]:
        """Wait for notifications, at most so long.

        Returns:
            Topic and text of each notification since the last call; empty if there was none.
            They may be lost, doubled or late: look into the store in any case.
        """
        ...

    def fileno(self) -> int:
        """A file descriptor that is readable when a notification is there; -1 where none is."""
        ...

    def close(self) -> None:
        """Stop listening."""
        ...


class Notifications(Protocol):
    """Tells whoever listens that there is something new. It comes with the store.

    A topic is a pool (`cpu`, `system`) with any text, or `jobs` with a job's id, which says
    that the job has changed. All who subscribe receive it; nobody keeps it. Where a topic's
    name begins with `one-`, one of them does.
    """

    def publish(self, topic: str, text: str = "") -> None:
        """Tell those who subscribe to a topic. Never raises, never waits long."""
        ...

    def subscribe(self, *topics: str) -> Subscriber:
        """Receive what is published from now on; close it when done."""
        ...

    def close(self) -> None:
        """Close connections; subscribers go on until they are closed themselves."""
        ...


class Message(Protocol):
    """A message that wakes one worker: nobody else gets it as long as it is held.

    It says no more than that there is a task. Which one is next, and who may do it, the store
    says: a message may come twice, late, or never.

    Attributes:
        job_id: The task's job; empty where the message means whichever task waits first.
        task_id: The task; empty likewise.
        exact: It is good for no other task than the one that it names.
        trace: The W3C `traceparent` of the job, or empty.
    """

    job_id: str
    task_id: str
    exact: bool
    trace: str

    def renew(self, seconds: float) -> None:
        """Hold it for so long from now on. Never raises: what is lost comes again."""
        ...

    def done(self) -> None:
        """Acknowledge it: nobody needs it again. Never raises."""
        ...

    def release(self, delay_s: float = 0.0) -> None:
        """Release it: it is delivered again after a delay. Never raises.

        A queue that cannot put it off may drop it: the sweep sends it again.
        """
        ...


class Receiver(Protocol):
    """Takes a pool's messages from a queue, one at a time; belongs to one thread."""

    def receive(self, timeout_s: float) -> Message | None:
        """The next message, waiting for one at most about so long.

        Messages of `interactive` tasks come before those of `batch`, as far as the queue can
        tell.

        Raises:
            StoreFailed: The queue cannot be reached.
        """
        ...

    def wake(self) -> None:
        """Make a `receive` that waits in another thread return soon. Never raises."""
        ...

    def close(self) -> None:
        """Take no more; messages still held go back to the queue."""
        ...


class Queue(Protocol):
    """Wakes workers, one message for every waiting task. It only wakes: the store is the truth.

    The task stays in the store, and its message stays held while it is worked on, so that
    who counts messages counts work that is waiting and work that is being done.
    """

    def send(self, tasks: Sequence[Task], trace: str = "") -> None:
        """Wake a worker for each of these tasks, in order. Never raises, never waits long.

        What could not be sent is logged; the sweep sends it again.
        """
        ...

    def receiver(self, pool: str, concurrency: int) -> Receiver:
        """Take the messages of a pool from now on; close it when done.

        Args:
            pool: Whose messages.
            concurrency: The most that will be held at once.

        Raises:
            StoreFailed: The queue cannot be reached.
        """
        ...

    def ready(self, pool: str) -> int | None:
        """How many messages of a pool nobody holds, about; None where the store is the queue.

        A queue that cannot distinguish them counts those that are held, too.

        Raises:
            StoreFailed: The queue cannot be reached.
        """
        ...

    def close(self) -> None:
        """Close connections."""
        ...
