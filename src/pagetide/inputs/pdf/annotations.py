"""A PDF page with the text of its form fields and notes, in the child.

PDFium gives the text of a page without that of its annotations. If an annotation may hold text,
the page is copied to a new document and its annotations are flattened into it; the copy's text
is then everything visible.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import pypdfium2.raw as pdfium

from pagetide.errors import Damaged
from pagetide.geometry import Box

K = TypeVar("K")

_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
# These draw no text of their own; most pages have no others.
_WORDLESS = {
    pdfium.FPDF_ANNOT_LINK,
    pdfium.FPDF_ANNOT_POPUP,
    pdfium.FPDF_ANNOT_HIGHLIGHT,
    pdfium.FPDF_ANNOT_UNDERLINE,
    pdfium.FPDF_ANNOT_SQUIGGLY,
    pdfium.FPDF_ANNOT_STRIKEOUT,
}


@contextmanager
def with_annotations(document: Any, page: Any, index: int) -> Iterator[Any]:
    """The loaded page itself, or a copy of it that holds its annotations' text.

    Args:
        document: PDFium's handle.
        page: Likewise, of the document's page at `index`.
        index: From 0.

    Raises:
        Damaged: The annotations cannot be drawn.
    """
    if not _may_hold_text(page):
        yield page
        return
    copy = pdfium.FPDF_CreateNewDocument()
    try:
        drawn = _drawn_into(copy, document, index)
        try:
            yield drawn
        finally:
            pdfium.FPDF_ClosePage(drawn)
    finally:
        pdfium.FPDF_CloseDocument(copy)


def annotations_of(page: Any) -> Iterator[Any]:
    """PDFium's handles of a page's annotations, each open while it is examined."""
    for place in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, place)
        try:
            yield annotation
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)


def widgets_of(form: Any, page: Any, kinds: Mapping[int, K]) -> Iterator[tuple[K, Any, Box]]:
    """The fields of these kinds of a form that are visible on a page, in the file's order.

    Args:
        form: PDFium's handle of the document's form; None if it has none.
        page: Likewise, as loaded.
        kinds: Names of PDFium's field types.

    Yields:
        The kind, the handle of the annotation, and its box in the PDF's own space.
    """
    for annotation in annotations_of(page) if form else ():
        kind = kinds.get(pdfium.FPDFAnnot_GetFormFieldType(form, annotation))
        if kind is None or pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
            continue
        box = pdfium.FS_RECTF()
        if pdfium.FPDFAnnot_GetRect(annotation, box):
            yield kind, annotation, (box.left, box.bottom, box.right, box.top)


def _may_hold_text(page: Any) -> bool:
    return any(
        pdfium.FPDFAnnot_GetSubtype(annotation) not in _WORDLESS
        for annotation in annotations_of(page)
    )


def _drawn_into(copy: Any, document: Any, index: int) -> Any:
    indexes = (ctypes.c_int * 1)(index)
    if pdfium.FPDF_ImportPagesByIndex(copy, document, indexes, 1, 0):
        page = pdfium.FPDF_LoadPage(copy, 0)
        flattened = pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
        pdfium.FPDF_ClosePage(page)
        if flattened != pdfium.FLATTEN_FAIL:
            return pdfium.FPDF_LoadPage(copy, 0)
    raise Damaged(f"Page {index + 1} is damaged: its annotations cannot be drawn.")
