"""Types of JSON, made ready by one thread before several read by them.

msgspec works out a struct's fields when it first reads one, and a second thread that reads one
meanwhile is given them half done: the process dies of SIGSEGV (msgspec 0.22; seen in `pagetide
watch`, whose threads hand in their first documents at the same moment).
"""

from __future__ import annotations

import threading
from typing import TypeVar

import msgspec

T = TypeVar("T")

_lock = threading.Lock()
_ready: set[object] = set()


def ready(kind: type[T]) -> type[T]:
    """The same type, which any number of threads may now read at once."""
    if kind not in _ready:
        with _lock:
            msgspec.json.Decoder(kind)
            _ready.add(kind)
    return kind
