"""A row of names over a row of their values, as in the head of an invoice, is a table."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Line
from pagetide.geometry import Box
from pagetide.structure.tables.find import MOST_LINES
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.unruled.labelled import labelled_boxes
from tests.unit.tables_drawn import baselined, found, row, text, texts

XS = (80.0, 330.0, 620.0)
NAMES = ("Order date", "Berth", "Customer")
VALUES = ("12.05.2024", "17", "Minton")


def _prose(top: float, count: int = 5) -> list[Line]:
    said = "the boats that came in with the tide were unloaded before the evening and went"
    return [text(f"{said} {n}", 80, top + 26 * n) for n in range(count)]


def _page(
    names: Sequence[str] = NAMES,
    values: Sequence[str] = VALUES,
    *,
    below: float = 24,
    prose: float = 420,
    places: Sequence[float] = XS,
) -> list[Line]:
    pair = [*row(names, XS, 300), *row(values, places, 300 + below)]
    return [*_prose(100), *pair, *_prose(prose)]


def test_names_over_their_values_are_a_table_with_a_head() -> None:
    (table,) = found(_page())
    assert texts(table.table) == [list(NAMES), list(VALUES)]
    assert [cell.text for cell in table.table.cells if cell.header] == list(NAMES)


def test_values_may_end_where_their_names_do() -> None:
    (table,) = found(_page(places=(76, 360, 640)))
    assert texts(table.table) == [list(NAMES), list(VALUES)]


def test_two_names_over_their_values_are_no_table() -> None:
    assert found(_page((*NAMES[:2], ""), (*VALUES[:2], ""))) == []


def test_names_over_names_are_no_table() -> None:
    assert found(_page(values=("Linford", "17", "Minton"))) == []


def test_names_with_figures_are_no_names() -> None:
    assert found(_page(("Order 4", "Berth", "Customer"))) == []


def test_values_between_the_names_are_not_theirs() -> None:
    assert found(_page(places=(150, 400, 730))) == []


def test_a_row_far_below_the_names_holds_no_values() -> None:
    assert found(_page(below=60)) == []


def test_rows_with_more_text_right_below_are_no_table() -> None:
    assert found(_page(prose=354)) == []


def test_a_name_without_a_value_makes_no_table() -> None:
    assert found(_page(values=("12.05.2024", "17", ""))) == []


def test_what_is_a_table_of_more_rows_stays_one() -> None:
    more = [row(("Rope", "12", "3.10"), XS, 300 + 30 * n) for n in range(1, 4)]
    lines = [
        *row(("Article", "Count", "Price"), XS, 300),
        *(each for own in more for each in own),
    ]
    (table,) = found([*_prose(100), *lines, *_prose(600)])
    assert table.table.rows == 4


_pieces = st.lists(
    st.builds(
        lambda said, x, y, wide, high: Piece(said, x, y, x + wide, y + high, 0),
        st.sampled_from(["Date", "Berth no", "12", "C 4", "", "a b c d e"]),
        st.sampled_from([0.0, 100.0, 200.0, 300.0, 305.0]),
        st.integers(0, 30).map(lambda step: 8.0 * step),
        st.sampled_from([0.0, 20.0, 60.0]),
        st.sampled_from([10.0, 10.0, 10.0, 0.0, 30.0]),
    ),
    max_size=24,
)


@st.composite
def _words(draw: st.DrawFn) -> list[list[Piece]]:
    """Pieces anywhere, and names over values."""
    lines = [[piece] for piece in draw(_pieces)]
    for top in draw(st.lists(st.integers(0, 8).map(lambda step: 40.0 * step), max_size=4)):
        for x in (0.0, 100.0, 200.0, 300.0)[: draw(st.integers(2, 4))]:
            lines.append([Piece("Date", x, top, x + 30, top + 10, 0)])
            lines.append([Piece("12", x, top + 13, x + 20, top + 23, 0)])
    return lines


def _inside(box: Box, piece: Piece) -> bool:
    x0, y0, x1, y1 = box
    return x0 <= piece.x0 and y0 <= piece.y0 and piece.x1 <= x1 and piece.y1 <= y1


@given(_words())
def test_no_piece_is_in_two_boxes(words: list[list[Piece]]) -> None:
    boxes = labelled_boxes(baselined(words), 10.0)
    assert boxes == sorted(boxes, key=lambda box: box[1])
    for piece in (piece for of_line in words for piece in of_line):
        assert sum(_inside(box, piece) for box in boxes) <= 1


@given(_words(), st.sampled_from([0.5, 1.0, 4.0]), st.integers(-3, 3).map(lambda n: 64.0 * n))
def test_moving_and_scaling_change_no_box(
    words: list[list[Piece]], scale: float, step: float
) -> None:
    def moved(box: Sequence[float]) -> Box:
        x0, y0, x1, y1 = (place * scale + step for place in box)
        return (x0, y0, x1, y1)

    others = [
        [Piece(piece.text, *moved(piece[1:5]), piece.line) for piece in of_line]
        for of_line in words
    ]
    before = [moved(box) for box in labelled_boxes(baselined(words), 10.0)]
    assert labelled_boxes(baselined(others), 10.0 * scale) == before


@pytest.mark.parametrize("size", [0.0, 10.0])
def test_as_many_pieces_as_a_page_may_have_are_taken(size: float) -> None:
    words = [
        [Piece("12" if n % 2 else "Date", 40.0 * c, 40.0 * n, 40 * c + size, 40 * n + size, 0)]
        for n in range(MOST_LINES // 50)
        for c in range(50)
    ]
    assert len(labelled_boxes(baselined(words), max(size, 1.0))) <= len(words)
