"""The items of a bill: the rows of the tables whose heads name what such rows have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pagetide.document import Block, Cell, Document, Page, Table
from pagetide.document.field import Item, Value
from pagetide.exports.fields.amounts import PERCENT, amount_in, is_item
from pagetide.exports.fields.dates import Order
from pagetide.exports.fields.known import LABEL_WORDS, SUMS, columns, names, plain
from pagetide.exports.fields.values import typed

_FIGURES = {"quantity", "price", "amount"}
Heads = Mapping[int, str]
"""What columns hold, by their places."""
Row = tuple[Item, bool]
"""An item, and whether all columns that have figures in its row are known ones."""


def rows_of_items(document: Document, order: Order) -> list[Row]:
    """The items, over all pages; none where no table is one of items."""
    found: list[Row] = []
    heads: Heads = {}
    for page in document.pages:
        for block in sorted(page.blocks, key=lambda block: block.order):
            if block.table is None or block.kind != "table":
                continue
            own, first = _heads(block.table)
            if not own and block.continued_from and max(heads, default=0) < block.table.columns:
                own, first = heads, 0
            if own:
                heads = own
                found += _items(page, block, block.table, own, first, order)
    return found


def _heads(table: Table) -> tuple[Heads, int]:
    """The columns that a table's head names, and the first row below it.

    A table of items has amounts, and something that is sold.
    """
    for row in range(min(3, table.rows)):
        found: dict[int, str] = {}
        for cell in table.cells:
            name = columns().get(plain(cell.text)) if cell.row == row else None
            if name in found.values():  # a code's column and that of what it stands for
                found = {place: "article" if n == name else n for place, n in found.items()}
            if name:
                found[cell.column] = name
        if "description" not in found.values():  # articles by their names, then
            found = {c: "description" if n == "article" else n for c, n in found.items()}
        kinds = set(found.values())
        if "description" in kinds and kinds & _FIGURES:
            return found, row + 1
    return {}, 0


def _items(
    page: Page, block: Block, table: Table, heads: Heads, first: int, order: Order
) -> Iterator[Row]:
    rows: dict[int, list[Cell]] = {}
    for cell in table.cells:
        if cell.row >= first and cell.text.strip():
            rows.setdefault(cell.row, []).append(cell)
    for number in sorted(rows):
        cells = rows[number]
        if _is_sum(cells) or _is_head(cells, heads):
            continue
        said = {heads[c.column]: _value(page, block, c) for c in cells if c.column in heads}
        for name in _FIGURES & set(said):
            said[name] = typed(said[name], order, "amount")
        if any(said[name].kind == "amount" for name in _FIGURES & set(said)):
            yield (
                Item(**said),
                not any(cell.column not in heads and _has_figures(cell.text) for cell in cells),
            )


def _is_sum(cells: Sequence[Cell]) -> bool:
    """Whether a row says what others come to: its only words begin with a sum's name."""
    if is_item([cell.text for cell in cells]):
        return False
    words = [cell.text for cell in cells if not _has_figures(cell.text)]
    words = words or [cell.text for cell in cells if amount_in(cell.text) is None]
    if len(words) != 1:
        return False
    said = words[0].split(maxsplit=LABEL_WORDS)[:LABEL_WORDS]
    starts = (plain(" ".join(said[:count])) for count in range(len(said), 0, -1))
    return any(names().get(start) in SUMS for start in starts)


def _has_figures(text: str) -> bool:
    return amount_in(text) is not None or PERCENT.fullmatch(text.strip()) is not None


def _is_head(cells: Sequence[Cell], heads: Heads) -> bool:
    """Whether it is the head again, at the top of a page."""
    return all(columns().get(plain(cell.text)) == heads.get(cell.column) for cell in cells)


def _value(page: Page, block: Block, cell: Cell) -> Value:
    return Value(
        text=cell.text,
        page=page.number,
        polygon=cell.polygon or block.polygon,
        lines=cell.line_indexes,
        confidence=cell.confidence,
    )
