"""The function that looks after endpoints every five minutes, whatever alarms have said.

An alarm acts only when it changes. An endpoint whose one job was done between two samples of a
minute has never left it, so nothing would ever put it to sleep; and one that was put to sleep
just as work came would never be woken.
"""

from __future__ import annotations

from pagetide.server.aws_lambda.calls import Event, Invocation
from pagetide.server.aws_lambda.endpoint_size import EndpointSize, see_to
from pagetide.server.aws_lambda.scale_in import endpoints


def handle(event: Event, context: Invocation) -> dict[str, str]:
    """Wake endpoints that have work; let those sleep that have had none for ten minutes.

    Returns:
        What was done, by endpoint: `asleep`, `awake` or `left`.

    Raises:
        PagetideError: The store or AWS is away; Lambda calls again.
    """
    return see_to(endpoints(), EndpointSize.reconcile)
