"""A page's bar codes: the picture they are looked for on, and where they stand on the page."""

from __future__ import annotations

from msgspec.structs import replace

from pagetide.document import Barcode
from pagetide.engine import PageImage
from pagetide.engines.pixels.barcodes import barcodes_on
from pagetide.errors import TooManyPixels
from pagetide.inputs import Input, PageContent
from pagetide.inputs.sniff import MediaType

DPI = 300.0  # of a PDF's page: a printed module is a third of a millimetre, or less


def barcodes_of(opened: Input, content: PageContent) -> tuple[Barcode, ...]:
    """The bar codes of a page, in its pixels.

    Raises:
        PagetideError: The page cannot be rendered, or nothing here reads bar codes.
    """
    pixels = _picture(opened, content).pixels
    by = content.width / pixels.shape[1]
    return tuple(
        replace(
            code, polygon=tuple((round(x * by, 1), round(y * by, 1)) for x, y in code.polygon)
        )
        for code in barcodes_on(pixels)
    )


def _picture(opened: Input, content: PageContent) -> PageImage:
    """The page as displayed: a PDF's finer than it is read at, if it is not too large."""
    if opened.info.media_type != MediaType.PDF:
        whole = content.image if content.straight is None else None
        return whole or opened.displayed(content.number)
    try:
        return opened.displayed(content.number, dpi=max(content.dpi, DPI))
    except TooManyPixels:
        return opened.displayed(content.number, dpi=content.dpi)
