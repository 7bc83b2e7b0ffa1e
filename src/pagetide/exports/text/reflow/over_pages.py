"""Paragraphs that continue over pages, written whole where they start."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from pagetide.document import Block, BlockPlace, Document, LineBreaks
from pagetide.exports.text.inline_marks import carried
from pagetide.exports.text.reflow.joints import Joints

_KINDS = ("text", "list")  # whose end may continue
Further = dict[BlockPlace, BlockPlace]
"""From the place of a further part to that of the paragraph's first one."""


def joined_over_pages(
    document: Document, source: Document, line_breaks: LineBreaks = "join", *, marked: bool
) -> Document:
    """The document with the text of a paragraph's further parts in its first part.

    The further parts are then empty, and keep their places.

    Args:
        document: Reflowed.
        source: The same, as read.
        line_breaks: Whether rows are joined: if not, the parts stay as they are.
        marked: Whether `inline` has marked it: the first part's page gets the links of all.
    """
    further = further_parts(document) if line_breaks == "join" else {}
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
    return replace(
        document,
        pages=tuple(
            replace(
                page,
                blocks=tuple(
                    replace(block, text=texts.get(_place(page.number, block), block.text))
                    for block in page.blocks
                ),
            )
            for page in pages.values()
        ),
    )


def further_parts(document: Document) -> Further:
    """The paragraphs' parts that continue a part on the page before, in their order."""
    before: Further = {}
    texts = _texts(document)
    for place, block in _blocks(document):
        if block.kind == "text" and (earlier := block.continued_from) in texts:
            before[place] = earlier
    return {
        place: _first(place, before)
        for place, earlier in before.items()
        if earlier.page != place.page and texts[place] and texts[_first(place, before)]
    }


def _first(place: BlockPlace, before: Further) -> BlockPlace:
    seen = {place}
    while (earlier := before.get(place)) and earlier not in seen:
        seen.add(earlier)
        place = earlier
    return place


def _blocks(document: Document) -> Iterator[tuple[BlockPlace, Block]]:
    for page in document.pages:
        for block in sorted(page.blocks, key=lambda block: block.order):
            yield _place(page.number, block), block


def _texts(document: Document) -> dict[BlockPlace, str]:
    """The texts of the document's paragraphs and lists."""
    return {place: block.text for place, block in _blocks(document) if block.kind in _KINDS}


def _place(page: int, block: Block) -> BlockPlace:
    return BlockPlace(page=page, order=block.order)
