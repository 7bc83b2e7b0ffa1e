"""The cheapest way to set a policy under which 95 of 100 jobs wait no longer than wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

from pagetide.errors import BadOption
from pagetide.server.scaling.control_loop import Policy
from pagetide.server.scaling.simulate.measures import Measures

# What is tried for each option, where a policy has it. `target` depends on the policy.
MOST = (1, 2, 3, 4, 6, 8, 10, 15, 20, 30, 45, 60, 100, 150, 250, 400)
LEAST = (0, 1, 2, 3, 4, 6, 8, 10, 15, 20, 30)
COOLDOWN_S = (0.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0)
TASKS = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 15.0, 20.0, 40.0)
PERCENT = (10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0)
MOST_PERCENT = 50  # a target above is a share of a worker's use, not a number of tasks

Try = Callable[[Policy], Measures]


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """What a search came to.

    Attributes:
        policy: The best that was tried.
        measures: What it came to.
        reached: Whether 95 of 100 jobs wait no longer than wanted with it.
        tried: How many settings were replayed.
        options: What was varied, in this order.
        whole: Whether the search ended by itself, not because it had tried enough.
    """

    policy: Policy
    measures: Measures
    reached: bool
    tried: int
    options: tuple[str, ...]
    whole: bool


def recommend(
    policy: Policy, attempt: Try, *, p95_s: float, most_tries: int = 80
) -> Recommendation:
    """Search from a policy on, one option after the other, until none makes it better.

    Better is: no job left undone; then a P95 within the goal, or nearer to it; then a lower
    cost, or fewer replica-seconds where no price is known; then fewer kills. Each option is
    moved up and down its list of values as long as that helps, the others staying as they
    are: where two would have to be changed at once, that is not found.

    Args:
        policy: Where to begin; its options that are not searched stay as they are.
        attempt: Replays a policy.
        p95_s: The goal.
        most_tries: Replays at most.

    Raises:
        BadOption: The policy has nothing that is searched for, or the goal is not above 0.
    """
    if not p95_s > 0:
        raise BadOption("The goal for P95 must be above 0 seconds.")
    search = _Search(policy, attempt, p95_s, most_tries)
    if not search.ladders:
        raise BadOption("This policy has no option to search: use another.")
    search.run()
    return Recommendation(
        policy=search.best,
        measures=search.measures,
        reached=search.measures.wait_p95_s <= p95_s and not search.measures.unfinished,
        tried=len(search.known),
        options=tuple(search.ladders),
        whole=search.left > 0,
    )


class _Search:
    """Where a search is, and what it has seen."""

    def __init__(self, policy: Policy, attempt: Try, p95_s: float, tries: int) -> None:
        self._attempt, self._p95_s, self.left = attempt, p95_s, tries
        self.ladders = _ladders(policy)
        self.known: dict[Policy, tuple[Measures, tuple[float, ...]]] = {}
        self.best = policy
        self.measures, self._worth = self._look(policy)

    def run(self) -> None:
        """Go on until nothing is better, or enough was tried."""
        improved = True
        while improved and self.left > 0:
            improved = False
            for option, values in self.ladders.items():
                improved |= self._climb(option, values)

    def _climb(self, option: str, values: tuple[Any, ...]) -> bool:
        """Move one option as long as that helps; whether it did."""
        helped = False
        now = getattr(self.best, option)
        below = [value for value in reversed(values) if value < now]
        above = [value for value in values if value > now]
        for way in (below, above):
            worse = 0
            for value in way:
                if worse == 2 or self.left <= 0:  # two steps: one alone may change nothing
                    break
                better = self._take(option, value)
                worse = 0 if better else worse + 1
                helped |= better
        return helped

    def _take(self, option: str, value: Any) -> bool:
        try:
            candidate: Policy = replace(self.best, **{option: value})  # type: ignore[type-var]
        except BadOption:
            return False  # such as a least above the most
        measures, worth = self._look(candidate)
        if worth < self._worth:
            self.best, self.measures, self._worth = candidate, measures, worth
            return True
        return False

    def _look(self, policy: Policy) -> tuple[Measures, tuple[float, ...]]:
        if policy not in self.known:
            self.left -= 1
            measures = self._attempt(policy)
            late_s = max(0.0, measures.wait_p95_s - self._p95_s)
            cost = measures.replica_s if measures.cost_usd is None else measures.cost_usd
            worth = (float(measures.unfinished), late_s, cost, float(measures.kills))
            self.known[policy] = (measures, worth)
        return self.known[policy]


def _ladders(policy: Policy) -> dict[str, tuple[Any, ...]]:
    """The values to try for each option that a policy has."""
    known: dict[str, tuple[Any, ...]] = {
        "most": MOST,
        "target": TASKS,
        "tasks_a_worker": tuple(map(int, TASKS)),
        "cooldown_s": COOLDOWN_S,
        "least": LEAST,
        "replicas": MOST,
    }
    if getattr(policy, "target", 0.0) > MOST_PERCENT:
        known["target"] = PERCENT
    has = {each.name for each in fields(policy)}  # type: ignore[arg-type]
    return {name: values for name, values in known.items() if name in has}
