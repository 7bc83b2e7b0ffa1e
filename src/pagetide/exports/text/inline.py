"""Links and styles for formats that have them: their words are marked, to be written later.

A link is an area of the page, a style a part of a line. Their words are found in a block's text
letter by letter, since rows were joined and hyphens undone; if the text is not that of the
lines, as after a model that writes blocks itself, it gets neither.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from pagetide.document import Block, BlockKind, Cell, Document, Page, StyleKind, Table
from pagetide.exports.text import linked
from pagetide.exports.text.inline_marks import NOTES, Piece, Sign, has_marks, put
from pagetide.geometry import Box, box_of, center, contains

_PLAIN: frozenset[BlockKind] = frozenset({"code", "formula"})
_HEADS: frozenset[BlockKind] = frozenset({"title", "heading"})
_NONE: frozenset[StyleKind] = frozenset()
_NO_SIGNS: frozenset[Sign] = frozenset()


def marked(document: Document, without: frozenset[BlockKind] = frozenset()) -> Document:
    """The document with marks around text that is styled, or linked to a followable target.

    A heading, or a table's header, that is all in one style gets none.

    Args:
        document: As it is written, rows joined or not. Pages whose text already has such marks
            lose their links and styles.
        without: Kinds of blocks whose text has neither in the format.
    """
    numbers = {page.number for page in document.pages}
    pages = (_page(page, numbers, without | _PLAIN) for page in document.pages)
    return replace(document, pages=tuple(pages))


def _page(page: Page, numbers: Collection[int], without: frozenset[BlockKind]) -> Page:
    links = linked.Links(page, numbers)
    if not links and not any(line.styles for line in page.lines):
        return replace(page, links=(), footnotes=())
    if has_marks(page):
        bare = tuple(replace(line, styles=()) for line in page.lines)
        return replace(page, links=(), footnotes=(), lines=bare)
    words = _Words(page, links)

    def block_marked(block: Block) -> Block:
        if block.kind in without:
            return block
        pieces = words.of(block.line_indexes)
        if not any(piece.link is not None or piece.styles for piece in pieces):
            return block
        table = block.table and words.table(block.table)
        pieces = _less(pieces) if block.kind in _HEADS else pieces
        return replace(block, text=put(block.text, pieces), table=table)

    return replace(page, blocks=tuple(map(block_marked, page.blocks)))


class _Words:
    """A page's words, cut where their style or their link target changes."""

    def __init__(self, page: Page, links: linked.Links) -> None:
        self._page = page
        self._links = links
        self._notes: dict[int, list[tuple[int, int, Sign]]] = defaultdict(list)
        for number, note in enumerate(page.footnotes):
            sign = NOTES + 2 * number
            for place in note.marked:
                self._notes[place.line].append((place.start, place.end, sign))
            self._notes[note.place.line].append((note.place.start, note.place.end, sign + 1))

    def of(self, indexes: Iterable[int], around: Box | None = None) -> list[Piece]:
        """The pieces of lines: of words whose middle is in a box, if one is given."""
        return [piece for index in indexes for piece in self._of_line(index, around)]

    def table(self, table: Table) -> Table:
        """A table with its marks: a line in several cells is listed by one of them."""
        of_row: dict[int, list[int]] = defaultdict(list)
        for cell in table.cells:
            of_row[cell.row] += cell.line_indexes
        cells = (self.cell(cell, cell.line_indexes or of_row[cell.row]) for cell in table.cells)
        return replace(table, cells=tuple(cells))

    def cell(self, cell: Cell, indexes: Iterable[int]) -> Cell:
        """A cell with its marks, which holds words of lines with these indexes."""
        pieces = self.of(indexes, box_of(cell.polygon) if cell.polygon else None)
        return replace(cell, text=put(cell.text, _less(pieces) if cell.header else pieces))

    def _of_line(self, index: int, around: Box | None) -> Iterator[Piece]:
        line = self._page.lines[index]
        edges, signs = self._stretches(index)
        end = 0
        for word in line.words:
            start = line.text.find(word.text, end) if signs else 0
            end = start + len(word.text)
            if around is not None and not contains(around, center(box_of(word.polygon))):
                continue
            link = self._links.under(word) if self._links else None
            if not signs:
                yield Piece(word.text, link, _NONE)
                continue
            cuts = [start, *edges[bisect_right(edges, start) : bisect_left(edges, end)], end]
            for begin, stop in pairwise(cuts):
                found = signs.get(edges[bisect_right(edges, begin) - 1], _NO_SIGNS)
                to_note = next((sign for sign in found if isinstance(sign, int)), link)
                styles = frozenset(sign for sign in found if not isinstance(sign, int))
                yield Piece(line.text[begin:stop], to_note, styles)

    def _stretches(self, index: int) -> tuple[list[int], dict[int, frozenset[Sign]]]:
        """Where a line's signs change, from its start on, and those that hold from there."""
        line = self._page.lines[index]
        parts = [(style.start, style.end, style.kind) for style in line.styles]
        opens: dict[int, set[Sign]] = defaultdict(set)
        closes: dict[int, set[Sign]] = defaultdict(set)
        for start, end, sign in (*parts, *self._notes.get(index, ())):
            opens[start].add(sign)
            closes[end].add(sign)
        if not opens:
            return [0], {}
        edges = sorted({0, *opens, *closes})
        signs: dict[int, frozenset[Sign]] = {}
        now: frozenset[Sign] = _NO_SIGNS
        for edge in edges:
            now = (now - closes[edge]) | opens[edge]
            signs[edge] = now
        return edges, signs


def _less(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces without a style that all words have: it belongs to their kind.

    A number's style is not emphasis if the words have one style throughout: figures may come
    from a font that is bold where theirs is not, or vice versa.
    """
    words = [piece.styles for piece in pieces if any(map(str.isalpha, piece.text))]
    styles = words or [piece.styles for piece in pieces if any(map(str.isalnum, piece.text))]
    shared = frozenset.intersection(*styles) if styles else _NONE
    if words and not any("bold" in styles for styles in words):
        shared |= {"bold"}
    return [piece._replace(styles=piece.styles - shared) for piece in pieces]
