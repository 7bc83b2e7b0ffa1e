"""Limits on webhook calls, so that slow webhooks delay nobody else's.

    all        256 at once
    an owner   no more than are free: one alone has half, two have a third each, and so on
    a host     8 at once; one after the other where 3 calls in a row have hung

What may not be called now is put off to about when its turn will come, so that those behind
it are seen.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from pagetide.server.jobs.job import Delivery

IN_FLIGHT = 256
PER_HOST = 8
HANGS = 3  # in a row, and a host is tried singly until it answers
HUNG_MS = 5000.0  # without an answer for so long, and a call has hung
SHORTEST_S, LONGEST_S = 0.25, 300.0  # what is put off is looked at again within these
KNOWN_HOSTS = 4096  # of more, those that are not being called are forgotten


@dataclass
class _Share:
    """The calls that a host or an owner has in flight.

    Attributes:
        lasted_s: How long the last call took.
        hung: So many calls in a row have.
        promised: When the last place that was promised to one put off is free.
    """

    in_flight: int = 0
    lasted_s: float = 1.0
    hung: int = 0
    promised: float = 0.0

    def promise(self, places: int, now: float) -> float:
        """When a call that finds no place may find one."""
        self.promised = max(self.promised, now) + self.lasted_s / places
        return min(max(self.promised, now + SHORTEST_S), now + LONGEST_S)


class CallLimits:
    """Counts what is in flight in this process; belongs to one thread."""

    def __init__(self, in_flight: int = IN_FLIGHT, per_host: int = PER_HOST) -> None:
        self._free, self._per_host = in_flight, per_host
        self._hosts: defaultdict[str, _Share] = defaultdict(_Share)
        self._owners: defaultdict[str, _Share] = defaultdict(_Share)

    @property
    def room(self) -> bool:
        """Whether any call may begin."""
        return self._free > 0

    def later(self, owner: str, host: str, now: float) -> float | None:
        """When a call may begin that may not now; None where it may."""
        places, at_host = self._places(host), self._hosts[host]
        if at_host.in_flight >= places:
            return at_host.promise(places, now)
        of_owner = self._owners[owner]
        if of_owner.in_flight >= max(1, self._free):
            return of_owner.promise(of_owner.in_flight, now)
        return None

    def began(self, owner: str, host: str) -> None:
        """A call has begun."""
        self._free -= 1
        self._hosts[host].in_flight += 1
        self._owners[owner].in_flight += 1

    def ended(self, owner: str, host: str, delivery: Delivery | None) -> None:
        """A call has ended; None where nothing is known of how."""
        self._free += 1
        for share in (self._hosts[host], self._owners[owner]):
            share.in_flight -= 1
            if delivery:
                _learn(share, delivery)
        if not self._owners[owner].in_flight:
            del self._owners[owner]
        if len(self._hosts) > KNOWN_HOSTS:
            self._forget()

    def hangs(self, host: str) -> bool:
        """Whether a host is tried singly."""
        return host in self._hosts and self._hosts[host].hung >= HANGS

    def _places(self, host: str) -> int:
        return 1 if self.hangs(host) else self._per_host

    def _forget(self) -> None:
        for host in [host for host, share in self._hosts.items() if not share.in_flight]:
            del self._hosts[host]


def _learn(share: _Share, delivery: Delivery) -> None:
    share.lasted_s = delivery.elapsed_ms / 1000
    if delivery.status is None and delivery.elapsed_ms >= HUNG_MS:
        share.hung += 1
    elif delivery.status is not None:
        if share.hung >= HANGS:
            share.promised = 0.0  # what was promised was for a host that hangs
        share.hung = 0
