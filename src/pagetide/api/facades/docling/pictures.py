"""Figures' pictures in an answer: as data in it, or as signed links."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from html import escape
from typing import Any

from msgspec.structs import replace

from pagetide.api.facades.addresses import Address
from pagetide.document import Block, Document, Page
from pagetide.exports import html, markdown
from pagetide.exports.figures import figures_of, file_name, has_picture
from pagetide.geometry import box_of


class Pictures:
    """Where the pictures of a document's figures are, and what is written around them.

    Args:
        document: As read.
        address: Gives a picture's URL by page number and block order; None shows no pictures.
        origin: What a browser must be allowed to fetch pictures from.
    """

    def __init__(self, document: Document, address: Address | None, origin: str = "") -> None:
        self._document, self._origin = document, origin
        # An address that no document can have guessed stands in for each picture's own.
        self._host = f"https://{secrets.token_hex(16)}.invalid"
        self._addresses: dict[tuple[int, int], str] = {}
        for page in document.pages if address else ():
            for block in figures_of(page):
                assert address  # noqa: S101 - else there is no page
                self._addresses[page.number, block.order] = address(page.number, block.order)

    def image(self, page: Page, block: Block) -> dict[str, Any] | None:
        """The `ImageRef` of a figure; None where no picture of it is given."""
        address = self._addresses.get((page.number, block.order))
        if address is None or not has_picture(page, block):
            return None
        left, top, right, bottom = box_of(block.polygon)
        width = min(right, page.width) - max(left, 0)
        height = min(bottom, page.height) - max(top, 0)
        return {
            "mimetype": "image/png",
            "dpi": round(page.dpi),
            "size": {"width": round(width), "height": round(height)},
            "uri": address,
        }

    def markdown(self, page_break: str) -> str:
        """The document as Markdown.

        Args:
            page_break: Stands between pages.
        """
        folder = f"{self._host}/" if self._addresses else None
        if not page_break:
            return self._filled(markdown.write(self._document, folder))
        first, *rest = self._document.pages
        parts = [replace(self._document, pages=(first,))]
        parts += [replace(self._document, pages=(page,), warnings=()) for page in rest]
        written = (markdown.write(part, folder) for part in parts)
        return self._filled(f"\n{page_break}\n\n".join(written))

    def html(self) -> str:
        """The document as HTML."""
        folder = f"{self._host}/" if self._addresses else None
        return self._filled(html.write(self._document, folder), escape)

    def _filled(self, text: str, written: Callable[[str], str] = str) -> str:
        names = {
            file_name(page, block): self._addresses[page.number, block.order]
            for page in self._document.pages
            for block in page.blocks
            if (page.number, block.order) in self._addresses
        }
        link = rf"{self._host}(?:/(p\d+-b\d+\.png))?"
        return re.sub(link, lambda one: written(names.get(one[1], self._origin)), text)
