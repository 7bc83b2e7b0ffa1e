"""Pagetide reads documents: PDFs and pictures in; text, boxes and reading order out.

import pagetide

document = pagetide.read("scan.pdf")
document.pages[0].lines[0].text
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, BinaryIO

from pagetide.document import (
    Block,
    Cell,
    Document,
    Failure,
    Line,
    LineBreaks,
    Notice,
    Page,
    Table,
    TextLayerMode,
    Word,
)
from pagetide.document.answers import answered_by
from pagetide.errors import PagetideError

if TYPE_CHECKING:
    from pagetide.client import AsyncClient, Client
    from pagetide.document.answers import Answers
    from pagetide.reading import Reader, ReadOptions

__all__ = [
    "AsyncClient",
    "Block",
    "Cell",
    "Client",
    "Document",
    "Failure",
    "Line",
    "Notice",
    "Page",
    "PagetideError",
    "ReadOptions",
    "Reader",
    "Table",
    "Word",
    "export",
    "open_reader",
    "read",
    "read_pages",
]


def __getattr__(name: str) -> object:
    # These are loaded when they are first named, so that the import stays light.
    if name in ("Reader", "ReadOptions"):
        from pagetide import reading

        return getattr(reading, name)
    if name in ("Client", "AsyncClient"):
        from pagetide import client

        return getattr(client, name)
    raise AttributeError(f"module 'pagetide' has no attribute {name!r}")


def _answers() -> Answers:
    from pagetide.reading import answers

    return answers


answered_by(_answers)


def open_reader(
    model: str = "structure-lite",
    *,
    options: Mapping[str, str | int | float | bool] | None = None,
    threads: int | None = None,
) -> Reader:
    """A reader that keeps its engine from document to document; threads may share it.

    Args:
        model: What reads the pictures; `pagetide models` lists them.
        options: What the model takes beside, by name.
        threads: Cores the engine may use; None means `PAGETIDE_THREADS`, else all.

    Raises:
        UnknownModel: There is no such model.
    """
    from pagetide.server import wiring

    return wiring.open_reader(model, options=options, threads=threads)


def export(
    document: Document,
    name: str,
    *,
    source: str | PathLike[str] | bytes | None = None,
    password: str | None = None,
    figures: str | None = None,
    line_breaks: LineBreaks = "join",
) -> Iterator[tuple[str, bytes]]:
    """A document in another program's format.

    Args:
        document: As read.
        name: `json`, `md`, `txt`, `html`, `hocr`, `pdf` (searchable), `csv` (each table),
            `xlsx` (all tables), `figures` (each figure, chart and seal as PNG) or `png`
            (lines and blocks drawn on the page).
        source: What it was read from; `pdf`, `figures` and `png` need it.
        password: Opens the source, where it is encrypted.
        figures: Where `md` and `html` link to figures' pictures: an address up to its last
            slash, such as `scan-figures/`. None makes no links.
        line_breaks: Whether `md`, `txt` and `html` `join` a paragraph's rows, and undo
            hyphens, or `keep` each line.

    Yields:
        Endings of file names and contents: one file; or for `png` one for each page, for
        `csv` one for each table (`-p3-t1.csv`), for `figures` one for each
        (`-figures/p0003-b12.png`).

    Raises:
        BadOption: There is no such format, or it needs the source, or that has changed.
        PagetideError: The source can no longer be read.
    """
    from pagetide import exports
    from pagetide.reading import origins

    style = exports.Style(figures=figures, line_breaks=line_breaks)
    return origins.export_document(document, name, source, password, style)


def read(
    source: str | PathLike[str] | bytes | BinaryIO,
    *,
    model: str = "structure-lite",
    options: Mapping[str, str | int | float | bool] | None = None,
    language: str = "auto",
    pages: str | None = None,
    password: str | None = None,
    dpi: float = 144,
    text_layer: TextLayerMode = "auto",
    threads: int | None = None,
) -> Document:
    """Read a PDF or a picture.

    Args:
        source: A path, the bytes themselves, or a binary file, read to its end.
        model: What reads the pictures.
        options: What the model takes beside, by name.
        language: Such as `en` or `ch`; `auto` reads whatever the model can.
        pages: Such as `1-3,7,-1`, where -1 is the last; None means all.
        password: For an encrypted PDF.
        dpi: Pixels per inch at which PDF pages are rendered, 72–600. A picture keeps its own.
        text_layer: `auto` takes a page's own text when it can be trusted, `never` reads the
            picture, `only` takes nothing else.
        threads: Cores the engine may use; None means `PAGETIDE_THREADS`, else all.

    Returns:
        The document; a page that could not be read says so in its `error`.

    Raises:
        PagetideError: The document cannot be opened, no page can be read, or an option is
            wrong; `code` says which.
    """
    from pagetide.reading import ReadOptions

    how = ReadOptions(
        language=language, pages=pages, password=password, dpi=dpi, text_layer=text_layer
    )
    with open_reader(model, options=options, threads=threads) as reader:
        return reader.read(source, how)


def read_pages(
    source: str | PathLike[str] | bytes | BinaryIO,
    *,
    model: str = "structure-lite",
    options: Mapping[str, str | int | float | bool] | None = None,
    language: str = "auto",
    pages: str | None = None,
    password: str | None = None,
    dpi: float = 144,
    text_layer: TextLayerMode = "auto",
    threads: int | None = None,
) -> Iterator[Page]:
    """Read a PDF or a picture page by page, in constant memory.

    Takes what `read` takes, and gives each page as soon as it and those before it are done.
    A page that could not be read says so in its `error`.

    Raises:
        PagetideError: The document cannot be opened, or an option is wrong.
    """
    from pagetide.reading import ReadOptions

    how = ReadOptions(
        language=language, pages=pages, password=password, dpi=dpi, text_layer=text_layer
    )
    with open_reader(model, options=options, threads=threads) as reader:
        yield from reader.read_pages(source, how)
