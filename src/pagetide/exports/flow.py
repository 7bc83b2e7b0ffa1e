"""A page as text: blocks in order, each with its captions beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pagetide.document import FIGURE_KINDS, Block, BlockKind, Notice, Page

FIGURES = FIGURE_KINDS
_WITH_CAPTION: frozenset[BlockKind] = FIGURES | {"table", "code", "formula"}


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A block with what belongs to it.

    Attributes:
        above: The captions that are read before it, in their order.
        below: Those read after it.
        beside: Texts of lines of a table's block that stand in none of its cells.
        notices: What became of its reading, of its captions', and of the blocks' whose text
            it holds.
    """

    block: Block
    above: tuple[Block, ...] = ()
    below: tuple[Block, ...] = ()
    beside: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


def pieces(page: Page) -> Iterator[Piece]:
    """The page's blocks in reading order.

    A caption comes with what it belongs to, wherever it stands in the order; a block whose
    text another block holds does not come at all.
    """
    blocks = sorted(page.blocks, key=lambda block: block.order)
    known = {block.order: block for block in blocks}
    within = {block.order: _holder(block, known) for block in blocks}
    owners = {
        block.order
        for block in blocks
        if block.kind in _WITH_CAPTION and within[block.order] == block.order
    }
    captions: dict[int, list[Block]] = defaultdict(list)
    notices: dict[int, list[Notice]] = defaultdict(list)
    for block in blocks:
        place = within[block.order]
        if block.kind == "caption" and block.caption_of in owners and place == block.order:
            place = block.caption_of
            captions[place].append(block)
        notices[place] += block.warnings
    tied = {caption.order for some in captions.values() for caption in some}
    for block in blocks:
        if within[block.order] == block.order and block.order not in tied:
            own = captions[block.order]
            yield Piece(
                block=block,
                above=tuple(caption for caption in own if caption.order < block.order),
                below=tuple(caption for caption in own if caption.order > block.order),
                beside=_beside_table(page, block),
                notices=tuple(notices[block.order]),
            )


def loose_lines(page: Page) -> Iterator[str]:
    """Texts of the lines that are in no block."""
    owned = {index for block in page.blocks for index in block.line_indexes}
    for index, line in enumerate(page.lines):
        if index not in owned and line.text.strip():
            yield line.text


def _holder(block: Block, known: Mapping[int, Block]) -> int:
    """The order of the block that holds this one's text: its own, where no other does."""
    seen, last = {block.order}, block
    while last.continues is not None and last.continues in known:
        last = known[last.continues]
        if last.order in seen:
            return block.order  # they point at one another; so each is written
        seen.add(last.order)
    return last.order


def _beside_table(page: Page, block: Block) -> tuple[str, ...]:
    """Lines of a table's block that are in none of its cells, where cells name their lines."""
    placed = {i for cell in block.table.cells for i in cell.line_indexes} if block.table else ()
    missing = [i for i in block.line_indexes if i not in placed] if placed else []
    return tuple(page.lines[i].text for i in missing if page.lines[i].text.strip())
