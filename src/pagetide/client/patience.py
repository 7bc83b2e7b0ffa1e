"""When a request is sent again, and when a job is looked at again."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx

from pagetide.client.answers import Problem
from pagetide.client.problems import problem_of, retry_after_s
from pagetide.errors import AnswerUnusable, BadOption

# 502 and 504 are a proxy's words for a server that it could not reach.
_AGAIN = (429, 502, 503, 504)
LONGEST_PAUSE_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How often, and after which pauses, a request is tried again.

    Attributes:
        tries: Attempts in all.
        first_s: The pause after the first attempt; each further one is twice as long.
        jitter: Gives 0–1; spreads the attempts of many clients.
    """

    tries: int = 5
    first_s: float = 0.25
    jitter: Callable[[], float] = random.random

    def __post_init__(self) -> None:
        if self.tries < 1:
            raise BadOption(f"tries must be 1 or more, not {self.tries}.")

    def pause_s(self, answer: httpx.Response | httpx.RequestError, tried: int) -> float | None:
        """The pause before the next attempt, None where there should be none."""
        if tried >= self.tries:
            return None
        pause: float = self.first_s * 2 ** (tried - 1)
        if isinstance(answer, httpx.Response):
            if answer.status_code not in _AGAIN or not _may_help(problem_of(answer)):
                return None
            asked = retry_after_s(answer)
            if asked is not None:
                pause = asked
        return pause * (1 + self.jitter() / 4) if pause <= LONGEST_PAUSE_S else None


def _may_help(problem: Problem) -> bool:
    # A model server was asked several times already, and each time costs.
    return problem.retryable is not False and problem.code != AnswerUnusable.code


def waits_s(
    timeout_s: float | None,
    first_s: float,
    longest_s: float,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[float]:
    """How long a server may take over each look at a job, until time is up.

    Args:
        timeout_s: The time for all of them; None means that it never is up.
        first_s: Longest that the first look may take.
        longest_s: Longest that any further one may take.
        clock: Seconds, from any start.
    """
    deadline = math.inf if timeout_s is None else clock() + timeout_s
    wait_s = first_s
    while (left_s := deadline - clock()) > 0:
        yield min(wait_s, left_s)
        wait_s = longest_s
    yield 0.0
