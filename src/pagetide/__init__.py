"""Pagetide reads documents: PDFs and pictures in; text, boxes and reading order out.

import pagetide

document = pagetide.read("scan.pdf")
document.pages[0].lines[0].text
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from pagetide.document import (
    Block,
    Cell,
    Chunk,
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
    from pagetide.document.extraction import Descriptions, Extraction
    from pagetide.reading import Given, Progress, Reader, ReadOptions
    from pagetide.reading.extraction import ModelServer
    from pagetide.reading.options import ReadArguments

__all__ = [
    "AsyncClient",
    "Block",
    "Cell",
    "Chunk",
    "Client",
    "Document",
    "Failure",
    "Line",
    "ModelServer",
    "Notice",
    "Page",
    "PagetideError",
    "Progress",
    "ReadOptions",
    "Reader",
    "Table",
    "Word",
    "aread",
    "ask",
    "describe_figures",
    "export",
    "extract",
    "open_reader",
    "read",
    "read_many",
    "read_pages",
]


def __getattr__(name: str) -> object:
    # These are loaded when they are first named, so that the import stays light.
    if name in ("Progress", "Reader", "ReadOptions"):
        from pagetide import reading

        return getattr(reading, name)
    if name == "ModelServer":
        from pagetide.reading import extraction

        return extraction.ModelServer
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

    >>> with pagetide.open_reader() as reader:
    ...     reader.read("table.png").pages[0].lines[0].text
    'Appendix B: figures'
    """
    from pagetide.reading import opening

    return opening.open_reader(model, options=options, threads=threads)


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
        name: `json`, `md`, `txt`, `html`, `chunks` (JSON Lines), `fields`, `hocr`,
            `pdf` (searchable), `csv` (each table), `xlsx` (all tables), `figures` (each
            figure, chart and seal as PNG) or `png` (lines and blocks drawn on the page).
        source: What it was read from; `pdf`, `figures` and `png` need it. What this process
            has read from a path or from bytes knows it.
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

    >>> for ending, content in pagetide.export(document, "csv"):
    ...     print(ending, content[:14])
    -p1-t1.csv b'Day,High water'
    -p1-t2.csv b'Species,2020,2'
    """
    from pagetide import exports
    from pagetide.reading import origins

    style = exports.Style(figures=figures, line_breaks=line_breaks)
    return origins.export_document(document, name, source, password, style)


def extract(
    document: Document,
    schema: object,
    *,
    server: str | ModelServer | None = None,
    source: str | PathLike[str] | bytes | None = None,
    password: str | None = None,
) -> Extraction:
    """Values for a schema, found in a document by a model server, with where each stands.

    What stands nowhere in the document is not returned: its value is null, and `leaves` says
    that it is `ungrounded`. Of a document that does not fit into one request the parts are
    asked that have most to do with the schema, and what they disagree on is in `conflicts`.

    Args:
        document: As read.
        schema: A JSON Schema of an object, or a Pydantic class. Each value may come back as
            null; `Extraction.to` makes an instance of a class.
        server: An OpenAI-compatible server: its base URL, or a `ModelServer`; None means the
            one that the settings name (`PAGETIDE_EXTRACT_URL`).
        source: What it was read from, if the server's model sees (`ModelServer.sees`): it is
            shown the pages. What this process has read from a path or from bytes knows it;
            which pages were not shown stands in `warnings`.
        password: Opens the source, where it is encrypted.

    Raises:
        ModelUnavailable: There is no server, or not for this key or model.
        BadSchema: The schema asks for what cannot be extracted.
        AnswerUnusable: The server cannot be reached, none of its answers can be used, or none
            comes in time.
    """
    from pagetide.reading import extraction

    return extraction.extract(document, schema, server, source=source, password=password)


def ask(
    document: Document,
    questions: str | Sequence[str],
    *,
    server: str | ModelServer | None = None,
    source: str | PathLike[str] | bytes | None = None,
    password: str | None = None,
) -> Extraction:
    """Answers to one question or several, found in a document, with where each stands.

    A model server is asked: takes one and a source, and raises, as `extract` does. `value` has
    the answers by question, and the `path` of a leaf is its question's place, from `/0`. An
    answer is copied from the document; one that does not stand there is null.
    """
    from pagetide.reading import extraction

    return extraction.ask(document, questions, server, source=source, password=password)


def describe_figures(
    document: Document,
    *,
    server: str | ModelServer | None = None,
    source: str | PathLike[str] | bytes | None = None,
    password: str | None = None,
) -> Descriptions:
    """What the figures, charts and seals show, in the words of a model server that sees.

    These words stand on no page, so nothing proves them.

    Args:
        document: As read.
        server: As `extract` takes it.
        source: What it was read from. What this process has read from a path or from bytes
            knows it.
        password: Opens the source, where it is encrypted.

    Returns:
        A description for each figure, or why there is none.

    Raises:
        ModelUnavailable: There is no server.
        AnswerUnusable: All of it takes too long.
        BadOption: The source is not known, or has changed since.
        PagetideError: It can no longer be read.
    """
    from pagetide.reading import extraction

    return extraction.describe_figures(document, server, source, password)


def read(
    source: Given,
    *,
    model: str = "structure-lite",
    options: Mapping[str, str | int | float | bool] | None = None,
    language: str = "auto",
    pages: str | None = None,
    password: str | None = None,
    dpi: float = 144,
    text_layer: TextLayerMode = "auto",
    barcodes: bool = False,
    threads: int | None = None,
) -> Document:
    """Read a PDF or a picture.

    Args:
        source: A path, an `https` address, the bytes themselves, a binary file, which is read
            to its end, a PIL image, or a NumPy array of uint8: height × width, or × 3 (red,
            green, blue) or 4 (and opacity).
        model: What reads the pictures.
        options: What the model takes beside, by name.
        language: Such as `en` or `ch`; `auto` reads whatever the model can.
        pages: Such as `1-3,7,-1`, where -1 is the last; None means all.
        password: For an encrypted PDF. The document keeps it, in memory alone, to open the
            source again for pictures.
        dpi: Pixels per inch at which PDF pages are rendered, 72–600. A picture keeps its own.
        text_layer: `auto` takes a page's own text when it can be trusted, `never` reads the
            picture, `only` takes nothing else.
        barcodes: Whether bar codes and QR codes are looked for, for `page.barcodes`; needs the
            extra `barcodes`.
        threads: Cores the engine may use; None means `PAGETIDE_THREADS`, else all.

    Returns:
        The document; a page that could not be read says so in its `error`.

    Raises:
        TypeError: `source` is nothing that can be read; the message says what can.
        PagetideError: The document cannot be opened, no page can be read, or an option is
            wrong; `code` says which.

    >>> pagetide.read("table.png")
    <Document 'table.png': 1 page, 164 words, 2 tables, 'structure-lite'>
    """
    from pagetide.reading import ReadOptions

    how = ReadOptions(
        language=language,
        pages=pages,
        password=password,
        dpi=dpi,
        text_layer=text_layer,
        barcodes=barcodes,
    )
    with open_reader(model, options=options, threads=threads) as reader:
        return reader.read(source, how)


def read_pages(
    source: Given,
    *,
    model: str = "structure-lite",
    options: Mapping[str, str | int | float | bool] | None = None,
    language: str = "auto",
    pages: str | None = None,
    password: str | None = None,
    dpi: float = 144,
    text_layer: TextLayerMode = "auto",
    barcodes: bool = False,
    threads: int | None = None,
) -> Iterator[Page]:
    """Read a PDF or a picture page by page, in constant memory.

    Takes what `read` takes, and gives each page as soon as it and those before it are done.
    A page that could not be read says so in its `error`.

    Raises:
        TypeError: `source` is nothing that can be read.
        PagetideError: The document cannot be opened, or an option is wrong.

    >>> for page in pagetide.read_pages("table.png"):
    ...     print(page)
    <Page 1: 1240 × 1250 px, 101 lines, 164 words, 6 blocks, 2 tables>
    """
    from pagetide.reading import ReadOptions

    how = ReadOptions(
        language=language,
        pages=pages,
        password=password,
        dpi=dpi,
        text_layer=text_layer,
        barcodes=barcodes,
    )
    with open_reader(model, options=options, threads=threads) as reader:
        yield from reader.read_pages(source, how)


def read_many(
    sources: Iterable[Given],
    *,
    on_progress: Callable[[Progress], object] | None = None,
    **how: Unpack[ReadArguments],
) -> Iterator[tuple[Given, Document | PagetideError]]:
    """Read documents one after the other, their pages side by side.

    One that cannot be read does not stop the others.

    Args:
        sources: What `read` takes; taken as they are needed.
        on_progress: Called with each page that is read, and for each document without one.
        how: As `read` takes it, the same for all of them.

    Yields:
        Each source with its document, or with the error that kept it from being read.

    Raises:
        TypeError: A source is nothing that can be read.
        PagetideError: An option is wrong.

    >>> for source, document in pagetide.read_many(["table.png", "gone.pdf"]):
    ...     print(source, document)
    table.png <Document 'table.png': 1 page, 164 words, 2 tables, 'structure-lite'>
    gone.pdf gone.pdf does not exist.
    """
    reader, options = _opened(**how)
    with reader:
        yield from reader.read_many(sources, options, on_progress=on_progress)


async def aread(source: Given, **how: Unpack[ReadArguments]) -> Document:
    """Read a PDF or a picture in a thread, while the event loop goes on.

    Takes, gives and raises what `read` does. Who gives up waiting does not stop the reading.

    >>> asyncio.run(pagetide.aread("table.png"))
    <Document 'table.png': 1 page, 164 words, 2 tables, 'structure-lite'>
    """
    import asyncio

    return await asyncio.to_thread(read, source, **how)


def _opened(
    *,
    model: str = "structure-lite",
    options: Mapping[str, str | int | float | bool] | None = None,
    threads: int | None = None,
    **how: Any,
) -> tuple[Reader, ReadOptions]:
    from pagetide.reading import ReadOptions

    return open_reader(model, options=options, threads=threads), ReadOptions(**how)
