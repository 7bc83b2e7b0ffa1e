"""A document as plain text."""

from __future__ import annotations

from pagetide.document import Document, Page


def write(document: Document) -> str:
    """The text in reading order: a blank line between blocks, a form feed between pages.

    A page that could not be read says so in its place.
    """
    return "\f".join(_page(page) for page in document.pages) + "\n"


def _page(page: Page) -> str:
    if page.error:
        return f"[Page {page.number} could not be read: {page.error.message}]"
    return page.text
