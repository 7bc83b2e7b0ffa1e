"""The steps that a conversation with a server is made of.

A conversation is a generator: it yields a step, and is sent what came of it. So what is
said stands once, whether threads or an event loop carry it out.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Generic, TypeAlias, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Request:
    """Send a request; a `Reply` comes of it, or `Broken`.

    Attributes:
        path: Below the server's address; or where else it goes, which may not see our key.
        json: The body, where it is JSON.
        form: Fields of a multipart body.
        file: Name and content of its `file`; read from the start for each attempt.
        waits_s: How long the server may take on purpose.
        into: Takes the body of a reply with status 200, in the place of what it held.
        listen: Leave the body of a reply with status 200 to be read piece by piece.
        elsewhere: The path is a whole URL.
    """

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    json: bytes | None = None
    form: Mapping[str, str] | None = None
    file: tuple[str, BinaryIO] | None = None
    waits_s: float = 0.0
    into: BinaryIO | None = None
    listen: bool = False
    elsewhere: bool = False


@dataclass(frozen=True)
class Hear:
    """Wait for more of the reply that is listened to; empty bytes once it is over."""


@dataclass(frozen=True)
class Pause:
    """Wait."""

    seconds: float


@dataclass(frozen=True)
class Do:
    """Call a function that may take long, such as one that reads a pipe."""

    function: Callable[[], Any]


@dataclass(frozen=True)
class Give(Generic[T]):
    """Hand a value to who iterates."""

    value: T


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a server answered; the names of headers are in small letters."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class Broken:
    """No answer came; why, as the end of a sentence."""

    reason: str


Step: TypeAlias = Request | Hear | Pause | Do
# What returns a value, and what hands out values one by one.
Steps: TypeAlias = Generator[Step, Any, T]
Stream: TypeAlias = Generator[Step | Give[T], Any, None]
