"""A client of the HTTP API: `Client`, and `AsyncClient` with the same methods.

What they say to a server stands once, in `conversation`, as steps without I/O; the two
clients only carry the steps out.
"""

from pagetide.client.answers import (
    Attempt,
    Event,
    PoolBacklog,
    RemoteJob,
    RemoteModel,
    RemoteResult,
    WaitingForCapacity,
)
from pagetide.client.asynchronous import AsyncClient
from pagetide.client.synchronous import Client
from pagetide.client.uploads import SubmitOptions

__all__ = [
    "AsyncClient",
    "Attempt",
    "Client",
    "Event",
    "PoolBacklog",
    "RemoteJob",
    "RemoteModel",
    "RemoteResult",
    "SubmitOptions",
    "WaitingForCapacity",
]
