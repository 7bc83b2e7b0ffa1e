"""Pagetide reads documents: it turns PDFs and pictures into text, boxes and reading order.

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
    """Open a reader that keeps its engine between documents; threads may share it.

    Args:
        model: The model that reads pictures; `pagetide models` lists them.
        options: Options of the model, by name.
        threads: Cores the engine may use; None means `PAGETIDE_THREADS`, or all.

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
    """Convert a document to another format.

    Args:
        document: As read.
        name: `json`, `md`, `txt`, `html`, `chunks` (JSON Lines), `fields`, `hocr`,
            `pdf` (searchable), `csv` (each table), `xlsx` (all tables), `figures` (each
            figure, chart and seal as PNG) or `png` (lines and blocks drawn on the page).
        source: What it was read from; `pdf`, `figures` and `png` need it. Not needed for a
            document that this process has read from a path or from bytes.
        password: Opens the source, if it is encrypted.
        figures: Prefix of links to figures' pictures in `md` and `html`: an address up to its
            last slash, such as `scan-figures/`. None means no links.
        line_breaks: Whether `md`, `txt` and `html` `join` the rows of a paragraph, without
            hyphenation, or `keep` each line.

    Yields:
        File name endings and contents: one file; or for `png` one per page, for `csv` one per
        table (`-p3-t1.csv`), for `figures` one per figure (`-figures/p0003-b12.png`).

    Raises:
        BadOption: There is no such format, it needs the source, or the source has changed.
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
    """Find values for a schema in a document with a model server, with their positions.

    A value that is not in the document is not returned: it is null, and `leaves` says that it
    is `ungrounded`. If a document does not fit into one request, the parts that match the
    schema best are sent, and values on which they disagree are in `conflicts`.

    Args:
        document: As read.
        schema: A JSON Schema of an object, or a Pydantic class. Each value may be null;
            `Extraction.to` returns an instance of a class.
        server: An OpenAI-compatible server: its base URL, or a `ModelServer`; None means the
            server in the settings (`PAGETIDE_EXTRACT_URL`).
        source: What it was read from, if the server's model can read pictures
            (`ModelServer.sees`): the pages are then sent, too. What this process has read from
            a path or from bytes knows it; Pages that were not sent are listed in `warnings`.
        password: Opens the source, if it is encrypted.

    Raises:
        ModelUnavailable: There is no server, or it refuses the key or model.
        BadSchema: The schema contains something that cannot be extracted.
        AnswerUnusable: The server cannot be reached, times out, or gives no usable answer.
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
    """Find answers to one or more questions in a document, with their positions.

    Uses a model server; server, source and errors are as for `extract`. `value` has the answers
    by question, and the `path` of a leaf is its question's position, from `/0`. An answer is
    copied from the document; an answer that is not there is null.
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
    """Describe figures, charts and seals with a model server that can read pictures.

    The descriptions are on no page, so nothing proves them.

    Args:
        document: As read.
        server: As for `extract`.
        source: What it was read from. Not needed for a document that this process has read from
            a path or from bytes.
        password: Opens the source, if it is encrypted.

    Returns:
        A description for each figure, or why there is none.

    Raises:
        ModelUnavailable: There is no server.
        AnswerUnusable: The call takes too long.
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
        source: A path, an `https` address, bytes, a binary file, which is read to its end, a
            PIL image, or a NumPy array of uint8: height × width, or × 3 (red, green, blue) or 4
            (and opacity).
        model: The model that reads pictures.
        options: Options of the model, by name.
        language: Such as `en` or `ch`; `auto` reads whatever the model can.
        pages: Such as `1-3,7,-1`, where -1 is the last; None means all.
        password: For an encrypted PDF. The document keeps it, only in memory, to open the
            source again for pictures.
        dpi: Pixels per inch at which PDF pages are rendered, 72–600. A picture keeps its own.
        text_layer: `auto` uses a page's own text if it can be trusted, `never` reads the
            picture, `only` uses nothing else.
        barcodes: Whether to find bar codes and QR codes, for `page.barcodes`; needs the extra
            `barcodes`.
        threads: Cores the engine may use; None means `PAGETIDE_THREADS`, or all.

    Returns:
        The document; a page that could not be read says so in its `error`.

    Raises:
        TypeError: `source` has a type that cannot be read; the message lists the types.
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

    Same arguments as `read`. Yields each page as soon as it and the pages before it are done.
    A page that could not be read says so in its `error`.

    Raises:
        TypeError: `source` has a type that cannot be read.
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
    """Read several documents; their pages are read together.

    A document that cannot be read does not stop the others.

    Args:
        sources: As for `read`; consumed as needed.
        on_progress: Called with each page that is read, and for each document without one.
        how: Options of `read`, the same for all documents.

    Yields:
        Each source with its document, or with its error.

    Raises:
        TypeError: A source has a type that cannot be read.
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
    """Read a PDF or a picture in a thread, without blocking the event loop.

    Same arguments, result and errors as `read`. Cancelling the wait does not stop the reading.

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
