"""The printed form of a result: one line of at most 200 characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pagetide.geometry import Polygon, box_of

if TYPE_CHECKING:
    from pagetide.document import Document, Line, Page, Table

_MOST_OF_A_NAME = 40


def of_document(document: Document) -> str:
    """Its name, pages, words, tables and model."""
    pages, failed = document.pages, len(document.failed_pages)
    parts = [
        counted(len(pages), "page"),
        *([f"{failed:,} failed"] if failed else []),
        counted(sum(map(_words, pages)), "word"),
        *_some(sum(len(page.tables) for page in pages), "table"),
        quoted(document.model.name),
    ]
    return f"<Document {quoted(document.source.name)}: {', '.join(parts)}>"


def of_page(page: Page) -> str:
    """Its number, and its size and content, or why it could not be read."""
    if page.error:
        return f"<Page {page.number}: not read, {quoted(page.error.code)}>"
    parts = [
        f"{page.width} × {page.height} px",
        counted(len(page.lines), "line"),
        counted(_words(page), "word"),
        counted(len(page.blocks), "block"),
        *_some(len(page.tables), "table"),
    ]
    return f"<Page {page.number}: {', '.join(parts)}>"


def of_table(table: Table) -> str:
    """Its size."""
    parts = (table.rows, "row"), (table.columns, "column"), (len(table.cells), "cell")
    return f"<Table: {', '.join(counted(number, noun) for number, noun in parts)}>"


def of_part(kind: str, text: str, polygon: Polygon | None, confidence: float | None) -> str:
    """A part of a page: its text, position and confidence."""
    sides = box_of(polygon) if polygon else ()
    box = f" at ({', '.join(f'{side:.6g}' for side in sides)})" if polygon else ""
    sure = "" if confidence is None else f", confidence {confidence:.2g}"
    return f"<{kind} {quoted(text)}{box}{sure}>"


def quoted(text: str) -> str:
    """A text in quotes, shortened if it is long."""
    line = " ".join(text.split()) if len(text) < 1000 else " ".join(text[:1000].split())
    shown = repr(line if len(line) <= _MOST_OF_A_NAME else f"{line[: _MOST_OF_A_NAME - 1]}…")
    return shown if len(shown) <= _MOST_OF_A_NAME + 2 else f"{shown[:_MOST_OF_A_NAME]}…'"


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 page`, `2,000 pages`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _some(number: int, noun: str) -> Sequence[str]:
    return [counted(number, noun)] if number else []


def _words(page: Page) -> int:
    return sum(map(_words_of, page.lines))


def _words_of(line: Line) -> int:
    return len(line.words) or len(line.text.split())
