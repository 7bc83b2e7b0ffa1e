"""A document with what a person has corrected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Protocol

from msgspec.structs import replace

from pagetide.document import Block, Document, Line, Notice, Page, Word
from pagetide.geometry import Polygon, part_of

NOT_PLACED = "correction_not_placed"  # a notice's code


class Correction(Protocol):
    """What was read, where, and what stands there."""

    @property
    def page(self) -> int:
        """The page's number."""
        ...

    @property
    def line(self) -> int | None:
        """Its place in the page's `lines`, or None."""
        ...

    @property
    def old(self) -> str:
        """As it was read: a part of the line, or all of it."""
        ...

    @property
    def new(self) -> str:
        """As it is."""
        ...


def corrected(document: Document, corrections: Iterable[Correction]) -> Document:
    """The document with corrections in its lines, blocks and tables.

    A correction that is in no text is named in its page's `warnings`.
    """
    by_page = defaultdict[int, list[Correction]](list)
    for correction in corrections:
        by_page[correction.page].append(correction)
    pages = (_corrected(page, by_page[page.number]) for page in document.pages)
    return replace(document, pages=tuple(pages))


def _corrected(page: Page, corrections: Sequence[Correction]) -> Page:
    for correction in corrections:
        page = _with(page, correction)
    return page


def _with(page: Page, correction: Correction) -> Page:
    lines = list(page.lines)
    index = correction.line
    if index is not None:
        lines[index] = _line(lines[index], correction)
    blocks = list(page.blocks)
    for place, block in enumerate(blocks):
        if index is None or index in block.line_indexes:
            blocks[place] = _block(block, page.lines, correction)
            if blocks[place] != block:
                break
    else:
        if index is None or any(index in block.line_indexes for block in blocks):
            warnings = (*page.warnings, _not_placed(correction))
            return replace(page, lines=tuple(lines), warnings=warnings)
    return replace(page, lines=tuple(lines), blocks=tuple(blocks))


def _line(line: Line, correction: Correction) -> Line:
    """The line anew; its words, where there are others than before, share its width."""
    text = line.text.replace(correction.old, correction.new, 1)
    parts, polygon = text.split(), line.polygon
    if len(parts) == len(line.words):
        words = tuple(
            word if word.text == part else Word(text=part, polygon=word.polygon)
            for word, part in zip(line.words, parts, strict=True)
        )
    else:
        words = tuple(
            Word(text=part, polygon=_share(polygon, i, len(parts)))
            for i, part in enumerate(parts)
        )
    return replace(line, text=text, words=words, confidence=None, styles=())


def _share(polygon: Polygon, index: int, count: int) -> Polygon:
    if len(polygon) != 4:
        return polygon
    return part_of(polygon, index / count, (index + 1) / count)


def _block(block: Block, lines: Sequence[Line], correction: Correction) -> Block:
    """The block anew; the same where its text has not what was corrected."""
    table = block.table
    if table is not None:
        cells = list(table.cells)
        for place, cell in enumerate(cells):
            mine = correction.line is None or correction.line in cell.line_indexes
            if mine and correction.old in cell.text:
                text = cell.text.replace(correction.old, correction.new, 1)
                cells[place] = replace(cell, text=text, confidence=None)
                break
        table = replace(table, cells=tuple(cells))
    return replace(block, text=_text(block, lines, correction), table=table)


def _text(block: Block, lines: Sequence[Line], correction: Correction) -> str:
    """A block's text; of two lines that say the same, the one that was corrected is."""
    start = 0
    for index in block.line_indexes:
        found = block.text.find(lines[index].text, start)
        if index == correction.line:
            start = max(found, 0)
            break
        start = found + len(lines[index].text) if found >= 0 else start
    head, tail = block.text[:start], block.text[start:]
    return head + tail.replace(correction.old, correction.new, 1)


def _not_placed(correction: Correction) -> Notice:
    where = "no line" if correction.line is None else f"line {correction.line}"
    message = f"A correction of {where} is not in the text of a block."
    return Notice(code=NOT_PLACED, message=message)
