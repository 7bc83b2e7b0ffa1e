"""PDFs, in the child: opened, measured, rendered; PDFium's errors become ours here.

PDFium is called through its C interface: the text layer needs a few thousand calls a page,
and the wrapper's objects would cost more than the calls.
"""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.document import TextLayerMode
from pagetide.errors import (
    Damaged,
    NotFound,
    PasswordNeeded,
    PasswordWrong,
    TooManyPixels,
    UnsupportedType,
)
from pagetide.inputs.drawings.drawn import drawn_on
from pagetide.inputs.opened import PageReply
from pagetide.inputs.pdf.annotations import with_annotations
from pagetide.inputs.pdf.file import PdfFile
from pagetide.inputs.pdf.form_fields import form_fields_on
from pagetide.inputs.pdf.frame import PageFrame
from pagetide.inputs.pdf.links import links_on
from pagetide.inputs.pdf.marks import PageMarks, count_marks
from pagetide.inputs.pdf.outline import Outline
from pagetide.inputs.pdf.own_text import own_text
from pagetide.inputs.pdf.selection import selection_on
from pagetide.inputs.wire import Parcel
from pagetide.layout import NOTHING_DRAWN, OutlineItem

_WHITE = 0xFFFFFFFF
_CHANNELS = 3
# PDFium keeps what it has read of a file, so that a child would grow with every scan it
# rendered. Reopening a PDF takes 1–100 ms: negligible compared with reading that many pages.
_MOST_RENDERED = 64


class PdfDocument:
    """An open PDF.

    Args:
        source: A descriptor, or the bytes themselves.
        password: None to open it without one.

    Raises:
        Damaged: It cannot be opened, or has no pages.
        NotFound: The file is gone.
        PasswordNeeded: It is encrypted.
        PasswordWrong: The password does not fit.
        UnsupportedType: It is encrypted in a way PDFium does not know.
    """

    def __init__(self, source: int | bytes, password: str | None) -> None:
        # PDFium reads on from either.
        self._source = source if isinstance(source, bytes) else PdfFile(source)
        self._password = password
        self._open()
        self.page_count: int = pdfium.FPDF_GetPageCount(self._document)
        if self.page_count < 1:
            self.close()
            raise Damaged("The PDF is damaged: it has no pages.")

    @cached_property
    def _outline(self) -> Outline:
        """Read with the first page: merely opening or counting needs none."""
        return Outline(self._document)

    def page(self, index: int, dpi: float, mode: TextLayerMode, max_pixels: int) -> Parcel:
        """A `PageReply`, with the page's pixels if its text cannot be used."""
        if self._rendered >= _MOST_RENDERED:
            self.close()
            self._open()
        with self._loaded(index) as page:
            started = time.perf_counter()
            frame = _frame(page, dpi, index)
            links, no_links = links_on(self._document, page, frame)
            selection, no_marks = selection_on(self._forms.environment, page, frame)
            fields, no_fields = form_fields_on(self._forms.environment, page, frame)
            with with_annotations(self._document, page, index) as whole:
                marks = count_marks(whole, frame)
                own = own_text(whole, frame, marks, mode, selection, page)
                self._rendered += own.is_drawn
                reading = time.perf_counter()
                drawn = drawn_on(whole, frame) if own.decision.used else NOTHING_DRAWN
            looking = time.perf_counter()
            pixels = self._pixels(page, frame, marks, max_pixels) if own.needs_picture else b""
            rendering = time.perf_counter()
        timings = {"text_layer": (reading - started) * 1000}
        if own.decision.used:
            timings["drawn"] = (looking - reading) * 1000
        if pixels:
            timings["render"] = (rendering - looking) * 1000
        reply = PageReply(
            width=frame.width,
            height=frame.height,
            dpi=dpi,
            width_pt=frame.width_pt,
            height_pt=frame.height_pt,
            rotation=frame.rotation,
            text_layer=own.decision,
            lines=own.lines,
            drawn=drawn,
            outline=_with_tags(self._outline.on(index, frame), own.headings),
            links=links,
            selection_marks=tuple(mark for mark, _ in selection),
            form_fields=fields,
            warnings=own.warnings + no_links + no_marks + no_fields,
            timings_ms=timings,
            channels=_CHANNELS if pixels else 0,
        )
        return Parcel(reply, [pixels], len(pixels))

    def close(self) -> None:
        """Release the PDF."""
        self._forms.close()
        pdfium.FPDF_CloseDocument(self._document)

    def _open(self) -> None:
        self._document = _load(self._source, self._password)
        self._forms = _FormFilling(self._document)
        self._rendered = 0

    @contextmanager
    def _loaded(self, index: int) -> Iterator[Any]:
        page = pdfium.FPDF_LoadPage(self._document, index)
        if not page:
            raise Damaged(f"Page {index + 1} is damaged and cannot be opened.")
        self._forms.enter(page)
        try:
            yield page
        finally:
            self._forms.leave(page)
            pdfium.FPDF_ClosePage(page)

    def _pixels(
        self, page: Any, frame: PageFrame, marks: PageMarks, max_pixels: int
    ) -> bytearray:
        """The page's pixels: rows from the top, blue-green-red, with nothing between."""
        self._rendered += 1
        if frame.width * frame.height > max_pixels:
            raise TooManyPixels(
                f"The page has {frame.width * frame.height} pixels at this dpi,"
                f" more than the limit of {max_pixels}."
            )
        if marks.most_pixels > max_pixels:
            raise TooManyPixels(
                f"A picture on the page has {marks.most_pixels} pixels,"
                f" more than the limit of {max_pixels}."
            )
        stride = frame.width * _CHANNELS
        pixels = bytearray(stride * frame.height)
        buffer = (ctypes.c_char * len(pixels)).from_buffer(pixels)
        bitmap = pdfium.FPDFBitmap_CreateEx(
            frame.width, frame.height, pdfium.FPDFBitmap_BGR, buffer, stride
        )
        if not bitmap:
            raise MemoryError
        area = (0, 0, frame.width, frame.height)
        pdfium.FPDFBitmap_FillRect(bitmap, *area, _WHITE)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, *area, 0, pdfium.FPDF_ANNOT)
        self._forms.draw(bitmap, page, area)
        pdfium.FPDFBitmap_Destroy(bitmap)
        return pixels


