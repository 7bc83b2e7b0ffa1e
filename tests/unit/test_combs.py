"""Boxes for single letters part no columns, and scattered cells are a form's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Cell, Table
from pagetide.structure.tables.judge import is_scattered
from pagetide.structure.tables.line_words import LineWords
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.ruled.combs import without_combs
from pagetide.structure.tables.ruled.frames import Stroke

LINE = 20.0


def _comb(at: float, boxes: int, top: float = 100, pitch: float = 22) -> list[Stroke]:
    return [Stroke(at + pitch * n, top, top + 24) for n in range(boxes + 1)]


def test_boxes_for_letters_part_nothing() -> None:
    sides = [Stroke(50, 80, 400), Stroke(900, 80, 400)]
    assert without_combs([*_comb(100, 8), *sides], [], LINE) == sides


def test_shorter_runs_level_with_a_comb_are_of_it() -> None:
    assert without_combs([*_comb(100, 6), *_comb(300, 2)], [], LINE) == []


def test_a_few_boxes_alone_are_no_comb() -> None:
    assert without_combs(_comb(100, 3), [], LINE) == _comb(100, 3)


def test_cells_with_text_are_no_comb() -> None:
    word = Piece("7", 104, 104, 114, 120, 0)
    assert without_combs(_comb(100, 8), [LineWords([word])], LINE) == _comb(100, 8)


def test_columns_far_from_each_other_are_no_comb() -> None:
    wide = _comb(100, 8, pitch=90)
    assert without_combs(wide, [], LINE) == wide


@given(
    st.lists(
        st.builds(
            Stroke,
            st.integers(0, 60).map(lambda n: n * 11.0),
            st.just(100.0),
            st.sampled_from([120.0, 124.0, 300.0]),
        ),
        max_size=60,
    )
)
def test_what_is_left_is_as_it_was(down: list[Stroke]) -> None:
    left = without_combs(down, [], LINE)
    assert left == [stroke for stroke in down if stroke in left]
    assert all(stroke in left for stroke in down if stroke.end - stroke.start > 3 * LINE)


def _table(columns: int, filled: int) -> Table:
    cells = tuple(
        Cell(
            row=n // columns,
            column=n % columns,
            text="x" if n < filled else "",
            line_indexes=(),
        )
        for n in range(4 * columns)
    )
    return Table(rows=4, columns=columns, cells=cells)


def test_many_columns_with_little_in_them_are_a_forms_fields() -> None:
    assert is_scattered(_table(12, 9))
    assert not is_scattered(_table(12, 24))
    assert not is_scattered(_table(4, 3))
