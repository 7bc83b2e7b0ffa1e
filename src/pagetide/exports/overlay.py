"""Pages as pictures with what was found drawn on them.

Lines are thin and blue; blocks are thick, in their kind's colour, with their place in the
reading order.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pagetide.document import BlockKind, Document, Page
from pagetide.exports.origin import Origin
from pagetide.geometry import box_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

_LINE = (0, 150, 220)
_BLOCK = (90, 90, 90)
_KINDS: dict[BlockKind, tuple[int, int, int]] = {
    "title": (200, 0, 60),
    "heading": (220, 50, 0),
    "text": (0, 130, 60),
    "list": (120, 130, 0),
    "table": (150, 0, 190),
    "figure": (190, 120, 0),
}


def write(document: Document, origin: Origin) -> Iterator[tuple[str, bytes]]:
    """A PNG for each page that was read, as its file's ending and content, when taken.

    Raises:
        PagetideError: The input can no longer be read.
    """
    digits = len(str(document.source.page_count))
    for page in document.pages:
        if page.error is None:
            number = f".{page.number:0{digits}}" if document.source.page_count > 1 else ""
            image = origin.picture(page.number, page.dpi)
            yield f"{number}.png", draw(page, image.pixels)


def draw(page: Page, pixels: NDArray[np.uint8]) -> bytes:
    """The page's picture with its lines and its blocks, numbered in reading order, as PNG.

    Args:
        page: As read.
        pixels: Height × width × 3, uint8, blue-green-red.
    """
    out = io.BytesIO()
    drawn(page, picture(pixels)).save(out, "PNG", compress_level=4)
    return out.getvalue()


def picture(pixels: NDArray[np.uint8]) -> Image:
    """Pixels, height × width × 3, uint8, blue-green-red, as a picture of Pillow's."""
    from PIL import Image

    return Image.fromarray(pixels[..., ::-1].copy())


def drawn(page: Page, picture: Image) -> Image:
    """The picture, on which the page's lines and blocks are drawn now."""
    from PIL import ImageDraw

    pen = ImageDraw.Draw(picture)
    thin = max(1, round(page.width / 1200))
    for line in page.lines:
        pen.line([*line.polygon, line.polygon[0]], fill=_LINE, width=thin)
    for block in page.blocks:
        colour = colour_of(block.kind)
        pen.line([*block.polygon, block.polygon[0]], fill=colour, width=2 * thin)
        left, top = box_of(block.polygon)[:2]
        _label(pen, (left, top), str(block.order), colour, 12 * thin)
    return picture


def jpeg(picture: Image, width: int) -> bytes:
    """The picture as JPEG, no wider than so many pixels."""
    if picture.width > width:
        picture = picture.resize((width, max(1, picture.height * width // picture.width)))
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=70)
    return out.getvalue()


def colour_of(kind: BlockKind) -> tuple[int, int, int]:
    """What blocks of a kind are drawn in: red, green, blue, 0–255."""
    return _KINDS.get(kind, _BLOCK)


def _label(
    pen: ImageDraw, corner: tuple[float, float], text: str, colour: tuple[int, ...], size: int
) -> None:
    """White on the block's colour, left of its corner, so that it hides no text."""
    width = pen.textlength(text, font_size=size)
    left, top = max(0.0, corner[0] - width - 5), max(0.0, corner[1])
    pen.rectangle((left, top, left + width + 3, top + size + 3), fill=colour)
    pen.text((left + 2, top), text, fill=(255, 255, 255), font_size=size)
