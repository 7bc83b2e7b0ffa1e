"""What the queues of the clouds share: where they are, how messages are sent and held."""

from __future__ import annotations

import logging
import math
import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, wait
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import parse_qsl, urlsplit

from pagetide.errors import BadOption, StoreFailed
from pagetide.job import URGENCIES, Task, Urgency
from pagetide.queues.wake_text import WakeText

log = logging.getLogger(__name__)

MOST_RECEIVED = 100  # a doubled message of a long task comes back once a lease
SEND_S = 2.5  # the longest that `send` waits
LONGEST_HIDDEN_S = 43200  # SQS takes no more
_PARAMETERS = {"endpoint", "create"}


@dataclass(frozen=True)
class Address:
    """Where a cloud's queues are.

    Attributes:
        place: The region or the account.
        prefix: What the names of all queues begin with.
        endpoint: The service's URL; empty means the cloud's own.
        create: Whether a queue that is missing is made.
    """

    place: str
    prefix: str
    endpoint: str = ""
    create: bool = True

    def name(self, pool: str, urgency: Urgency) -> str:
        """The queue of a pool's tasks of one urgency."""
        return f"{self.prefix}-{pool}-{urgency}"

    def names(self, pool: str) -> tuple[str, ...]:
        """The queues of a pool, the most urgent first."""
        return tuple(self.name(pool, urgency) for urgency in URGENCIES)

    @property
    def dead(self) -> str:
        """The queue of what is of no use to anybody."""
        return f"{self.prefix}-dead"


def parse_address(url: str, form: str, place: str, prefix: str) -> Address:
    """Where a URL says that the queues are.

    Args:
        url: As set.
        form: What it should look like, for the message.
        place: The pattern of the region or account.
        prefix: The pattern of the prefix.

    Raises:
        BadOption: It does not say so; the message does not quote it, for it may hold secrets.
    """
    try:
        parts = urlsplit(url)
        given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise BadOption(f"The queue's URL is not understood: write {form}.") from None
    named = parts.path.removeprefix("/")
    if not re.fullmatch(place, parts.netloc) or not re.fullmatch(prefix, named):
        raise BadOption(f"The queue's URL names no place and prefix: write {form}.")
    known = dict(given)
    if len(known) < len(given) or not known.keys() <= _PARAMETERS or parts.fragment:
        raise BadOption(f"The queue's URL says too much: write {form}.")
    if known.get("create", "yes") not in ("yes", "no"):
        raise BadOption("The queue's create must be yes or no.")
    endpoint = known.get("endpoint", "")
    if "endpoint" in known and not _is_endpoint(endpoint):
        raise BadOption("The queue's endpoint must be http://HOST or https://HOST.")
    return Address(parts.netloc, named, endpoint, known.get("create") != "no")


def _is_endpoint(text: str) -> bool:
    try:
        parts = urlsplit(text)
        port_fits = parts.port != 0
    except ValueError:
        return False
    plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and port_fits and plain


@dataclass(frozen=True)
class Parcel:
    """Tasks whose messages go to the same queue, one after the other."""

    queue: str
    tasks: tuple[Task, ...]


def parcels(address: Address, tasks: Sequence[Task], most: int) -> list[Parcel]:
    """The tasks by queue, in order, at most so many together."""
    queues: dict[str, list[Task]] = {}
    for task in tasks:
        queues.setdefault(address.name(task.pool, task.urgency), []).append(task)
    return [
        Parcel(queue, tuple(members[start : start + most]))
        for queue, members in queues.items()
        for start in range(0, len(members), most)
    ]


