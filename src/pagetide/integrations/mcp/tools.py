"""The tools: what each takes, and what it answers with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from pagetide.document import Page, Table, page_ranges
from pagetide.exports import Chunking, chunks, fields, grid
from pagetide.exports.tables import tables_csv
from pagetide.exports.text import markdown
from pagetide.integrations.mcp.answers import (
    MOST_LETTERS,
    MOST_PAGES,
    Answer,
    PagesRead,
    cut,
    document_of,
    markdown_of,
)
from pagetide.integrations.mcp.arguments import OfPages, ToolArguments
from pagetide.integrations.mcp.extracting import ExtractValues
from pagetide.integrations.mcp.readings import IsWanted, Library, Opened

MOST_HITS = 50
MOST_FIELDS = 400
_AROUND = 80


class ReadDocument(OfPages, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`read_document`."""

    says: ClassVar[str] = (
        "Read a PDF or picture, scanned or not, as Markdown with headings, lists and"
        f" tables. A call reads at most {MOST_PAGES} pages and says which pages are"
        " not included."
    )

    def answer(self, library: Library, model: str, wanted: IsWanted) -> Answer:
        """See `ToolArguments`."""
        read = self.read(library, model, wanted)
        texts: list[str] = []
        for page in read.pages:
            text = markdown_of(read.opened, page)
            if texts and sum(map(len, texts)) + len(text) > MOST_LETTERS:
                break
            texts.append(cut(text, 0, f"page {page.number}: get_page returns the rest"))
        return Answer(text="\n\n".join([read.head(len(texts)), *texts]))


