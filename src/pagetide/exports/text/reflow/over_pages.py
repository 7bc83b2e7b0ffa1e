"""Paragraphs that continue over pages, written whole where they start."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from pagetide.document import BlockPlace, Document, LineBreaks, Page
from pagetide.exports.tables.joined_tables import by_place
from pagetide.exports.text.inline_marks import carried
from pagetide.exports.text.reflow.joints import Joints

_KINDS = ("text", "list")  # whose end may continue
Further = dict[BlockPlace, BlockPlace]
"""From the place of a further part to that of the paragraph's first one."""


def joined_over_pages(
    document: Document, source: Document, further: Further, *, marked: bool
) -> Document:
    """The document with the text of a paragraph's further parts in its first part.

    The further parts are then empty, and keep their places.

    Args:
        document: Reflowed.
        source: The same, as read.
        further: From `further_parts`.
        marked: Whether `inline` has marked it: the first part's page gets the links of all.
    """
    if not further:
        return document
    joints, texts = Joints(source), _texts(document)
    pages = {page.number: page for page in document.pages}
    for place, first in further.items():
        text, texts[place] = texts[place], ""
        if marked:
            rewritten, pages[first.page] = carried(pages[place.page], pages[first.page])
            text = rewritten(text)
        texts[first] = joints.joined(texts[first], text)
    return replace(document, pages=tuple(_with(page, texts) for page in pages.values()))


def _with(page: Page, texts: Mapping[BlockPlace, str]) -> Page:
    """The page with its paragraphs' texts."""
    places = (BlockPlace(page=page.number, order=block.order) for block in page.blocks)
    return replace(
        page,
        blocks=tuple(
            replace(block, text=texts[place]) if place in texts else block
            for place, block in zip(places, page.blocks, strict=True)
        ),
    )


def further_parts(document: Document, line_breaks: LineBreaks = "join") -> Further:
    """The paragraphs' parts that continue a part on the page before; none if rows are kept."""
    if line_breaks == "keep":
        return {}
    texts = _texts(document)
    before = {
        place: block.continued_from
        for place, block in by_place(document).items()
        if block.kind == "text" and block.continued_from in texts
    }
    firsts = {
        place: _first(place, before)
        for place, earlier in before.items()
        if earlier.page != place.page
    }
    return {place: first for place, first in firsts.items() if texts[place] and texts[first]}


def _first(place: BlockPlace, before: Further) -> BlockPlace:
    seen = {place}
    while (earlier := before.get(place)) and earlier not in seen:
        seen.add(earlier)
        place = earlier
    return place


def _texts(document: Document) -> dict[BlockPlace, str]:
    """The texts of the document's paragraphs and lists."""
    blocks = by_place(document)
    return {place: block.text for place, block in blocks.items() if block.kind in _KINDS}
