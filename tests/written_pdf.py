"""PDFs written by hand, so that a test controls exactly what is on the page."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
PAGE, CONTENT, FONT_NUMBER, FIRST_EXTRA = 3, 4, 5, 6


def stream(entries: bytes, body: bytes) -> bytes:
    """A stream object."""
    return b"<<" + entries + b"/Length %d>>stream\n" % len(body) + body + b"\nendstream"


def picture(width: int, height: int, grey: int = 200, entries: bytes = b"") -> bytes:
    """An image of uniform grey."""
    header = b"/Type/XObject/Subtype/Image/ColorSpace/DeviceGray/BitsPerComponent 8"
    header += b"/Width %d/Height %d/Filter/FlateDecode" % (width, height)
    return stream(header + entries, zlib.compress(bytes([grey]) * (width * height)))


def objects_of(
    content: bytes,
    *,
    page: bytes = b"",
    catalog: bytes = b"",
    resources: bytes = b"",
    extra: tuple[bytes, ...] = (),
    font: bytes = FONT,
    size: tuple[int, int] = (612, 792),
) -> list[bytes]:
    """The objects of a PDF of one page: its catalog, the list of pages, the page and the rest.

    Args:
        content: The page's operators; the font is F1.
        page: Further entries of the page.
        catalog: Further entries of the catalog.
        resources: Further entries of the page's resources.
        extra: Further objects, numbered from 6.
        font: The font's object.
        size: The MediaBox's width and height.
    """
    return [
        b"<</Type/Catalog/Pages 2 0 R" + catalog + b">>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents 4 0 R" % size
        + b"/Resources<</Font<</F1 5 0 R>>"
        + resources
        + b">>"
        + page
        + b">>",
        stream(b"", content),
        font,
        *extra,
    ]


def assembled(objects: Sequence[bytes]) -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalog."""
    written, places = b"%PDF-1.7\n", []
    for number, item in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n" % number + item + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    return (
        written
        + b"xref\n0 %d\n0000000000 65535 f \n" % count
        + table
        + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (count, len(written))
    )


def written_pdf(content: bytes, **more: Any) -> bytes:
    """A PDF of one page; see `objects_of`."""
    return assembled(objects_of(content, **more))


def text(words: bytes, x: float = 50, y: float = 700, *, size: float = 12) -> bytes:
    """Operators that show a line of text."""
    return b"BT /F1 %g Tf %g %g Td (%s) Tj ET\n" % (size, x, y, words)
