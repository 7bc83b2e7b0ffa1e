"""A request as the fuzzer holds it: in parts that can be made wrong one by one."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

BOUNDARY = "tide"
JSON = "application/json"
# Texts that become JSON so deep that Python's own writer cannot write it.
DEEP = {
    f"{kind} {depth} deep": opening * depth + "1" + closing * depth
    for depth in (40, 900, 940, 970, 30_000)  # Python's own end is near 1,000
    for kind, opening, closing in (("list", "[", "]"), ("object", '{"a":', "}"))
}


class Twin(str):
    """A key that is equal to no other: so an object can have one twice."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


@dataclass
class Part:
    """A field of a form; its value is a text, bytes, or what becomes JSON."""

    name: str
    value: Any
    file_name: str | None = None

    def encoded(self) -> bytes:
        """The part between two boundaries."""
        named = f'; filename="{self.file_name}"' if self.file_name is not None else ""
        head = f'Content-Disposition: form-data; name="{self.name}"{named}\r\n\r\n'
        return head.encode("utf-8", "surrogatepass") + in_form(self.value) + b"\r\n"


@dataclass
class Asked:
    """A request.

    Attributes:
        path: With `{name}` where one of `places` goes.
        places: The path's parameters, by name.
        query: Names and values, in order.
        headers: Names in small letters and values, in order.
        json: The body as JSON, if it is some; `form` and `raw` likewise.
    """

    method: str
    path: str
    places: dict[str, Any] = field(default_factory=dict)
    query: list[tuple[str, Any]] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    json: Any = None
    form: list[Part] | None = None
    raw: bytes | None = None

    @property
    def target(self) -> str:
        """Path and query as they stand in the request's first line."""
        path = self.path
        for name, value in self.places.items():
            path = path.replace(f"{{{name}}}", _quoted(value))
        query = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in self.query)
        return f"{path}?{query}" if query else path

    def body(self) -> bytes:
        """What is sent."""
        if self.raw is not None:
            return self.raw
        if self.form is not None:
            parts = b"".join(b"--%s\r\n" % BOUNDARY.encode() + p.encoded() for p in self.form)
            return parts + b"--%s--\r\n" % BOUNDARY.encode()
        return in_json(self.json) if self.json is not None else b""


def in_json(value: Any) -> bytes:
    """JSON as a careless client writes it: with NaN, half characters and keys given twice."""
    text = json.dumps(value, default=lambda raw: raw.decode("latin-1"))
    for name, deep in DEEP.items():
        text = text.replace(f'"{name}"', deep)
    return text.encode()


def in_form(value: Any) -> bytes:
    """A form's value."""
    if isinstance(value, bytes):
        return value
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else in_json(value)


def _quoted(value: Any) -> str:
    text = value if isinstance(value, str | bytes) else in_json(value)
    return (
        quote(text, safe="", errors="surrogatepass")
        if isinstance(text, str)
        else quote(text, safe="")
    )
