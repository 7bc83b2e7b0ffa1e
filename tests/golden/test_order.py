"""Reading order of pages of two and three columns whose order is known, and of its measure."""

from __future__ import annotations

import itertools
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.order_drawing import pdf
from bench.order_layouts import LAYOUTS, page
from bench.order_quality import error_of, error_of_document, order_error
from pagetide import open_reader
from pagetide.geometry import Box, box_of, intersection_area
from pagetide.structure.order.reading_order import xy_cut
from samples.sheet import Text
from tests.drawn import sheets, tables

SEEDS = range(100, 103)  # neither those of developing nor those that are held out
BAR = 0.05
# What wraps around a quotation is read in strips; the bar over all layouts holds with it.
HARD = {"quotation between columns": 0.5, "table across the middle": 0.15}
# Of the lines that follow another; by rows alone it would be 0.13 over all layouts.
TOGETHER = 0.99
HARD_TOGETHER = {
    "table across the middle": 0.87,
    "quotation between columns": 0.95,
    "figure across two of three columns": 0.97,
}
RIGHTWARD = [name for name in LAYOUTS if not name.startswith("leftward")]


@pytest.mark.parametrize("name", LAYOUTS)
def test_blocks_are_read_in_their_order(name: str) -> None:
    errors = [error_of(page(name, seed), like_ocr=False) for seed in SEEDS]
    assert mean(errors) <= HARD.get(name, BAR), dict(zip(SEEDS, errors, strict=True))


@pytest.mark.parametrize("skewed", [False, True])
def test_lines_as_an_engine_finds_them_are_read_in_order(skewed: bool) -> None:
    errors = {
        (name, seed): error_of(page(name, seed, skewed=skewed), like_ocr=True)
        for name in LAYOUTS
        for seed in SEEDS
    }
    assert mean(errors.values()) <= BAR, {of: e for of, e in errors.items() if e}


def test_pages_of_pdfs_are_read_in_order() -> None:
    # No font for the letters of the others.
    names = [name for name in RIGHTWARD if name not in HARD]
    errors = {}
    with open_reader("text-layer") as reader:
        for made in (page(name, seed) for name in names for seed in SEEDS[:2]):
            read = reader.read(pdf(made)).pages[0]
            errors[made.name, made.seed] = error_of_document(made, read)
    assert mean(errors.values()) <= BAR, {of: e for of, e in errors.items() if e}


def kept_together(boxes: list[Box]) -> int:
    """How many lines are still followed by the line that followed them."""
    return sum(b == a + 1 for a, b in itertools.pairwise(xy_cut(boxes)))


@pytest.mark.parametrize("name", RIGHTWARD)
def test_lines_that_were_printed_together_stay_together(name: str) -> None:
    pages = [
        [piece.box for part in page(name, seed).parts for piece in part.pieces]
        for seed in SEEDS
    ]
    pairs = sum(len(boxes) - 1 for boxes in pages)
    assert sum(map(kept_together, pages)) >= HARD_TOGETHER.get(name, TOGETHER) * pairs


SHEETS = {
    "letter": sheets.letter(),
    "two columns": sheets.columns(),
    "form": sheets.form(),
    "log": sheets.log(),
    "ruled table": tables.PAGES["all rules"][0],
    "table without rules": tables.PAGES["no rules"][0],
}


@pytest.mark.parametrize("name", SHEETS)
def test_every_line_of_an_ordinary_page_is_read_in_its_place(name: str) -> None:
    boxes = [_box(text) for text in SHEETS[name].texts]
    assert xy_cut(boxes) == list(range(len(boxes)))


def _box(text: Text) -> Box:
    wide = sheets.measure(text.text, text.face) * text.size
    return text.x, text.y - 0.8 * text.size, text.x + wide, text.y + 0.25 * text.size


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_pages_are_as_they_should_be(name: str) -> None:
    """The same seed, the same page; all orders hold all blocks; no two blocks overlap."""
    made = page(name, 100)
    assert made == page(name, 100) != page(name, 101)
    assert all(sorted(order) == list(range(len(made.parts))) for order in made.orders)
    lines, places = made.lines(like_ocr=False)
    assert len(lines) == len(places) > 20
    for (a, of_a), (b, of_b) in itertools.combinations(zip(lines, places, strict=True), 2):
        if of_a != of_b:
            assert intersection_area(box_of(a.polygon), box_of(b.polygon)) == 0, (a, b)


@pytest.mark.parametrize(
    ("visited", "error"),
    [
        ([0, 0, 1, 2, 2], 0),
        ([0, 2, 1], 0),  # the other right order
        ([2, 1, 0], 2 / 3),
        ([0, 1, 0, 1, 2], 2 / 5),  # left and come back to, twice
        ([1, 2], 0),  # a block whose lines were not found has no place
        ([], 0),
    ],
)
def test_the_error_counts_blocks_out_of_place(visited: list[int], error: float) -> None:
    assert order_error(visited, [(0, 1, 2), (0, 2, 1)]) == pytest.approx(error)


@given(st.permutations(range(8)))
def test_only_a_right_order_has_no_error(order: list[int]) -> None:
    error = order_error(order, [range(8)])
    assert 0 <= error <= 1
    assert (error == 0) == (order == sorted(order))
