"""Lines of text as detections: a text, four corners, a confidence, a page."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from pagetide.document import Line, Page
from pagetide.geometry import Polygon, box_of, polygon_of


class Detection(Struct, frozen=True, kw_only=True, gc=False):
    """A line of text.

    Attributes:
        box: Its corners as `[x, y]` in pixels of the page, clockwise from its top left.
        confidence: 0–1; 1 where the document itself says what its text is; None where a
            model gives none.
        page_number: From 1.
    """

    text: str
    box: Polygon
    confidence: float | None
    page_number: int


class UnreadPage(Struct, frozen=True, kw_only=True, gc=False):
    """A page that could not be read, and why."""

    page_number: int
    code: str
    message: str


def of_page(page: Page) -> Iterator[Detection]:
    """The page's lines, in reading order as far as blocks give one."""
    return (
        Detection(
            text=line.text,
            box=four_corners(line.polygon),
            confidence=confidence_of(line),
            page_number=page.number,
        )
        for line in page.lines
    )


def confidence_of(line: Line) -> float | None:
    """How sure the text is; what a document says of itself is sure."""
    if line.confidence is None and line.source == "text_layer":
        return 1.0
    return line.confidence


def four_corners(polygon: Polygon) -> Polygon:
    """The polygon, or the box around it where it has more corners than four."""
    return polygon if len(polygon) == 4 else polygon_of(box_of(polygon))


def unread(page: Page) -> UnreadPage | None:
    """Why a page could not be read; None where it was."""
    if page.error is None:
        return None
    error = page.error
    return UnreadPage(page_number=page.number, code=error.code, message=error.message)
