"""A page before it has its wire form: places are code points of the page's own content.

Lengths are pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pagetide.document import Block, Cell, Table, Word
from pagetide.geometry import Polygon
from pagetide.server.compat.azure.content.page_content import Place

Kind = Literal["paragraphs", "tables", "figures"]
Element = tuple[Kind, int]


@dataclass(frozen=True, kw_only=True)
class ParagraphDraft:
    """A block's, a cell's or a line's text; `block` is None where it is no block's."""

    content: str
    regions: tuple[Polygon, ...]
    span: Place
    block: Block | None = None


@dataclass(frozen=True, kw_only=True)
class CellDraft:
    """A cell; `paragraph` is None where it is empty, `span` then too."""

    cell: Cell
    in_head: bool
    span: Place | None
    paragraph: int | None


@dataclass(frozen=True, kw_only=True)
class TableDraft:
    """A table, tidy; `captions` are places among the page's paragraphs."""

    block: Block
    table: Table
    span: Place
    cells: tuple[CellDraft, ...]
    captions: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class FigureDraft:
    """A figure; `number` counts the page's figures from 1."""

    block: Block
    number: int
    span: Place
    elements: tuple[Element, ...]
    captions: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class LineDraft:
    """A line of the page, by its index, with its words and where they stand."""

    index: int
    spans: list[Place]
    words: list[tuple[Word, Place]]


@dataclass(frozen=True, kw_only=True)
class Step:
    """What comes next in a document's outline; `level` is None where it is no heading."""

    element: Element
    span: Place
    level: int | None = None


@dataclass(kw_only=True)
class PageDraft:
    """A page, written out."""

    text: str = ""
    paragraphs: list[ParagraphDraft] = field(default_factory=list)
    tables: list[TableDraft] = field(default_factory=list)
    figures: list[FigureDraft] = field(default_factory=list)
    lines: list[LineDraft] = field(default_factory=list)
    outline: list[Step] = field(default_factory=list)
