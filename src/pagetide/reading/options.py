"""What is to be read and how, and what became of a page of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from pagetide.document import ModelInfo, Page, TextLayerMode
from pagetide.engine import PageReading
from pagetide.errors import PagetideError
from pagetide.inputs import Source
from pagetide.reading.given import Given


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How documents are read.

    Attributes:
        language: A code that `languages.resolve` knows; `auto` reads whatever the model can.
        pages: Which pages, as `page_ranges.parse` reads it; None means all.
        password: For encrypted PDFs.
        dpi: Pixels per inch at which PDF pages are rendered, 72–600.
        text_layer: Whether a page's own text is used: if it can be trusted, never, or only.
        barcodes: Whether to find bar codes and QR codes.
    """

    language: str = "auto"
    pages: str | None = None
    password: str | None = field(default=None, repr=False)
    dpi: float = 144
    text_layer: TextLayerMode = "auto"
    barcodes: bool = False


class ReadArguments(TypedDict, total=False):
    """The options of `pagetide.read` beside the source; see there."""

    model: str
    options: Mapping[str, str | int | float | bool] | None
    language: str
    pages: str | None
    password: str | None
    dpi: float
    text_layer: TextLayerMode
    barcodes: bool
    threads: int | None


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Progress of reading several documents.

    Attributes:
        source: The document of the page, or the document that has ended, as it was passed.
        page: The page; None if the document cannot be opened.
        pages_done: Pages of the document that are read.
        pages: Pages of the document to read; 0 if it cannot be opened.
        documents_done: Documents that have ended, read or not.
        documents: All documents; None if the number is not known yet.
    """

    source: Given
    page: Page | None
    pages_done: int
    pages: int
    documents_done: int
    documents: int | None


@dataclass(frozen=True, kw_only=True)
class Request:
    """One document, or a part of one, to be read.

    Attributes:
        tag: Whatever the caller wants to know it by.
        wanted: Asked before each page; once it says no, the remaining pages are left out.
        begin: Called before each page is read: when it is open, and the engine is, too.
        timeouts: Pages of the document that took too long before, in other parts of it.
        prepare: Makes of `source` what can be opened; called when its turn has come.
    """

    source: Given
    options: ReadOptions
    tag: object = None
    wanted: Callable[[], bool] = lambda: True
    begin: Callable[[], None] = lambda: None
    timeouts: int = 0
    prepare: Callable[[Any], Source] = lambda source: source


@dataclass(frozen=True, kw_only=True)
class ReadPage:
    """A page of a request, read or failed.

    Attributes:
        request: Whose page it is.
        page: The page, read or with its error; None where the document cannot be opened.
        raw: What the engine itself found, where it read the page.
        model: What read it.
        error: Why the document cannot be opened.
    """

    request: Request
    page: Page | None = None
    raw: PageReading | None = None
    model: ModelInfo | None = None
    error: PagetideError | None = None
