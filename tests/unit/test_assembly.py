"""What a job's pages together tell is in its document, as it is in the library's."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pypdf
import pytest

import pagetide
from pagetide.document import Document
from pagetide.server.blobs import ObjectBlobs
from tests.serving import Place, inspector
from tests.written_pdf import written_pdf


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with_inspector = inspector()
    yield Place(tmp_path, with_inspector, blobs=ObjectBlobs.in_folder(tmp_path / "blobs"))
    with_inspector.close()


def report() -> bytes:
    """Three pages under one running head that stands as low as text may."""
    writer = pypdf.PdfWriter()
    for number in range(3):
        rows = [
            b"The %d. boat carried %d sacks of grain over." % (number, n) for n in range(20)
        ]
        shown = [b"BT /F1 10 Tf 72 690 Td (Harbour report) Tj ET"]
        shown += [
            b"BT /F1 10 Tf 72 %d Td (%s) Tj ET" % (640 - 14 * n, row)
            for n, row in enumerate(rows)
        ]
        writer.append(io.BytesIO(written_pdf(b"\n".join(shown))))
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def test_a_running_head_is_told_by_all_pages(place: Place) -> None:
    content = report()
    ended = place.submit(content, options={"text_layer": "only"})
    place.work()
    made = place.blobs.get(place.job(ended).results["json"].key)
    document = Document.from_json(made)
    read = pagetide.read(content, text_layer="only")
    assert [page.blocks for page in document.pages] == [page.blocks for page in read.pages]
    assert [page.blocks[0].kind for page in document.pages] == ["header"] * 3
    assert all(place.service.pages.json(place.job(ended), n) in made for n in (1, 2, 3))
