"""Columns set close together: heads parted word by word, figures by the room between them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Line, Word
from pagetide.geometry import box_of, polygon_of
from pagetide.layout import Rule
from pagetide.structure.tables.grids.close_heads import MOST_WAYS, parted_by_edges
from pagetide.structure.tables.grids.grid import grid_of
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.pieces import chunks_of, phrase
from tests.unit.tables_drawn import across, found, joined, row, rows_from, spans, text, texts

COUNTS = ("12", "1", "104", "25", "3")
PRICES = ("3.10", "10.00", "8.25", "95.00", "21.00")
NAMES = ("Rope", "Sail", "Tar", "Anchor", "Lamp")


def _prose(top: float, *, gap: float = 6) -> list[Line]:
    said = "the boats that came in with the tide were unloaded and went on"
    return [text(said, 80, top + 26 * n, gap=gap) for n in range(4)]


def _headed(head: str, x: float, ends: Sequence[float], *columns: Sequence[str]) -> list[Line]:
    """Figures that end at places, with one line for the heads of all of them."""
    lines = [text("Article", 100, 300), text(head, x, 300)]
    for n, name in enumerate(NAMES):
        top = 340 + 34 * n
        lines.append(text(name, 100, top))
        for end, column in zip(ends, columns, strict=True):
            lines.append(text(column[n], end - 10 * len(column[n]), top))
    return lines


def _head(lines: Sequence[Line]) -> list[str]:
    rules = [across(y, 90, 900) for y in (295, 330, 520)]
    (table,) = found([*_prose(60), *lines, *_prose(900)], rules)
    assert texts(table.table)[1][0] == NAMES[0]
    return texts(table.table)[0]


@pytest.mark.parametrize("end", [552, 555, 558])
def test_heads_close_together_are_parted_where_their_columns_end(end: float) -> None:
    head = _head(_headed("Count Unit price", 400, (450, end), COUNTS, PRICES))
    assert head == ["Article", "Count", "Unit price"]


def test_a_phrase_over_two_columns_is_not_parted() -> None:
    for said, end in (("Of both kinds", 560), ("Count Unit price", 564)):
        head = _head(_headed(said, 400, (450, end), COUNTS, PRICES))
        assert head == ["Article", said, ""]


def test_a_phrase_over_years_is_not_parted() -> None:
    counts, prices = ("2019", *COUNTS[1:]), ("2020", *PRICES[1:])
    head = _head(_headed("Count Unit price", 400, (450, 556), counts, prices))
    assert head == ["Article", "Count Unit price", ""]


def test_words_in_more_ways_than_are_tried_are_taken() -> None:
    phrase = " ".join("abcdefghijklmnopqrstuvwxyz" * 8)
    heads = [text("Article", 100, 300), text(phrase, 300, 300)]
    lines = heads + [
        line
        for n in range(5)
        for line in row(
            (NAMES[n], *("12.50",) * 20), (100, *range(300, 2300, 100)), 340 + 34 * n
        )
    ]
    assert len(phrase.split()) > MOST_WAYS
    (table,) = found([*_prose(60), *lines, *_prose(900)])
    assert table.table.columns == 21


def _hanging(*, beside: bool) -> dict[str, tuple[int, int]]:
    """Spans of rows one of which has a text that hangs over into the last column."""
    lines = row(("Article", "Where", "Count"), (100, 400, 760), 300)
    for n, (name, count) in enumerate(zip(NAMES, COUNTS, strict=True)):
        where = "of the north and the far west of it" if n == 2 else "of the north"
        own = count if n != 2 or beside else ""
        lines += row((name, where, own), (100, 400, 780), 340 + 34 * n)
    rules = [across(y, 90, 900) for y in (295, 330, 364, 398, 432, 466, 520)]
    rules += [Rule(start=(x, 295), end=(x, 330)) for x in (90, 390, 620, 900)]
    (table,) = found([*_prose(60), *lines, *_prose(900)], rules)
    return spans(table.table)


def test_of_two_texts_side_by_side_none_runs_across() -> None:
    assert _hanging(beside=True) == {}


def test_a_text_alone_that_hangs_over_runs_across() -> None:
    assert list(_hanging(beside=False).values()) == [(1, 2)]


def test_a_name_alone_that_begins_at_the_first_columns_edge_is_wide_from_there() -> None:
    lines = row(("No.", "Article", "Count", "Price"), (100, 160, 600, 760), 300)
    for n, name in enumerate(NAMES):
        top = 340 + 34 * n + 34 * (n > 2)
        lines += row((f"{n}", name, COUNTS[n], PRICES[n]), (100, 160, 600, 760), top)
    group = "Note 4/11 of the north quay in the month of March"
    lines.append(text(group, 100, 442, gap=7))
    (table,) = found([*_prose(60), *lines, *_prose(900)])
    assert spans(table.table) == {group: (1, 4)}


def test_a_row_to_itself_is_parted_at_its_widest_rooms_alone() -> None:
    rows = [("7001", "Rope"), ("7002", "Sail"), ("7003", "Tar")]
    words = ["Note", "4/11", "of", "it"]
    for rooms, count in (((8, 8, 8), 2), ((8, 13, 8), 1)):
        at, placed = 100.0, list[Word]()
        for said, room in zip(words, (*rooms, 0), strict=True):
            end = at + 10 * len(said)
            placed.append(Word(text=said, polygon=polygon_of((at, 500, end, 520))))
            at = end + room
        whole = [*rows_from(rows, 300, (100, 148)), joined(placed)]
        pieces = [
            phrase(own) if len(own) > 1 else own[0]
            for own in words_of(whole, [box_of(line.polygon) for line in whole])
        ]
        grid = grid_of((90, 290, 400, 530), (), (), 20).with_xs([144])
        assert len(parted_by_edges(grid, pieces, 20)) == len(pieces) - 1 + count


def _chunks(said: str, gap: float, prose: float = 5) -> list[str]:
    """The phrases of a line below prose with so much room between words."""
    lines = [*_prose(60, gap=prose), text(said, 100, 300, gap=gap)]
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    return [chunk.text for chunk in chunks_of(words[-1])]


def test_figures_farther_from_each_other_than_words_are_two() -> None:
    assert _chunks("12 370.20", 11) == ["12", "370.20"]
    assert _chunks("12 370.20 4.50", 11) == ["12", "370.20", "4.50"]


@pytest.mark.parametrize("said", ["10 000", "0461 22 33", "+49 461 22 33", "12 / 14", "3 - 5"])
def test_groups_of_digits_as_far_apart_as_words_are_one(said: str) -> None:
    assert _chunks(said, 5) == [said]
    assert _chunks(said, 6, prose=6) == [said]


def test_words_beside_figures_are_not_told_by_the_room_between() -> None:
    assert _chunks("12 boats 370.20", 11) == ["12 boats 370.20"]


def test_figures_on_a_page_with_as_much_room_between_words_are_one() -> None:
    assert _chunks("12 370.20", 11, prose=9) == ["12 370.20"]


def test_a_page_of_one_line_tells_nothing_of_room() -> None:
    line = text("12 370.20", 100, 300, gap=11)
    [words] = words_of([line], [box_of(line.polygon)])
    assert [chunk.text for chunk in chunks_of(words)] == ["12 370.20"]


def _both(gap: float) -> list[Line]:
    """Items whose counts and prices are of one line, with so much room between."""
    lines = row(("Article", "Count", "Price", "Amount"), (100, 430, 504, 760), 300)
    for n, (name, count, price) in enumerate(zip(NAMES, COUNTS, PRICES, strict=True)):
        top = 340 + 40 * n
        both = text(f"{count} {price}", 480 - 10 * len(count), top, gap=gap)
        lines += [text(name, 100, top), both, text("7.20", 760, top)]
    return [*_prose(60, gap=4), *lines, *_prose(900, gap=4)]


def test_figures_of_two_columns_in_one_line_are_of_their_columns() -> None:
    (table,) = found(_both(10))
    rows = zip(NAMES, COUNTS, PRICES, strict=True)
    assert texts(table.table)[1:] == [[*each, "7.20"] for each in rows]


def test_figures_as_far_apart_as_words_make_no_columns() -> None:
    for each in found(_both(4)):
        assert "Price" not in texts(each.table)[0]


def test_columns_of_figures_with_little_room_between_are_two() -> None:
    lines = row(("Article", "No 1", "No 2"), (100, 410, 498), 300)
    figures = [("1,104", "3.10"), ("12", "1,210.00"), ("3", "8.25"), ("25", "95.00")]
    for n, (count, amount) in enumerate(figures):
        places = (100, 450 - 10 * len(count), 538 - 10 * len(amount))
        lines += row(("Rope", count, amount), places, 340 + 40 * n)
    (table,) = found([*_prose(60), *lines, *_prose(900)])
    assert texts(table.table)[1:] == [["Rope", *each] for each in figures]


_said = st.lists(
    st.sampled_from(["12", "3.10", "boats", "€", "(4)", "a1"]), min_size=1, max_size=6
).map(" ".join)


@given(
    st.lists(st.tuples(_said, st.sampled_from([0.0, 2.0, 5.0, 8.0, 11.0, 20.0])), max_size=8)
)
def test_each_word_is_in_one_phrase_however_lines_are_set(
    said: list[tuple[str, float]],
) -> None:
    lines = [text(each, 100, 30.0 * n, gap=gap) for n, (each, gap) in enumerate(said)]
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    for line, own in zip(lines, words, strict=True):
        assert " ".join(chunk.text for chunk in chunks_of(own)).split() == line.text.split()
        for left, right in pairwise(own):
            assert not right.apart or left.text != "€"
