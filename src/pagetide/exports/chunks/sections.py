"""A document as sections: the headings above, and the parts below them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from pagetide.document import Block, BlockKind, BlockPlace, ChunkBy, ChunkPlace, Document, Page
from pagetide.exports.chunks.parts import Part, letters
from pagetide.exports.flow import Piece, pieces
from pagetide.exports.tables.joined_tables import by_place, joined, row_places
from pagetide.exports.text.reflow import reflowed
from pagetide.exports.text.reflow.over_pages import further_parts, joined_over_pages

_LEFT_OUT: frozenset[BlockKind] = frozenset({"header", "footer", "page_number"})
_BY_LINE: frozenset[BlockKind] = frozenset({"list", "code", "toc", "table", "chart"})
_TITLE = 0  # a title's level; headings count from 1


@dataclass(kw_only=True)
class Section:
    """Parts that may stand in one chunk.

    Attributes:
        headings: Above the first of them, outermost first.
    """

    headings: tuple[str, ...]
    parts: list[Part] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class _Heading:
    level: int
    part: Part


def sections(document: Document, by: ChunkBy) -> Iterator[Section]:
    """The document's sections in reading order, none of them empty.

    A section ends at each heading, by page at each page's end as well, and by block with each
    part. The headings above
    are no part of it, unless nothing stands below: then the last one is all that it has.
    """
    return (section for section in _cut(_Flow(document, by), by) if section.parts)


class _Flow:
    """Headings and parts, page by page."""

    def __init__(self, document: Document, by: ChunkBy) -> None:
        self._rows = row_places(document)
        self._blocks = by_place(document)
        self._document = reflowed(joined(document))
        further = {} if by == "page" else further_parts(self._document)
        self._further = defaultdict[BlockPlace, list[BlockPlace]](list)
        for place, first in further.items():
            self._further[first].append(place)
        parted = {*further, *further.values()}
        texts = by_place(self._document) if parted else {}
        self._letters = {place: letters(texts[place].text) for place in parted}
        self._document = joined_over_pages(self._document, document, further, marked=False)

    def pages(self) -> Iterator[Iterator[_Heading | Part]]:
        for page in self._document.pages:
            if page.error is None:
                yield self._page(page)

    def _page(self, page: Page) -> Iterator[_Heading | Part]:
        for piece in pieces(page):
            if piece.block.kind not in _LEFT_OUT:
                yield from self._piece(page, piece)
        owned = {index for block in page.blocks for index in block.line_indexes}
        for index, line in enumerate(page.lines):
            if index not in owned and line.text.strip():
                place = ChunkPlace(page=page.number, polygon=line.polygon, kind="other")
                yield Part(text=line.text, places=(place,))

    def _piece(self, page: Page, piece: Piece) -> Iterator[_Heading | Part]:
        block = piece.block
        if block.kind in ("title", "heading") and block.text.strip():
            level = _TITLE if block.kind == "title" else block.level or 1
            text = " ".join(block.text.split())
            yield _Heading(level=level, part=Part(text=text, places=(_place(page, block),)))
        elif block.table and block.table.cells:
            yield self._table(page, piece)
        else:
            for each in (*piece.above, block, *piece.below):
                yield from self._text(page, each)
        for beside in piece.beside:
            yield Part(text=beside, places=(_place(page, block),))

    def _text(self, page: Page, block: Block) -> Iterator[Part]:
        if not block.text.strip():
            return
        own = BlockPlace(page=page.number, order=block.order)
        further = self._further.get(own, [])
        counts = [self._letters[place] for place in (own, *further)] if further else []
        yield Part(
            text=block.text.strip(),
            places=(_place(page, block), *map(self._standing, further)),
            rows=tuple(accumulate(counts[:-1], initial=0)) if further else (),
            by_line=block.kind in _BY_LINE,
        )

    def _table(self, page: Page, piece: Piece) -> Part:
        block = piece.block
        captions = [each for each in (*piece.above, *piece.below) if each.text.strip()]
        own = BlockPlace(page=page.number, order=block.order)
        rows = self._rows.get(own, [(0, own)])
        return Part(
            text="\n".join(each.text for each in captions),
            captions=tuple(_place(page, each) for each in captions),
            places=tuple(self._standing(place) for _, place in rows),
            table=block.table,
            rows=tuple(first for first, _ in rows),
        )

    def _standing(self, place: BlockPlace) -> ChunkPlace:
        block = self._blocks[place]
        return ChunkPlace(
            page=place.page, polygon=block.polygon, kind=block.kind, order=block.order
        )


def _place(page: Page, block: Block) -> ChunkPlace:
    return ChunkPlace(
        page=page.number, polygon=block.polygon, kind=block.kind, order=block.order
    )


def _cut(flow: _Flow, by: ChunkBy) -> Iterator[Section]:
    path: list[_Heading] = []
    section, is_written = Section(headings=()), True
    for page in flow.pages():
        if by == "page" and section.parts:
            yield section
            section = Section(headings=_texts(path))
        for item in page:
            if isinstance(item, Part):
                if by == "block" and section.parts:
                    yield section
                    section = Section(headings=_texts(path))
                section.parts.append(item)
                is_written = True
                continue
            alone = not is_written and path[-1].level >= item.level
            yield _heading_alone(path) if alone else section
            _enter(path, item)
            section, is_written = Section(headings=_texts(path)), False
    yield section if is_written else _heading_alone(path)


def _heading_alone(path: list[_Heading]) -> Section:
    return Section(headings=_texts(path[:-1]), parts=[path[-1].part])


def _enter(path: list[_Heading], heading: _Heading) -> None:
    while path and path[-1].level >= heading.level:
        path.pop()
    path.append(heading)


def _texts(path: list[_Heading]) -> tuple[str, ...]:
    return tuple(heading.part.text for heading in path)
