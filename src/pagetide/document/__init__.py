"""The result of reading: Document → Page → Block → Line → Word; Table → Cell.

Everything is frozen. All polygons of a page use one coordinate system: pixels of the page as
displayed (`/Rotate` and EXIF orientation applied) at the page's `dpi`, origin top left, x to
the right, y down. Polygons run clockwise from the text's own top-left corner, so the first edge
of a sideways line gives its reading direction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from pagetide.document import brief
from pagetide.document.answers import Source, answers
from pagetide.document.chunk import Chunk, ChunkPlace
from pagetide.document.how_read import Failure, ModelInfo, Notice, TextLayerDecision
from pagetide.document.kinds import (
    FIGURE_KINDS,
    BlockKind,
    ChunkBy,
    FormFieldKind,
    LineBreaks,
    SelectionKind,
    StyleKind,
    TextLayerMode,
    TextSource,
)
from pagetide.document.marks import Barcode, Footnote, FormField, Link, SelectionMark, TextPlace
from pagetide.document.tabular import Tabular
from pagetide.document.written import Written
from pagetide.geometry import Polygon
from pagetide.system.ready_types import ready

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = [
    "FIGURE_KINDS",
    "SCHEMA_VERSION",
    "TEXT_LAYER",
    "UNREAD_SCRIPT",
    "Barcode",
    "Block",
    "BlockKind",
    "BlockPlace",
    "Cell",
    "Chunk",
    "ChunkBy",
    "ChunkPlace",
    "Document",
    "Failure",
    "Footnote",
    "FormField",
    "FormFieldKind",
    "Line",
    "LineBreaks",
    "Link",
    "ModelInfo",
    "Notice",
    "Page",
    "SelectionKind",
    "SelectionMark",
    "SourceInfo",
    "StyleKind",
    "Table",
    "TextLayerDecision",
    "TextLayerMode",
    "TextPlace",
    "TextSource",
    "TextStyle",
    "Word",
]

SCHEMA_VERSION = "1.8"
UNREAD_SCRIPT = "unread_script"  # a notice's code: the model does not read the page's script
TEXT_LAYER = "text-layer"  # the model's name if a document's own text was enough


class Word(Struct, frozen=True, kw_only=True, gc=False):
    """A run of characters without a space, or one character of a script without spaces."""

    text: str
    polygon: Polygon
    confidence: float | None = None

    def __repr__(self) -> str:
        return brief.of_part("Word", self.text, self.polygon, self.confidence)


class TextStyle(Struct, frozen=True, kw_only=True, gc=False):
    """The style of a part of a line, where the rest of its page differs.

    Attributes:
        kind: `code` is type in which all letters have the same width.
        start: The index in the line's `text` of its first character, from 0.
        end: The index after its last.
    """

    kind: StyleKind
    start: int
    end: int


class Line(Struct, frozen=True, kw_only=True, gc=False):
    """Text read along one baseline.

    Attributes:
        confidence: 0–1, or None if the source gives none (a text layer).
        words: In reading order; together they contain every character of `text` except spaces.
        source: Where the text comes from.
        bold: Whether it is bold: according to the document's own text, or because its strokes
            are wider than most in the picture.
        styles: Styles of its parts from a text layer, by kind and then by position; parts of
            one kind do not touch each other and start and end with a visible character.
    """

    text: str
    polygon: Polygon
    confidence: float | None = None
    words: tuple[Word, ...] = ()
    source: TextSource = "ocr"
    bold: bool = False
    styles: tuple[TextStyle, ...] = ()

    def __repr__(self) -> str:
        return brief.of_part("Line", self.text, self.polygon, self.confidence)


class Cell(Struct, frozen=True, kw_only=True, gc=False):
    """A table cell; `row` and `column` count from 0."""

    row: int
    column: int
    row_span: int = 1
    column_span: int = 1
    text: str = ""
    polygon: Polygon | None = None
    confidence: float | None = None
    header: bool = False
    line_indexes: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return brief.of_part(
            f"Cell {self.row},{self.column}", self.text, self.polygon, self.confidence
        )


class Table(Tabular, Struct, frozen=True, kw_only=True, gc=False):
    """A grid of cells; each cell is listed once, at its top-left position."""

    rows: int
    columns: int
    cells: tuple[Cell, ...]

    def __repr__(self) -> str:
        return brief.of_table(self)


class BlockPlace(Struct, frozen=True, kw_only=True, gc=False):
    """The place of a block: its page's number, and its `order` there."""

    page: int
    order: int


