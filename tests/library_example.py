"""A program that uses the whole library: type-checked with the tests, and never run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

import pagetide


def told(progress: pagetide.Progress) -> None:
    """Show the progress."""
    name = progress.page.number if progress.page else "not opened"
    print(progress.source, name, progress.documents_done, progress.documents)


def forms(document: pagetide.Document) -> list[Path]:
    """A document in every form."""
    rows: list[list[str]] = [row for table in document.tables for row in table.to_rows()]
    for page in document.pages:
        size: tuple[int, int] = page.image(overlay=True).size
        print(size, page.to_markdown(), [figure.kind for figure in page.figures], rows)
    for chunk in document.chunks(max_tokens=100, overlap=10, by="page", tokenizer=len):
        print(chunk.full_text, chunk.pages, chunk.places[0].polygon)
    print(document.chunks(tokenizer=lambda text: text.split()), document.to_dict()["source"])
    return [*document.save("out/report.xlsx"), *document.save("out/report.pdf", source=b"")]


def read_all() -> None:
    """Every kind of input, in every way."""
    forms(pagetide.read(Image.new("L", (3, 3))))
    forms(pagetide.read(np.zeros((3, 3), np.uint8), dpi=200))
    for source, result in pagetide.read_many(["a", b"b"], on_progress=told, language="de"):
        code = result.code if isinstance(result, pagetide.PagetideError) else result.text
        print(source, code)
    with pagetide.open_reader(threads=2) as reader, Path("a").open("rb") as file:
        print(reader.read(file, pagetide.ReadOptions(language="en")).to_text())


async def read_beside() -> str:
    """Read one beside an event loop."""
    document = await pagetide.aread("https://example.org/scan.pdf", pages="1")
    return document.to_html()
