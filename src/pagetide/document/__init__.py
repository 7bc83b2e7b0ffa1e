"""What reading gives back: Document → Page → Block → Line → Word; Table → Cell.

Everything is frozen. All polygons of a page live in one space: pixels of the page as
displayed (`/Rotate` and EXIF orientation applied) at the page's `dpi`, origin top left,
x to the right, y down. Polygons run clockwise from the text's own top-left corner, so a
sideways line says by its first edge which way it is to be read.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from pagetide.errors import PagetideError
from pagetide.geometry import Polygon
from pagetide.system.ready_types import ready

SCHEMA_VERSION = "1.6"
UNREAD_SCRIPT = "unread_script"  # a notice's code: the model does not read the page's script
TEXT_LAYER = "text-layer"  # the model's name where a document's own text was enough

BlockKind = Literal[
    "title",
    "heading",
    "text",
    "list",
    "table",
    "figure",
    "chart",
    "formula",
    "caption",
    "header",
    "footer",
    "page_number",
    "footnote",
    "aside",
    "code",
    "toc",
    "reference",
    "seal",
    "other",
]
TextSource = Literal["ocr", "text_layer", "vl"]
TextLayerMode = Literal["auto", "never", "only"]
LineBreaks = Literal["join", "keep"]
SelectionKind = Literal["checkbox", "radio"]
StyleKind = Literal["bold", "italic", "code", "superscript", "subscript"]


class Word(Struct, frozen=True, kw_only=True, gc=False):
    """A run of characters without a space, or one character of a script without spaces."""

    text: str
    polygon: Polygon
    confidence: float | None = None


class TextStyle(Struct, frozen=True, kw_only=True, gc=False):
    """How a part of a line is set, where the rest of its page is not.

    Attributes:
        kind: `code` is type in which every letter is as wide as the next.
        start: The place in the line's `text` of its first character, from 0.
        end: The place behind its last.
    """

    kind: StyleKind
    start: int
    end: int


class Line(Struct, frozen=True, kw_only=True, gc=False):
    """Text read along one baseline.

    Attributes:
        confidence: 0–1, or None where the source gives none (a text layer).
        words: In reading order; together they hold every character of `text` but spaces.
        source: Where the text comes from.
        bold: Whether it is set in bold type: as the document's own text says, or in strokes
            wider than most of the picture's.
        styles: What a text layer says of its parts, by kind and then by place; parts of
            one kind are apart from each other and begin and end with a character that shows.
    """

    text: str
    polygon: Polygon
    confidence: float | None = None
    words: tuple[Word, ...] = ()
    source: TextSource = "ocr"
    bold: bool = False
    styles: tuple[TextStyle, ...] = ()


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


class Table(Struct, frozen=True, kw_only=True, gc=False):
    """A grid of cells; a cell stands once, at its top-left place."""

    rows: int
    columns: int
    cells: tuple[Cell, ...]


class Notice(Struct, frozen=True, kw_only=True, gc=False):
    """Something the caller should know; `code` is stable, `message` is one sentence."""

    code: str
    message: str


class BlockPlace(Struct, frozen=True, kw_only=True, gc=False):
    """Where a block stands: its page's number, and its `order` there."""

    page: int
    order: int


