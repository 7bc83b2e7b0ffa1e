"""A PDF page's links, in the child: their positions and targets."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.document import Link, Notice
from pagetide.geometry import Box
from pagetide.inputs.pdf.frame import PageFrame

MOST_LINKS = 500  # an index has 300 on a page; each word is compared with each
MOST_BYTES = 4096  # of an address

_LEFT_OUT = Notice(
    code="links_left_out",
    message=(
        f"Links of this page were left out: it has more than {MOST_LINKS}, or an address has"
        f" more than {MOST_BYTES} bytes."
    ),
)


def links_on(
    document: Any, page: Any, frame: PageFrame
) -> tuple[tuple[Link, ...], tuple[Notice, ...]]:
    """The page's links in the file's order, and notices about them.

    A link on several rows is given once for each. A target other than a page of this document
    or an address (a program to be started, another file) is not a link.

    Args:
        document: PDFium's handle.
        page: Likewise, as loaded.
        frame: Of the page.
    """
    links: list[Link] = []
    for link in _enumerated(page):
        address, number = _leads_to(document, link)
        if len(links) >= MOST_LINKS or len(address) > MOST_BYTES:
            return tuple(links[:MOST_LINKS]), (_LEFT_OUT,)
        if address or number:
            links += (
                Link(polygon=frame.polygon(box), address=address or None, page=number)
                for box in _boxes(link)
            )
    return tuple(links), ()


def _enumerated(page: Any) -> Iterator[Any]:
    at = ctypes.c_int(0)
    link = pdfium.FPDF_LINK()
    while pdfium.FPDFLink_Enumerate(page, at, link):
        yield link


def _leads_to(document: Any, link: Any) -> tuple[str, int | None]:
    """The address or the page (from 1) that a link points to."""
    action = pdfium.FPDFLink_GetAction(link)
    kind = pdfium.FPDFAction_GetType(action) if action else pdfium.PDFACTION_GOTO
    if kind == pdfium.PDFACTION_URI:
        return _address(document, action), None
    if kind != pdfium.PDFACTION_GOTO:
        return "", None
    target = pdfium.FPDFLink_GetDest(document, link)  # its own, otherwise its action's
    index = pdfium.FPDFDest_GetDestPageIndex(document, target) if target else -1
    return "", index + 1 if index >= 0 else None


def _address(document: Any, action: Any) -> str:
    size = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDFAction_GetURIPath(document, action, buffer, size)
    return buffer.value.decode("utf-8", "replace").strip()


def _boxes(link: Any) -> list[Box]:
    """Its position: on each row, or its rectangle if it does not give rows."""
    corners = pdfium.FS_QUADPOINTSF()
    boxes: list[Box] = []
    for place in range(min(pdfium.FPDFLink_CountQuadPoints(link), MOST_LINKS)):
        if pdfium.FPDFLink_GetQuadPoints(link, place, corners):
            xs = (corners.x1, corners.x2, corners.x3, corners.x4)
            ys = (corners.y1, corners.y2, corners.y3, corners.y4)
            boxes.append((min(xs), min(ys), max(xs), max(ys)))
    rectangle = pdfium.FS_RECTF()
    if not boxes and pdfium.FPDFLink_GetAnnotRect(link, rectangle):
        xs2, ys2 = (rectangle.left, rectangle.right), (rectangle.bottom, rectangle.top)
        boxes.append((min(xs2), min(ys2), max(xs2), max(ys2)))
    return boxes
