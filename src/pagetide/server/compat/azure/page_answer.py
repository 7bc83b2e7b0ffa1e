"""A page's part of the answer: in the protocol's terms and units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from pagetide import document
from pagetide.document import Page
from pagetide.document.field import Value
from pagetide.geometry import Polygon, box_of, center, contains, polygon_of
from pagetide.layout.check_marks import SELECTED, TICKED, UNSELECTED
from pagetide.server.compat.azure.angles import angle_of
from pagetide.server.compat.azure.content.composing import Composer
from pagetide.server.compat.azure.content.composing_markdown import MarkdownComposer
from pagetide.server.compat.azure.content.drafts import (
    CellDraft,
    Element,
    FigureDraft,
    LineDraft,
    PageDraft,
    ParagraphDraft,
    TableDraft,
)
from pagetide.server.compat.azure.content.page_content import Place
from pagetide.server.compat.azure.content.string_index import StringIndex, StringIndexType
from pagetide.server.compat.azure.wire import (
    AnalyzedPage,
    Barcode,
    BarcodeKind,
    BoundingRegion,
    Caption,
    Cell,
    CellKind,
    Figure,
    Line,
    PairPart,
    Paragraph,
    Role,
    SelectionMark,
    SelectionState,
    Span,
    Table,
    Word,
)

_ROLES: dict[str, Role] = {
    "title": "title",
    "heading": "sectionHeading",
    "header": "pageHeader",
    "footer": "pageFooter",
    "page_number": "pageNumber",
    "footnote": "footnote",
    "formula": "formulaBlock",
}
_STATES: dict[str, SelectionState] = {
    SELECTED: "selected",
    TICKED: "selected",
    UNSELECTED: "unselected",
}
_BARCODES: dict[str, BarcodeKind] = {kind.lower(): kind for kind in get_args(BarcodeKind)}
SURE = 1.0  # where the source gives no confidence: the protocol has no way to leave it out


@dataclass
class Before:
    """How much of the document stands before a page: the content's length, and elements."""

    offset: int = 0
    paragraphs: int = 0
    tables: int = 0
    figures: int = 0


@dataclass(frozen=True, kw_only=True)
class PageAnswer:
    """A page's part of each of the answer's lists."""

    draft: PageDraft
    length: int
    page: AnalyzedPage
    paragraphs: list[Paragraph]
    tables: list[Table]
    figures: list[Figure]


