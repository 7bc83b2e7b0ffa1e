"""What Kubernetes' HorizontalPodAutoscaler makes of what its metrics propose."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from pagetide.server.scaling.hpa.behaviour import Behaviour, Direction, Rate
from pagetide.server.scaling.sliding import Highest, Lowest

SYNC_S = 15.0


class Hpa:
    """Brings a proposal within bounds, windows and rates, and remembers what it did.

    Times are whole milliseconds, so that "so long ago" is exact.
    """

    def __init__(self, least: int, most: int, behaviour: Behaviour) -> None:
        self._least, self._most, self._behaviour = least, most, behaviour
        self._lowest = Lowest(behaviour.up.window_s * 1000)
        self._highest = Highest(behaviour.down.window_s * 1000)
        self._added = Changes(behaviour.up)
        self._taken = Changes(behaviour.down)
        self._begun = False

    def sync(self, now: int, replicas: int, proposal: int | None) -> int:
        """Pods from now on.

        Args:
            now: In milliseconds.
            replicas: Pods asked for at present.
            proposal: What the metrics are worth; None where that is not known.
        """
        if not self._begun:
            self._begun = True
            self._recommend(now, replicas)
        if replicas == 0 and self._least:
            return 0  # whoever scaled to zero is the one who ends it
        wanted = self._wanted(now, replicas, proposal)
        if wanted > replicas:
            self._added.add(now, wanted - replicas)
        elif wanted < replicas:
            self._taken.add(now, replicas - wanted)
        return wanted

    def _wanted(self, now: int, replicas: int, proposal: int | None) -> int:
        if not self._least <= replicas <= self._most:
            return min(max(replicas, self._least), self._most)
        if proposal is None:
            return replicas
        return self._limited(now, replicas, self._stabilised(now, replicas, proposal))

    def _stabilised(self, now: int, replicas: int, proposal: int) -> int:
        up, down = self._lowest.of(now, proposal), self._highest.of(now, proposal)
        self._recommend(now, proposal)
        return min(max(replicas, up), down)

    def _recommend(self, now: int, proposal: int) -> None:
        self._lowest.add(now, proposal)
        self._highest.add(now, proposal)

    def _limited(self, now: int, replicas: int, wanted: int) -> int:
        if wanted > replicas:
            limit = self._limit(now, replicas, self._behaviour.up, _more)
            return min(wanted, self._most, max(limit, replicas))
        if wanted < replicas:
            limit = self._limit(now, replicas, self._behaviour.down, _fewer)
            return max(wanted, self._least, min(limit, replicas))
        return wanted

    def _limit(
        self,
        now: int,
        replicas: int,
        direction: Direction,
        allowed: Callable[[Rate, int], int],
    ) -> int:
        """How far one may go in a direction; `Max` and `Min` mean the change, not the pods."""
        if direction.select == "Disabled" or not direction.rates:
            return replicas
        limits = [
            allowed(rate, self._at_start(now, replicas, rate.period_s))
            for rate in direction.rates
        ]
        farthest = (direction.select == "Max") == (allowed is _more)
        return max(limits) if farthest else min(limits)

    def _at_start(self, now: int, replicas: int, period_s: int) -> int:
        """Pods there were when a period began that ends now."""
        since = now - period_s * 1000
        return replicas - self._added.since(since) + self._taken.since(since)


class Changes:
    """How many pods were added, or taken, and when.

    A change that is older than every rate of its direction gives up its place to the next
    one, as in the original, though a rate of the other direction may still look back as far.
    """

    def __init__(self, direction: Direction) -> None:
        self._longest = 1000 * max((rate.period_s for rate in direction.rates), default=0)
        self._made: list[tuple[int, int]] = []

    def add(self, now: int, pods: int) -> None:
        """Remember a change."""
        made, end = self._made, now - self._longest
        for place in reversed(range(len(made))):
            if made[place][0] < end:
                made[place] = (now, pods)
                return
        made.append((now, pods))

    def since(self, time: int) -> int:
        """Pods of all changes later than `time`."""
        return sum(pods for when, pods in self._made if when > time)


def _more(rate: Rate, pods: int) -> int:
    if rate.kind == "Pods":
        return pods + rate.value
    return ceil(pods * (1 + rate.value / 100))


def _fewer(rate: Rate, pods: int) -> int:
    if rate.kind == "Pods":
        return pods - rate.value
    return int(pods * (1 - rate.value / 100))


def milliseconds(seconds: float) -> int:
    """A time as the autoscaler counts it."""
    return round(seconds * 1000)
