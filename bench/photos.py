"""Photos of pages at an angle, read as they are and straightened: `python -m bench.photos`.

Digital pages of both halves of the corpora are laid on a dark, uneven ground, seen at an
angle, lit from one side and blurred a little; a seed decides how. Their text should be that of
the flat page: edits between the two, by its letters, measure the cost in reading order.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from statistics import mean
from unittest.mock import patch

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.fidelity import HALVES, UNREAD, Half, items
from bench.order_quality import edits
from bench.rows import Row, table
from pagetide import Reader, open_reader
from pagetide.geometry import Point
from pagetide.inputs.pictures import perspective

PAGES = 16  # of each half
SHIFT = 0.11  # of the page's size: the maximum displacement of a corner
AROUND = 1.35  # the photo's size as a multiple of the page's

Pixels = NDArray[np.uint8]


def photo_of(page: Pixels, seed: int) -> tuple[Pixels, list[Point]]:
    """A photo of a page, and the positions of its corners, clockwise from the top left."""
    chance, noise = random.Random(seed), np.random.default_rng(seed)  # noqa: S311
    height, width = page.shape[:2]
    size = int(width * AROUND), int(height * AROUND)
    flat = [(0, 0), (width, 0), (width, height), (0, height)]
    corners = [
        (
            x + (size[0] - width) / 2 + chance.uniform(-SHIFT, SHIFT) * width,
            y + (size[1] - height) / 2 + chance.uniform(-SHIFT, SHIFT) * height,
        )
        for x, y in flat
    ]
    seen = cv2.getPerspectiveTransform(
        np.array(flat, np.float32), np.array(corners, np.float32)
    )
    laid = cv2.warpPerspective(page, seen, size, flags=cv2.INTER_AREA)
    there = cv2.warpPerspective(np.full((height, width, 1), 255, np.uint8), seen, size) / 255.0
    coarse = noise.normal(chance.randint(40, 110), 8, (size[1] // 8, size[0] // 8, 3))
    ground = cv2.resize(np.asarray(coarse, np.float32), size, interpolation=cv2.INTER_CUBIC)
    shown = 0.93 * laid * there[..., None] + ground * (1 - there[..., None])
    across, down = (
        np.linspace(chance.uniform(0.75, 1), chance.uniform(0.75, 1), side) for side in size
    )
    lit = shown * across[None, :, None] * down[:, None, None] + noise.normal(0, 3, shown.shape)
    return np.asarray(cv2.blur(np.clip(lit, 0, 255).astype(np.uint8), (2, 2))), corners


def rows() -> list[Row]:
    """The distance of the photos' texts from the flat pages', by half."""
    with open_reader("structure-lite") as reader:
        return [
            _row(half, [_apart(reader, *each) for each in _photos(half)]) for half in HALVES
        ]


def _photos(half: Half) -> Iterator[tuple[Pixels, Pixels]]:
    chosen = (
        item
        for item in items(half, pictures=True)
        if item["set"] == "digital" and item["lang"] not in UNREAD
    )
    for seed, item in enumerate(islice(chosen, PAGES)):
        page = np.asarray(cv2.imread(str(item["at"])), np.uint8)
        yield page, photo_of(page, seed)[0]


def _apart(reader: Reader, page: Pixels, photo: Pixels) -> tuple[float, float]:
    """Edits by letter from the flat page's text: of the photo straightened, and as it is."""
    flat = _read(reader, page)
    straightened = _read(reader, photo)
    with patch.object(perspective, "straightened", lambda photo: None):
        as_it_is = _read(reader, photo)
    return edits(flat, straightened) / len(flat), edits(flat, as_it_is) / len(flat)


def _read(reader: Reader, pixels: Pixels) -> list[int]:
    _, png = cv2.imencode(".png", pixels)
    return [ord(letter) for letter in "".join(reader.read(png.tobytes()).text.split())]


def _row(half: str, apart: list[tuple[float, float]]) -> Row:
    ours, as_it_is = (100 * mean(side) for side in zip(*apart, strict=True))
    return Row(
        measure=f"photos at an angle, {len(apart)} pages {half}: edits from the flat text",
        ours=f"{ours:.1f} %",
        peer=f"{as_it_is:.1f} % as they are",
        value=f"{ours - as_it_is:+.1f} points",
        bar="< 0",
        holds=ours < as_it_is,
    )


def main() -> None:
    """Print the table."""
    print(table(rows()))


if __name__ == "__main__":
    main()
