"""Pages of the corpus have the rules of their tables."""

from __future__ import annotations

from pathlib import Path

from pagetide.inputs.pdf.document import PdfDocument


def test_pages_of_the_corpus_have_their_grids(corpus: Path) -> None:
    folder = corpus / "icdar2013pdf"
    sources = sorted(folder.glob("*.pdf"))[:8]
    assert sources
    ruled = 0
    for source in sources:
        document = PdfDocument(source.read_bytes(), None)
        for index in range(document.page_count):
            reply = document.page(index, 144, "auto", 100_000_000).value
            rules = reply.drawn.rules  # type: ignore[attr-defined]
            ruled += len(rules) >= 4
            assert not reply.drawn.too_many  # type: ignore[attr-defined]
        document.close()
    assert ruled >= len(sources)