def _with_tags(
    outline: tuple[OutlineItem, ...], tagged: tuple[OutlineItem, ...]
) -> tuple[OutlineItem, ...]:
    """The items of the outline, and the additional ones from the tags."""
    known = {item.title.casefold() for item in outline}
    return outline + tuple(item for item in tagged if item.title.casefold() not in known)


class _FormFilling:
    """Draws the content of form fields. PDFium is built without JavaScript; none runs."""

    def __init__(self, document: Any) -> None:
        self.environment = None
        if pdfium.FPDF_GetFormType(document) != pdfium.FORMTYPE_NONE:
            self._config = pdfium.FPDF_FORMFILLINFO(version=2)
            self.environment = pdfium.FPDFDOC_InitFormFillEnvironment(document, self._config)

    def enter(self, page: Any) -> None:
        if self.environment:
            pdfium.FORM_OnAfterLoadPage(page, self.environment)

    def draw(self, bitmap: Any, page: Any, area: tuple[int, int, int, int]) -> None:
        if self.environment:
            flags = pdfium.FPDF_ANNOT
            pdfium.FPDF_FFLDraw(self.environment, bitmap, page, *area, 0, flags)

    def leave(self, page: Any) -> None:
        if self.environment:
            pdfium.FORM_OnBeforeClosePage(page, self.environment)

    def close(self) -> None:
        if self.environment:
            pdfium.FPDFDOC_ExitFormFillEnvironment(self.environment)
            self.environment = None


def _load(source: PdfFile | bytes, password: str | None) -> Any:
    if password and "\0" in password:  # PDFium would use the part before it
        raise PasswordWrong
    secret = None if password is None else password.encode()
    if isinstance(source, PdfFile):
        document = pdfium.FPDF_LoadCustomDocument(source.access, secret)
    else:
        document = pdfium.FPDF_LoadMemDocument64(source, len(source), secret)
    if document:
        return document
    code = pdfium.FPDF_GetLastError()
    if code == pdfium.FPDF_ERR_PASSWORD:
        raise PasswordNeeded if password is None else PasswordWrong
    if code == pdfium.FPDF_ERR_FILE:
        raise NotFound("The file no longer exists or cannot be read.")
    if code == pdfium.FPDF_ERR_SECURITY:
        raise UnsupportedType("The PDF is encrypted in an unknown way.")
    raise Damaged("The PDF is damaged and cannot be opened.")


def _frame(page: Any, dpi: float, index: int) -> PageFrame:
    box = pdfium.FS_RECTF()
    known = pdfium.FPDF_GetPageBoundingBox(page, box)
    width_pt = pdfium.FPDF_GetPageWidthF(page)
    height_pt = pdfium.FPDF_GetPageHeightF(page)
    sizes = (width_pt, height_pt)
    if not known or not all(math.isfinite(size) and size > 0 for size in sizes):
        raise Damaged(f"Page {index + 1} is damaged: it has no size.")
    return PageFrame(
        left=box.left,
        bottom=box.bottom,
        right=box.right,
        top=box.top,
        rotation=pdfium.FPDFPage_GetRotation(page) % 4 * 90,
        width_pt=width_pt,
        height_pt=height_pt,
        width=max(1, round(width_pt * dpi / 72)),
        height=max(1, round(height_pt * dpi / 72)),
    )
