"""The formats of a result, as files and as values."""

from __future__ import annotations

from pathlib import Path

import httpx

from pagetide.document.kinds import RESULT_FORMATS
from pagetide.errors import BadOption

FORMATS = RESULT_FORMATS
_SUFFIXES = {
    "raw": ".raw.json",
    "chunks": ".chunks.jsonl",
    "fields": ".fields.json",
    "csv": ".csv.zip",
    "figures": ".figures.zip",
}


def suffix_of(name: str) -> str:
    """The file name suffix of a format."""
    return _SUFFIXES.get(name, f".{name}")


def format_for(path: Path) -> str:
    """The format that a file's ending stands for.

    Raises:
        BadOption: None.
    """
    for name in sorted(FORMATS, key=lambda name: -len(suffix_of(name))):
        if path.name.lower().endswith(suffix_of(name)):
            return name
    raise BadOption(
        f"The extension of {path.name!r} is not a known format; use one of"
        f" {', '.join(FORMATS)}."
    )


def content_of(reply: httpx.Response) -> str | bytes:
    """A result as text, where its media type is one of text, else as bytes."""
    media_type = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type.startswith("text/") or media_type in (
        "application/json",
        "application/jsonl",
    ):
        return reply.content.decode()
    return reply.content
