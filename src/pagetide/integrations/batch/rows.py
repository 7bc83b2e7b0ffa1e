"""The row that every page becomes, whichever way it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Raw, Struct

from pagetide import Page, PagetideError, export
from pagetide.document import Document, ModelInfo, Notice, SourceInfo


class PageRow(Struct, frozen=True, kw_only=True, gc=False):
    """A page, or why it, or its whole document, could not be read.

    Attributes:
        document: What its source calls it.
        page: From 1; None where the document could not be opened.
        text: In reading order.
        markdown: The same with headings, lists and tables.
        blocks: JSON: the page's blocks, as in `document.schema.json`.
        tables: JSON: the tables among them, each with its block's `order`.
        confidence: The mean of its lines', 0–1; None where they have none, as those of a
            text layer.
        notices: What was not done, or is doubtful.
        error: Why it could not be read.
    """

    document: str
    page: int | None = None
    text: str = ""
    markdown: str = ""
    blocks: str = "[]"
    tables: str = "[]"
    confidence: float | None = None
    notices: tuple[Notice, ...] = ()
    error: Notice | None = None


class DocumentRow(Struct, frozen=True, kw_only=True, gc=False):
    """A document's pages as one row, a form feed between their texts.

    Attributes:
        pages: How many were read or failed; 0 where it could not be opened.
        failed_pages: Those that could not be read.
        error: Why it, or else the first of those pages, could not be read.
    """

    document: str
    pages: int
    failed_pages: tuple[int, ...] = ()
    text: str = ""
    markdown: str = ""
    confidence: float | None = None
    notices: tuple[Notice, ...] = ()
    error: Notice | None = None


def row_of(document: str, page: Page, model: ModelInfo) -> PageRow:
    """A page that was read, or that could not be."""
    if page.error:
        return PageRow(document=document, page=page.number, error=_reason(page.error))
    return PageRow(
        document=document,
        page=page.number,
        text=page.text,
        markdown=_markdown(page, model),
        blocks=msgspec.json.encode(page.blocks).decode(),
        tables=msgspec.json.encode(list(_tables(page))).decode(),
        confidence=_mean(line.confidence for line in page.lines),
        notices=page.warnings,
    )


def failed(document: str, error: PagetideError, page: int | None = None) -> PageRow:
    """A page, or a whole document, that could not be read."""
    return PageRow(document=document, page=page, error=_reason(error))


def in_documents(rows: Iterable[PageRow]) -> Iterator[DocumentRow]:
    """One row for each document; rows of one document may be apart, and come in any order."""
    found: dict[str, list[PageRow]] = {}
    for row in rows:
        found.setdefault(row.document, []).append(row)
    for name, pages in found.items():
        pages.sort(key=lambda row: row.page or 0)
        bad = [row for row in pages if row.error]
        yield DocumentRow(
            document=name,
            pages=sum(row.page is not None for row in pages),
            failed_pages=tuple(row.page for row in bad if row.page),
            text="\f".join(row.text for row in pages),
            markdown="\n".join(row.markdown for row in pages),
            confidence=_mean(row.confidence for row in pages),
            notices=tuple(dict.fromkeys(notice for row in pages for notice in row.notices)),
            error=bad[0].error if bad else None,
        )


def as_json(row: PageRow | DocumentRow) -> bytes:
    """A row as a line of JSON, in which blocks and tables are no strings."""
    fields = msgspec.structs.asdict(row)
    nested = {
        name: Raw(fields[name].encode()) for name in ("blocks", "tables") if name in fields
    }
    return msgspec.json.encode({**fields, **nested})


def _reason(error: PagetideError | msgspec.Struct) -> Notice:
    return Notice(code=getattr(error, "code"), message=getattr(error, "message"))  # noqa: B009


def _markdown(page: Page, model: ModelInfo) -> str:
    source = SourceInfo(name="", sha256="", bytes=0, media_type="", page_count=page.number)
    document = Document(source=source, model=model, pages=(page,))
    return b"".join(content for _, content in export(document, "md")).decode()


def _tables(page: Page) -> Iterator[dict[str, object]]:
    for block in page.blocks:
        if block.table:
            yield {"block": block.order, **msgspec.to_builtins(block.table)}


def _mean(given: Iterable[float | None]) -> float | None:
    known = [one for one in given if one is not None]
    return round(sum(known) / len(known), 4) if known else None
