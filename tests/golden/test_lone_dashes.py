"""A dash alone in a cell is read by the shipped networks, though their detector misses it."""

from __future__ import annotations

from pathlib import Path

import cv2

from pagetide.reading.opening import open_reader
from tests.drawing import page_of

COLUMNS = (80, 420, 640, 860)
ROWS = (
    ("Region", "2019", "2020", "2021"),
    ("Barrowby", "5,480", "525", "344.7"),
    ("Westmere", "4,348", "-", "2,825"),
    ("Lockham", "8,719", "7,622", "2,722"),
    ("Tarnside", "3,213", "4,175", "2,320"),
)


def test_a_dash_alone_in_a_cell_is_read(tmp_path: Path) -> None:
    placed = [
        ((x, 60 + 60 * down), word)
        for down, row in enumerate(ROWS)
        for x, word in zip(COLUMNS, row, strict=True)
    ]
    page = page_of(placed, width=1100, height=420, size=28)
    cv2.imwrite(str(tmp_path / "page.png"), page.pixels)
    with open_reader("pp-ocrv6") as reader:
        (read,) = reader.read(tmp_path / "page.png").pages
    assert [line.text for line in read.lines] == [word for row in ROWS for word in row]
