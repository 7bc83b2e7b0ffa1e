"""Tables that go on over pages, told as one where they begin."""

from __future__ import annotations

from msgspec.structs import replace

from pagetide.document import Block, BlockPlace, Cell, Document, Page, Table
from pagetide.exports.cells import header_rows, tidy


def joined(document: Document) -> Document:
    """The document with the rows of a table's further parts in its first part.

    Heads that are repeated are left out. The further parts say nothing any more; a part with
    a line that stands in none of its cells stays by itself, and so does one whose first part
    is not there.
    """
    blocks = {
        BlockPlace(page=page.number, order=block.order): block
        for page in document.pages
        for block in page.blocks
    }
    told: dict[BlockPlace, Block] = {}
    first_of: dict[BlockPlace, BlockPlace] = {}
    for place, block in blocks.items():
        before = block.continued_from
        if before is None or before not in blocks or not _is_whole(block):
            continue
        first = first_of.get(before, before)
        if first == place or not _is_whole(blocks[first]):
            continue
        first_of[place] = first
        told[first] = _with_rows(told.get(first, blocks[first]), block)
        told[place] = replace(block, table=None, text="")
    if not told:
        return document
    return replace(document, pages=tuple(_page(page, told) for page in document.pages))


def _page(page: Page, told: dict[BlockPlace, Block]) -> Page:
    places = (BlockPlace(page=page.number, order=block.order) for block in page.blocks)
    blocks = (told.get(place, block) for place, block in zip(places, page.blocks, strict=True))
    return replace(page, blocks=tuple(blocks))


def _is_whole(block: Block) -> bool:
    """Whether a table's cells hold all of its lines."""
    if block.table is None or not block.table.cells:
        return False
    placed = {index for cell in block.table.cells for index in cell.line_indexes}
    return not placed or placed >= set(block.line_indexes)


def _with_rows(first: Block, part: Block) -> Block:
    whole, more = first.table, part.table
    if whole is None or more is None:
        return first
    whole, more = tidy(whole), tidy(more)
    skipped = _repeated(whole, more)
    below = (
        replace(cell, row=cell.row - skipped + whole.rows, polygon=None, line_indexes=())
        for cell in more.cells
        if cell.row >= skipped
    )
    rows = whole.rows + more.rows - skipped
    columns = max(whole.columns, more.columns)
    table = Table(rows=rows, columns=columns, cells=(*whole.cells, *below))
    return replace(first, table=table, text="\n".join(filter(None, (first.text, part.text))))


def _repeated(whole: Table, more: Table) -> int:
    """How many rows of the further part's top are the whole's head once more."""
    head = max(header_rows(whole), 1)
    count = 0
    while count < min(head, more.rows) and _row(whole, count) == _row(more, count):
        count += 1
    reaching = any(cell.row < count < cell.row + cell.row_span for cell in more.cells)
    return 0 if reaching else count


def _row(table: Table, row: int) -> list[tuple[int, str]]:
    cells: list[Cell] = [cell for cell in table.cells if cell.row == row]
    return [(cell.column, " ".join(cell.text.split())) for cell in cells]
