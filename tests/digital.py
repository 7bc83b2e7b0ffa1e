"""A digital PDF with tables, from the samples plus a drawn one: read in milliseconds."""

from __future__ import annotations

import functools
import io
from pathlib import Path

import pypdf

from tests.drawn.tables import tables_pdf

MIXED = Path(__file__).parents[1] / "samples" / "mixed.pdf"
DIGITAL = (1, 3)  # of its pages with a sound text layer


@functools.cache
def digital_pdf() -> bytes:
    """Three pages that carry their own text."""
    reader, writer = pypdf.PdfReader(MIXED), pypdf.PdfWriter()
    for number in DIGITAL:
        writer.add_page(reader.pages[number - 1])
    writer.append(io.BytesIO(tables_pdf()), pages=(4, 5))  # cells that span others
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()
