"""What a call gives back: so much as goes in, and what is left out is said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pagetide.document import Document, ModelInfo, Page, page_ranges
from pagetide.exports.text import markdown
from pagetide.integrations.mcp.readings import Opened

MOST_PAGES = 20  # read for one call: hosts give a call a minute or so
MOST_LETTERS = 60_000


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a tool answers with.

    Attributes:
        text: For a model to read.
        fields: The same for programs, where it is more than text.
    """

    text: str
    fields: dict[str, Any] | None = field(default=None)


@dataclass(frozen=True, kw_only=True)
class PagesRead:
    """Pages that were read, and those that are left for another call."""

    opened: Opened
    pages: list[Page]
    left: tuple[int, ...]

    def head(self, count: int | None = None) -> str:
        """What a call has returned, and what it has not.

        Args:
            count: How many of the pages; None means all that were read.
        """
        kept = self.pages if count is None else self.pages[:count]
        left = (*(page.number for page in self.pages[len(kept) :]), *self.left)
        info = self.opened.info
        which = page_ranges.written(page.number for page in kept) or "none"
        lines = [f"{info.name}: pages {which} of {info.page_count}."]
        if failed := [page.number for page in kept if page.error]:
            lines.append(f"Pages that could not be read: {page_ranges.written(failed)}.")
        if warned := [page.number for page in kept if page.warnings]:
            lines.append(f"Pages with warnings: {page_ranges.written(warned)}.")
        if left:
            more = page_ranges.written(left[:MOST_PAGES])
            rest = page_ranges.written(left)
            lines.append(
                f"NOT INCLUDED: pages {rest}. Call again with pages={more!r} for more."
            )
        return "\n".join(lines)


def document_of(opened: Opened, pages: list[Page]) -> Document:
    """The pages as a document for the writers, which leave the model out."""
    model = ModelInfo(
        name=opened.how.model, engine="", version="", runtime="", language=opened.how.language
    )
    return Document(source=opened.info, model=model, pages=tuple(pages))


def markdown_of(opened: Opened, page: Page) -> str:
    """A page as Markdown."""
    return markdown.write(document_of(opened, [page])).rstrip()


def cut(text: str, start: int, how: str) -> str:
    """A part of a text, and whether it goes on."""
    part = text[start : start + MOST_LETTERS]
    end = start + len(part)
    if end >= len(text):
        return part
    return (
        f"{part}\n\nNOT INCLUDED: {len(text) - end} more characters ({how}, with start={end})."
    )
