"""A page as plain text: each block, cell and caption where it is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from pagetide.document import Block, Cell, Page, Table
from pagetide.exports.figures import figures_of
from pagetide.exports.flow import Piece, pieces
from pagetide.exports.tables.cells import header_rows, tidy
from pagetide.geometry import Polygon, box_of
from pagetide.server.compat.azure.content.claiming import Claims, Target
from pagetide.server.compat.azure.content.drafts import (
    CellDraft,
    Element,
    FigureDraft,
    Kind,
    PageDraft,
    ParagraphDraft,
    Step,
    TableDraft,
)
from pagetide.server.compat.azure.content.page_content import Place, Stretch, Written
from pagetide.server.compat.azure.content.spelling import Spelling, as_read


class Composer:
    """Tells a page as plain text, each paragraph and cell on lines of its own."""

    between = "\n"

    def __init__(self, page: Page) -> None:
        self.page, self.draft, self.written = page, PageDraft(), Written()
        self._numbers = {block.order: i for i, block in enumerate(figures_of(page), 1)}
        self._within = _blocks_within(page)
        self._claims = Claims(page)

    def composed(self) -> PageDraft:
        """The page."""
        for piece in pieces(self.page):
            self._piece(piece)
        for index, line in enumerate(self.page.lines):
            if index not in self._claims and line.text.strip():
                self._loose(index, line.text, line.polygon)
        self.draft.text = self.written.text
        self.draft.lines = list(self._claims.lines(self.written.length))
        return self.draft

    def _piece(self, piece: Piece) -> None:
        block = piece.block
        if block.order in self._numbers:
            self._figure(piece)
        elif block.table and block.table.cells:
            self._table(piece)
        else:
            self._captions(piece.above)
            self._block(block)
            self._captions(piece.below)

    def _figure(self, piece: Piece) -> None:
        block, first = piece.block, len(self.draft.paragraphs)
        tables = len(self.draft.tables)
        captions, span = self._figure_body(piece)
        self.draft.figures.append(
            FigureDraft(
                block=block,
                number=self._numbers[block.order],
                span=span,
                elements=tuple(self._elements(first, tables, captions)),
                captions=captions,
            )
        )
        self._step("figures", span)

    def _elements(self, first: int, tables: int, captions: Sequence[int]) -> Iterator[Element]:
        if len(self.draft.tables) > tables:
            yield "tables", tables
            return
        for place in range(first, len(self.draft.paragraphs)):
            if place not in captions:
                yield "paragraphs", place

    def _figure_body(self, piece: Piece) -> tuple[tuple[int, ...], Place]:
        first = len(self.draft.paragraphs)
        captions = self._captions(piece.above, outline=False)
        self._within_figure(piece.block)
        captions += self._captions(piece.below, outline=False)
        spans = [paragraph.span for paragraph in self.draft.paragraphs[first:]]
        here = self.written.length
        return captions, (spans[0][0], spans[-1][1]) if spans else (here, here)

    def _within_figure(self, block: Block) -> None:
        if block.table and block.table.cells:
            self._table(Piece(block=block), outline=False)
        else:
            self._block(block, outline=False)

    def _table(self, piece: Piece, *, outline: bool = True) -> None:
        block = piece.block
        assert block.table  # noqa: S101 - who calls has looked
        table = tidy(block.table)
        targets: list[Target] = []
        captions, span, cells = self._table_body(piece, table, targets)
        self.draft.tables.append(
            TableDraft(block=block, table=table, span=span, cells=cells, captions=captions)
        )
        if outline:
            self._step("tables", span)
        self._claims.claim(self._lines_of(block), targets)
        self._beside(self._lines_of(block))

    def _table_body(
        self, piece: Piece, table: Table, targets: list[Target]
    ) -> tuple[tuple[int, ...], Place, tuple[CellDraft, ...]]:
        captions = self._captions(piece.above, outline=False)
        head, cells = header_rows(table), []
        for cell in table.cells:
            if cell.text.strip():
                self.begin()
            cells.append(self._cell(cell, cell.row < head, targets))
        spans = [cell.span for cell in cells if cell.span]
        here = self.written.length
        span = (spans[0][0], spans[-1][1]) if spans else (here, here)
        return (*captions, *self._captions(piece.below, outline=False)), span, tuple(cells)

    def _cell(
        self, cell: Cell, in_head: bool, targets: list[Target], spell: Spelling = as_read
    ) -> CellDraft:
        if not cell.text.strip():
            return CellDraft(cell=cell, in_head=in_head, span=None, paragraph=None)
        stretch = self.written.read(cell.text, spell)
        box = box_of(cell.polygon) if cell.polygon else None
        targets.append(Target(stretch, box, frozenset(cell.line_indexes)))
        regions = (cell.polygon,) if cell.polygon else ()
        self.draft.paragraphs.append(
            ParagraphDraft(content=cell.text, regions=regions, span=stretch.span)
        )
        place = len(self.draft.paragraphs) - 1
        return CellDraft(cell=cell, in_head=in_head, span=stretch.span, paragraph=place)

    def _captions(self, captions: Iterable[Block], *, outline: bool = True) -> tuple[int, ...]:
        found = (self._block(caption, outline=outline) for caption in captions)
        return tuple(place for place in found if place is not None)

    def _block(
        self, block: Block, *, outline: bool = True, spell: Spelling | None = None
    ) -> int | None:
        """A block as a paragraph; its place among them, or None where it says nothing."""
        lines = self._lines_of(block)
        text = block.text if block.text.strip() else self._text_of(lines)
        if not text.strip():
            return None
        if spell is None:
            self.begin()
            stretch = self.around(block, text)
        else:
            stretch = self.written.read(text, spell)
        regions = [block, *self._within[block.order]]
        place = len(self.draft.paragraphs)
        self.draft.paragraphs.append(
            ParagraphDraft(
                content=text,
                regions=tuple(each.polygon for each in regions),
                span=stretch.span,
                block=block,
            )
        )
        if outline:
            self._step("paragraphs", stretch.span, block)
        self._claims.claim(lines, [Target(stretch)])
        return place

    def _loose(self, index: int, text: str, polygon: Polygon) -> None:
        self.begin()
        stretch = self.loose(text)
        self.draft.paragraphs.append(
            ParagraphDraft(content=text, regions=(polygon,), span=stretch.span)
        )
        self._step("paragraphs", stretch.span)
        self._claims.claim([index], [Target(stretch)])

    def _beside(self, lines: Iterable[int]) -> None:
        """Tell below a table the words of its lines that are in none of its cells."""
        for index in lines:
            missing = self._claims.missing(index)
            if missing.strip():
                self._loose(index, missing, self.page.lines[index].polygon)

    def _lines_of(self, block: Block) -> list[int]:
        blocks = [block, *self._within[block.order]]
        return [index for each in blocks for index in each.line_indexes]

    def _text_of(self, lines: Iterable[int]) -> str:
        return "\n".join(self.page.lines[index].text for index in lines)

    def _step(
        self,
        kind: Kind,
        span: Place,
        block: Block | None = None,
    ) -> None:
        if block and block.kind in ("header", "footer", "page_number"):
            return
        level = None
        if block and block.kind in ("title", "heading"):
            level = 0 if block.kind == "title" else block.level or 1
        place = len(getattr(self.draft, kind)) - 1
        self.draft.outline.append(Step(element=(kind, place), span=span, level=level))

    def begin(self) -> None:
        """Part what follows from what is there."""
        if self.written.length:
            self.written.mark(self.between)

    def around(self, block: Block, text: str) -> Stretch:
        """Write a block's text with what stands around it."""
        return self.written.read(text)

    def loose(self, text: str) -> Stretch:
        """Write the text of a line that is in no block."""
        return self.written.read(text)


def _blocks_within(page: Page) -> dict[int, list[Block]]:
    """For each block that is written, those whose text it holds."""
    known = {block.order: block for block in page.blocks}
    found: dict[int, list[Block]] = defaultdict(list)
    shown = {each.order for piece in pieces(page) for each in _of_piece(piece)}
    for block in sorted(page.blocks, key=lambda block: block.order):
        holder = _holder(block, known, shown)
        if holder is not block:
            found[holder.order].append(block)
    return found


def _holder(block: Block, known: Mapping[int, Block], shown: Set[int]) -> Block:
    """The block that is written and holds this one's text: itself, where it is written."""
    seen, holder = set[int](), block
    while holder.order not in shown | seen and holder.continues is not None:
        seen.add(holder.order)
        holder = known.get(holder.continues, holder)
    return holder


def _of_piece(piece: Piece) -> tuple[Block, ...]:
    return (*piece.above, piece.block, *piece.below)
