"""The function behind the alarm that an endpoint has had no work for ten minutes."""

from __future__ import annotations

import functools

from pagetide.server.aws_lambda.calls import Event, Invocation, begun
from pagetide.server.aws_lambda.endpoint_size import EndpointSize, see_to, sizes
from pagetide.server.wiring import open_store


def handle(event: Event, context: Invocation) -> dict[str, str]:
    """Scale each endpoint of ours to zero, unless there is work after all.

    The alarm says only when to look: what is done goes by the store and the backlog.

    Returns:
        What was done, by endpoint: `asleep`, `awake` or `left`.

    Raises:
        PagetideError: The store or AWS is away; Lambda calls again.
    """
    return see_to(endpoints(), EndpointSize.sleep)


@functools.cache
def endpoints() -> tuple[EndpointSize, ...]:
    """The endpoints that this process looks after, from its first call on."""
    settings = begun()
    return sizes(settings, open_store(settings))
