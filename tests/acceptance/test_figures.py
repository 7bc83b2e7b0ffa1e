"""Parts of pages as pictures: what a block covers, cut out in the sandbox."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from pagetide.errors import BadOption, PageOutOfRange, TooManyPixels
from pagetide.geometry import Box, polygon_of
from pagetide.inputs import Input, Limits, Sandbox, open_input
from tests.written_pdf import written_pdf

# Two squares of an inch: red at 2 inches from the left and 3 from the top, blue beside it.
SQUARES = b"1 0 0 rg 144 504 72 72 re f 0 0 1 rg 216 504 72 72 re f\n"
RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as box:
        yield box


@pytest.fixture
def squares(sandbox: Sandbox) -> Iterator[Input]:
    with open_input(written_pdf(SQUARES), sandbox=sandbox) as document:
        yield document


def figure(document: Input, box: Box, dpi: float = 144) -> NDArray[np.uint8]:
    """The part's pixels, red-green-blue."""
    png = document.figure_png(1, polygon_of(box), dpi=dpi)
    assert png.startswith(b"\x89PNG")
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def test_it_is_what_the_polygon_covers(squares: Input) -> None:
    pixels = figure(squares, (288, 432, 432, 576))
    assert pixels.shape == (144, 144, 3)
    assert (pixels == RED).all()


def test_a_turned_polygon_gives_the_box_around_it(squares: Input) -> None:
    diamond = ((432.0, 360.0), (504.0, 432.0), (432.0, 504.0), (360.0, 432.0))
    png = squares.figure_png(1, diamond)
    assert Image.open(io.BytesIO(png)).size == (144, 144)


def test_parts_of_pixels_are_taken_whole(squares: Input) -> None:
    pixels = figure(squares, (286.5, 432.2, 300.1, 440.0))
    assert pixels.shape == (8, 15, 3)
    assert tuple(pixels[4, 0]) == WHITE
    assert tuple(pixels[4, -1]) == RED


def test_dpi_is_that_of_the_polygon(squares: Input) -> None:
    pixels = figure(squares, (432, 432, 576, 576), dpi=144)
    half = figure(squares, (216, 216, 288, 288), dpi=72)
    assert half.shape == (72, 72, 3)
    assert (pixels == BLUE).all()
    assert (half == BLUE).all()


def test_it_stands_as_the_page_is_displayed(sandbox: Sandbox) -> None:
    source = written_pdf(SQUARES, page=b"/Rotate 90")
    with open_input(source, sandbox=sandbox) as document:
        # 7 inches from the bottom of the unturned page, 2 inches from its left.
        pixels = figure(document, (1008, 288, 1152, 432))
    assert (pixels == RED).all()


def test_it_ends_where_the_page_ends(squares: Input) -> None:
    pixels = figure(squares, (-50, 1500, 100, 9999))
    assert pixels.shape == (84, 100, 3)


@pytest.mark.parametrize(
    "box", [(-9, 0, 0, 50), (1224, 0, 1300, 50), (50, 50, 50, 50), (0, 0, float("nan"), 9)]
)
def test_nothing_of_the_page_is_an_error(squares: Input, box: Box) -> None:
    with pytest.raises(BadOption, match="does not overlap page 1"):
        figure(squares, box)


def test_there_is_no_such_page(squares: Input) -> None:
    with pytest.raises(PageOutOfRange):
        squares.figure_png(2, polygon_of((0, 0, 10, 10)))


def test_the_page_keeps_to_its_limits() -> None:
    limits = Limits(max_pixels=1_000_000)
    with (
        Sandbox(limits) as sandbox,
        open_input(written_pdf(SQUARES), sandbox=sandbox) as document,
        pytest.raises(TooManyPixels),
    ):
        figure(document, (0, 0, 10, 10))


def test_a_picture_keeps_its_own_pixels(sandbox: Sandbox) -> None:
    image = Image.new("RGB", (60, 40), BLUE)
    image.paste(RED, (10, 5, 30, 25))
    stored = io.BytesIO()
    image.save(stored, "PNG")
    with open_input(stored.getvalue(), sandbox=sandbox) as document:
        pixels = figure(document, (10, 5, 30, 25), dpi=300)
    assert pixels.shape == (20, 20, 3)
    assert (pixels == RED).all()
