"""The ports: what serving needs from the outside.

    store    Store: jobs, tasks and API keys; the truth
    blobs    Blobs: documents and results
    wakes    Notifications, Queue: notify of changes, wake workers
    places   Place: where other people's files lie, for `pagetide watch`

An adapter of a port passes that port's suite in `tests/contract/`.
"""

from pagetide.server.ports.blobs import Blob, Blobs, PostForm
from pagetide.server.ports.places import Place, PlacedFile
from pagetide.server.ports.store import Backlog, JobQuery, Move, Store
from pagetide.server.ports.wakes import Message, Notifications, Queue, Receiver, Subscriber

__all__ = [
    "Backlog",
    "Blob",
    "Blobs",
    "JobQuery",
    "Message",
    "Move",
    "Notifications",
    "Place",
    "PlacedFile",
    "PostForm",
    "Queue",
    "Receiver",
    "Store",
    "Subscriber",
]
