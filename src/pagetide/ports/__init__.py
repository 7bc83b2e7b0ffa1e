"""The ports: what reading and serving need from the outside, and nothing more.

    engine   Engine: runs a model over pages
    store    Store: jobs, tasks and API keys; the truth
    blobs    Blobs: documents and results
    wakes    Bell, Queue: tell of news, wake workers
    places   Place: where other people's files lie, for `pagetide watch`

An adapter of a port passes that port's suite in `tests/contract/`.
"""

from pagetide.ports.blobs import Blob, Blobs, PostForm
from pagetide.ports.engine import Engine, PageImage, PageReading
from pagetide.ports.places import Place, PlacedFile
from pagetide.ports.store import Backlog, JobQuery, Move, Store
from pagetide.ports.wakes import Bell, Listener, Message, Queue, Receiver

__all__ = [
    "Backlog",
    "Bell",
    "Blob",
    "Blobs",
    "Engine",
    "JobQuery",
    "Listener",
    "Message",
    "Move",
    "PageImage",
    "PageReading",
    "Place",
    "PlacedFile",
    "PostForm",
    "Queue",
    "Receiver",
    "Store",
]
