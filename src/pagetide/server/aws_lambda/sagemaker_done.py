"""The function behind the topics of SageMaker: an invocation has come to its end, well or not.

The worker has recorded in the store what became of its task, so the store is asked: a task that
is done needs nothing. One that nobody holds is sent again, one whose holder died is taken from
it. A note that comes twice, or late, does no harm.
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable

import msgspec

from pagetide.errors import JobUnknown
from pagetide.server.aws_lambda.calls import Event, Invocation, begun
from pagetide.server.aws_lambda.endpoint_size import note_work
from pagetide.server.aws_lambda.webhooks import Webhooks
from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.maintenance.maintenance import Sweeper
from pagetide.server.ports import Store
from pagetide.server.queues.sagemaker.address import task_of
from pagetide.server.queues.wake_text import is_id
from pagetide.server.service.notifier import Notifier
from pagetide.server.wiring import open_blobs, open_notifier, open_store
from pagetide.settings import Settings

log = logging.getLogger("pagetide")

AGAIN_S = 30.0  # a task that fails again so soon is left to the sweep
MOST_KNOWN = 1000


class Request(msgspec.Struct, frozen=True, rename="camel"):
    """The request to an endpoint."""

    endpoint_name: str
    input_location: str


class Note(msgspec.Struct, frozen=True, rename="camel"):
    """SageMaker's notification at the end of an invocation."""

    invocation_status: str
    request_parameters: Request


_note_from_json = msgspec.json.Decoder(Note).decode


def handle(event: Event, context: Invocation) -> list[str]:
    """Make sure that the task of each notification goes on.

    Returns:
        What was done for each note; see `Completion.settle`.

    Raises:
        PagetideError: The store is away; Lambda calls again.
    """
    records = event.get("Records") or ()
    done = [completion().settle(record.get("Sns", {}).get("Message", "")) for record in records]
    completion().webhooks.call_due()
    return done


@functools.cache
def completion() -> Completion:
    """The completion handler of this process, kept from its first call on."""
    settings = begun()
    store, notifier = open_store(settings), open_notifier(settings)
    sweeper = Sweeper(
        store=store, blobs=open_blobs(settings), notifier=notifier, settings=settings
    )
    return Completion(store=store, notifier=notifier, lose=sweeper.lose, settings=settings)


class Completion:
    """Settles notes.

    Attributes:
        webhooks: Those that jobs have which have just ended.
    """

    def __init__(
        self,
        *,
        store: Store,
        notifier: Notifier,
        lose: Callable[[Task], None],
        settings: Settings,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._notifier, self._lose, self._clock = store, notifier, lose, clock
        self.webhooks = Webhooks(settings, clock)
        self._again: dict[str, float] = {}

    def settle(self, text: str) -> str:
        """Make sure that the task of a notification goes on; what that took.

        Returns:
            `done` where it is, `held` where somebody works on it, `later` where it is not due
            or was sent again just now, `lost` where it was taken from its holder, `sent` where
            it was sent again, `strange` where it is no note about a task of ours.

        Raises:
            StoreFailed: The store is away.
        """
        try:
            note = _note_from_json(text)
        except (TypeError, ValueError, RecursionError):
            return self._put_away("not SageMaker's")
        asked = note.request_parameters
        named = task_of(asked.input_location)
        if named is None or not all(map(is_id, (*named, asked.endpoint_name))):
            return self._put_away("no task of ours")
        task = self._found(*named)
        if task is None:
            return "done"
        if task.kind not in ("read", "finish"):
            return self._put_away("no task of an endpoint")
        note_work(self._store, asked.endpoint_name, self._clock())
        return self._see_to(task, note.invocation_status)

    def _put_away(self, reason: str) -> str:
        log.warning("note put away", extra={"reason": reason})
        return "strange"

    def _see_to(self, task: Task, status: str) -> str:
        now = self._clock()
        if task.state == "done":
            return "done"
        extra = {"task": task.id, "status": status}
        if task.lease and task.lease.until > now:
            return "held"
        if task.lease:
            self._lose(task)
            return "lost"
        if task.due > now or now - self._again.get(task.id, 0.0) < AGAIN_S:
            return "later"
        self._remember(task.id, now)
        log.warning("wake-up sent again", extra=extra)
        self._notifier.again([task])
        return "sent"

    def _remember(self, task_id: str, now: float) -> None:
        """Remember a task, so that one that fails at once is not sent again without a pause."""
        if len(self._again) >= MOST_KNOWN:
            self._again = {i: at for i, at in self._again.items() if now - at < AGAIN_S}
        self._again[task_id] = now

    def _found(self, job_id: str, task_id: str) -> Task | None:
        """A task as it is; None where there is none any more."""
        try:
            self._store.change(job_id, task_id, _show)
        except JobUnknown:
            return None
        except Shown as shown:
            return shown.task
        raise AssertionError("a move was not called")


class Shown(Exception):
    """A task, and no change to it."""

    def __init__(self, task: Task | None) -> None:
        super().__init__("shown")
        self.task = task


def _show(job: Job, task: Task | None) -> Moved:
    raise Shown(task)