class Block(Struct, frozen=True, kw_only=True, gc=False):
    """A layout area.

    Attributes:
        order: Position in the page's reading order, from 0, without gaps over all blocks.
        text: Of a table, a line feed between rows and a tab between columns; of a formula,
            LaTeX if the model writes it.
        label: The layout model's own name for the area, or `outline` for a heading from the
            document's outline or tags; None if the block was built from lines.
        confidence: The layout model's, 0–1; None if it gives none.
        line_indexes: Positions in `Page.lines`, in reading order.
        level: Of a heading, from 1 (the largest) to 6; None if unknown.
        caption_of: Of a caption, the `order` of the figure, table or chart it belongs to.
        continues: The `order` of the block whose text includes this one's: the model read both
            as one.
        continued_from: Of a table continued from the previous page, or a paragraph continued
            from the previous column or page: the earlier part. Each part has its own rows, for
            a table including a repeated header.
        warnings: Warnings about its reading: `block_failed`, `block_truncated`,
            `block_repeats`, `read_by_other_model`, and the like.
    """

    kind: BlockKind
    polygon: Polygon
    order: int
    text: str = ""
    label: str | None = None
    confidence: float | None = None
    line_indexes: tuple[int, ...] = ()
    table: Table | None = None
    level: int | None = None
    caption_of: int | None = None
    continues: int | None = None
    continued_from: BlockPlace | None = None
    warnings: tuple[Notice, ...] = ()

    def __repr__(self) -> str:
        return brief.of_part(
            f"Block {self.order} {self.kind}", self.text, self.polygon, self.confidence
        )


