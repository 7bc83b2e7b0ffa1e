"""Columns set as close as words, told by their heads and by words that begin level."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Line
from pagetide.geometry import box_of
from pagetide.structure.tables.grids.level_words import level_gutters
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.pieces import Piece, chunks_of
from tests.unit.tables_drawn import row, text

NAMES = ("Rope", "Sail of hemp", "Tar", "Anchor")


def _pieces(lines: Sequence[Line]) -> list[Piece]:
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    return [chunk for own in words for chunk in chunks_of(own)]


def _gutters(pieces: Sequence[Piece], known: Sequence[float]) -> list[float]:
    return [gutter.at for gutter in level_gutters(pieces, known)]


def _rows(heads: str, both: Sequence[str], gap: float = 6.0) -> list[Piece]:
    """A column of numbers with names so near behind, and one of prices."""
    lines = [text(heads, 100, 300, gap=gap), text("Price", 600, 300)]
    for n, said in enumerate(both):
        lines += [text(said, 100, 340 + 30 * n, gap=gap), text("12.50", 600, 340 + 30 * n)]
    return _pieces(lines)


def test_names_behind_numbers_are_a_column_where_each_has_a_head() -> None:
    numbered = [f"{1001 + n} {name}" for n, name in enumerate(NAMES)]
    assert _gutters(_rows("Item Name", numbered), [90, 500, 700]) == [143]
    assert _gutters(_rows("Item", numbered), [90, 500, 700]) == []
    assert _gutters(_rows("Item Name", numbered), [90, 143, 500, 700]) == []


@pytest.mark.parametrize(
    "both",
    [
        ["1001 250", "1002 730", "1003 114", "1004 220"],
        ["1001 kg", "1002 kg", "1003 kg", "1004 kg"],
        ["Rope of hemp", "Sail of oak", "Mast of ash", "Keel of oak"],
        ["1001 Rope", "10 Sail", "100 Tar", "1 Anchor"],
    ],
)
def test_groups_of_digits_one_unit_words_and_what_is_not_level_are_none(
    both: list[str],
) -> None:
    assert _gutters(_rows("Item Name", both), [90, 500, 700]) == []


def test_a_word_across_the_place_in_a_row_of_others_makes_it_none() -> None:
    numbered = [f"{1001 + n} {name}" for n, name in enumerate(NAMES)]
    crossed = _rows("Item Name", [*numbered[:2], "Discount", *numbered[2:]])
    assert _gutters(crossed, [90, 500, 700]) == []


def test_the_name_of_a_sum_below_may_cross_and_is_one() -> None:
    numbered = [f"{1001 + n} {name}" for n, name in enumerate(NAMES)]
    pieces = _rows("Item Name", [*numbered, "Discount"])
    (gutter,) = level_gutters(pieces, [90, 500, 700])
    last = max(piece.y0 for piece in pieces)
    assert gutter.at == 143
    assert gutter.bottom < last


def test_two_numbers_and_lines_below_that_begin_level_are_enough() -> None:
    numbered = [f"{1001 + n} {name}" for n, name in enumerate(NAMES[:2])]
    pieces = _rows("Item Name", numbered)
    assert _gutters(pieces, [90, 500, 700]) == []
    below = _pieces(row(("of three strands",), (146,), 400))
    assert _gutters([*pieces, *below], [90, 500, 700]) == [143]


@given(st.lists(st.text("ab 1.-", min_size=1, max_size=9).filter(str.strip), max_size=8))
def test_places_lie_between_words_whatever_is_said(said: list[str]) -> None:
    pieces = _rows("Item Name", said)
    words = [word for piece in pieces for word in piece.words or (piece,)]
    for at in _gutters(pieces, []):
        assert any(word.x1 <= at for word in words) and any(word.x0 >= at for word in words)
