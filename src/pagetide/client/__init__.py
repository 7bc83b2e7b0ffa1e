"""A client of the HTTP API: `Client`, and `AsyncClient` with the same methods.

They are written once, in `asynchronous`; `make sync-client` writes `synchronous` from it.
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
from pagetide.client.asynchronous.client import AsyncClient
from pagetide.client.review_answers import (
    Correction,
    RemoteReview,
    ReviewLine,
    ReviewPlace,
    WaitingReview,
)
from pagetide.client.synchronous.client import Client
from pagetide.client.uploads import SubmitOptions

__all__ = [
    "AsyncClient",
    "Attempt",
    "Client",
    "Correction",
    "Event",
    "PoolBacklog",
    "RemoteJob",
    "RemoteModel",
    "RemoteResult",
    "RemoteReview",
    "ReviewLine",
    "ReviewPlace",
    "SubmitOptions",
    "WaitingForCapacity",
    "WaitingReview",
]
