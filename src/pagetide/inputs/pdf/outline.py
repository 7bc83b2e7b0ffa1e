"""A PDF's outline (its bookmarks), in the child: which sections start on which page."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from typing import Any

import pypdfium2.raw as pdfium

from pagetide.inputs.pdf import calls
from pagetide.inputs.pdf.frame import PageFrame
from pagetide.layout import OutlineItem

_MOST_ITEMS = 5000
_MOST_LEVELS = 10
_BY_TOP = (pdfium.PDFDEST_VIEW_FITH, pdfium.PDFDEST_VIEW_FITBH)  # their one number is the top
_TITLE_BYTES = 1024  # UTF-16; a longer title is not a heading

_Point = tuple[float, float]
_Place = tuple[str, int, _Point | None]


class Outline:
    """The outline of an open document.

    Args:
        document: PDFium's handle.
    """

    def __init__(self, document: Any) -> None:
        self._of_page = _by_page(document)

    def on(self, index: int, frame: PageFrame) -> tuple[OutlineItem, ...]:
        """The items that point to the page at an index (from 0), in the outline's order."""
        return tuple(
            OutlineItem(title=title, level=level, **(_target(at, frame) if at else {}))
            for title, level, at in self._of_page.get(index, ())
        )


def _by_page(document: Any) -> Mapping[int, list[_Place]]:
    """Title, level and position of the items that point to each page."""
    found: dict[int, list[_Place]] = {}
    roots = _roots(document)
    # A single item around all others is the document's title; its sections are the first level.
    above = 1 if roots == 1 else 0
    for bookmark, depth in _walk(document):
        title = _title(bookmark)
        target = pdfium.FPDFBookmark_GetDest(document, bookmark)
        page = pdfium.FPDFDest_GetDestPageIndex(document, target) if target else -1
        if title and page >= 0:
            found.setdefault(page, []).append((title, depth + 1 - above, _at(target)))
    return found


def _roots(document: Any) -> int:
    """How many top-level items there are, counted up to two."""
    first = pdfium.FPDFBookmark_GetFirstChild(document, None)
    return bool(first) + bool(first and pdfium.FPDFBookmark_GetNextSibling(document, first))


def _walk(document: Any) -> Iterator[tuple[Any, int]]:
    """Each item with its depth, from 0; stops in circular trees."""
    seen: set[int] = set()
    stack = [(pdfium.FPDFBookmark_GetFirstChild(document, None), 0)]
    while stack and len(seen) < _MOST_ITEMS:
        bookmark, depth = stack.pop()
        if not bookmark or calls.address_of(bookmark) in seen:
            continue
        seen.add(calls.address_of(bookmark))
        yield bookmark, depth
        stack.append((pdfium.FPDFBookmark_GetNextSibling(document, bookmark), depth))
        if depth + 1 < _MOST_LEVELS:
            stack.append((pdfium.FPDFBookmark_GetFirstChild(document, bookmark), depth + 1))


def _title(bookmark: Any) -> str:
    title = calls.text_of(pdfium.FPDFBookmark_GetTitle, bookmark, most=_TITLE_BYTES)
    return " ".join(title.split())


def _target(at: _Point, frame: PageFrame) -> dict[str, float]:
    a, b, c, d, e, f = frame.matrix()
    return {"top": b * at[0] + d * at[1] + f, "left": a * at[0] + c * at[1] + e}


def _at(target: Any) -> _Point | None:
    """The point of the page, in its own space, of a destination; None if it has none."""
    has_x, has_y, has_zoom = (ctypes.c_int() for _ in range(3))
    x, y, zoom = (ctypes.c_float() for _ in range(3))
    known = pdfium.FPDFDest_GetLocationInPage(target, has_x, has_y, has_zoom, x, y, zoom)
    if known and has_y.value:
        return (x.value if has_x.value else 0.0, y.value)
    count, sides = ctypes.c_ulong(), (ctypes.c_float * 4)()
    view = pdfium.FPDFDest_GetView(target, count, sides)
    return (0.0, sides[0]) if view in _BY_TOP and count.value else None