class Page(Written, Struct, frozen=True, kw_only=True, dict=True):
    """One page, read.

    Attributes:
        number: From 1, the page's position in the input (a selection keeps the numbers).
        width: Pixels, as displayed at `dpi`; the same for `height`.
        width_pt: Points (1/72 inch), as displayed; the same for `height_pt`.
        rotation: The PDF's /Rotate or the picture's EXIF rotation, degrees clockwise, already
            applied.
        orientation: How far the content is turned clockwise on the page as displayed (0, 90,
            180, 270); it was turned upright for reading and mapped back.
        lines_below_confidence: Lines found but left out because their confidence is too low.
        lines_unread: Lines found but left out because the model does not know their script, or
            because they are not text.
        links: The links of the PDF, in the file's order.
        footnotes: Footnotes whose marks are in the text above them, from a text layer.
        selection_marks: The check boxes and radio buttons of a PDF's form, in the file's order,
            then those that are drawn on the page or are signs in its text.
        form_fields: The text fields of a PDF's form, in the file's order.
        barcodes: From top to bottom, if they were requested.
        timings_ms: Stage to milliseconds.
        error: Set when the page could not be read; it then has no lines.
        model: What read it, if not the requested model.
    """

    number: int
    width: int
    height: int
    dpi: float
    width_pt: float
    height_pt: float
    rotation: int = 0
    orientation: int = 0
    text_layer: TextLayerDecision
    lines: tuple[Line, ...] = ()
    blocks: tuple[Block, ...] = ()
    lines_below_confidence: int = 0
    lines_unread: int = 0
    links: tuple[Link, ...] = ()
    footnotes: tuple[Footnote, ...] = ()
    selection_marks: tuple[SelectionMark, ...] = ()
    form_fields: tuple[FormField, ...] = ()
    barcodes: tuple[Barcode, ...] = ()
    warnings: tuple[Notice, ...] = ()
    timings_ms: dict[str, float] = {}
    error: Failure | None = None
    model: ModelInfo | None = None

    @property
    def lines_left_out(self) -> int:
        """Lines that were found but are not in `lines`."""
        return self.lines_below_confidence + self.lines_unread

    @property
    def is_in_part(self) -> bool:
        """Whether a large part of the page could not be read."""
        return any(notice.code == UNREAD_SCRIPT for notice in self.warnings)

    @property
    def text(self) -> str:
        """The page's text in reading order, a blank line between blocks."""
        parts = [block.text for block in self.blocks if block.text]
        owned = {index for block in self.blocks for index in block.line_indexes}
        loose = [line.text for i, line in enumerate(self.lines) if i not in owned]
        return "\n\n".join(parts + loose)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables, in reading order, including charts that were read as tables."""
        blocks = sorted(self.blocks, key=lambda block: block.order)
        return tuple(block.table for block in blocks if block.table and block.table.cells)

    @property
    def figures(self) -> tuple[Block, ...]:
        """The blocks that are figures, charts or seals, in reading order."""
        blocks = sorted(self.blocks, key=lambda block: block.order)
        return tuple(block for block in blocks if block.kind in FIGURE_KINDS)

    def image(
        self,
        *,
        overlay: bool = False,
        source: Source | None = None,
        password: str | None = None,
    ) -> Image:
        """The page's picture as displayed, `width` × `height` pixels, in red, green and blue.

        Args:
            overlay: Whether lines and blocks are drawn on it, numbered in reading order.
            source: What the page was read from. Not needed if this process has read it
                from a path or from bytes.
            password: Opens the source, if it is encrypted.

        Raises:
            BadOption: The source is not known, or has changed since.
            PagetideError: It can no longer be read.

        >>> page.image(overlay=True).size == (page.width, page.height)
        True
        """
        return answers().image_of(self, overlay, source, password)

    def lines_of(self, block: Block) -> tuple[Line, ...]:
        """The lines of one of this page's blocks, in reading order."""
        return tuple(self.lines[index] for index in block.line_indexes)

    @classmethod
    def from_json(cls, text: str | bytes) -> Page:
        """The page from a document's JSON.

        Raises:
            msgspec.ValidationError: The JSON is not of this schema; the message says where.
        """
        return msgspec.json.decode(text, type=ready(cls))

    def __repr__(self) -> str:
        return brief.of_page(self)


class SourceInfo(Struct, frozen=True, kw_only=True, gc=False):
    """The input: its name as given, its bytes' SHA-256 in hex, its media type and size."""

    name: str
    sha256: str
    bytes: int
    media_type: str
    page_count: int


class Document(Written, Struct, frozen=True, kw_only=True, dict=True):
    """One input that was read. `pages` has the requested pages, in order."""

    source: SourceInfo
    model: ModelInfo
    pages: tuple[Page, ...]
    warnings: tuple[Notice, ...] = ()
    schema_version: str = SCHEMA_VERSION

    @property
    def text(self) -> str:
        """All pages' text, a form feed between pages."""
        return "\f".join(page.text for page in self.pages)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables, in reading order; a table over several pages is returned once, joined.

        >>> document.tables
        (<Table: 8 rows, 6 columns, 48 cells>, <Table: 8 rows, 6 columns, 48 cells>)
        """
        return tuple(answers().tables_of(self))

    @property
    def figures(self) -> tuple[Block, ...]:
        """The blocks that are figures, charts or seals, in order."""
        return tuple(figure for page in self.pages for figure in page.figures)

    @property
    def failed_pages(self) -> tuple[Page, ...]:
        """The pages that could not be read; each says why in `error`."""
        return tuple(page for page in self.pages if page.error)

    def to_json(self, *, indent: int | None = None) -> str:
        """This document as JSON, with the schema in `docs/reference/document.schema.json`."""
        encoded = msgspec.json.encode(self)
        if indent is not None:
            encoded = msgspec.json.format(encoded, indent=indent)
        return encoded.decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Document:
        """The document that `to_json` wrote.

        Raises:
            msgspec.ValidationError: The JSON is not of this schema; the message says where.
        """
        return msgspec.json.decode(text, type=ready(cls))

    def __repr__(self) -> str:
        return brief.of_document(self)
