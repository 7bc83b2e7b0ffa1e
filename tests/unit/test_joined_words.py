"""Spaces between texts that are joined, and inside the cells of a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Cell, Line, Table, Word
from pagetide.geometry import polygon_of
from pagetide.layout.words import as_one, joint
from pagetide.structure.grids import table_text
from pagetide.structure.tables.grids.cells import text_of
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.pieces import chunks_of, phrase


def line(*words: str, text: str, x: float = 0.0, y: float = 0.0) -> Line:
    """A line of words that stand side by side, each letter ten wide."""
    placed, at = [], x
    for word in words:
        end = at + 10.0 * len(word)
        placed.append(Word(text=word, polygon=polygon_of((at, y, end, y + 20))))
        at = end
    return Line(text=text, polygon=polygon_of((x, y, at, y + 20)), words=tuple(placed))


def cell(*lines: Line) -> str:
    boxes = [(*each.polygon[0], *each.polygon[2]) for each in lines]
    return text_of([piece for of_line in words_of(lines, boxes) for piece in of_line])


@pytest.mark.parametrize(
    ("texts", "whole"),
    [
        (["good", "morning"], "good morning"),
        (["東京", "都"], "東京都"),
        (["終わり。", "次"], "終わり。次"),
        (["平成", "12年"], "平成 12年"),
        (["안녕", "하세요"], "안녕 하세요"),
        (["สวัส", "ดี"], "สวัสดี"),
        (["", "one", "", "two"], "one two"),
    ],
)
def test_a_space_stands_where_the_script_has_one(texts: list[str], whole: str) -> None:
    assert as_one(texts) == whole


@given(st.lists(st.text()))
def test_no_letter_is_lost_or_added(texts: list[str]) -> None:
    assert as_one(texts).replace(" ", "") == "".join(texts).replace(" ", "")
    assert joint("", "a") == joint("a", "") == ""


def test_a_cells_words_have_the_spaces_of_their_line() -> None:
    assert cell(line("東", "京", "都", text="東京都")) == "東京都"
    assert cell(line("使", "用", "Python", "3", text="使用Python 3")) == "使用Python 3"
    assert cell(line("net", "weight", text="net weight")) == "net weight"


def test_lines_beside_each_other_are_joined_as_their_script_is() -> None:
    assert cell(line("東京", text="東京"), line("都", text="都", x=25)) == "東京都"
    assert cell(line("net", text="net"), line("weight", text="weight", x=35)) == "net weight"
    assert cell(line("東京", text="東京"), line("都", text="都", y=30)) == "東京\n都"


def test_a_phrase_says_what_its_line_does() -> None:
    of_line = line("値", "段", "は", "9", "円", text="値段は9円")
    (words,) = words_of([of_line], [(0.0, 0.0, 50.0, 20.0)])
    assert phrase(words).text == "値段は9円"


def test_a_tables_text_joins_the_lines_of_a_cell_as_their_script_is() -> None:
    texts = ("東京\n都", "net\t \nweight")
    box = polygon_of((0.0, 0.0, 9.0, 9.0))
    cells = tuple(
        Cell(row=0, column=column, text=text, polygon=box) for column, text in enumerate(texts)
    )
    assert table_text(Table(rows=1, columns=2, cells=cells)) == "東京都\tnet weight"


def test_a_number_in_a_line_that_runs_to_the_left_is_not_turned_round() -> None:
    """Mirrored, as a table that runs to the left is, such a line has its numbers backwards."""
    price = Line(
        text="السعر 3 001",
        polygon=polygon_of((0.0, 0.0, 100.0, 20.0)),
        words=(
            Word(text="السعر", polygon=polygon_of((60.0, 0.0, 100.0, 20.0))),
            Word(text="3", polygon=polygon_of((0.0, 0.0, 10.0, 20.0))),
            Word(text="001", polygon=polygon_of((15.0, 0.0, 45.0, 20.0))),
        ),
    )
    goods = line("سلعة", text="سلعة", x=200.0)
    mirrored = [(200.0, 0.0, 300.0, 20.0), (60.0, 0.0, 100.0, 20.0)]
    words, _ = words_of([price, goods], mirrored)
    assert [word.x0 for word in words] == [200.0, 290.0, 255.0]
    assert text_of(words) == "السعر 3 001"


def test_groups_of_digits_in_a_mirrored_line_are_one_phrase() -> None:
    """They follow one another to the right, where the line runs to the left."""
    price = Line(
        text="3 001 250",
        polygon=polygon_of((0.0, 0.0, 90.0, 20.0)),
        words=(
            Word(text="3", polygon=polygon_of((0.0, 0.0, 10.0, 20.0))),
            Word(text="001", polygon=polygon_of((18.0, 0.0, 48.0, 20.0))),
            Word(text="250", polygon=polygon_of((56.0, 0.0, 86.0, 20.0))),
        ),
    )
    goods = line("سلعة", text="سلعة", x=200.0)
    words, _ = words_of([price, goods], [(200.0, 0.0, 290.0, 20.0), (60.0, 0.0, 100.0, 20.0)])
    assert [word.x0 for word in words] == [280.0, 242.0, 204.0]
    assert [(chunk.text, chunk.x0, chunk.x1) for chunk in chunks_of(words)] == [
        ("3 001 250", 204.0, 290.0)
    ]
