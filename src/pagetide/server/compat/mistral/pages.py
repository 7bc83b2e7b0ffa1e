"""Pages as Mistral's OCR has them: Markdown with pictures and tables beside it, and blocks.

Source: `mistralai.client.models.OCRPageObject` of mistralai 3.7.0. Boxes are in the pixels of
the page as displayed, as ours are.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from pagetide.document import Block, BlockKind, Cell, Document, Page, Table
from pagetide.exports.figures import has_picture
from pagetide.exports.flow import FIGURES, Piece, pieces
from pagetide.exports.text import markdown, markup
from pagetide.geometry import box_of
from pagetide.server.api.annotating import FigureKey
from pagetide.server.compat.addresses import Address
from pagetide.server.compat.mistral.request import OcrRequest
from pagetide.server.compat.mistral.scores import block_scores, page_scores

Wire = dict[str, Any]
Annotation = dict[str, Any]
_TYPES: dict[BlockKind, str] = {
    "title": "title",
    "heading": "title",
    "list": "list",
    "formula": "equation",
    "caption": "caption",
    "header": "header",
    "footer": "footer",
    "page_number": "footer",
    "aside": "aside_text",
    "code": "code",
    "reference": "references",
}
_MARGINS: frozenset[BlockKind] = frozenset({"header", "footer", "page_number"})
_ENDINGS = {"markdown": "md", "html": "html"}


class Pages:
    """A document's pages, one after another; pictures and tables are counted through.

    Args:
        head: The document without its pages.
        request: How they are wanted.
        picture: Gives a figure's picture as a data URL, by page number and block order.
        annotations: What is said of figures.
    """

    def __init__(
        self,
        head: Document,
        request: OcrRequest,
        picture: Address | None = None,
        annotations: Mapping[FigureKey, Annotation] | None = None,
    ) -> None:
        self._head, self._request, self._picture = head, request, picture
        self._annotations = annotations or {}
        self._mark = secrets.token_hex(16)  # no document can have guessed it
        self._images = self._tables = 0

    def page(self, page: Page) -> Wire:
        """One page, as an `OCRPageObject`; where it could not be read, with an `error`."""
        shown = [piece.block for piece in pieces(page)]
        images = self.images(page)
        tables = {b.order: self._next_table() for b in shown if self._is_table(b)}
        wire: Wire = {
            "index": page.number - 1,
            "markdown": self._markdown(page, images, tables),
            "images": [
                self._image(page, b, images[b.order]) for b in shown if b.order in images
            ],
            "dimensions": {
                "dpi": round(page.dpi),
                "height": page.height,
                "width": page.width,
            },
            "tables": [self._table(b, tables[b.order]) for b in shown if b.order in tables],
            "hyperlinks": [],
            "header": self._margin(page, "header") if self._request.extract_header else None,
            "footer": self._margin(page, "footer") if self._request.extract_footer else None,
        }
        if self._request.confidence_scores_granularity:
            wire["confidence_scores"] = page_scores(page)
        if self._request.include_blocks:
            wire["blocks"] = list(self._blocks(page, images, tables))
        if page.error:
            wire["error"] = {"code": page.error.code, "message": page.error.message}
        return wire

    def images(self, page: Page) -> dict[int, str]:
        """What the pictures of the next page are called, by their blocks' order."""
        shown = (piece.block for piece in pieces(page))
        return {b.order: self._next_image() for b in shown if self._is_image(page, b)}

    def _is_image(self, page: Page, block: Block) -> bool:
        limit, least = self._request.image_limit, self._request.image_min_size or 0
        left, top, right, bottom = _corners(page, block)
        return (
            has_picture(page, block)
            and (limit is None or self._images < limit)
            and min(right - left, bottom - top) >= least
        )

    def _is_table(self, block: Block) -> bool:
        return self._request.table_format is not None and _has_cells(block)

    def _next_image(self) -> str:
        self._images += 1
        return f"img-{self._images - 1}.png"

    def _next_table(self) -> str:
        self._tables += 1
        return f"tbl-{self._tables - 1}.{_ENDINGS[self._request.table_format or 'markdown']}"

    def _image(self, page: Page, block: Block, name: str) -> Wire:
        place, wanted = (page.number, block.order), self._request.include_image_base64
        return {
            "id": name,
            **_box(page, block),
            "image_base64": self._picture(*place) if wanted and self._picture else None,
            **self._annotations.get(place, {}),
        }

    def _table(self, block: Block, name: str) -> Wire:
        return {
            "id": name,
            "content": self._content(block),
            "format": self._request.table_format,
        }

    def _content(self, block: Block) -> str:
        """A table by itself, as it is wanted."""
        assert block.table  # noqa: S101 - who calls has seen it
        if self._request.table_format == "html":
            return markup.table(block.table)
        return markdown.table(block.table)

    def _markdown(
        self, page: Page, images: Mapping[int, str], tables: Mapping[int, str]
    ) -> str:
        blocks = tuple(self._for_markdown(page, block, tables) for block in page.blocks)
        one = replace(self._head, pages=(replace(page, blocks=blocks),))
        self._head = replace(self._head, warnings=())  # given once, with the first page
        text = markdown.write(one, f"https://{self._mark}/")
        text = re.sub(rf"^<!-- page {page.number} -->\n*", "", text, count=1, flags=re.M)
        for name in tables.values():
            text = text.replace(markdown.table(_stand_in(self._mark + name)), _link(name))
        link = rf"!\[(\w+) on page \d+\]\(https://{self._mark}/p\d+-b(\d+)\.png\)"
        return re.sub(link, lambda found: _linked(page, found, images), text).rstrip("\n")

    def _for_markdown(self, page: Page, block: Block, tables: Mapping[int, str]) -> Block:
        """A block as the Markdown's writer is to take it."""
        if block.kind in _MARGINS:
            side = _side(page, block)
            request = self._request
            out = request.extract_header if side == "header" else request.extract_footer
            return replace(block, kind="text", text="" if out else block.text)
        if block.order in tables and block.table:
            lines = tuple(i for cell in block.table.cells for i in cell.line_indexes)
            return replace(block, table=_stand_in(self._mark + tables[block.order], lines))
        return block

    def _margin(self, page: Page, side: str) -> str | None:
        blocks = sorted(page.blocks, key=lambda block: block.order)
        texts = [b.text for b in blocks if b.kind in _MARGINS and _side(page, b) == side]
        return "\n".join(filter(None, texts)) or None

    def _blocks(
        self, page: Page, images: Mapping[int, str], tables: Mapping[int, str]
    ) -> Iterator[Wire]:
        for piece in pieces(page):
            for block in (*piece.above, piece.block, *piece.below):
                yield from self._block(page, block, images, tables)
            yield from self._beside(page, piece)

    def _block(
        self, page: Page, block: Block, images: Mapping[int, str], tables: Mapping[int, str]
    ) -> Iterator[Wire]:
        wire: Wire = {**_box(page, block)}
        if self._request.confidence_scores_granularity == "block":
            wire["confidence_scores"] = block_scores(page, block)
        if name := images.get(block.order):
            yield {**wire, "type": "image", "content": f"![{name}]({name})", "image_id": name}
        if _has_cells(block):
            table = {"content": self._content(block), "table_id": tables.get(block.order)}
            yield {**wire, "type": "table", **table}
        elif block.text or block.kind not in FIGURES:
            kind = _side(page, block) if block.kind in _MARGINS else block.kind
            yield {**wire, "type": _TYPES.get(kind, "text"), "content": block.text}

    def _beside(self, page: Page, piece: Piece) -> Iterator[Wire]:
        """Lines of a table's block that are in none of its cells."""
        for text in piece.beside:
            yield {**_box(page, piece.block), "type": "text", "content": text}


