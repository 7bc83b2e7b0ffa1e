"""The name and the type with which a cloud serves a blob by its link.

obstore (0.12) signs links without the parameters that would set a name and a type, so a blob
is given them when it is put, by the ending of its key.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obstore import Attributes

_TYPES = {
    ".hocr": "text/vnd.hocr+html",
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".txt": "text/plain",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".zip": "application/zip",
}


def media_type_of(key: str) -> str | None:
    """The type of the blob under a key; None where its ending is not known."""
    return _TYPES.get(PurePosixPath(key).suffix)


def attributes_of(key: str) -> Attributes:
    """A blob's attributes in a cloud's store: its type, and that no browser is to show it."""
    name = PurePosixPath(key).name
    return {
        "Content-Type": media_type_of(key) or "application/octet-stream",
        "Content-Disposition": f'attachment; filename="{name}"',
    }
