"""A document as plain text."""

from __future__ import annotations

from pagetide.document import Document, LineBreaks, Page
from pagetide.exports.text.reflow import reflowed


def write(document: Document, line_breaks: LineBreaks = "join") -> str:
    """The text in reading order: a blank line between blocks, a form feed between pages.

    A page that could not be read is reported in its place.

    Args:
        document: As read.
        line_breaks: Whether a paragraph's rows are joined; see `reflow`.
    """
    pages = reflowed(document, line_breaks).pages
    return "\f".join(_page(page) for page in pages) + "\n"


def _page(page: Page) -> str:
    if page.error:
        return f"[Page {page.number} could not be read: {page.error.message}]"
    return page.text
