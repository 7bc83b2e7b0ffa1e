"""The child's side of an input: the inputs open in the child, by their parent's numbers.

The parent imports this module for its functions' names; everything heavy is imported when a
function runs.
"""

from __future__ import annotations

import importlib
import math
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from pagetide.document import (
    FormField,
    Line,
    Link,
    Notice,
    Page,
    SelectionMark,
    TextLayerDecision,
    TextLayerMode,
)
from pagetide.document.kinds import PictureEnding
from pagetide.errors import BadOption, PagetideError, TooManyPages, TooManyPixels
from pagetide.inputs.sniff import MediaType
from pagetide.inputs.wire import Parcel
from pagetide.layout import NOTHING_DRAWN, Drawn, OutlineItem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


JPEG_QUALITY = 85  # of 100: letters stay sharp


class PageReply(Struct, frozen=True, kw_only=True, gc=False):
    """A page on its way from the child; see `pages.PageContent` for the fields.

    Attributes:
        channels: Of the payload's pixels: 3 (blue-green-red), 1 (grey), or 0 for no picture.
        page: The assembled page, if the child assembled it: it has everything not given here.
    """

    width: int
    height: int
    dpi: float
    width_pt: float
    height_pt: float
    text_layer: TextLayerDecision
    rotation: int = 0
    lines: tuple[Line, ...] = ()
    drawn: Drawn = NOTHING_DRAWN
    outline: tuple[OutlineItem, ...] = ()
    links: tuple[Link, ...] = ()
    selection_marks: tuple[SelectionMark, ...] = ()
    form_fields: tuple[FormField, ...] = ()
    warnings: tuple[Notice, ...] = ()
    timings_ms: dict[str, float] = {}
    channels: int = 0
    page: Page | None = None


class Opened(Protocol):
    """An open input: `pdf.PdfDocument` or `pictures.Picture`."""

    page_count: int

    def page(self, index: int, dpi: float, mode: TextLayerMode, max_pixels: int) -> Parcel:
        """A `PageReply` with its pixels."""
        ...

    def close(self) -> None:
        """Release the input."""
        ...


_open: dict[int, Opened] = {}


def open_document(
    key: int, source: int | bytes, media_type: str, password: str | None, max_pages: int
) -> int:
    """Open an input under a number; returns its number of pages.

    Args:
        key: The number.
        source: A descriptor, which is closed with the input, or the bytes themselves.
        media_type: As sniffed.
        password: For an encrypted PDF.
        max_pages: The limit.

    Raises:
        Damaged: It cannot be opened.
        PasswordNeeded: It is encrypted.
        PasswordWrong: The password does not fit.
        TooManyPages: It has more pages than the limit.
    """
    opened = _opened(source, MediaType(media_type), password)
    if opened.page_count > max_pages:
        opened.close()
        raise TooManyPages(
            f"The input has {opened.page_count} pages, more than the limit of {max_pages}."
        )
    close_document(key)
    _open[key] = opened
    return opened.page_count


def _opened(source: int | bytes, media_type: MediaType, password: str | None) -> Opened:
    if media_type is MediaType.PDF:
        from pagetide.inputs.pdf.document import PdfDocument

        return PdfDocument(source, password)
    from pagetide.inputs.pictures.files import Picture

    return Picture(source, media_type)


def read_page(
    key: int,
    number: int,
    dpi: float,
    mode: TextLayerMode,
    max_pixels: int,
    assemble: str | None = None,
) -> Parcel:
    """A page of an open input: a `PageReply` and its pixels.

    Args:
        key: The input's number.
        number: The page's, from 1.
        dpi: Pixels per inch to render at; a picture keeps its own.
        mode: Whether the page's own text may be used.
        max_pixels: Most pixels that may be rendered or decoded.
        assemble: `module:function` that assembles a page without a picture, given its number
            and its `PageReply`.
    """
    opened = _open.get(key)
    if opened is None:
        raise PagetideError("The input is not open in the sandbox.")
    parcel = opened.page(number - 1, dpi, mode, max_pixels)
    reply = parcel.value
    if assemble and isinstance(reply, PageReply) and not reply.channels:
        with suppress(Exception):  # then the parent assembles it, and shows the error
            return Parcel(_assembled(number, reply, assemble))
    return parcel


