"""Tables without rules: titles over the gap between two columns, and an em within names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.geometry import box_of
from pagetide.structure.tables.grids.cells import text_of
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.unruled.columns_of_text import unruled_boxes
from tests.unit.tables_drawn import rows_from, text

XS = (100.0, 260.0, 700.0, 860.0)
ROWS = [
    ("Code", "Description", "Each", "Per 50"),
    *((f"CS{n}40", f"M{n} x 40", f"{n}.35", f"{n}8.00") for n in range(2, 8)),
]


@pytest.mark.parametrize("sentences", range(4))
def test_sentences_above_a_price_list_do_not_hide_its_columns(sentences: int) -> None:
    above = [
        text("Sold by the box and in part boxes at a charge", 100, 20 - 30 * n)
        for n in range(sentences)
    ]
    lines = [
        *above,
        text("Coach screws of stainless steel", 100, 60),
        *rows_from(ROWS, 100, XS),
    ]
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    [(x0, y0, _, y1)] = unruled_boxes(words)
    assert (x0, y0, y1) == (100, 100, 360)


@pytest.mark.parametrize(("left", "right", "phrases"), [("高橋", "健一", 1), ("Ann", "Lee", 2)])
def test_an_em_between_ideographs_does_not_part_a_name(
    left: str, right: str, phrases: int
) -> None:
    [words] = words_of(
        [line := text(f"{left} {right}", 100, 100, gap=20)], [box_of(line.polygon)]
    )
    assert len(words.phrases) == phrases


@given(st.lists(st.sampled_from([(0.0, 20.0), (-5.0, 20.0), (-5.0, 9.0)]), min_size=1))
def test_raised_words_stay_on_their_line(heights: list[tuple[float, float]]) -> None:
    """A word may be raised, or end in a raised mark."""
    words = [
        Piece(f"w{n}", 40.0 * n, 100 + top, 40.0 * n + 30, 100 + low, 1, (), True, n)
        for n, (top, low) in enumerate(heights)
    ]
    assert text_of(words) == " ".join(word.text for word in words)


@pytest.mark.parametrize("across", [2, 3, 4])
@pytest.mark.parametrize("count", [6, 7, 10])
def test_a_legend_that_counts_from_left_to_right_is_read_so(across: int, count: int) -> None:
    names = [
        "gluten",
        "fish",
        "milk",
        "mussels",
        "crab",
        "eggs",
        "nuts",
        "soy",
        "mustard",
        "celery",
    ]
    texts = [f"{n} {name}" for n, name in enumerate(names[:count], 1)]
    rows = [texts[at : at + across] for at in range(0, count, across)]
    lines = [
        text(cell, 100 + 200 * column, 100 + 26 * n)
        for n, row in enumerate(rows)
        for column, cell in enumerate(row)
    ]
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    assert len(unruled_boxes(words)) == 1


def test_one_that_counts_from_above_is_read_by_columns() -> None:
    rows = [("1 gluten", "4 mussels"), ("2 fish", "5 crab"), ("3 milk", "6 eggs")]
    lines = rows_from(rows, 100, (100.0, 300.0))
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    assert unruled_boxes(words) == []
