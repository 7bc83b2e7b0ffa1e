"""Sheets as pictures: clean, scanned, or photographed on a table."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from samples.sheet import Face, Sheet

_DEJAVU = Path("/usr/share/fonts/truetype/dejavu")
_NOTO = Path("/usr/share/fonts/opentype/noto")
_FILES: dict[Face, tuple[Path, int]] = {
    "sans": (_DEJAVU / "DejaVuSans.ttf", 0),
    "bold": (_DEJAVU / "DejaVuSans-Bold.ttf", 0),
    "serif": (_DEJAVU / "DejaVuSerif.ttf", 0),
    "serif_bold": (_DEJAVU / "DejaVuSerif-Bold.ttf", 0),
    "mono": (_DEJAVU / "DejaVuSansMono.ttf", 0),
    "mono_bold": (_DEJAVU / "DejaVuSansMono-Bold.ttf", 0),
    # The third face of the collection is the one with mainland Chinese shapes.
    "cjk": (_NOTO / "NotoSansCJK-Regular.ttc", 2),
    "cjk_bold": (_NOTO / "NotoSansCJK-Bold.ttc", 2),
}
PACKAGES = "fonts-dejavu-core and fonts-noto-cjk"


def missing_fonts() -> list[str]:
    """The required font files that are missing."""
    return sorted({str(path) for path, _ in _FILES.values() if not path.exists()})


@cache
def _font(face: Face, pixels: float) -> ImageFont.FreeTypeFont:
    path, index = _FILES[face]
    layout = ImageFont.Layout.BASIC  # the other engine's result varies between systems
    return ImageFont.truetype(str(path), pixels, index=index, layout_engine=layout)


def measure(text: str, face: Face) -> float:
    """Width of the text in points at a size of 1 pt."""
    return _font(face, 100).getlength(text) / 100


def draw(sheet: Sheet, dpi: float, *, paper: int = 255, ink: int = 20) -> Image.Image:
    """The sheet as a grey picture with sharp edges."""
    scale = dpi / 72
    size = (round(sheet.width * scale), round(sheet.height * scale))
    picture = Image.new("L", size, paper)
    pen = ImageDraw.Draw(picture)
    for rule in sheet.rules:
        ends = [v * scale for v in (rule.x0, rule.y0, rule.x1, rule.y1)]
        pen.line(ends, fill=ink, width=max(1, round(rule.weight * scale)))
    anchors = {"left": "ls", "right": "rs", "center": "ms"}
    for text in sheet.texts:
        font = _font(text.face, text.size * scale)
        place = (text.x * scale, text.y * scale)
        pen.text(place, text.text, fill=ink, font=font, anchor=anchors[text.align])
    return picture


def _noisy(picture: Image.Image, sigma: float, seed: int) -> Image.Image:
    grain = np.random.default_rng(seed).normal(0, sigma, (picture.height, picture.width))
    values = np.asarray(picture, dtype=np.float64)
    if values.ndim == 3:
        grain = grain[..., None]
    return Image.fromarray(np.clip(values + grain, 0, 255).astype(np.uint8))


def scan(picture: Image.Image, *, seed: int, skew: float) -> Image.Image:
    """The picture as from a flatbed: slightly skewed, soft and grainy, grey at one edge.

    Args:
        picture: Grey, on white.
        seed: Of the grain.
        skew: Degrees counter-clockwise.
    """
    turned = picture.rotate(skew, Image.Resampling.BICUBIC, fillcolor=250)
    soft = turned.filter(ImageFilter.GaussianBlur(0.6))
    shade = np.linspace(1.0, 0.93, picture.width) ** 2
    shaded = np.asarray(soft, dtype=np.float64) * shade[None, :]
    return _noisy(Image.fromarray(shaded.astype(np.uint8)), 4.0, seed)


def photograph(paper: Image.Image, *, seed: int) -> Image.Image:
    """The paper on a table top, seen at an angle in uneven light.

    Args:
        paper: Grey; the whole paper is in the picture.
        seed: Of the grain.
    """
    width, height = round(paper.width * 1.30), round(paper.height * 1.12)
    corners = [
        (0.145 * width, 0.060 * height),
        (0.865 * width, 0.045 * height),
        (0.900 * width, 0.955 * height),
        (0.100 * width, 0.940 * height),
    ]
    warp = _perspective(corners, paper.size)
    resampling = Image.Resampling.BICUBIC
    kind = Image.Transform.PERSPECTIVE
    sheet = paper.transform((width, height), kind, warp, resampling)
    mask = Image.new("L", paper.size, 255).transform((width, height), kind, warp, resampling)
    rows, columns = np.mgrid[0:height, 0:width]
    grain = 8 * np.sin(rows / 9 + 3 * np.sin(columns / 160)) + 4 * np.sin(rows / 2.3)
    table = np.stack([96 + grain, 70 + grain, 48 + grain], axis=-1)
    shadow = Image.fromarray(np.roll(np.asarray(mask), (14, 18), (0, 1)))
    dark = np.asarray(shadow.filter(ImageFilter.GaussianBlur(16)), dtype=np.float64) / 255
    table *= 1 - 0.5 * dark[..., None]
    tint = np.array([1.0, 0.985, 0.94])
    cover = np.asarray(mask, dtype=np.float64)[..., None] / 255
    scene = table * (1 - cover) + np.asarray(sheet, dtype=np.float64)[..., None] * tint * cover
    scene *= _light(rows / height, columns / width)[..., None]
    photo = Image.fromarray(np.clip(scene, 0, 255).astype(np.uint8))
    return _noisy(photo.filter(ImageFilter.GaussianBlur(0.8)), 5.0, seed)


def _light(down: NDArray[np.float64], across: NDArray[np.float64]) -> NDArray[np.float64]:
    """Brightness 0–1: less towards one corner, with a hand's soft shadow at the lower left."""
    falloff = 1.0 - 0.22 * down - 0.12 * across
    hand = np.exp(-(((down - 0.83) / 0.16) ** 2) - ((across - 0.12) / 0.34) ** 2)
    light: NDArray[np.float64] = falloff * (1 - 0.30 * hand)
    return light


def _perspective(corners: list[tuple[float, float]], size: tuple[int, int]) -> list[float]:
    """Pillow's eight numbers that map a paper of `size` onto the four corners."""
    paper = [(0, 0), (size[0], 0), size, (0, size[1])]
    rows, wanted = [], []
    for (x, y), (u, v) in zip(corners, paper, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        wanted += [u, v]
    solved: list[float] = np.linalg.solve(np.array(rows), np.array(wanted)).tolist()
    return solved
