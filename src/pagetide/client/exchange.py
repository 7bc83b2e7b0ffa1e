"""One request and its answer, tried again where that may help."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from pagetide.client.problems import error_of, problem_of, retry_after_s
from pagetide.client.steps import Broken, Pause, Reply, Request, Steps
from pagetide.errors import ServerUnreachable

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

    def pause_s(self, answer: Reply | Broken, tried: int) -> float | None:
        """The pause before the next attempt, None where there should be none."""
        if tried >= self.tries:
            return None
        pause: float = self.first_s * 2 ** (tried - 1)
        if isinstance(answer, Reply):
            if answer.status not in _AGAIN or problem_of(answer).retryable is False:
                return None
            asked = retry_after_s(answer)
            if asked is not None:
                pause = asked
        return pause * (1 + self.jitter() / 4) if pause <= LONGEST_PAUSE_S else None


def exchange(request: Request, server: str, patience: Patience) -> Steps[Reply]:
    """Send a request until it is answered; every request of ours may be sent twice.

    Args:
        request: What to send.
        server: What to call the server in an error.
        patience: How often.

    Raises:
        ServerUnreachable: No answer came.
        PagetideError: The answer tells of an error.
    """
    if request.elsewhere:
        server = _origin(request.path)
    for tried in itertools.count(1):
        answer: Reply | Broken = yield request
        pause = patience.pause_s(answer, tried)
        if pause is None:
            break
        yield Pause(pause)
    if isinstance(answer, Broken):
        raise ServerUnreachable(f"The server at {server} cannot be reached: {answer.reason}.")
    if not 200 <= answer.status < 300:
        raise error_of(answer)
    return answer


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}"
