"""Boxes of pages as Docling has them: in points."""

from __future__ import annotations

from typing import Any

from pagetide.document import Page
from pagetide.geometry import Box

_DIGITS = 3  # of a point: far below a pixel


def provenance(page: Page, box: Box, length: int) -> dict[str, Any]:
    """Where so many letters stand, as a `ProvenanceItem`."""
    return {
        "page_no": page.number,
        "bbox": bottom_left(page, box),
        "charspan": [0, length],
    }


def bottom_left(page: Page, box: Box) -> dict[str, Any]:
    """A box of a page's pixels, in points from its bottom left."""
    left, top, right, bottom = _points(page, box)
    height = page.height_pt
    return _box(left, height - top, right, height - bottom, "BOTTOMLEFT")


def top_left(page: Page, box: Box) -> dict[str, Any]:
    """A box of a page's pixels, in points from its top left, as Docling has tables' cells."""
    return _box(*_points(page, box), "TOPLEFT")


def _points(page: Page, box: Box) -> Box:
    across, down = page.width_pt / page.width, page.height_pt / page.height
    return box[0] * across, box[1] * down, box[2] * across, box[3] * down


def _box(left: float, top: float, right: float, bottom: float, origin: str) -> dict[str, Any]:
    return {
        "l": round(left, _DIGITS),
        "t": round(top, _DIGITS),
        "r": round(right, _DIGITS),
        "b": round(bottom, _DIGITS),
        "coord_origin": origin,
    }
