"""Documents for tests, made by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pagetide.document import (
    Block,
    Document,
    Line,
    ModelInfo,
    Page,
    SourceInfo,
    TextLayerDecision,
)
from pagetide.geometry import Box, polygon_of
from pagetide.structure import structure


def line(text: str, box: Box, confidence: float | None = 0.9) -> Line:
    """An upright line."""
    return Line(text=text, polygon=polygon_of(box), confidence=confidence)


def page_of(
    lines: Sequence[Line],
    *,
    number: int = 1,
    size: tuple[int, int] = (1000, 1400),
    blocks: tuple[Block, ...] = (),
    is_text_layer: bool = False,
) -> Page:
    """A page at 144 dpi with the given lines."""
    return Page(
        number=number,
        width=size[0],
        height=size[1],
        dpi=144,
        width_pt=size[0] / 2,
        height_pt=size[1] / 2,
        text_layer=TextLayerDecision(
            used=is_text_layer, reason="trusted" if is_text_layer else "no_text"
        ),
        lines=tuple(lines),
        blocks=blocks,
    )


def grouped_page(lines: Sequence[Line], number: int = 1) -> Page:
    """A page with its lines grouped into blocks."""
    ordered, blocks = structure(lines, 1000, 1400)
    return page_of(ordered, number=number, blocks=blocks)


def document_of(
    *pages: Page,
    content: bytes = b"",
    name: str = "scan.pdf",
    media_type: str = "application/pdf",
    page_count: int | None = None,
) -> Document:
    """A document with these pages, as if read from these bytes."""
    return Document(
        source=SourceInfo(
            name=name,
            sha256=hashlib.sha256(content).hexdigest(),
            bytes=len(content),
            media_type=media_type,
            page_count=page_count or max(len(pages), 1),
        ),
        model=ModelInfo(name="fake", engine="fake", version="1", runtime="none", language="en"),
        pages=pages,
    )
