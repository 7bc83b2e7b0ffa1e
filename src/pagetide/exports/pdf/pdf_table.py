"""A PDF's table of where its objects lie: found in the old bytes, written for the new.

Source: ISO 32000-1, 7.5.4 (tables), 7.5.8 (streams).
"""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from pagetide.exports.pdf import glyphless

if TYPE_CHECKING:
    from pypdf import PdfReader

# As in a table's stream: 1, offset, generation; or 2, object stream, place in it.
Place = tuple[int, int, int]

_START = re.compile(rb"startxref\s+(\d+)")
_TAIL = 2048  # startxref stands in the last kilobyte; some writers pad


class Form(Enum):
    """How a table is written; an update is to keep to it."""

    TABLE = "table"
    STREAM = "stream"


@dataclass(frozen=True)
class OldTable:
    """A file's last table.

    Attributes:
        base: What offsets count from: 0, or the header where something stands before it.
        place: The table's own offset.
        form: None where no table is where the file says; readers then look for the objects
            themselves.
    """

    base: int
    place: int
    form: Form | None


def find(original: bytes) -> OldTable:
    """The table that a file's last `startxref` leads to."""
    found = _START.findall(original[-_TAIL:])
    place = int(found[-1]) if found else 0
    header = max(original[:1024].find(b"%PDF-"), 0)
    for base in (0, header):
        head = original[base + place : base + place + 32].lstrip()
        if found and head.startswith(b"xref"):
            return OldTable(base, place, Form.TABLE)
        if found and re.match(rb"\d+\s+\d+\s+obj", head):
            return OldTable(base, place, Form.STREAM)
    return OldTable(0, 0, None)


def known(reader: PdfReader) -> dict[int, Place]:
    """All objects that a reader has found for itself in a file whose table is broken."""
    places: dict[int, Place] = {
        number: (1, offset, generation)
        for generation, table in reader.xref.items()
        for number, offset in table.items()
    }
    inner: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, (stream, offset) in reader.xref_objStm.items():
        inner[stream].append((offset, number))
    for stream, members in inner.items():
        for index, (_, number) in enumerate(sorted(members)):
            places[number] = (2, stream, index)
    return places


def table(places: Mapping[int, Place], trailer: str, size: int) -> bytes:
    """A cross-reference table with its trailer.

    Args:
        places: Of the changed objects, by number; none in object streams.
        trailer: Further entries' source.
        size: One more than the highest number in use.
    """
    parts = ["xref\n"]
    for run in _runs(sorted(places)):
        parts.append(f"{run[0]} {len(run)}\n")
        for number in run:
            _, offset, generation = places[number]
            parts.append(f"{offset:010d} {generation:05d} n \n")
    parts.append(f"trailer\n<< /Size {size}{trailer}>>\n")
    return "".join(parts).encode("latin-1")


def stream(places: Mapping[int, Place], trailer: str, number: int) -> bytes:
    """A cross-reference stream, itself an object.

    Args:
        places: By number, the stream's own among them.
        trailer: Further entries' source.
        number: The stream's own, the highest in use.
    """
    numbers = sorted(places)
    rows = b"".join(struct.pack(">BQH", *places[each]) for each in numbers)
    index = " ".join(f"{run[0]} {len(run)}" for run in _runs(numbers))
    entries = f"/Type /XRef /Size {number + 1} /W [1 8 2] /Index [{index}]{trailer}"
    dictionary, packed = glyphless.deflated(rows, entries)
    head = f"{number} 0 obj\n{dictionary}\nstream\n".encode("latin-1")
    return head + (packed or b"") + b"\nendstream\nendobj\n"


def _runs(numbers: list[int]) -> Iterator[list[int]]:
    """The sorted numbers as runs without gaps."""
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run