class ListPages(OfPages, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`list_pages`."""

    says: ClassVar[str] = (
        "List a document's pages: size, how much text each has, its tables, and warnings."
    )

    def answer(self, library: Library, model: str, wanted: IsWanted) -> Answer:
        """See `ToolArguments`."""
        read = self.read(library, model, wanted)
        rows = [_row(page) for page in read.pages]
        fields = {
            "page_count": read.opened.info.page_count,
            "pages": rows,
            "not_included": page_ranges.written(read.left),
        }
        lines = [" · ".join(_phrases(row)) for row in rows]
        return Answer(text="\n".join([read.head(), "", *lines]), fields=fields)


class GetPage(ToolArguments, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`get_page`."""

    says: ClassVar[str] = (
        "Read one page as Markdown, as plain text, or as JSON with every line's box and "
        "confidence."
    )

    page: Annotated[int, Meta(description="The page's number, from 1.", ge=1)]
    format: Literal["markdown", "text", "json"] = "markdown"
    start: Annotated[
        int, Meta(description="Characters to skip, if the page was cut.", ge=0)
    ] = 0

    def answer(self, library: Library, model: str, wanted: IsWanted) -> Answer:
        """See `ToolArguments`."""
        opened = self.opened(library, model)
        numbers = page_ranges.parse(str(self.page), opened.info.page_count)
        pages = library.pages(opened, numbers, wanted)
        read = PagesRead(opened=opened, pages=pages, left=())
        texts = [cut(self._text(opened, page), self.start, "get_page") for page in pages]
        return Answer(text="\n\n".join([read.head(), *texts]))

    def _text(self, opened: Opened, page: Page) -> str:
        if self.format == "json":
            return msgspec.json.encode(page).decode()
        if page.error:
            return f"Page {page.number} could not be read: {page.error.message}"
        return page.text if self.format == "text" else markdown_of(opened, page)


class GetTables(OfPages, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`get_tables`."""

    says: ClassVar[str] = (
        "Get a document's tables as Markdown, CSV, or rows of texts in JSON; a cell"
        " with a span has its text in the first position."
    )

    format: Literal["markdown", "csv", "json"] = "markdown"
    start: Annotated[int, Meta(description="Tables to skip, if an answer was cut.", ge=0)] = 0

    def answer(self, library: Library, model: str, wanted: IsWanted) -> Answer:
        """See `ToolArguments`."""
        read = self.read(library, model, wanted)
        tables = list(tables_csv.tables_of(document_of(read.opened, read.pages)))
        texts: list[str] = []
        entries: list[dict[str, Any]] = []
        for page, number, table in tables[self.start :]:
            text = f"Page {page.number}, table {number}:\n\n{self._text(table)}"
            if texts and sum(map(len, texts)) + len(text) > MOST_LETTERS:
                break
            if len(text) <= MOST_LETTERS:
                entries.append({"page": page.number, "table": number, "rows": grid(table)})
            texts.append(_part(text))
        end = self.start + len(texts)
        if end < len(tables):
            texts.append(
                f"NOT INCLUDED: {len(tables) - end} more tables. Call again with"
                f" start={end} and the same pages."
            )
        fields = {"tables": entries} if self.format == "json" else None
        return Answer(
            text="\n\n".join([read.head(), *(texts or ["No tables."])]), fields=fields
        )

    def _text(self, table: Table) -> str:
        if self.format == "json":
            return msgspec.json.encode(grid(table)).decode()
        return tables_csv.text_of(table) if self.format == "csv" else markdown.table(table)


class GetChunks(OfPages, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`get_chunks`."""

    says: ClassVar[str] = (
        "Get a document in parts for retrieval, each with the headings above it and"
        " its pages; tables stay whole, or repeat their header rows."
    )

    max_tokens: Annotated[
        int,
        Meta(description="Maximum words of a part, including its headings.", ge=20, le=5000),
    ] = 512
    start: Annotated[int, Meta(description="Parts to skip, if an answer was cut.", ge=0)] = 0

    def answer(self, library: Library, model: str, wanted: IsWanted) -> Answer:
        """See `ToolArguments`."""
        read = self.read(library, model, wanted)
        how = Chunking(max_tokens=self.max_tokens)
        found = list(chunks.chunked(document_of(read.opened, read.pages), how))
        texts: list[str] = []
        entries: list[dict[str, Any]] = []
        for each in found[self.start :]:
            pages = page_ranges.written(each.pages)
            text = f"Part {each.index}, pages {pages}:\n\n{each.full_text}"
            if texts and sum(map(len, texts)) + len(text) > MOST_LETTERS:
                break
            if len(text) <= MOST_LETTERS:
                entries.append(msgspec.to_builtins(each))
            texts.append(cut(text, 0, "get_page returns the whole page in parts"))
        end = self.start + len(texts)
        if end < len(found):
            texts.append(
                f"NOT INCLUDED: {len(found) - end} more parts. Call again with"
                f" start={end} and the same pages."
            )
        return Answer(
            text="\n\n".join([read.head(), *(texts or ["No text."])]),
            fields={"chunks": entries},
        )


class GetFields(OfPages, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`get_fields`."""

    says: ClassVar[str] = (
        "Get labels with their values from a form, letter, invoice or receipt:"
        " numbers, dates, sums, items, and whether the sums add up. All values are on"
        " the pages."
    )

    def answer(self, library: Library, model: str, wanted: IsWanted) -> Answer:
        """See `ToolArguments`."""
        read = self.read(library, model, wanted)
        found = fields.fields_of(document_of(read.opened, read.pages))
        lines = [f"{pair.label.text}: {pair.value.text}" for pair in found.pairs]
        wrong = [check for check in found.bill.checks if not check.holds] if found.bill else []
        lines += [
            f"WRONG SUM ({check.name}): the document has {check.found}, correct is"
            f" {check.expected}."
            for check in wrong
        ]
        kept, left = lines[:MOST_FIELDS], len(lines) - MOST_FIELDS
        if left > 0:
            kept.append(f"NOT INCLUDED: {left} more lines. Ask for fewer pages.")
        entries = {"pairs": found.pairs[:MOST_FIELDS], "bill": found.bill}
        text = "\n".join([read.head(), "", *(kept or ["No labels with values."])])
        return Answer(text=text, fields=msgspec.to_builtins(entries))


class SearchDocument(OfPages, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`search_document`."""

    says: ClassVar[str] = (
        "Search a document: returns pages and the surrounding words; case is ignored."
    )

    text: Annotated[str, Meta(description="Text to search for.", min_length=1)]

    def answer(self, library: Library, model: str, wanted: IsWanted) -> Answer:
        """See `ToolArguments`."""
        read = self.read(library, model, wanted)
        sought = " ".join(self.text.split())
        hits = [hit for page in read.pages for hit in _hits(page, sought)]
        lines = [f"Page {number}: …{text}…" for number, text in hits[:MOST_HITS]]
        if len(hits) > MOST_HITS:
            lines.append(f"NOT INCLUDED: {len(hits) - MOST_HITS} more hits.")
        return Answer(
            text="\n".join([read.head(), "", *(lines or ["Not found on these pages."])])
        )


TOOLS: dict[str, type[ToolArguments]] = {
    "read_document": ReadDocument,
    "list_pages": ListPages,
    "get_page": GetPage,
    "get_tables": GetTables,
    "get_chunks": GetChunks,
    "get_fields": GetFields,
    "extract_values": ExtractValues,
    "search_document": SearchDocument,
}


def _row(page: Page) -> dict[str, Any]:
    return {
        "page": page.number,
        "width_pt": page.width_pt,
        "height_pt": page.height_pt,
        "letters": len(page.text),
        "tables": sum(block.table is not None for block in page.blocks),
        "warnings": [notice.message for notice in page.warnings],
        "error": page.error.message if page.error else None,
    }


def _phrases(row: dict[str, Any]) -> Iterator[str]:
    yield f"Page {row['page']}: {row['width_pt']:g} × {row['height_pt']:g} pt"
    if row["error"]:
        yield f"could not be read: {row['error']}"
        return
    yield f"{row['letters']} letters"
    if row["tables"]:
        yield f"tables: {row['tables']}"
    yield from row["warnings"]


def _part(table: str) -> str:
    """A table's text, or as much of it as goes in."""
    left = len(table) - MOST_LETTERS
    if left <= 0:
        return table
    return (
        f"{table[:MOST_LETTERS]}\n\nNOT INCLUDED: {left} characters of this table;"
        " get_page returns the whole page in parts."
    )


def _hits(page: Page, sought: str) -> Iterator[tuple[int, str]]:
    text = " ".join(page.text.split())
    for found in re.finditer(re.escape(sought), text, re.IGNORECASE):
        place, end = found.span()
        yield page.number, text[max(0, place - _AROUND) : end + _AROUND]
