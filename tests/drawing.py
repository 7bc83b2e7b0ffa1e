"""Pages drawn for tests, with the one font that the imaging library itself includes."""

from __future__ import annotations

import functools

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from pagetide.engine import PageImage


@functools.cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own font."""
    loaded = ImageFont.load_default(size)
    assert isinstance(loaded, ImageFont.FreeTypeFont)
    return loaded


def page_of(
    lines: list[tuple[tuple[int, int], str]], *, width: int, height: int, size: int = 28
) -> PageImage:
    """A white page with black lines of text, each at its top-left place."""
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    for place, text in lines:
        draw.text(place, text, fill="black", font=font(size))
    return PageImage(pixels=np.asarray(image)[:, :, ::-1].copy(), dpi=144)


def page_saying(text: str, *, width: int, height: int = 160) -> PageImage:
    """A page with one line."""
    return page_of([((40, 60), text)], width=width, height=height)


def turned(page: PageImage, degrees: int) -> PageImage:
    """The page with its content turned clockwise."""
    return PageImage(pixels=np.rot90(page.pixels, -degrees // 90).copy(), dpi=page.dpi)
