"""Notices of an extraction beside its values."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pagetide.document import Document, Notice, page_ranges
from pagetide.document.extraction import Extraction
from pagetide.errors import PagetideError
from pagetide.reading.extraction.choosing import Parts
from pagetide.reading.extraction.forms.answers_read import ReadAnswer


def notices_of(
    document: Document,
    found: Extraction,
    parts: Parts,
    read: Sequence[ReadAnswer],
    failed: Sequence[PagetideError],
) -> Iterator[Notice]:
    """Notices of values not returned, in conflict, dropped or not asked."""
    if count := sum(leaf.standing == "ungrounded" for leaf in found.leaves):
        yield _notice("ungrounded", f"Values that are not in the document: {count}.")
    if count := len(found.conflicts):
        yield _notice("conflicts", f"Values on which parts of the document disagree: {count}.")
    if unknown := sorted({name for each in read for name in each.unknown}):
        message = f"Dropped, because the schema does not have these names: {len(unknown)}."
        yield _notice("unknown_names", message)
    yield from unread(document)
    if parts.left:
        message = f"Parts of the document that were not sent: {parts.left} of {parts.of}."
        yield _notice("parts_left_out", message)
    for error in failed:
        yield _notice("part_unanswered", f"A part of the document has no answer: {error}")


def unread(document: Document) -> Iterator[Notice]:
    """Which pages nothing can be found on."""
    if pages := page_ranges.written(page.number for page in document.failed_pages):
        yield _notice("pages_unread", f"Pages that could not be read: {pages}.")


def unseen(pages: Collection[int]) -> Iterator[Notice]:
    """Which pages were asked about by their text alone, though the model sees."""
    if pages:
        listed = page_ranges.written(sorted(pages))
        yield _notice("pages_unseen", f"Pages whose picture was not sent: {listed}.")


def _notice(code: str, message: str) -> Notice:
    return Notice(code=code, message=message)
