"""Tables that continue over pages: which part continues which."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pagetide.document import Block, BlockKind, BlockPlace, Cell, Page, Table
from pagetide.geometry import box_of

_MARGINS: frozenset[BlockKind] = frozenset({"header", "footer", "page_number", "footnote"})
_ABOVE: frozenset[BlockKind] = _MARGINS | {"text"}
_SAME_EDGE = 0.02  # of the page's width: how near the edges of both parts are
_SHARED = 0.5  # of the narrower of two columns that are one
_LOW = 0.5  # of the page's height: a part that continues ends below this
_FEW_ROWS = 2
_HIGH = 0.5  # likewise: the part that continues it starts above

KindOf = Callable[[int, int, BlockKind], BlockKind]
"""The kind of a block, by page and order, given its own kind."""
Shares = tuple[float, float]


class _Part(NamedTuple):
    """A table at the start or end of a page: its positions are shares of the page.

    Attributes:
        beyond: Orders and kinds of the blocks before or after it, `text` of more than a few
            rows as `other`.
        columns: The extent of each, if its own cells give it.
        is_head: Whether it has only headers.
    """

    order: int
    sides: Shares
    top: float
    bottom: float
    head: tuple[str, ...]
    is_headed: bool
    columns: Mapping[int, Shares]
    across: int
    is_head: bool
    beyond: tuple[tuple[int, BlockKind], ...]


class TableParts:
    """Collects a document's pages, in order, and finds the tables that continue."""

    def __init__(self) -> None:
        self._ends: dict[int, _Part] = {}
        self._starts: dict[int, _Part] = {}

    def add(self, page: Page) -> None:
        """Records the tables that may continue from this page, or to it."""
        blocks = sorted(page.blocks, key=lambda block: block.order)
        if start := _first(page, blocks):
            self._starts[page.number] = start
        if end := _first(page, blocks[::-1]):
            self._ends[page.number] = end

    def found(self, kind_of: KindOf) -> Iterator[tuple[int, int, BlockPlace]]:
        """Page and order of each further part, and the part that it continues."""
        for number, start in self._starts.items():
            end = self._ends.get(number - 1)
            if end is None or not _goes_on(end, start):
                continue
            # A repeated header proves it: the few rows above it are running text on one page of
            # two.
            beside = _ABOVE if start.is_headed else _MARGINS
            if _is_last(end, number - 1, kind_of, _MARGINS) and _is_last(
                start, number, kind_of, beside
            ):
                yield number, start.order, BlockPlace(page=number - 1, order=end.order)


def _first(page: Page, blocks: Sequence[Block]) -> _Part | None:
    """The first table of the blocks, unless another part of the body is before it."""
    beyond: list[tuple[int, BlockKind]] = []
    for block in blocks:
        if block.kind == "table" and block.table and block.table.cells:
            return _part(page, block, block.table, beyond)
        if block.caption_of is None and block.kind not in _MARGINS:
            is_long = block.kind == "text" and len(block.line_indexes) > _FEW_ROWS
            beyond.append((block.order, "other" if is_long else block.kind))
    return None


def _part(
    page: Page, block: Block, table: Table, beyond: Sequence[tuple[int, BlockKind]]
) -> _Part:
    left, top, right, bottom = box_of(block.polygon)
    first = [cell for cell in table.cells if cell.row == 0]
    return _Part(
        order=block.order,
        sides=(left / page.width, right / page.width),
        top=top / page.height,
        bottom=bottom / page.height,
        head=tuple(_plain(cell) for cell in first),
        is_headed=any(cell.header for cell in first),
        columns=_columns(page, table),
        across=table.columns,
        is_head=all(cell.header for cell in table.cells),
        beyond=tuple(beyond),
    )


def _plain(cell: Cell) -> str:
    return "".join(cell.text.split()).casefold()


def _columns(page: Page, table: Table) -> dict[int, Shares]:
    found: dict[int, Shares] = {}
    for cell in table.cells:
        if cell.column_span == 1 and cell.polygon:
            left, _, right, _ = box_of(cell.polygon)
            begins, ends = found.get(cell.column, (1.0, 0.0))
            found[cell.column] = (min(begins, left / page.width), max(ends, right / page.width))
    return found


def _is_last(part: _Part, page: int, kind_of: KindOf, kinds: frozenset[BlockKind]) -> bool:
    """Whether only blocks of these kinds are beyond the table."""
    return all(kind_of(page, order, kind) in kinds for order, kind in part.beyond)


def _goes_on(end: _Part, start: _Part) -> bool:
    """Whether two tables are parts of one: the same columns, and no other header.

    Below headers alone, the first row is none.
    """
    if end.across != start.across or end.across < 2 or end.bottom < _LOW or start.top > _HIGH:
        return False
    if start.is_headed and start.head != end.head and not end.is_head:
        return False
    if any(abs(a - b) > _SAME_EDGE for a, b in zip(end.sides, start.sides, strict=True)):
        return False
    known = end.columns.keys() & start.columns.keys()
    return all(_are_one(end.columns[at], start.columns[at]) for at in known)


def _are_one(one: Shares, other: Shares) -> bool:
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return shared >= _SHARED * min(one[1] - one[0], other[1] - other[0])
