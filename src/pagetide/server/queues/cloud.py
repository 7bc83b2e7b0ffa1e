"""What the cloud queues share: addresses, and sending in parcels."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Sequence, Set
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import SplitResult, parse_qsl, urlsplit

from pagetide.errors import BadOption
from pagetide.server.jobs.job import URGENCIES, Task, Urgency
from pagetide.server.ports.wakes import Receiver

log = logging.getLogger(__name__)

MOST_RECEIVED = 100  # a doubled message of a long task comes back once a lease
SEND_S = 2.5  # the longest that `send` waits
_PARAMETERS = {"endpoint", "create"}
Options = list[tuple[str, str]]


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
    parts, given = parted(url, form)
    named = parts.path.removeprefix("/")
    if not re.fullmatch(place, parts.netloc) or not re.fullmatch(prefix, named):
        raise BadOption(f"The queue's URL lacks a place and prefix: write {form}.")
    known = options(parts, given, _PARAMETERS, form)
    if known.get("create", "yes") not in ("yes", "no"):
        raise BadOption("The queue's create must be yes or no.")
    endpoint = known.get("endpoint", "")
    if "endpoint" in known and not _is_endpoint(endpoint):
        raise BadOption("The queue's endpoint must be http://HOST or https://HOST.")
    return Address(parts.netloc, named, endpoint, known.get("create") != "no")


def parted(url: str, form: str) -> tuple[SplitResult, Options]:
    """A URL's parts, and what its query gives.

    Raises:
        BadOption: It is no URL.
    """
    try:
        parts = urlsplit(url)
        strict = bool(parts.query)
        return parts, parse_qsl(parts.query, keep_blank_values=True, strict_parsing=strict)
    except ValueError:
        raise BadOption(f"The queue's URL is invalid: write {form}.") from None


def options(parts: SplitResult, given: Options, allowed: Set[str], form: str) -> dict[str, str]:
    """The options in a URL's query, by name.

    Raises:
        BadOption: Something is given twice, or is none of those allowed.
    """
    known = dict(given)
    if len(known) < len(given) or not known.keys() <= allowed or parts.fragment:
        raise BadOption(f"The queue's URL has extra parts: write {form}.")
    return known


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


def parcels(queue_of: Callable[[Task], str], tasks: Sequence[Task], most: int) -> list[Parcel]:
    """The tasks by queue, in order, at most so many together."""
    queues: dict[str, list[Task]] = {}
    for task in tasks:
        queues.setdefault(queue_of(task), []).append(task)
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
        extra = {"job": first.job_id, "pool": first.pool, "count": count, "reason": reason}
        log.warning("wake-up not sent", extra=extra)


class Service(Protocol):
    """A cloud's queues by name."""

    def post(self, parcel: Parcel, trace: str) -> int:
        """Send messages, with the context of a trace; how many were not taken."""
        ...

    def prepare(self, names: Sequence[str]) -> None:
        """Create queues that are missing.

        Raises:
            StoreFailed: One is missing and may not be made, or cannot be asked.
        """
        ...

    def count(self, name: str) -> int:
        """How many messages a queue has; 0 where it is missing.

        Raises:
            StoreFailed: It cannot be asked.
        """
        ...

    def close(self) -> None:
        """Close connections."""
        ...


class CloudQueue:
    """The port `ports.Queue` on a cloud's service."""

    def __init__(
        self,
        address: Address,
        service: Service,
        receiver: Callable[[Sequence[str]], Receiver],
        *,
        together: int,
        senders: int,
    ) -> None:
        """Make it.

        Args:
            address: Where it is.
            service: What it is on.
            receiver: Makes the receiver from the queues of a pool, the most urgent first.
            together: Most tasks of one parcel.
            senders: How many parcels are on their way at once.
        """
        self._address, self._service, self._receiver = address, service, receiver
        self._together = together
        self._threads = ThreadPoolExecutor(senders, "pagetide-send")

    def send(self, tasks: Sequence[Task], trace: str = "") -> None:
        """See `ports.Queue`; in parcels, a few at the same time."""
        address, together = self._address, self._together
        wanted = parcels(lambda task: address.name(task.pool, task.urgency), tasks, together)
        if wanted:
            post = self._service.post
            Sending(wanted, lambda parcel: post(parcel, trace)).send(self._threads)

    def receiver(self, pool: str, concurrency: int) -> Receiver:
        """See `ports.Queue`; messages are taken one by one, whatever the concurrency."""
        names = self._address.names(pool)
        self._service.prepare(names)
        return self._receiver(names)

    def ready(self, pool: str) -> int:
        """See `ports.Queue`: as new and as exact as the service counts."""
        return sum(self._service.count(name) for name in self._address.names(pool))

    def close(self) -> None:
        """See `ports.Queue`; what is on its way is sent first."""
        self._threads.shutdown()
        self._service.close()
