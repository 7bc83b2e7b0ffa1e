"""Tables from OTSL: what the tags say, and any nonsense a model may write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Table
from pagetide.engines.vl.otsl import MOST_PLACES, table_of


def shown(text: str) -> list[tuple[int, int, int, int, str]]:
    table = table_of(text)
    assert table
    return [(c.row, c.column, c.row_span, c.column_span, c.text) for c in table.cells]


def test_spans_go_right_down_and_both() -> None:
    text = (
        "<fcel>Region<lcel><fcel>Sales<nl><ucel><xcel><fcel>2026<nl><fcel>a<ecel><fcel>1&2<nl>"
    )
    assert shown(text) == [
        (0, 0, 2, 2, "Region"),
        (0, 2, 1, 1, "Sales"),
        (1, 2, 1, 1, "2026"),
        (2, 0, 1, 1, "a"),
        (2, 1, 1, 1, ""),
        (2, 2, 1, 1, "1&2"),
    ]


def test_two_tags_in_a_row_are_two_cells() -> None:
    assert shown("<fcel><fcel>B") == [(0, 0, 1, 1, ""), (0, 1, 1, 1, "B")]


def test_a_short_row_is_filled_with_empty_cells() -> None:
    assert shown("<fcel>a<fcel>b<nl><fcel>c<nl>")[2:] == [(1, 0, 1, 1, "c"), (1, 1, 1, 1, "")]


def test_what_belongs_to_no_cell_is_one_of_its_own() -> None:
    assert shown("<lcel>x<nl><xcel>y<nl>") == [(0, 0, 1, 1, "x"), (1, 0, 1, 1, "y")]


def test_text_without_a_tag_in_its_row_is_a_cell() -> None:
    assert [c[-1] for c in shown("lost<fcel>a<nl>found<fcel>b")] == ["lost", "a", "found", "b"]


def test_text_behind_a_spanned_place_is_not_lost() -> None:
    assert shown("<fcel>a<lcel>b<nl>") == [(0, 0, 1, 2, "a b")]


def test_a_tag_that_was_cut_off_is_no_text() -> None:
    assert shown("<fcel>a<fcel>b<nl><fcel>c<fc")[-2:] == [(1, 0, 1, 1, "c"), (1, 1, 1, 1, "")]


@pytest.mark.parametrize("text", ["", "no table", "<nl><nl>", "<td>a</td>"])
def test_what_has_no_cell_is_no_table(text: str) -> None:
    assert table_of(text) is None


def test_a_grid_that_is_too_large_is_no_table() -> None:
    rows = MOST_PLACES // 100 + 1
    assert table_of("<ecel>" * 100 + "<nl><ecel>" * rows) is None


TOKENS = ["<fcel>", "<ecel>", "<lcel>", "<ucel>", "<xcel>", "<nl>", "a", "b c", " ", "<", "1"]


def covered(table: Table) -> list[tuple[int, int]]:
    return [
        (cell.row + j, cell.column + i)
        for cell in table.cells
        for j in range(cell.row_span)
        for i in range(cell.column_span)
    ]


@given(st.lists(st.sampled_from(TOKENS), max_size=60))
def test_cells_fill_the_grid_without_overlap_whatever_comes(tokens: list[str]) -> None:
    table = table_of("".join(tokens))
    if table is None:
        return
    places = covered(table)
    assert len(places) == len(set(places)) == table.rows * table.columns
    assert max(y for y, _ in places) == table.rows - 1
    assert max(x for _, x in places) == table.columns - 1


@given(st.lists(st.sampled_from([*TOKENS[:6], "a", "b"]), max_size=60))
def test_no_letter_is_lost_or_doubled(tokens: list[str]) -> None:
    table = table_of("".join(tokens))
    letters = [each for each in tokens if each in ("a", "b")]
    said = "".join(cell.text for cell in table.cells) if table else ""
    assert table is None or sorted(said.replace(" ", "")) == sorted(letters)


@given(st.text(max_size=80))
def test_any_text_is_read_without_an_error(text: str) -> None:
    table_of(text)
    table_of(f"<fcel>{text}<nl>")
