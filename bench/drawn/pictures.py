"""Pictures of drawn pages: clean ones, and ones like those of scanners and telephones."""

from __future__ import annotations

import io
import math
import random
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
from numpy.typing import NDArray
from PIL import Image

from bench.drawn.printing import Drawn
from pagetide.geometry import Point

Pixels = NDArray[np.uint8]  # (height, width, 3), RGB, origin top left
CSS_DPI = 96
BLANK = 255


@dataclass(frozen=True)
class Picture:
    """A picture of a page.

    Attributes:
        pixels: (height, width, 3), RGB, origin top left.
        turned: Two rows of three numbers that map a position on the page, in CSS pixels, to
            one in the picture, in its pixels.
    """

    pixels: Pixels
    turned: tuple[tuple[float, float, float], tuple[float, float, float]]

    @property
    def jpeg(self) -> bytes:
        """The picture as JPEG, of a quality that changes little."""
        return self._written("JPEG", quality=92)

    @property
    def png(self) -> bytes:
        """The picture as PNG."""
        return self._written("PNG")

    def back(self, point: Point) -> Point:
        """A position in the picture as a position on the page, in CSS pixels."""
        (a, b, x), (c, d, y) = self.turned
        u, v, by = point[0] - x, point[1] - y, a * d - b * c
        return ((d * u - b * v) / by, (a * v - c * u) / by)

    def _written(self, form: str, **options: int) -> bytes:
        buffer = io.BytesIO()
        Image.fromarray(self.pixels).save(buffer, form, **options)
        return buffer.getvalue()


def clean(pdf: bytes, seed: int) -> list[Picture]:
    """The pages as the PDF shows them, at 150–200 dpi."""
    dpi = random.Random(f"clean {seed}").randint(150, 200)  # noqa: S311 - the same each time
    scale = dpi / CSS_DPI
    with pypdfium2.PdfDocument(pdf) as document:
        return [
            Picture(
                np.ascontiguousarray(
                    page.render(scale=dpi / 72, rev_byteorder=True).to_numpy()
                ),
                ((scale, 0.0, 0.0), (0.0, scale, 0.0)),
            )
            for page in document
        ]


def degraded(picture: Picture, seed: int) -> Picture:
    """The picture as a scanner or a telephone would give it; the seed decides how degraded."""
    chance = random.Random(f"degraded {seed}")  # noqa: S311 - the same each time
    noise = np.random.default_rng(seed)
    turned = _askew(picture, chance)
    pixels = _lit(turned.pixels.astype(np.float32), chance)
    pixels = cv2.GaussianBlur(pixels, (0, 0), chance.uniform(0.3, 1.1))
    grain = noise.normal(0, chance.uniform(1, 9), pixels.shape)
    small = _packed(np.clip(pixels + grain, 0, BLANK).astype(np.uint8), chance.randint(38, 85))
    return _smaller(Picture(small, turned.turned), chance.uniform(0.75, 1.0))


def _askew(picture: Picture, chance: random.Random) -> Picture:
    angle = math.radians(chance.uniform(-1.6, 1.6))
    height, width = picture.pixels.shape[:2]
    cos, sin = math.cos(angle), math.sin(angle)
    x, y = width / 2, height / 2
    turn = np.array([[cos, -sin, x - cos * x + sin * y], [sin, cos, y - sin * x - cos * y]])
    paper = (BLANK, BLANK, BLANK)
    pixels = cv2.warpAffine(picture.pixels, turn, (width, height), borderValue=paper)
    return Picture(pixels, _after(turn, picture))


def _after(
    turn: NDArray[np.float64], picture: Picture
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    whole = turn @ np.vstack([np.array(picture.turned), [0, 0, 1]])
    first, second = ([float(n) for n in row] for row in whole)
    return ((first[0], first[1], first[2]), (second[0], second[1], second[2]))


def _lit(pixels: NDArray[np.float32], chance: random.Random) -> NDArray[np.float32]:
    """Light that falls off towards one side."""
    height, width = pixels.shape[:2]
    across = np.linspace(-1, 1, width)[None, :, None]
    down = np.linspace(-1, 1, height)[:, None, None]
    light = 1 - chance.uniform(0, 0.12) * (1 + chance.uniform(-1, 1) * across) / 2
    light = light - chance.uniform(0, 0.08) * (1 + down) / 2
    return (pixels * light).astype(np.float32)


def _packed(pixels: Pixels, quality: int) -> Pixels:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=quality)
    return np.array(Image.open(buffer), np.uint8)


def _smaller(picture: Picture, scale: float) -> Picture:
    height, width = picture.pixels.shape[:2]
    size = (round(width * scale), round(height * scale))
    by = np.diag([size[0] / width, size[1] / height]) @ np.array([[1.0, 0, 0], [0, 1.0, 0]])
    pixels = cv2.resize(picture.pixels, size, interpolation=cv2.INTER_AREA)
    return Picture(np.asarray(pixels, np.uint8), _after(by, picture))


def saved(drawn: Drawn, folder: Path) -> None:
    """Write a clean and a degraded picture of every page into the folder."""
    for number, page in enumerate(clean(drawn.pdf, drawn.truth.seed), 1):
        stem = f"{drawn.truth.name}-p{number}"
        (folder / f"{stem}-clean.png").write_bytes(page.png)
        worse = degraded(page, drawn.truth.seed + 7919 * number)
        (folder / f"{stem}-degraded.jpg").write_bytes(worse.jpeg)
