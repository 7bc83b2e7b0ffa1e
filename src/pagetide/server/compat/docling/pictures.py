"""Figures' pictures in an answer: as data in it, or as signed links."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from html import escape
from typing import Any

from msgspec.structs import replace

from pagetide.document import Block, Document, Page
from pagetide.errors import TooLarge
from pagetide.exports.figures import figures_of, file_name, has_picture
from pagetide.exports.text import html, markdown
from pagetide.geometry import box_of
from pagetide.server.compat.addresses import Address

MOST_LETTERS = 48 << 20  # of all addresses, for a picture in one is in memory
_TOO_MUCH = (
    "The figures are too large for one answer: ask for `image_export_mode` referenced, or for"
    " fewer pages."
)


class Pictures:
    """Where the pictures of a document's figures are, and what is written around them.

    Args:
        document: As read.
        address: Gives a picture's URL by page number and block order; None shows no pictures.
        origin: What a browser must be allowed to fetch pictures from.

    Raises:
        TooLarge: The pictures are too much for one answer.
    """

    def __init__(self, document: Document, address: Address | None, origin: str = "") -> None:
        self._document, self._origin = document, origin
        # An address that no document can have guessed stands in for each picture's own.
        self._host = f"https://{secrets.token_hex(16)}.invalid"
        self._addresses: dict[tuple[int, int], str] = {}
        if address:
            self._find(address)

    def _find(self, address: Address) -> None:
        letters = 0
        for page in self._document.pages:
            for block in figures_of(page):
                found = address(page.number, block.order)
                self._addresses[page.number, block.order] = found
                letters += len(found)
                if letters > MOST_LETTERS:
                    raise TooLarge(_TOO_MUCH)

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
        folder = self._folder
        if not page_break:
            return self._filled(markdown.write(self._document, folder))
        first, *rest = self._document.pages
        parts = [replace(self._document, pages=(first,))]
        parts += [replace(self._document, pages=(page,), warnings=()) for page in rest]
        written = (markdown.write(part, folder) for part in parts)
        return self._filled(f"\n{page_break}\n\n".join(written))

    def html(self) -> str:
        """The document as HTML."""
        return self._filled(html.write(self._document, self._folder), escape)

    @property
    def _folder(self) -> str | None:
        return f"{self._host}/" if self._addresses else None

    def _filled(self, text: str, written: Callable[[str], str] = str) -> str:
        names = {
            file_name(page, block): self._addresses[page.number, block.order]
            for page in self._document.pages
            for block in page.blocks
            if (page.number, block.order) in self._addresses
        }
        link = rf"{self._host}(?:/(p\d+-b\d+\.png))?"
        return re.sub(link, lambda one: written(names.get(one[1], self._origin)), text)
