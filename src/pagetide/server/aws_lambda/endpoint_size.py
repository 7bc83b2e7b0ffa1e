"""How many instances a SageMaker endpoint has: none at rest, one when there is work.

Whoever puts an endpoint to sleep may do so in the moment in which work comes. Who sends the
work has stored it before and has then seen an instance; so here the work is looked for once
more after the endpoint was put to sleep, and it is woken again if there is any.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from pagetide.errors import StoreFailed
from pagetide.server.ports import Store
from pagetide.server.queues.sagemaker.address import Address, parse_address
from pagetide.server.queues.sagemaker.capacity import Sizes, woken
from pagetide.server.queues.sagemaker.queue import open_service
from pagetide.server.service.load.demand import look
from pagetide.settings import Settings

log = logging.getLogger("pagetide")

IDLE_S = 600.0  # without work for so long, an endpoint sleeps
SETTLE_S = 1.0  # an index of DynamoDB shows by then what was stored before
PAUSES_S = (1.0, 2.0, 4.0, 8.0)  # while an endpoint is being changed


class Endpoints(Sizes, Protocol):
    """Endpoints whose backlog is known, too."""

    def backlog(self, name: str) -> int:
        """Invocations that wait or are held, as of some minutes ago; raises `StoreFailed`."""
        ...


@dataclass(frozen=True, kw_only=True)
class EndpointSize:
    """One endpoint, and the pools it reads for.

    Attributes:
        endpoints: Where it is.
        store: The truth about the work.
        settings: Workers that are kept though there is no work.
        name: The endpoint's.
        pools: Whose tasks it is sent.
        clock: Seconds since the epoch.
        pause: Waits so many seconds.
    """

    endpoints: Endpoints
    store: Store
    settings: Settings
    name: str
    pools: tuple[str, ...]
    clock: Callable[[], float] = time.time
    pause: Callable[[float], None] = time.sleep

    def reconcile(self) -> str:
        """Wake it if there is work, let it sleep if there has long been none; what was done.

        Raises:
            StoreFailed: The store or AWS is away, or the endpoint is just being changed.
        """
        if self.busy():
            return self.wake()
        seen = self.endpoints.seen(self.name)
        since = max(seen.changed, last_worked(self.store, self.name))
        if seen.desired == 0 or self.clock() - since < IDLE_S:
            return "left"
        return self.sleep()

    def sleep(self) -> str:
        """Scale to no instance, unless there is work; what was done.

        Raises:
            StoreFailed: As for `reconcile`.
        """
        if self.busy():
            return self.wake()
        if self.endpoints.seen(self.name).desired == 0:
            return "left"
        if not self.endpoints.resize(self.name, 0):
            return "left"  # it is being changed; who comes by in five minutes sees to it
        log.info("endpoint sleeps", extra={"reason": self.name})
        self.pause(SETTLE_S)
        return self.wake() if self.busy() else "asleep"

    def wake(self) -> str:
        """Scale to one instance; what was done.

        Raises:
            StoreFailed: As for `reconcile`.
        """
        if self.endpoints.seen(self.name).desired > 0:
            return "left"
        for pause_s in (*PAUSES_S, None):
            if woken(self.endpoints, self.name):
                log.info("endpoint is woken", extra={"reason": self.name})
                return "awake"
            if pause_s is not None:
                self.pause(pause_s)
        raise StoreFailed(f"The SageMaker endpoint {self.name} is being changed: try again.")

    def busy(self) -> bool:
        """Whether there is work, or workers are to be kept without it.

        Raises:
            StoreFailed: The store or CloudWatch is away.
        """
        now = self.clock()
        if any(look(self.store, self.settings, pool, now).size() for pool in self.pools):
            return True
        return self.endpoints.backlog(self.name) > 0


def sizes(settings: Settings, store: Store) -> tuple[EndpointSize, ...]:
    """The endpoints that the settings name.

    Raises:
        BadOption: A setting is wrong.
        StoreFailed: The settings of the AWS SDK are of no use.
    """
    named: dict[tuple[str, ...], tuple[Address, list[str]]] = {}
    for pool, address in _addresses(settings):  # two may name one endpoint, each in its way
        place = (address.url, address.region, address.variant, address.name(pool))
        named.setdefault(place, (address, []))[1].append(pool)
    return tuple(
        EndpointSize(
            endpoints=open_service(address),
            store=store,
            settings=settings,
            name=address.name(pools[0]),
            pools=tuple(pools),
        )
        for address, pools in named.values()
    )


def see_to(sizes: Iterable[EndpointSize], how: Callable[[EndpointSize], str]) -> dict[str, str]:
    """Do something for each endpoint; what was done, by endpoint.

    Raises:
        StoreFailed: It failed for some; one keeps no other from it.
    """
    done, failed = {}, None
    for each in sizes:
        try:
            done[each.name] = how(each)
        except StoreFailed as error:
            log.error("endpoint not seen to", extra={"reason": error.message})
            failed = error
    if failed:
        raise failed
    return done


def last_worked(store: Store, name: str) -> float:
    """When an endpoint last answered, in seconds since the epoch; 0 where nobody noted it.

    Raises:
        StoreFailed: The store is away.
    """
    try:
        return float(store.value(_noted(name), b"0"))
    except ValueError:  # as another version wrote it
        return 0.0


def note_work(store: Store, name: str, now: float) -> None:
    """Note that an endpoint has just answered.

    Raises:
        StoreFailed: The store is away.
    """
    store.put_value(_noted(name), f"{now:.0f}".encode())


def _noted(name: str) -> str:
    return f"worked:{name}"


def _addresses(settings: Settings) -> Iterator[tuple[str, Address]]:
    """The pools whose queue is on SageMaker, and where."""
    own, canary = settings.queues, settings.canary_share
    pools = {*(settings.pools or ("cpu",)), *own, *([canary[0]] if canary else [])}
    for pool in sorted(pools):
        url = own.get(pool) or own.get(pool.partition("-")[0]) or settings.queue
        if url.startswith("sagemaker:"):
            yield pool, parse_address(url)
