"""Confidences in the form of Mistral's OCR."""

from __future__ import annotations

from collections.abc import Iterable

from pagetide.document import Block, Line, Page


def page_scores(page: Page) -> dict[str, float] | None:
    """How sure a page's text is; None where its source gives no confidence."""
    known = _known(page.lines)
    if not known:
        return None
    return {
        "average_page_confidence_score": sum(known) / len(known),
        "minimum_page_confidence_score": min(known),
    }


def block_scores(page: Page, block: Block) -> dict[str, float | None]:
    """How sure a block's text and kind are; None where nothing is known."""
    known = _known(page.lines_of(block))
    return {
        "average_content_confidence_score": sum(known) / len(known) if known else None,
        "minimum_content_confidence_score": min(known) if known else None,
        "block_type_confidence_score": block.confidence,
    }


def _known(lines: Iterable[Line]) -> list[float]:
    return [line.confidence for line in lines if line.confidence is not None]