def _assembled(number: int, reply: PageReply, assemble: str) -> PageReply:
    """The assembled page, and of the rest what the page alone does not contain."""
    module, _, name = assemble.partition(":")
    return PageReply(
        width=reply.width,
        height=reply.height,
        dpi=reply.dpi,
        width_pt=reply.width_pt,
        height_pt=reply.height_pt,
        text_layer=reply.text_layer,
        page=getattr(importlib.import_module(module), name)(number, reply),
    )


def page_picture(
    key: int,
    number: int,
    dpi: float,
    max_pixels: int,
    ending: PictureEnding = "png",
    width: int | None = None,
) -> bytes:
    """A page's picture as a file; see `read_page`.

    Args:
        key: The input's number.
        number: The page's, from 1.
        dpi: Pixels per inch to render at; a picture keeps its own.
        max_pixels: Most pixels that may be rendered or decoded.
        ending: The kind of file.
        width: Most pixels across; None means the picture's own.

    Raises:
        TooManyPixels: Such a file cannot hold that many.
    """
    pixels = _picture(key, number, dpi, max_pixels)
    return _file(pixels if width is None else _narrowed(pixels, width), number, ending)


def figure_png(
    key: int, number: int, dpi: float, max_pixels: int, box: tuple[float, float, float, float]
) -> bytes:
    """A part of a page's picture as PNG; see `read_page`.

    Args:
        key: The input's number.
        number: The page's, from 1.
        dpi: Of the page, and of the box.
        max_pixels: Most pixels that may be rendered or decoded, of the whole page.
        box: In page pixels; partly covered pixels are included.

    Raises:
        BadOption: The box covers nothing of the page.
        TooManyPixels: PNG cannot hold that many.
    """
    pixels = _picture(key, number, dpi, max_pixels)
    height, width = pixels.shape[:2]
    left, top = (max(0, math.floor(side)) for side in box[:2])
    right, bottom = min(width, math.ceil(box[2])), min(height, math.ceil(box[3]))
    if left >= right or top >= bottom:
        raise BadOption(f"The area does not overlap page {number}.")
    return _file(pixels[top:bottom, left:right], number, "png")


def _picture(key: int, number: int, dpi: float, max_pixels: int) -> NDArray[np.uint8]:
    import numpy as np

    parcel = read_page(key, number, dpi, "never", max_pixels)
    reply = parcel.value
    assert isinstance(reply, PageReply)  # noqa: S101 - what `page` gives
    pixels = np.frombuffer(b"".join(parcel.parts), np.uint8)
    return pixels.reshape(reply.height, reply.width, -1)


def _narrowed(pixels: NDArray[np.uint8], width: int) -> NDArray[np.uint8]:
    import cv2
    import numpy as np

    high, wide = pixels.shape[:2]
    if wide <= width:
        return pixels
    size = (width, max(1, round(high * width / wide)))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def _file(pixels: NDArray[np.uint8], number: int, ending: PictureEnding) -> bytes:
    import cv2

    # Level 1 of PNG takes a third of the time of the default, for a tenth more bytes. A scan's
    # JPEG is a sixth of its PNG, and made in 9 ms instead of 170.
    options = {
        "png": [cv2.IMWRITE_PNG_COMPRESSION, 1],
        "jpeg": [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY],
    }
    done, encoded = cv2.imencode(f".{ending}", pixels, options[ending])
    if not done:
        raise TooManyPixels(f"Page {number} is too large for a {ending.upper()}.")
    return encoded.tobytes()


def close_document(key: int) -> None:
    """Close an input; one that is not open is ignored."""
    opened = _open.pop(key, None)
    if opened:
        opened.close()
