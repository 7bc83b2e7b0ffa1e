"""Tables as blocks: every place of the grid is a cell, and spans are merged cells beside."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pagetide.document import Block as Area
from pagetide.document import Cell, Page, Table, Word
from pagetide.exports.tables.cells import tidy
from pagetide.geometry import Point, Polygon, box_of, center, polygon_of
from pagetide.server.compat.textract.blocks import (
    PageBlocks,
    in_order,
    percent,
    percent_within,
    related,
    spaced_words,
)

MOST_ALIKE = 64  # words of one text that are held against a cell's place


def put_tables(blocks: PageBlocks, page: Page) -> Iterator[str]:
    """Add the page's tables, each with its cells; the ids of the tables."""
    for area in in_order(page):
        if area.table and area.table.cells:
            yield _TableBlocks(blocks, page, area, tidy(area.table)).put()


class _TableBlocks:
    def __init__(self, blocks: PageBlocks, page: Page, area: Area, table: Table) -> None:
        self._blocks, self._page, self._area, self._table = blocks, page, area, table
        lines = [i for cell in table.cells for i in cell.line_indexes]
        self._percent = percent_within(page, area.confidence, lines or area.line_indexes)
        own = {place: blocks.words[place] for place in blocks.lines[area.order]}
        # Cells that say just what their lines say; the other lines' words are for the others.
        self._whole = {
            cell: [id_ for place in cell.line_indexes for id_, _ in own.pop(place)]
            for cell in table.cells
            if cell.line_indexes and self._says_lines(cell, own)
        }
        self._pool = _Pool(pair for words in own.values() for pair in words)

    def put(self) -> str:
        cells: list[str] = []
        merged: list[str] = []
        for cell in self._table.cells:
            polygon = cell.polygon or self._share_of(cell)
            ids = self._put_places(cell, polygon)
            cells += ids
            if len(ids) > 1:
                merged.append(self._put_merged(cell, polygon, ids))
        titles = [self._put_title(area) for area in self._titles()]
        more = (*related("MERGED_CELL", merged), *related("TABLE_TITLE", titles))
        return self._blocks.put(
            "TABLE",
            self._area.polygon,
            children=cells,
            relationships=more,
            confidence=self._percent,
        )

    def _put_places(self, cell: Cell, polygon: Polygon) -> list[str]:
        """A cell for each place that a cell covers; its words stand in the first."""
        words = self._words(cell, polygon)
        ids = []
        for i in range(cell.row_span):
            for j in range(cell.column_span):
                part = _part(
                    polygon,
                    (j / cell.column_span, i / cell.row_span),
                    ((j + 1) / cell.column_span, (i + 1) / cell.row_span),
                )
                whole = cell.row_span == cell.column_span == 1
                id_ = self._put_cell("CELL", cell, polygon if whole else part, words, (i, j))
                ids.append(id_)
                words = []
        return ids

    def _put_merged(self, cell: Cell, polygon: Polygon, ids: list[str]) -> str:
        return self._put_cell("MERGED_CELL", cell, polygon, ids, (0, 0))

    def _put_cell(
        self,
        kind: str,
        cell: Cell,
        polygon: Polygon,
        children: list[str],
        place: tuple[int, int],
    ) -> str:
        merged = kind == "MERGED_CELL"
        return self._blocks.put(
            kind,
            polygon,
            children=children,
            row_index=cell.row + place[0] + 1,
            column_index=cell.column + place[1] + 1,
            row_span=cell.row_span if merged else 1,
            column_span=cell.column_span if merged else 1,
            entity_types=("COLUMN_HEADER",) if cell.header else (),
            confidence=self._certainty(cell),
        )

    def _certainty(self, cell: Cell) -> float | None:
        own = percent_within(self._page, cell.confidence, cell.line_indexes)
        return self._percent if own is None else own

    def _words(self, cell: Cell, polygon: Polygon) -> list[str]:
        """Those of the table's lines that say what the cell says; else the cell's own."""
        found = self._whole.get(cell)
        if found is None:
            found = self._pool.taken(cell.text, center(box_of(polygon)))
        if found is not None:
            return found
        certain = percent(cell.confidence)
        return [self._blocks.word(w, certain) for w in spaced_words(cell.text, polygon)]

    @staticmethod
    def _says_lines(cell: Cell, own: Mapping[int, Sequence[tuple[str, Word]]]) -> bool:
        places = cell.line_indexes
        if not all(place in own for place in places):
            return False
        words = "".join(word.text for place in places for _, word in own[place])
        return _letters(words) == _letters(cell.text)

    def _titles(self) -> list[Area]:
        named = [area for area in self._page.blocks if area.caption_of == self._area.order]
        return sorted(named, key=lambda area: area.order)

    def _put_title(self, area: Area) -> str:
        if area.line_indexes:
            words = [id_ for i in area.line_indexes for id_, _ in self._blocks.words[i]]
        else:
            spaced = spaced_words(area.text, area.polygon)
            words = [self._blocks.word(word, None) for word in spaced]
        certain = percent_within(self._page, area.confidence, area.line_indexes)
        return self._blocks.put("TABLE_TITLE", area.polygon, children=words, confidence=certain)

    def _share_of(self, cell: Cell) -> Polygon:
        """Where a cell stands that the model gave no place: as if all were of one size."""
        rows, columns = self._table.rows, self._table.columns
        return _part(
            self._area.polygon,
            (cell.column / columns, cell.row / rows),
            (
                (cell.column + cell.column_span) / columns,
                (cell.row + cell.row_span) / rows,
            ),
        )


def _letters(text: str) -> str:
    return "".join(text.split())


class _Pool:
    """The words of a table's lines, each for one cell."""

    def __init__(self, words: Iterable[tuple[str, Word]]) -> None:
        self._left: dict[str, list[tuple[str, Point]]] = defaultdict(list)
        for id_, word in words:
            self._left[word.text].append((id_, center(box_of(word.polygon))))
        self._longest = max(map(len, self._left), default=0)

    def taken(self, text: str, place: Point) -> list[str] | None:
        """The ids of the words that a cell's text is made of, those nearest to its middle.

        None, and nothing is taken, where words do not make it.
        """
        found: list[tuple[str, tuple[str, Point]]] = []
        for token in text.split():
            while token:
                end = next(
                    (n for n in range(len(token), 0, -1) if self._left.get(token[:n])), 0
                )
                if not end:
                    for word, each in found:
                        self._left[word].append(each)
                    return None
                near = self._left[token[:end]][:MOST_ALIKE]
                best = min(range(len(near)), key=lambda n: math.dist(near[n][1], place))
                found.append((token[:end], self._left[token[:end]].pop(best)))
                token = token[end:]
        return [id_ for _, (id_, _) in found]


def _part(polygon: Polygon, start: Point, end: Point) -> Polygon:
    """A part of a four-cornered place; 0–1 along its first edge, and down from that."""
    if len(polygon) != 4:
        polygon = polygon_of(box_of(polygon))
    top_left, top_right, bottom_right, bottom_left = polygon

    def at(across: float, down: float) -> Point:
        upper = _between(top_left, top_right, across)
        return _between(upper, _between(bottom_left, bottom_right, across), down)

    (left, top), (right, bottom) = start, end
    return (at(left, top), at(right, top), at(right, bottom), at(left, bottom))


def _between(a: Point, b: Point, share: float) -> Point:
    return (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share)
