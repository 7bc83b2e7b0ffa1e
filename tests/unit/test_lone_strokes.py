"""Dashes and single letters in cells, which the detector takes for dirt."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from pagetide.engines.ppocr.detection import Quads
from pagetide.engines.ppocr.lines.decode import ReadLine
from pagetide.engines.ppocr.lines.strokes import is_sure, lone_strokes

HIGH = 30  # of a box
COLUMNS, ROWS = (60, 300, 500, 700), (60, 110, 160, 210, 260)
Box = tuple[float, float, float, float]
EMPTY = COLUMNS[2], ROWS[2]
DASH: Box = (530, 158, 543, 161)
STEM: Box = (530, 150, 533, 169)


def page(
    *drawn: Box, empty: tuple[int, int] = EMPTY, angle: float = 0.0
) -> tuple[np.ndarray, Quads]:
    """A table of words 80 wide but for one cell, and what is drawn; turned by degrees."""
    pixels = np.full((400, 900, 3), 250, np.uint8)
    for left, top, right, bottom in drawn:
        pixels[int(top) : int(bottom), int(left) : int(right)] = 20
    cells = [(x, y) for y in ROWS for x in COLUMNS if (x, y) != empty]
    quads = np.array([_corners(x, y - HIGH / 2, x + 80, y + HIGH / 2) for x, y in cells])
    turn = cv2.getRotationMatrix2D((450, 200), -angle, 1.0)
    pixels = cv2.warpAffine(pixels, turn, (900, 400), borderValue=(250, 250, 250))
    return pixels, (quads @ turn[:, :2].T + turn[:, 2]).astype(np.float32)


def _corners(left: float, top: float, right: float, bottom: float) -> list[tuple[float, float]]:
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


@pytest.mark.parametrize("angle", [0.0, 1.5, -1.5])
@pytest.mark.parametrize("stroke", [DASH, STEM])
def test_a_stroke_in_an_empty_cell_is_found_once(stroke: Box, angle: float) -> None:
    pixels, quads = page(stroke, angle=angle)
    (box,) = lone_strokes(pixels, quads)
    turn = cv2.getRotationMatrix2D((450, 200), -angle, 1.0)
    middle = turn @ ((stroke[0] + stroke[2]) / 2, (stroke[1] + stroke[3]) / 2, 1.0)
    assert np.abs(box.mean(axis=0) - middle).max() < 3
    assert np.linalg.norm(box[3] - box[0]) == pytest.approx(HIGH, abs=1)


@pytest.mark.parametrize(
    "drawn",
    [
        [],
        [(530, 158, 532, 160)],  # dirt
        [(530, 120, 533, 200)],  # a rule from cell to cell
        [(500, 159, 620, 161)],  # and one along
        [(530, 150, 548, 168)],  # a box to tick
        [(530, 150, 533, 169), (536, 150, 539, 169)],  # a drawing
        [(530, 170, 543, 172)],  # between two lines
        [(640, 158, 653, 161)],  # in no column
    ],
)
def test_what_no_letter_looks_like_is_left(drawn: list[Box]) -> None:
    assert not len(lone_strokes(*page(*drawn)))


def test_prose_is_not_looked_at() -> None:
    pixels, quads = page((530, 58, 543, 61))
    prose = quads[quads[:, 0, 0] < COLUMNS[1]]
    assert not len(lone_strokes(pixels, prose))
    assert not len(lone_strokes(pixels, quads[:0]))


@pytest.mark.parametrize(
    ("text", "confidence", "sure"),
    [
        ("-", 0.75, True),
        ("–", 0.6, False),
        ("l", 0.97, True),
        ("A", 0.89, False),
        ("- t5", 0.99, False),
        ('"', 0.99, False),
        ("", 0.0, False),
    ],
)
def test_the_recogniser_has_the_last_word(text: str, confidence: float, *, sure: bool) -> None:
    assert is_sure(ReadLine(text=text, confidence=confidence, words=(), unread=0.0)) == sure