class Sending:
    """Messages on their way: what takes longer than their sender waits goes on meanwhile.

    It is given up only when a whole parcel is refused, for then nobody takes the others.
    """

    def __init__(self, wanted: Sequence[Parcel], post: Callable[[Parcel], int]) -> None:
        """Make it.

        Args:
            wanted: All that is to be sent.
            post: Posts a parcel; says how many of its messages were not taken.
        """
        self._wanted, self._post = wanted, post
        self._left, self._unsent = len(wanted), 0
        self._given_up = False
        self._lock = threading.Lock()

    def send(self, threads: Executor) -> None:
        """Send it, and wait for that at most `SEND_S`; what was not taken is logged."""
        try:
            posting = [threads.submit(self._post_one, parcel) for parcel in self._wanted]
        except RuntimeError:
            self._not_sent(sum(len(parcel.tasks) for parcel in self._wanted), "closed")
            return
        wait(posting, SEND_S)

    def _post_one(self, parcel: Parcel) -> None:
        unsent = everything = len(parcel.tasks)
        try:
            if not self._given_up:
                unsent = self._post(parcel)
        except Exception:  # an SDK's own mistake
            log.exception("the queue stumbled")
        with self._lock:
            self._given_up = self._given_up or unsent == everything
            self._left, self._unsent = self._left - 1, self._unsent + unsent
            if self._unsent and not self._left:
                self._not_sent(self._unsent, "not taken")

    def _not_sent(self, count: int, reason: str) -> None:
        first = self._wanted[0].tasks[0]
        said = {"job": first.job_id, "pool": first.pool, "count": count, "reason": reason}
        log.warning("wake-up not sent", extra=said)


class Handle(Protocol):
    """A message as its service knows it, while it is ours. What is gone is no error."""

    def hide(self, seconds: int) -> None:
        """Let nobody else have it for so long from now on.

        Raises:
            StoreFailed: The service cannot be reached.
        """
        ...

    def delete(self) -> None:
        """Let nobody have it ever again.

        Raises:
            StoreFailed: The service cannot be reached.
        """
        ...


class Held:
    """The port `ports.Message`, until it is done or released: then it does nothing.

    A lock keeps a renewal from hiding again what another thread has just released.
    """

    def __init__(self, text: WakeText, handle: Handle, let_go: Callable[[Held], None]) -> None:
        self.job_id, self.task_id, self.trace = text.job, text.task, text.traceparent
        self._handle: Handle | None = handle
        self._let_go = let_go
        self._lock = threading.Lock()

    def renew(self, seconds: float) -> None:
        """See `ports.Message`; whole seconds, rounded up."""
        with self._lock:
            if handle := self._handle:
                self._quietly(lambda: handle.hide(whole(seconds, least=1)))

    def done(self) -> None:
        """See `ports.Message`."""
        self._end(lambda handle: handle.delete())

    def release(self, delay_s: float = 0.0) -> None:
        """See `ports.Message`; whole seconds, rounded up."""
        self._end(lambda handle: handle.hide(whole(delay_s)))

    def _end(self, act: Callable[[Handle], None]) -> None:
        with self._lock:
            handle, self._handle = self._handle, None
            if handle:
                self._quietly(lambda: act(handle))
        self._let_go(self)

    def _quietly(self, act: Callable[[], None]) -> None:
        try:
            act()
        except StoreFailed as error:
            said = {"task": self.task_id, "code": error.code}
            log.warning("wake-up not held or let go", extra=said)
        except Exception:  # an SDK's own mistake; the message comes again
            log.exception("wake-up not held or let go", extra={"task": self.task_id})


class HeldMessages:
    """The messages that one receiver has given out and that are still held."""

    def __init__(self) -> None:
        self._held: set[Held] = set()
        self._lock = threading.Lock()

    def hold(self, text: WakeText, handle: Handle) -> Held:
        """A message that is held from now on."""
        held = Held(text, handle, self._let_go)
        with self._lock:
            self._held.add(held)
        return held

    def release(self) -> None:
        """Let go of all of them."""
        with self._lock:
            left = tuple(self._held)
        for held in left:
            held.release()

    def _let_go(self, held: Held) -> None:
        with self._lock:
            self._held.discard(held)


def whole(seconds: float, least: int = 0) -> int:
    """Whole seconds, rounded up, as far as the services take them."""
    return max(least, min(math.ceil(seconds), LONGEST_HIDDEN_S))
