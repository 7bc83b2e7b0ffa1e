"""Assembles a page from its input, from what the engine found, and the blocks of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace as changed

from pagetide.document import Block, Cell, Line, Notice, Page, SelectionMark, Word
from pagetide.engine import PageReading
from pagetide.inputs import PageContent
from pagetide.inputs.opened import PageReply
from pagetide.layout.check_marks import LEFT_OUT, MOST_MARKS, with_check_boxes
from pagetide.layout.combs import with_combs
from pagetide.layout.drawn_bullets import with_drawn_bullets
from pagetide.layout.led_lines import with_leaders
from pagetide.structure import (
    amiss,
    footnotes,
    structure,
    with_code,
    with_continued,
    with_levels,
)
from pagetide.structure.tables import are_searched

if TYPE_CHECKING:
    from pagetide.inputs.pictures.perspective import Straight

BLOCKS_INCOMPLETE = "blocks_incomplete"

M = TypeVar("M", Line, Word, Block, Cell, SelectionMark)


def of_text(number: int, reply: PageReply) -> Page:
    """A page without a picture, as the child that read it puts it together."""
    return assembled(PageContent.of(number, reply), None)


def assembled(content: PageContent, reading: PageReading | None) -> Page:
    """The page, given what the engine found on its picture, if it has one."""
    found = reading or PageReading(lines=content.lines, drawn=content.drawn)
    marks = content.selection_marks
    if found.blocks is None:
        lines = with_combs(found.lines, found.drawn.rules)
        lines, marks = with_check_boxes(lines, found.drawn, found.areas, marks)
        lines = with_leaders(with_drawn_bullets(lines, found.drawn.bullets))
        found = replace(found, lines=lines)
    lines, blocks = _structured(content, found)
    blocks = with_continued(lines, with_code(lines, blocks), content.number)
    if content.straight:
        lines, blocks = _on_photo(lines, blocks, content.straight)
        marks = tuple(_moved(mark, content.straight) for mark in marks)
    return Page(
        number=content.number,
        width=content.width,
        height=content.height,
        dpi=content.dpi,
        width_pt=content.width_pt,
        height_pt=content.height_pt,
        rotation=content.rotation,
        orientation=found.orientation,
        text_layer=content.text_layer,
        lines=lines,
        blocks=blocks,
        lines_below_confidence=found.lines_below_confidence,
        lines_unread=found.lines_unread,
        links=content.links,
        footnotes=footnotes(lines, blocks),
        selection_marks=marks,
        form_fields=content.form_fields,
        warnings=content.warnings
        + found.warnings
        + _not_searched(found)
        + ((LEFT_OUT,) if len(found.drawn.check_boxes) > MOST_MARKS else ())
        + _amiss(found, blocks),
        timings_ms={**content.timings_ms, **found.timings_ms},
        error=found.error,
    )


def _structured(
    content: PageContent, found: PageReading
) -> tuple[tuple[Line, ...], tuple[Block, ...]]:
    """Lines and blocks: the engine's own blocks where it makes them."""
    if found.blocks is not None:
        return found.lines, with_levels(found.blocks)
    first = content.number == 1
    seen = content.straight or content
    return structure(
        found.lines,
        seen.width,
        seen.height,
        found.areas,
        found.drawn,
        outline=content.outline,
        first=first,
    )


def _on_photo(
    lines: Sequence[Line], blocks: Sequence[Block], straight: Straight
) -> tuple[tuple[Line, ...], tuple[Block, ...]]:
    """The findings of a straightened picture, at their places on the photo."""

    def all_moved(parts: Sequence[M]) -> tuple[M, ...]:
        return tuple(_moved(part, straight) for part in parts)

    def block_moved(block: Block) -> Block:
        table = block.table and changed(block.table, cells=all_moved(block.table.cells))
        return changed(_moved(block, straight), table=table)

    on_lines = (changed(_moved(line, straight), words=all_moved(line.words)) for line in lines)
    return tuple(on_lines), tuple(map(block_moved, blocks))


def _moved(part: M, straight: Straight) -> M:
    polygon = part.polygon
    return part if polygon is None else changed(part, polygon=straight.on_photo(polygon))


def _not_searched(found: PageReading) -> tuple[Notice, ...]:
    if found.blocks is not None or are_searched(found.lines, found.drawn):
        return ()
    message = "The page has too many lines, words or drawn rules to be searched for tables."
    return (Notice(code="tables_not_searched", message=message),)


def _amiss(found: PageReading, blocks: Sequence[Block]) -> tuple[Notice, ...]:
    """Whether blocks that were made here hold all that was read, once: said if they do not."""
    lost, doubled = (0, 0) if found.blocks is not None else amiss(found.lines, blocks)
    if not lost and not doubled:
        return ()
    message = (
        f"A bug in Pagetide: {lost} letters read on this page are in no block, and"
        f" {doubled} are in blocks twice; the lines contain all of them."
    )
    return (Notice(code=BLOCKS_INCOMPLETE, message=message),)
