"""What goes over the wire, in the words of the protocol's schema."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

API_VERSION = "2024-11-30"

Polygon = list[float]
Role = Literal[
    "pageHeader",
    "pageFooter",
    "pageNumber",
    "title",
    "sectionHeading",
    "footnote",
    "formulaBlock",
]
CellKind = Literal["content", "rowHeader", "columnHeader"]


class _Wire(Struct, kw_only=True, gc=False, rename="camel", omit_defaults=True):
    """What the schema lets be left out has a default here, and is left out where it has it."""


class Span(_Wire):
    """A place in the content: where it begins, and how long it is."""

    offset: int
    length: int


class BoundingRegion(_Wire):
    """A place on a page; x and y of each point."""

    page_number: int
    polygon: Polygon


class Word(_Wire):
    """A word of a page."""

    content: str
    polygon: Polygon
    confidence: float
    span: Span


class Line(_Wire):
    """A line of a page."""

    content: str
    polygon: Polygon
    spans: list[Span]


SelectionState = Literal["selected", "unselected"]


class SelectionMark(_Wire):
    """A box to tick; its span is the sign's in the content."""

    state: SelectionState
    polygon: Polygon
    confidence: float
    span: Span


BarcodeKind = Literal[
    "QRCode",
    "PDF417",
    "UPCA",
    "UPCE",
    "Code39",
    "Code128",
    "EAN8",
    "EAN13",
    "DataBar",
    "Code93",
    "Codabar",
    "DataBarExpanded",
    "ITF",
    "MicroQRCode",
    "Aztec",
    "DataMatrix",
    "MaxiCode",
]


class Barcode(_Wire):
    """A bar code; its span is empty, at the end of its page."""

    kind: BarcodeKind
    value: str
    polygon: Polygon
    confidence: float
    span: Span


class Language(_Wire):
    """A language, and where in the content it is written."""

    locale: str
    spans: list[Span]
    confidence: float


class AnalyzedPage(_Wire):
    """A page; its lengths are in its unit."""

    page_number: int
    angle: float
    width: float
    height: float
    unit: Literal["inch", "pixel"]
    words: list[Word]
    selection_marks: list[SelectionMark]
    barcodes: list[Barcode]
    lines: list[Line]
    spans: list[Span]


class Paragraph(_Wire):
    """A block's text."""

    spans: list[Span]
    bounding_regions: list[BoundingRegion]
    content: str
    role: Role | None = None


class Caption(_Wire):
    """What is written beside a table or a figure about it."""

    content: str
    bounding_regions: list[BoundingRegion]
    spans: list[Span]
    elements: list[str]


class Cell(_Wire):
    """A cell of a table."""

    kind: CellKind
    row_index: int
    column_index: int
    row_span: int
    column_span: int
    content: str
    bounding_regions: list[BoundingRegion]
    spans: list[Span]
    elements: list[str] = []


class Table(_Wire):
    """A table."""

    row_count: int
    column_count: int
    cells: list[Cell]
    bounding_regions: list[BoundingRegion]
    spans: list[Span]
    caption: Caption | None = None


class Figure(_Wire):
    """A picture, a chart or a seal on a page."""

    id: str
    bounding_regions: list[BoundingRegion]
    spans: list[Span]
    elements: list[str] = []
    caption: Caption | None = None


class PairPart(_Wire):
    """A label, or its value."""

    content: str
    bounding_regions: list[BoundingRegion]
    spans: list[Span]


class KeyValuePair(_Wire):
    """A label and its value."""

    key: PairPart
    value: PairPart
    confidence: float


class Section(_Wire):
    """A heading with what follows it."""

    spans: list[Span]
    elements: list[str]


class Warned(_Wire):
    """What the caller should know; `target` is a page's number."""

    code: str
    message: str
    target: str | None = None


class InnerError(_Wire):
    """What an error is, more exactly."""

    code: str
    message: str


class Error(_Wire):
    """Why something was not done."""

    code: str
    message: str
    innererror: InnerError | None = None


class Refusal(_Wire):
    """An error as an answer."""

    error: Error


class Operation(_Wire):
    """How a job stands; `analyzeResult` stands beside it once it is there."""

    status: str
    created_date_time: str
    last_updated_date_time: str
    error: Error | None = None
