"""A pen that writes words on a grey picture and records their positions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from pagetide.geometry import Box

_DEJAVU = "/usr/share/fonts/truetype/dejavu"
_NOTO = "/usr/share/fonts/opentype/noto"
_FILES = {
    "mono": (f"{_DEJAVU}/DejaVuSansMono.ttf", f"{_DEJAVU}/DejaVuSansMono-Bold.ttf", 0),
    "thermal": (f"{_NOTO}/NotoSansCJK-Regular.ttc", f"{_NOTO}/NotoSansCJK-Bold.ttc", 7),
    "sans": (f"{_DEJAVU}/DejaVuSans.ttf", f"{_DEJAVU}/DejaVuSans-Bold.ttf", 0),
    "narrow": (
        f"{_DEJAVU}/DejaVuSansCondensed.ttf",
        f"{_DEJAVU}/DejaVuSansCondensed-Bold.ttf",
        0,
    ),
    "serif": (f"{_DEJAVU}/DejaVuSerif.ttf", f"{_DEJAVU}/DejaVuSerif-Bold.ttf", 0),
}
FACES = tuple(_FILES)
PAPER, INK = 255, 25


@cache
def font(face: str, size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """A font of `FACES`; the size in pixels."""
    regular, heavy, index = _FILES[face]
    path = Path(heavy if bold else regular)
    layout = ImageFont.Layout.BASIC  # the other engine's result varies between systems
    return ImageFont.truetype(str(path), size, index=index, layout_engine=layout)


class Pen:
    """Writes on a picture.

    Attributes:
        picture: Grey, dark on light.
    """

    def __init__(self, width: int, height: int) -> None:
        self.picture = Image.new("L", (width, height), PAPER)
        self._draw = ImageDraw.Draw(self.picture)

    def write(self, x: float, y: float, text: str, face: ImageFont.FreeTypeFont) -> list[Box]:
        """Write a line from its top left; returns the boxes of its words."""
        self._draw.text((x, y), text, fill=INK, font=face, anchor="la")
        boxes, at = [], 0
        for word in text.split():
            at = text.index(word, at)
            x0 = x + face.getlength(text[:at])
            at += len(word)
            boxes.append((x0, y, x + face.getlength(text[:at]), y + face.size))
        return boxes

    def rule(self, points: Sequence[float], thickness: int = 1) -> None:
        """Draw a line between two points."""
        self._draw.line(list(points), fill=INK, width=thickness)

    def frame(self, box: Box) -> None:
        """Draw the edges of a box."""
        self._draw.rectangle(box, outline=INK)
