"""What a setting's field may be beside its type and default."""

from __future__ import annotations

from dataclasses import field
from functools import partial
from typing import TypeVar

from pagetide.settings.tables import Shape

N = TypeVar("N", int, float)
T = TypeVar("T")


def positive(default: N) -> N:
    """A number with which, at 0, nothing could be done."""
    given: N = field(default=default, metadata={"positive": True})
    return given


def hidden(default: str = "") -> str:
    """Text that may hold a secret, and is never shown."""
    given: str = field(default=default, repr=False)
    return given


def shaped(shape: Shape[T], *, secret: bool = False) -> T:
    """More than one value; the default is what empty text stands for."""
    given: T = field(
        default_factory=partial(shape.read, ""), repr=not secret, metadata={"shape": shape}
    )
    return given
