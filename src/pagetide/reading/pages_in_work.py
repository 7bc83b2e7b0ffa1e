"""Pages between their input and their result: opened, waiting for the engine, assembled."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec.structs import replace as changed

from pagetide.document import (
    Barcode,
    Block,
    Cell,
    Failure,
    Line,
    Notice,
    Page,
    SelectionMark,
    SourceInfo,
    TextLayerDecision,
    TextLayerMode,
    Word,
    page_ranges,
)
from pagetide.engine import PageImage, PageReading
from pagetide.errors import DocumentTooSlow, PagetideError, PageTimeout
from pagetide.inputs import Input, PageContent
from pagetide.layout.check_marks import LEFT_OUT, MOST_MARKS, with_check_boxes
from pagetide.reading.codes_on_pages import barcodes_of
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
    from pagetide.inputs.perspective import Straight

M = TypeVar("M", Line, Word, Block, Cell, SelectionMark)

log = logging.getLogger(__name__)


class Work:
    """A document on its way: what is known of it, and its pages so far.

    Args:
        timeouts: So many of its pages took too long before, in other parts of it.
        timeouts_max: With so many the others are not tried; 0 means that all are.
    """

    def __init__(self, timeouts: int = 0, timeouts_max: int = 0) -> None:
        self._timeouts, self._timeouts_max = timeouts, timeouts_max
        self.info: SourceInfo | None = None
        self.page_count = -1
        self.pages: list[Page] = []
        self.error: PagetideError | None = None
        self.page_errors: dict[int, PagetideError] = {}

    def open(self, opened: Input, pages: str | None) -> tuple[int, ...]:
        """Note what is known once it is open; the numbers of the pages to read."""
        self.info = opened.info
        count = opened.info.page_count
        numbers = page_ranges.chosen(pages, count)
        self.page_count = len(numbers)
        return numbers

    def check_time(self) -> None:
        """See whether the document may have time for one more page.

        Raises:
            DocumentTooSlow: Too many of its pages took too long.
        """
        if self._timeouts_max and self._timeouts >= self._timeouts_max:
            raise DocumentTooSlow(
                f"{self._timeouts} pages took too long: this one was not tried any more."
            )

    def failed(self, number: int, error: PagetideError) -> None:
        """Note why a page could not be opened."""
        self.page_errors[number] = error
        self._timeouts += isinstance(error, PageTimeout)


W = TypeVar("W", bound=Work)


@dataclass(frozen=True, kw_only=True)
class Prepared(Generic[W]):
    """A page before it is read: its content, or the error that kept it from being opened.

    With neither it stands for a document that cannot be opened.
    """

    work: W
    content: PageContent | None = None
    barcodes: tuple[Barcode, ...] = ()
    failed: Page | None = None

    @property
    def image(self) -> PageImage | None:
        """The picture that must be read, if any."""
        return self.content.image if self.content else None

    def without_picture(self) -> Prepared[W]:
        """The same, once the picture has gone to the engine."""
        return replace(self, content=self.content and replace(self.content, image=None))

    def weight(self) -> int:
        """Bytes of the picture that waits to be read."""
        return self.image.pixels.nbytes if self.image else 0

    def page(self, reading: PageReading | None = None) -> Page | None:
        """The page, given what the engine found on its picture, if it has one."""
        if self.content is None:
            return self.failed
        return changed(_assembled(self.content, reading), barcodes=self.barcodes)


def prepare(
    work: W,
    opened: Input,
    number: int,
    *,
    dpi: float,
    text_layer: TextLayerMode,
    barcodes: bool = False,
) -> Prepared[W]:
    """Open one page; an error it ends in becomes the page's own."""
    try:
        work.check_time()
        content = opened.page(number, dpi=dpi, text_layer=text_layer)
        codes = _barcodes(opened, content) if barcodes else ()
    except PagetideError as error:
        work.failed(number, error)
        return Prepared(work=work, failed=failed_page(number, dpi, Failure.of(error)))
    return Prepared(work=work, content=content, barcodes=codes)


def _barcodes(opened: Input, content: PageContent) -> tuple[Barcode, ...]:
    started = time.perf_counter()
    found = barcodes_of(opened, content)
    content.timings_ms["barcodes"] = round((time.perf_counter() - started) * 1000, 1)
    return found


def _assembled(content: PageContent, reading: PageReading | None) -> Page:
    found = reading or PageReading(lines=content.lines, drawn=content.drawn)
    marks = content.selection_marks
    if found.blocks is None:
        told, marks = with_check_boxes(found.lines, found.drawn, found.areas, marks)
        found = replace(found, lines=told)
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
    """What was found on a straightened picture, where it is on the photo."""

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
    message = "The page has more lines, words or drawn rules than are searched for tables."
    return (Notice(code="tables_not_searched", message=message),)


def _amiss(found: PageReading, blocks: Sequence[Block]) -> tuple[Notice, ...]:
    """Whether blocks that were made here hold all that was read, once: said if they do not."""
    lost, doubled = (0, 0) if found.blocks is not None else amiss(found.lines, blocks)
    if not lost and not doubled:
        return ()
    message = (
        f"A fault of Pagetide's: of what was read on this page {lost} letters are in no block, "
        f"and {doubled} are in blocks twice; the lines have them all."
    )
    log.error("text lost in blocks", extra={"lost": lost, "doubled": doubled})
    return (Notice(code="blocks_incomplete", message=message),)


def failed_page(number: int, dpi: float, failure: Failure) -> Page:
    """A page of which nothing is known but why it was not read: no size and no lines."""
    return Page(
        number=number,
        width=0,
        height=0,
        dpi=dpi,
        width_pt=0,
        height_pt=0,
        text_layer=TextLayerDecision(used=False, reason="page_failed"),
        error=failure,
    )
