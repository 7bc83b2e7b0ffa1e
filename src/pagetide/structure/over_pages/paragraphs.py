"""Paragraphs, and lists' items, that continue on the next page: which part continues which."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from pagetide.document import Block, BlockKind, BlockPlace, Line, Page
from pagetide.geometry import Box, box_of
from pagetide.layout.words import IS_LEFTWARD, first_width
from pagetide.structure.margins.edges import is_page_number
from pagetide.structure.over_pages.tables import KindOf
from pagetide.structure.paragraphs.parts import (
    BETWEEN,
    FULL,
    PROSE,
    SEVERAL,
    SPACE,
    are_alike,
    begins_within,
    fills,
    inset_of,
    is_open,
    row_boxes,
    starts_bold,
    width_of,
)

_MOST, _TEXTS = 8, 3  # blocks of a page's start or end that are examined, and texts of them
_WIDER, _WIDER_LIST = 1.1, 1.4  # times the other part's width, at most
_CONTINUED: frozenset[BlockKind] = frozenset({"text", "list"})  # the last item may be
_LOW = 0.5  # of the page's height: a part that continues ends below this
_HIGH = 0.5  # likewise: the part that continues it starts above


class _Part(NamedTuple):
    """A text at the start or end of a page, by its rows.

    Attributes:
        rows: Their boxes.
        place: The start of a part at the page's start, or the end of one at its end, as a share
            of the page's height.
        fills: Whether it has rows enough, all full, to go on with a capital, or to start so.
        is_list: Whether it is a list, whose last item may go on.
        is_prose: Whether it has several rows, and all but the last are full.
        is_within: Whether it starts in the middle of a sentence.
        word: The width of its first word.
        is_leftward: Whether it runs from right to left.
    """

    rows: Sequence[Box]
    place: float
    fills: bool
    is_list: bool
    is_prose: bool
    is_within: bool = False
    word: float = 0.0
    is_leftward: bool = False


_Edge = list[tuple[int, BlockKind, _Part | None]]
"""The blocks of a page from its start or its end, by order and kind; texts with their part."""


class ParagraphParts:
    """Collects a document's pages, in order, and finds the paragraphs that continue."""

    def __init__(self) -> None:
        self._ends: dict[int, _Edge] = {}
        self._starts: dict[int, _Edge] = {}

    def add(self, page: Page) -> None:
        """Records the texts that may continue from this page, or to it."""
        blocks = sorted(page.blocks, key=lambda block: block.order)
        self._starts[page.number] = _edge(page, blocks, _start)
        self._ends[page.number] = _edge(page, blocks[::-1], _end)

    def found(self, kind_of: KindOf) -> Iterator[tuple[int, int, BlockPlace]]:
        """Page and order of each further part, and the part that it continues."""
        for number, edge in self._starts.items():
            start = _text(edge, number, kind_of, {"text"})
            end = _text(self._ends.get(number - 1, []), number - 1, kind_of, _CONTINUED)
            if start and end and _goes_on(end[1], start[1]):
                yield number, start[0], BlockPlace(page=number - 1, order=end[0])


def _edge(
    page: Page, blocks: Sequence[Block], part_of: Callable[[Page, Block], _Part | None]
) -> _Edge:
    """The first of some blocks, up to the first few texts; a number alone is the page's."""
    found: _Edge = []
    texts = 0
    for block in blocks[:_MOST]:
        kind: BlockKind = "page_number" if is_page_number(block.text) else block.kind
        is_text = kind in _CONTINUED and bool(block.line_indexes)
        found.append((block.order, kind, part_of(page, block) if is_text else None))
        texts += is_text
        if texts == _TEXTS:
            break
    return found


def _text(
    edge: _Edge, page: int, kind_of: KindOf, kinds: Collection[BlockKind]
) -> tuple[int, _Part] | None:
    """The first text of an edge, and its order, if only margins and figures are beyond it."""
    for order, kind, part in edge:
        own = kind_of(page, order, kind)
        if own not in BETWEEN:
            return (order, part) if own in kinds and part else None
    return None


def _end(page: Page, block: Block) -> _Part | None:
    """The part that may go on on the next page: its last row ends no sentence."""
    if not is_open(page.lines[block.line_indexes[-1]].text):
        return None
    return _part(page, block, box_of(block.polygon)[3], SEVERAL)


def _start(page: Page, block: Block) -> _Part:
    """The part that may go on with a sentence, of any first letter."""
    begun: Line = page.lines[block.line_indexes[0]]
    part = _part(page, block, box_of(block.polygon)[1], SEVERAL - 1)
    is_flush = inset_of(page.lines, block) == 0 and not starts_bold(begun)
    return part._replace(
        fills=part.fills and is_flush,
        is_within=begins_within(begun.text.lstrip()),
        word=first_width(begun),
    )


def _part(page: Page, block: Block, place: float, least: int) -> _Part:
    return _Part(
        rows=row_boxes(page.lines, block),
        place=place / page.height,
        fills=block.kind == "text" and fills(page.lines, block, least),
        is_list=block.kind == "list",
        is_prose=block.kind == "text" and fills(page.lines, block, 2),
        is_leftward=IS_LEFTWARD.search(block.text) is not None,
    )


def _goes_on(end: _Part, start: _Part) -> bool:
    """Whether two texts are parts of a paragraph: of one size and width, the last row full.

    A file that was made from one with other pages breaks within a row of a paragraph.
    """
    if end.place < _LOW or start.place > _HIGH or not are_alike(end.rows, start.rows):
        return False
    width, other = width_of(end.rows), width_of(start.rows)
    whole = max(width, other)
    wider = _WIDER_LIST if end.is_list else _WIDER
    if (len(end.rows) > 1 and other > wider * width) or (
        len(start.rows) > 1 and width > wider * other
    ):
        return False
    left, top, right, bottom = end.rows[-1]
    height = bottom - top
    if start.is_within:
        is_full = right - left >= FULL * whole
        return whole > PROSE * height and (is_full or end.is_prose)
    before = left - min(row[0] for row in end.rows)
    room = before if end.is_leftward else max(row[2] for row in end.rows) - right
    return end.fills and start.fills and room < start.word + SPACE * height
