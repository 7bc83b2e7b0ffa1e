"""What a setting's field may be beside its type and default."""

from __future__ import annotations

from dataclasses import field
from typing import Any, TypeVar

from pagetide.settings.tables import Shape

N = TypeVar("N", int, float)


def positive(default: N) -> N:
    """A number with which, at 0, nothing could be done."""
    given: N = field(default=default, metadata={"positive": True})
    return given


def hidden(default: str = "") -> str:
    """Text that may hold a secret, and is never shown."""
    given: str = field(default=default, repr=False)
    return given


def shaped(shape: Shape, *, secret: bool = False) -> Any:
    """More than one value."""
    return field(
        default_factory=lambda: shape.default, repr=not secret, metadata={"shape": shape}
    )
