"""Pages between their input and their result: opened, waiting for the engine."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from msgspec.structs import replace as changed

from pagetide.document import (
    Barcode,
    Failure,
    Page,
    SourceInfo,
    TextLayerDecision,
    TextLayerMode,
    page_ranges,
)
from pagetide.engine import PageImage, PageReading
from pagetide.errors import DocumentTooSlow, PagetideError, PageTimeout
from pagetide.inputs import Input, PageContent
from pagetide.inputs.pages import Assemble
from pagetide.reading.codes_on_pages import barcodes_of

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
        """Check that the document has time for one more page.

        Raises:
            DocumentTooSlow: Too many of its pages took too long.
        """
        if self._timeouts_max and self._timeouts >= self._timeouts_max:
            raise DocumentTooSlow(
                f"{self._timeouts} pages took too long: this one was not tried."
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
        content = self.content
        if content is None:
            return self.failed
        from pagetide.reading.assembled import BLOCKS_INCOMPLETE, assembled  # `Reader` loads it

        page = content.page or assembled(content, reading)
        for notice in page.warnings:
            if notice.code == BLOCKS_INCOMPLETE:
                log.error("text lost or doubled in blocks", extra={"page": content.number})
        timings = {**page.timings_ms, **content.timings_ms}
        return changed(page, barcodes=self.barcodes, timings_ms=timings)


def prepare(
    work: W,
    opened: Input,
    number: int,
    *,
    dpi: float,
    text_layer: TextLayerMode,
    barcodes: bool = False,
    assemble: Assemble | None = None,
) -> Prepared[W]:
    """Open one page; an error it ends in becomes the page's own.

    `assemble` puts one without a picture together where it is opened; see `Input.page`.
    """
    try:
        work.check_time()
        content = opened.page(number, dpi=dpi, text_layer=text_layer, assemble=assemble)
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
