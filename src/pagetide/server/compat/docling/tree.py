"""A document as a DoclingDocument, of version 1.5 of its schema.

Boxes are in points from the page's bottom left, as Docling writes those of PDFs. What each
later version of the schema has added, nothing here needs; readers take older versions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pagetide.document import Block, BlockKind, Document, Page, SourceInfo
from pagetide.exports.flow import FIGURES, Piece, pieces
from pagetide.exports.text import lists
from pagetide.geometry import Box, box_of, union
from pagetide.server.compat.docling import grids
from pagetide.server.compat.docling.boxes import provenance
from pagetide.server.compat.docling.key_values import key_value_items

VERSION = "1.5.0"

Node = dict[str, Any]
Picture = Callable[[Page, Block], Node | None]

_LABELS: dict[BlockKind, str] = {
    "title": "title",
    "heading": "section_header",
    "formula": "formula",
    "caption": "caption",
    "header": "page_header",
    "footer": "page_footer",
    "page_number": "page_footer",
    "footnote": "footnote",
    "code": "code",
    "reference": "reference",
}
_FURNITURE: frozenset[BlockKind] = frozenset({"header", "footer", "page_number"})
# Of the types that are read, those that every reader of the schema knows.
_TYPES = frozenset(
    {"application/pdf", "image/png", "image/jpeg", "image/tiff", "image/bmp", "image/gif"}
)


def docling_document(document: Document, picture: Picture = lambda page, block: None) -> Node:
    """The document as a DoclingDocument."""
    tree = _Tree(picture)
    for page in document.pages:
        tree.page(page)
    source = document.source
    return {
        "schema_name": "DoclingDocument",
        "version": VERSION,
        "name": source.name.rpartition(".")[0] or source.name or "document",
        **_origin(source),
        "furniture": _root("#/furniture", "furniture"),
        "body": tree.body,
        **tree.lists,
        "key_value_items": key_value_items(document),
        "form_items": [],
        "pages": tree.pages,
    }


def refs_of(document: Document) -> dict[tuple[int, int | None], list[str]]:
    """The items that each block becomes in it, by the page's number and the block's order."""
    tree = _Tree(lambda page, block: None)
    for page in document.pages:
        tree.page(page)
    return tree.refs


def _root(ref: str, layer: str) -> Node:
    return {
        "self_ref": ref,
        "children": [],
        "content_layer": layer,
        "name": "_root_",
        "label": "unspecified",
    }


def _origin(source: SourceInfo) -> Node:
    if source.media_type not in _TYPES:
        return {}
    hashed = int(source.sha256[:16], 16)
    name = source.name or "document"
    return {
        "origin": {
            "mimetype": source.media_type,
            "binary_hash": hashed,
            "filename": name,
        }
    }


class _Tree:
    """The document's items, being put together."""

    def __init__(self, picture: Picture) -> None:
        self.body = _root("#/body", "body")
        self.lists: dict[str, list[Node]] = {
            "groups": [],
            "texts": [],
            "pictures": [],
            "tables": [],
        }
        self.pages: dict[str, Node] = {}
        self.refs: dict[tuple[int, int | None], list[str]] = {}
        self._picture = picture

    def page(self, page: Page) -> None:
        """A page with all its blocks, and the lines that are in none."""
        size = {"width": page.width_pt, "height": page.height_pt}
        self.pages[str(page.number)] = {"size": size, "page_no": page.number}
        for piece in pieces(page):
            self._piece(page, piece)
        owned = {index for block in page.blocks for index in block.line_indexes}
        for index, line in enumerate(page.lines):
            if index not in owned and line.text.strip():
                self._text(page, self.body, "text", line.text, [box_of(line.polygon)])

    def _piece(self, page: Page, piece: Piece) -> None:
        block = piece.block
        if block.kind in FIGURES:
            self._figure(page, piece)
        elif block.table and block.table.cells:
            self._table(page, self.body, piece, piece.above + piece.below)
        else:
            self._captions(page, self.body, piece.above)
            if block.kind == "list":
                self._list(page, block)
            else:
                self._block(page, block)
            self._captions(page, self.body, piece.below)

    def _add(self, where: str, parent: Node, item: Node, layer: str = "body") -> Node:
        ref = f"#/{where}/{len(self.lists[where])}"
        item = {
            "self_ref": ref,
            "parent": {"$ref": parent["self_ref"]},
            "children": [],
            "content_layer": layer,
            **item,
        }
        self.lists[where].append(item)
        parent["children"].append({"$ref": ref})
        return item

    def _note(self, page: Page, block: Block, item: Node) -> None:
        self.refs.setdefault((page.number, block.order), []).append(item["self_ref"])

    def _text(
        self, page: Page, parent: Node, label: str, text: str, at: Sequence[Box], **more: Any
    ) -> Node:
        layer = more.pop("layer", "body")
        item = {
            "label": label,
            "prov": [provenance(page, box, len(text)) for box in at],
            "orig": text,
            "text": text,
            **more,
        }
        return self._add("texts", parent, item, layer)

    def _block(self, page: Page, block: Block) -> None:
        more: Node = {}
        if block.kind == "heading":
            more["level"] = block.level or 1
        elif block.kind == "code":
            more |= {"captions": [], "references": [], "footnotes": []}
            more["code_language"] = "unknown"
        if block.kind in _FURNITURE:
            more["layer"] = "furniture"
        label = _LABELS.get(block.kind, "text")
        item = self._text(page, self.body, label, block.text, _places(page, block), **more)
        self._note(page, block, item)

    def _captions(self, page: Page, parent: Node, captions: Sequence[Block]) -> list[Node]:
        items = [
            self._text(page, parent, "caption", each.text, _places(page, each))
            for each in captions
        ]
        for each, item in zip(captions, items, strict=True):
            self._note(page, each, item)
        return [{"$ref": item["self_ref"]} for item in items]

    def _figure(self, page: Page, piece: Piece) -> None:
        block = piece.block
        figure = self._add(
            "pictures",
            self.body,
            {
                "label": "chart" if block.kind == "chart" else "picture",
                "prov": [provenance(page, box, 0) for box in _places(page, block)],
                "captions": [],
                "references": [],
                "footnotes": [],
                "image": self._picture(page, block),
                "annotations": [],
            },
        )
        self._note(page, block, figure)
        figure["captions"] = self._captions(page, figure, piece.above + piece.below)
        if block.table and block.table.cells:
            self._table(page, figure, piece, ())
        elif block.text.strip():
            within = self._text(page, figure, "text", block.text, _places(page, block))
            self._note(page, block, within)

    def _table(self, page: Page, parent: Node, piece: Piece, captions: Sequence[Block]) -> None:
        block = piece.block
        assert block.table  # noqa: S101 - who calls has seen it
        table = self._add(
            "tables",
            parent,
            {
                "label": "table",
                "prov": [provenance(page, box, 0) for box in _places(page, block)],
                "captions": [],
                "references": [],
                "footnotes": [],
                "data": grids.table_of(page, block.table),
                "annotations": [],
            },
        )
        self._note(page, block, table)
        table["captions"] = self._captions(page, table, captions)
        for text in piece.beside:
            self._text(page, self.body, "text", text, _places(page, block))

    def _list(self, page: Page, block: Block) -> None:
        rows = _Rows(page, block)
        self._items(page, self.body, block, lists.items(page, block), rows)

    def _items(
        self, page: Page, parent: Node, block: Block, items: Sequence[lists.Item], rows: _Rows
    ) -> None:
        group = self._add("groups", parent, {"name": "list", "label": "list"})
        for item in items:
            whole, box = rows.take(len(item.lines))
            added = self._text(
                page,
                group,
                "list_item",
                "\n".join(item.lines),
                [box],
                enumerated=item.number is not None,
                marker="-" if item.number is None else f"{item.number}.",
            )
            added["orig"] = whole
            self._note(page, block, added)
            if item.below:
                self._items(page, added, block, item.below, rows)


class _Rows:
    """A list's rows and where they stand, taken from the top down."""

    def __init__(self, page: Page, block: Block) -> None:
        self._rows = block.text.split("\n")
        boxes = [box_of(line.polygon) for line in page.lines_of(block)]
        known = len(boxes) == len(self._rows)
        self._boxes = boxes if known else [box_of(block.polygon)] * len(self._rows)
        self._next = 0

    def take(self, count: int) -> tuple[str, Box]:
        """The next rows as one text, and the box around them."""
        start, self._next = self._next, self._next + count
        taken = slice(start, self._next)
        return "\n".join(self._rows[taken]), union(self._boxes[taken])


def _places(page: Page, block: Block) -> list[Box]:
    """The block's box, and those of the blocks whose text it holds."""
    further = [other for other in page.blocks if other.continues == block.order]
    return [box_of(each.polygon) for each in (block, *further)]
