"""Labels with their values, and boxes to tick, as key-value items: a graph for each page."""

from __future__ import annotations

from typing import Any

from pagetide.document import Document, Page
from pagetide.document.field import Choice, Field, Value
from pagetide.geometry import box_of, union
from pagetide.server.compat.docling.boxes import provenance

Node = dict[str, Any]


def key_value_items(document: Document) -> list[Node]:
    """An item for each page that has fields.

    They hang on nothing: what they say is in the page's texts and tables already, and exports
    of the document would repeat it.
    """
    fields = document.fields()
    graphs = {page.number: _Graph(page) for page in document.pages}
    for pair in fields.pairs:
        graphs[pair.value.page].pair(pair)
    for choice in fields.choices:
        graphs[choice.options[0].mark.page].choice(choice)
    filled = [graph for graph in graphs.values() if graph.cells]
    return [graph.item(f"#/key_value_items/{place}") for place, graph in enumerate(filled)]


class _Graph:
    """The cells of a page, and what ties them."""

    def __init__(self, page: Page) -> None:
        self.cells: list[Node] = []
        self._page, self._links, self._values = page, list[Node](), list[Value]()

    def pair(self, pair: Field) -> None:
        """Add a label and its value."""
        self._link("to_value", self._cell("key", pair.label), self._cell("value", pair.value))

    def choice(self, choice: Choice) -> None:
        """Add boxes with their labels, below what is asked."""
        asked = self._cell("key", choice.label) if choice.label else None
        for option in choice.options:
            box = self._cell("checkbox", option.mark)
            label = box
            if option.label:
                label = self._cell("key", option.label)
                self._link("to_value", label, box)
            if asked is not None:
                self._link("to_child", asked, label)

    def item(self, ref: str) -> Node:
        """All of it, as an item of this name."""
        around = union(box_of(value.polygon) for value in self._values)
        return {
            "self_ref": ref,
            "children": [],
            "content_layer": "body",
            "label": "key_value_region",
            "prov": [provenance(self._page, around, 0)],
            "captions": [],
            "references": [],
            "footnotes": [],
            "graph": {"cells": self.cells, "links": self._links},
        }

    def _cell(self, label: str, value: Value) -> int:
        self._values.append(value)
        box = box_of(value.polygon)
        cell = {
            "label": label,
            "cell_id": len(self.cells),
            "text": value.text,
            "orig": value.text,
            "prov": provenance(self._page, box, len(value.text)),
        }
        self.cells.append(cell)
        return len(self.cells) - 1

    def _link(self, label: str, source: int, target: int) -> None:
        link = {"label": label, "source_cell_id": source, "target_cell_id": target}
        self._links.append(link)