def _has_cells(block: Block) -> bool:
    return block.table is not None and bool(block.table.cells)


def _side(page: Page, block: Block) -> BlockKind:
    """Whether what stands in the margin is of the page's header or of its footer."""
    if block.kind != "page_number":
        return block.kind
    _, top, _, bottom = box_of(block.polygon)
    return "header" if top + bottom < page.height else "footer"


def _corners(page: Page, block: Block) -> tuple[int, int, int, int]:
    left, top, right, bottom = box_of(block.polygon)
    across, down = page.width, page.height
    return (
        round(min(max(left, 0), across)),
        round(min(max(top, 0), down)),
        round(min(max(right, 0), across)),
        round(min(max(bottom, 0), down)),
    )


def _box(page: Page, block: Block) -> Wire:
    left, top, right, bottom = _corners(page, block)
    return {
        "top_left_x": left,
        "top_left_y": top,
        "bottom_right_x": right,
        "bottom_right_y": bottom,
    }


def _stand_in(text: str, lines: tuple[int, ...] = ()) -> Table:
    """A table of one cell, in whose place a link is put."""
    cell = Cell(
        row=0, column=0, text=text.replace("-", "").replace(".", ""), line_indexes=lines
    )
    return Table(rows=1, columns=1, cells=(cell,))


def _link(name: str) -> str:
    return f"[{name}]({name})"


def _linked(page: Page, found: re.Match[str], images: Mapping[int, str]) -> str:
    """What stands for a figure: a link to its picture, or where that is left out, a comment."""
    order = int(found[2])
    if order in images:
        return f"!{_link(images[order])}"
    return markup.comment(f"{found[1]}: page {page.number}, block {order}")
