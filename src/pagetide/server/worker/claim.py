"""A claimed task."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import Message


@dataclass(eq=False)
class Claim:
    """A task, and what its holder knows of it.

    Attributes:
        task: The task; with the last page of a job, the `finish` task that its holder goes on
            with.
        message: The message that woke the worker for it; held as long as the task is.
        lost: It is somebody else's by now, or nobody's: what was read for it is thrown away.
        owes: Its last move, where the store could not take it yet.
        lock: Held while it is changed, so that what it says is always the latest.
    """

    job: Job
    task: Task
    token: str
    message: Message
    lost: bool = False
    owes: Callable[[], Moved] | None = None
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
