"""A digital PDF with tables, out of the samples: real, and read in milliseconds."""

from __future__ import annotations

import functools
import io
from pathlib import Path

import pypdf

MIXED = Path(__file__).parents[1] / "samples" / "mixed.pdf"
DIGITAL = (1, 3, 6)  # its pages with a sound text layer; tables with a span are on the first


@functools.cache
def digital_pdf() -> bytes:
    """Three pages that carry their own text."""
    reader, writer = pypdf.PdfReader(MIXED), pypdf.PdfWriter()
    for number in DIGITAL:
        writer.add_page(reader.pages[number - 1])
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()