class Block(Struct, frozen=True, kw_only=True, gc=False):
    """A layout area.

    Attributes:
        order: Place in the page's reading order, from 0, dense over all blocks.
        text: Of a table, a line feed between rows and a tab between columns; of a formula,
            LaTeX where the model writes it.
        label: The layout model's own name for the area, or `outline` of a heading that the
            document's outline or its tags name; None where lines were grouped.
        confidence: The layout model's, 0–1; None where it gives none.
        line_indexes: Places in `Page.lines`, in reading order.
        level: Of a heading, from 1 (the largest) to 6; None where nothing tells it.
        caption_of: Of a caption, the `order` of the figure, table or chart it belongs to.
        continues: The `order` of the block whose text holds this one's too: the model read
            both as one.
        continued_from: Of a table that goes on from the page before, or a paragraph that does
            from the column before: its part there. Each part has the rows that stand in it, a
            table's with whatever head is repeated.
        warnings: What became of its reading: `block_failed`, `block_truncated`,
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


class Link(Struct, frozen=True, kw_only=True, gc=False):
    """A part of a page that leads somewhere.

    Attributes:
        polygon: Upright; a link on several rows has one of these for each.
        address: As the file gives it, of whatever scheme: nobody has looked where it leads.
        page: The number of the document's page that it leads to.
    """

    polygon: Polygon
    address: str | None = None
    page: int | None = None


class TextPlace(Struct, frozen=True, kw_only=True, gc=False):
    """A part of a line.

    Attributes:
        line: The line's place in `Page.lines`.
        start: The place in the line's `text` of its first character, from 0.
        end: The place behind its last.
    """

    line: int
    start: int
    end: int


class Footnote(Struct, frozen=True, kw_only=True, gc=False):
    """A note, tied to its marks in the text.

    Attributes:
        mark: As the page has it: a number, a letter, a sign such as `*`.
        place: Where the note has it; the note begins with that line.
        marked: Where it stands raised in the text.
    """

    mark: str
    place: TextPlace
    marked: tuple[TextPlace, ...]


class SelectionMark(Struct, frozen=True, kw_only=True, gc=False):
    """A check box or a radio button: of a PDF's form, or drawn beside words.

    The page's lines have it, too, before what it marks: as U+2612 where it is selected (or as
    the sign U+2611 that stands there), as U+2610 where it is not.

    Attributes:
        polygon: Upright.
        name: The field's, as the file gives it; empty of a drawn one.
        value: What the field has where this mark is selected; likewise.
    """

    kind: SelectionKind
    selected: bool
    polygon: Polygon
    name: str = ""
    value: str = ""


class Failure(Struct, frozen=True, kw_only=True, gc=False):
    """Why a page could not be read; `code` is that of an error in `pagetide.errors`."""

    code: str
    message: str
    retryable: bool = False

    @classmethod
    def of(cls, error: PagetideError) -> Failure:
        """What a result says of an error."""
        return cls(code=error.code, message=error.message, retryable=error.retryable)


class ModelInfo(Struct, frozen=True, kw_only=True, gc=False):
    """What read a document or a page.

    Attributes:
        version: The engine's.
        runtime: What it ran on, with version.
        parts: What each of its networks is for, and its name.
        weights: The same keys, and the SHA-256 in hex of each network's file.
        worker: The version of the worker that read it, of a service; else empty.
    """

    name: str
    engine: str
    version: str
    runtime: str
    language: str
    parts: dict[str, str] = {}
    weights: dict[str, str] = {}
    worker: str = ""


class TextLayerDecision(Struct, frozen=True, kw_only=True, gc=False):
    """Whether the page's own text was taken, and why.

    Attributes:
        used: True when the lines come from the text layer.
        reason: A stable code: `trusted`, `blank` (nothing is drawn, so nothing is to be
            read), `requested`, `image_input`, `no_text`, `garbage`, `invisible`, `clipped`,
            `little_coverage`, `not_requested`.
        detail: One sentence for a person.
    """

    used: bool
    reason: str
    detail: str = ""


class Page(Struct, frozen=True, kw_only=True, gc=False):
    """One page, read.

    Attributes:
        number: From 1, the page's place in the input (a selection keeps the numbers).
        width: Pixels, as displayed at `dpi`; the same for `height`.
        width_pt: Points (1/72 inch), as displayed; the same for `height_pt`.
        rotation: The PDF's /Rotate or the picture's EXIF turn, degrees clockwise, already
            applied.
        orientation: How far the content stands turned clockwise on the page as displayed
            (0, 90, 180, 270); it was turned upright for reading and mapped back.
        lines_below_confidence: Lines found but left out, their confidence being too low.
        lines_unread: Lines found but left out, the model not knowing their script, or what is
            drawn there not being text.
        links: What the PDF links, in the file's order.
        footnotes: Notes whose marks a text layer has in the text above them.
        selection_marks: The check boxes and radio buttons of a PDF's form, in the file's order,
            then those that are drawn on the page or stand in its text as signs.
        timings_ms: Stage to milliseconds.
        error: Set when the page could not be read; it then has no lines.
        model: What read it, where that is not the model that was asked for.
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
    warnings: tuple[Notice, ...] = ()
    timings_ms: dict[str, float] = {}
    error: Failure | None = None
    model: ModelInfo | None = None

    @property
    def lines_left_out(self) -> int:
        """Lines that were found and are not in `lines`."""
        return self.lines_below_confidence + self.lines_unread

    @property
    def is_in_part(self) -> bool:
        """Whether much of the page could not be read, though some of it may be."""
        return any(notice.code == UNREAD_SCRIPT for notice in self.warnings)

    @property
    def text(self) -> str:
        """The page's text in reading order, a blank line between blocks."""
        parts = [block.text for block in self.blocks if block.text]
        owned = {index for block in self.blocks for index in block.line_indexes}
        loose = [line.text for i, line in enumerate(self.lines) if i not in owned]
        return "\n\n".join(parts + loose)

    def lines_of(self, block: Block) -> tuple[Line, ...]:
        """The lines of one of this page's blocks, in reading order."""
        return tuple(self.lines[index] for index in block.line_indexes)

    @classmethod
    def from_json(cls, text: str | bytes) -> Page:
        """The page that stands in a document's JSON.

        Raises:
            msgspec.ValidationError: The JSON is not of this schema; the message says where.
        """
        return msgspec.json.decode(text, type=ready(cls))


class SourceInfo(Struct, frozen=True, kw_only=True, gc=False):
    """The input: its name as given, its bytes' SHA-256 in hex, its media type and size."""

    name: str
    sha256: str
    bytes: int
    media_type: str
    page_count: int


class Document(Struct, frozen=True, kw_only=True, gc=False):
    """One input, read. `pages` holds the pages asked for, in order."""

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
    def failed_pages(self) -> tuple[Page, ...]:
        """The pages that could not be read; each says why in `error`."""
        return tuple(page for page in self.pages if page.error)

    def to_json(self, *, indent: int | None = None) -> str:
        """This document as JSON, of the form in `docs/reference/document.schema.json`."""
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
