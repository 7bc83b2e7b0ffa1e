"""Tables that continue over pages, written whole where they start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from pagetide.document import Block, BlockPlace, Cell, Document, Page, Table
from pagetide.exports.tables.cells import header_rows, tidy
from pagetide.exports.text.inline_marks import carried, unmarked


def joined(document: Document, *, marked: bool = False) -> Document:
    """The document with the rows of a table's further parts in its first part.

    Repeated headers are left out. The further parts are then empty; a part with a line in none
    of its cells stays separate, and so does one whose first part is missing.

    Args:
        document: Settled.
        marked: Whether `inline` has marked it: the first part's page gets the links of all.
    """
    blocks = by_place(document)
    parts = _further(blocks)
    if not parts:
        return document
    pages = {page.number: page for page in document.pages}
    first_of = {place: first for first, further in parts.items() for place in further}
    merged = {place: replace(blocks[place], table=None, text="") for place in first_of}
    for first, further in parts.items():
        others = []
        for place in further:
            more = blocks[place]
            if marked:
                rewritten, pages[first.page] = carried(pages[place.page], pages[first.page])
                more = _moved(more, rewritten)
            others.append(more)
        merged[first] = _with_rows(blocks[first], others)
    return replace(
        document,
        pages=tuple(_page(pages[page.number], merged) for page in document.pages),
    )


def _moved(block: Block, rewritten: Callable[[str], str]) -> Block:
    """A table's further part with its texts as another page writes them."""
    assert block.table  # noqa: S101 - as `_is_whole` found it
    cells = (replace(cell, text=rewritten(cell.text)) for cell in block.table.cells)
    table = replace(block.table, cells=tuple(cells))
    return replace(block, text=rewritten(block.text), table=table)


def row_places(document: Document) -> dict[BlockPlace, list[tuple[int, BlockPlace]]]:
    """For each table that `joined` combines: the places of its rows, and their first rows."""
    blocks = by_place(document)
    return {
        first: list(_row_places(blocks, first, further))
        for first, further in _further(blocks).items()
    }


def _row_places(
    blocks: Mapping[BlockPlace, Block], first: BlockPlace, further: Sequence[BlockPlace]
) -> Iterator[tuple[int, BlockPlace]]:
    yield 0, first
    head, *others = _tidied([blocks[place] for place in (first, *further)])
    rows = head.rows
    for place, more in zip(further, others, strict=True):
        yield rows, place
        rows += more.rows - _repeated(head, more)


def by_place(document: Document) -> dict[BlockPlace, Block]:
    """All blocks of a document."""
    return {
        BlockPlace(page=page.number, order=block.order): block
        for page in document.pages
        for block in page.blocks
    }


def _further(blocks: Mapping[BlockPlace, Block]) -> dict[BlockPlace, list[BlockPlace]]:
    """The further parts of each table that has some, by the place of its first part."""
    parts: dict[BlockPlace, list[BlockPlace]] = {}
    first_of: dict[BlockPlace, BlockPlace] = {}
    for place, block in blocks.items():
        before = block.continued_from
        if before is None or before not in blocks or not _is_whole(block):
            continue
        first = first_of.get(before, before)
        if first == place or not _is_whole(blocks[first]):
            continue
        first_of[place] = first
        parts.setdefault(first, []).append(place)
    return parts


def _page(page: Page, merged: dict[BlockPlace, Block]) -> Page:
    places = (BlockPlace(page=page.number, order=block.order) for block in page.blocks)
    blocks = (
        merged.get(place, block) for place, block in zip(places, page.blocks, strict=True)
    )
    return replace(page, blocks=tuple(blocks))


def _is_whole(block: Block) -> bool:
    """Whether a table's cells hold all of its lines."""
    if block.table is None or not block.table.cells:
        return False
    placed = {index for cell in block.table.cells for index in cell.line_indexes}
    return not placed or placed >= set(block.line_indexes)


def _with_rows(first: Block, further: Sequence[Block]) -> Block:
    head, *others = _tidied((first, *further))
    rows, columns, cells = head.rows, head.columns, list(head.cells)
    for more in others:
        skipped = _repeated(head, more)
        cells += (
            replace(
                cell,
                row=cell.row - skipped + rows,
                header=cell.header and cell.row >= header_rows(more),
                polygon=None,
                line_indexes=(),
            )
            for cell in more.cells
            if cell.row >= skipped
        )
        rows, columns = rows + more.rows - skipped, max(columns, more.columns)
    table = Table(rows=rows, columns=columns, cells=tuple(cells))
    texts = (block.text for block in (first, *further))
    return replace(first, table=table, text="\n".join(filter(None, texts)))


def _tidied(blocks: Iterable[Block]) -> list[Table]:
    return [tidy(block.table) for block in blocks if block.table]


def _repeated(whole: Table, more: Table) -> int:
    """How many top rows of the further part repeat the whole's header."""
    head = max(header_rows(whole), 1)
    count = 0
    while count < min(head, more.rows) and _row(whole, count) == _row(more, count):
        count += 1
    reaching = any(cell.row < count < cell.row + cell.row_span for cell in more.cells)
    return 0 if reaching else count


def _row(table: Table, row: int) -> list[tuple[int, str]]:
    cells: list[Cell] = [cell for cell in table.cells if cell.row == row]
    return [(cell.column, " ".join(unmarked(cell.text).split())) for cell in cells]