class Answering:
    """Answers about one page.

    Attributes:
        before: What stands before it.
    """

    def __init__(
        self,
        page: Page,
        before: Before,
        *,
        markdown: bool,
        index_type: StringIndexType,
        inches: bool,
    ) -> None:
        self.before = before
        self._page, self._inches = page, inches
        self._draft = (MarkdownComposer if markdown else Composer)(page).composed()
        self._index = StringIndex(index_type, self._draft.text)

    def answer(self, *, layout: bool) -> PageAnswer:
        """The page's answer; tables and figures only where the layout was asked for."""
        draft = self._draft
        tables = [self._table(each) for each in draft.tables] if layout else []
        figures = [self._figure(each) for each in draft.figures] if layout else []
        return PageAnswer(
            draft=draft,
            length=self._index.length,
            page=self._analyzed(),
            paragraphs=[self._paragraph(each) for each in draft.paragraphs],
            tables=tables,
            figures=figures,
        )

    def whole(self) -> BoundingRegion:
        """All of the page."""
        page = self._page
        [region] = self._regions([polygon_of((0, 0, page.width, page.height))])
        return region

    def span(self, place: Place) -> Span:
        """A place in the page's own content as one in the document's."""
        offset, length = self._index.span(*place)
        return Span(offset=self.before.offset + offset, length=length)

    def spans_of_lines(self) -> dict[int, list[Span]]:
        """Where the document's content has the page's lines, by their places."""
        return {
            line.index: [self.span(place) for place in line.spans] for line in self._draft.lines
        }

    def path(self, element: Element) -> str:
        """How an element of the page is referred to."""
        kind, place = element
        return f"/{kind}/{getattr(self.before, kind) + place}"

    def _analyzed(self) -> AnalyzedPage:
        page, lines = self._page, self._draft.lines
        return AnalyzedPage(
            page_number=page.number,
            angle=angle_of(page),
            width=round(page.width_pt / 72, 4) if self._inches else page.width,
            height=round(page.height_pt / 72, 4) if self._inches else page.height,
            unit="inch" if self._inches else "pixel",
            words=[word for line in lines for word in self._words(line)],
            selection_marks=[mark for line in lines for mark in self._marks(line)],
            barcodes=list(self._barcodes()),
            lines=[self._line(line) for line in lines],
            spans=[self.span((0, len(self._draft.text)))],
        )

    def _words(self, draft: LineDraft) -> Iterable[Word]:
        for word, place in draft.words:
            if word.text not in _STATES:
                yield Word(
                    content=word.text,
                    polygon=self._polygon(word.polygon),
                    confidence=self._confidence(draft, word),
                    span=self.span(place),
                )

    def _marks(self, draft: LineDraft) -> Iterable[SelectionMark]:
        """The words that are signs of boxes to tick."""
        for word, place in draft.words:
            if state := _STATES.get(word.text):
                yield SelectionMark(
                    state=state,
                    polygon=self._polygon(word.polygon),
                    confidence=self._confidence(draft, word),
                    span=self.span(place),
                )

    def _barcodes(self) -> Iterable[Barcode]:
        """The page's bar codes of kinds that the protocol knows."""
        end = len(self._draft.text)
        for code in self._page.barcodes:
            if kind := barcode_kind(code.kind):
                yield Barcode(
                    kind=kind,
                    value=code.text,
                    polygon=self._polygon(code.polygon),
                    confidence=SURE,
                    span=self.span((end, end)),
                )

    def _confidence(self, draft: LineDraft, word: document.Word) -> float:
        line = self._page.lines[draft.index]
        known = line.confidence if word.confidence is None else word.confidence
        return SURE if known is None else round(known, 4)

    def _line(self, draft: LineDraft) -> Line:
        line = self._page.lines[draft.index]
        return Line(
            content=line.text,
            polygon=self._polygon(line.polygon),
            spans=[self.span(place) for place in draft.spans],
        )

    def _paragraph(self, draft: ParagraphDraft) -> Paragraph:
        return Paragraph(
            spans=[self.span(draft.span)],
            bounding_regions=self._regions(draft.regions),
            content=draft.content,
            role=_ROLES.get(draft.block.kind) if draft.block else None,
        )

    def _table(self, draft: TableDraft) -> Table:
        return Table(
            row_count=draft.table.rows,
            column_count=draft.table.columns,
            cells=[self._cell(cell) for cell in draft.cells],
            bounding_regions=self._regions([draft.block.polygon]),
            spans=[self.span(draft.span)],
            caption=self._caption(draft.captions),
        )

    def _cell(self, draft: CellDraft) -> Cell:
        cell = draft.cell
        known = draft.paragraph is not None
        return Cell(
            kind=_kind(draft),
            row_index=cell.row,
            column_index=cell.column,
            row_span=cell.row_span,
            column_span=cell.column_span,
            content=cell.text,
            bounding_regions=self._regions([cell.polygon] if cell.polygon else []),
            spans=[self.span(draft.span)] if draft.span else [],
            elements=[self.path(("paragraphs", draft.paragraph or 0))] if known else [],
        )

    def _figure(self, draft: FigureDraft) -> Figure:
        return Figure(
            id=f"{self._page.number}.{draft.number}",
            bounding_regions=self._regions([draft.block.polygon]),
            spans=[self.span(draft.span)],
            elements=[self.path(element) for element in draft.elements],
            caption=self._caption(draft.captions),
        )

    def _caption(self, places: Iterable[int]) -> Caption | None:
        """One caption of all; the protocol has room for one."""
        found = [(place, self._draft.paragraphs[place]) for place in places]
        if not found:
            return None
        return Caption(
            content="\n".join(each.content for _, each in found),
            bounding_regions=[r for _, each in found for r in self._regions(each.regions)],
            spans=[self.span(each.span) for _, each in found],
            elements=[self.path(("paragraphs", place)) for place, _ in found],
        )

    def pair_part(self, value: Value) -> PairPart:
        """What stands somewhere on the page: its text and where the content has it."""
        box = box_of(value.polygon)
        lines = [line for line in self._draft.lines if line.index in value.lines]
        places = [
            place
            for line in lines
            for word, place in line.words
            if contains(box, center(box_of(word.polygon)))
        ]
        return PairPart(
            content=value.text,
            bounding_regions=self._regions([value.polygon]),
            spans=[self.span(place) for place in _joined(places)],
        )

    def _regions(self, polygons: Iterable[Polygon]) -> list[BoundingRegion]:
        number = self._page.number
        return [
            BoundingRegion(page_number=number, polygon=self._polygon(polygon))
            for polygon in polygons
        ]

    def _polygon(self, polygon: Polygon) -> list[float]:
        if not self._inches:
            return [round(value, 2) for point in polygon for value in point]
        return [round(value / self._page.dpi, 4) for point in polygon for value in point]


def barcode_kind(kind: str) -> BarcodeKind | None:
    """What the protocol calls a kind of bar code; None where it does not know it."""
    return _BARCODES.get(kind.replace("_", ""))


def _joined(places: Iterable[Place]) -> list[Place]:
    """Places, those as one that follow each other with a space between."""
    found: list[Place] = []
    for start, end in sorted(places):
        if found and start - found[-1][1] <= 1:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _kind(draft: CellDraft) -> CellKind:
    if not draft.cell.header:
        return "content"
    return "columnHeader" if draft.in_head else "rowHeader"
