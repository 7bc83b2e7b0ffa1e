"""Figures, charts and seals as pictures of their own, cut from their pages."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from pagetide.document import Block, Document, Page
from pagetide.exports.flow import FIGURES
from pagetide.exports.origin import Origin
from pagetide.geometry import box_of

FOLDER = "figures/"


def write(document: Document, origin: Origin) -> Iterator[tuple[str, bytes]]:
    """A PNG for each figure, chart and seal, as its file's ending and content, when taken.

    They are cut from the pages as displayed, at the `dpi` at which those were read, and lie
    in a folder: the endings are `-figures/p0003-b12.png` for block 12 of page 3.

    Raises:
        BadOption: The input is not the one that was read.
        PagetideError: It can no longer be read.
    """
    found = [(page, block) for page in document.pages for block in figures_of(page)]
    if found:
        origin.check(document)
    for page, block in found:
        content = origin.cut(page.number, block.polygon, page.dpi)
        yield f"-{FOLDER}{file_name(page, block)}", content


def figures_of(page: Page) -> list[Block]:
    """The page's figures, charts and seals, in reading order."""
    blocks = sorted(page.blocks, key=lambda block: block.order)
    return [block for block in blocks if has_picture(page, block)]


def has_picture(page: Page, block: Block) -> bool:
    """Whether a block is a figure, a chart or a seal, and some of it lies on the page."""
    left, top, right, bottom = box_of(block.polygon)
    return (
        block.kind in FIGURES
        and max(left, 0) < min(right, page.width)
        and max(top, 0) < min(bottom, page.height)
    )


def file_name(page: Page, block: Block) -> str:
    """What the picture of a block is called, such as `p0003-b12.png`."""
    return f"p{page.number:04}-b{block.order}.png"


def link_to(folder: str, page: Page, block: Block) -> str:
    """The address of a block's picture, fit for Markdown and, escaped, for HTML.

    Args:
        folder: What the address begins with, up to the last slash.
        page: Whose block it is.
        block: The figure.
    """
    return quote(folder, safe="/:?&=%#~+,;@") + file_name(page, block)
