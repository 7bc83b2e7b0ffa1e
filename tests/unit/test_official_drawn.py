"""Official tables that are drawn, and how they are judged."""

from __future__ import annotations

import re

import pypdfium2
import pytest

from bench.drawn.official.__main__ import DRAW
from bench.drawn.official.judging import faults, is_exact
from bench.drawn.official.pages import made
from bench.drawn.official.tables import KINDS
from bench.drawn.printing import documents
from bench.fitted_rows import rows_of_lines
from bench.teds import TablePage
from pagetide.structure.tables.baseline import Baseline
from pagetide.structure.tables.pieces import Piece

TRUE = (
    '<table><tr><td rowspan="2">Quay</td><td colspan="2">Dues</td></tr>'
    "<tr><td>2015</td><td>2016</td></tr>"
    "<tr><td>North . . . .</td><td>1</td><td>2</td></tr></table>"
)
SAME = (
    '<table><tr><td></td><td colspan="2">Dues</td></tr>'
    "<tr><td>Quay</td><td>2015</td><td>2016</td></tr>"
    "<tr><td>North</td><td>1</td><td>2</td></tr></table>"
)


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_the_same_seed_makes_the_same_tables(seed: int) -> None:
    kind, _, html, _ = made(seed)
    assert kind == list(KINDS)[seed]
    assert html == made(seed)[2] != made(seed + len(KINDS))[2]


def test_every_word_of_a_true_table_is_on_its_page() -> None:
    for drawn in documents((0, 4, 5), DRAW):
        with pypdfium2.PdfDocument(drawn.pdf) as document:
            assert len(document) == len(drawn.truth.pages)
            for page, truth in zip(document, drawn.truth.pages, strict=True):
                layer = re.sub(r"\s", "", page.get_textpage().get_text_bounded())
                words = [w.text for w in truth.words if truth.blocks[w.block].kind == "table"]
                assert words
                assert [word for word in words if word not in layer] == []


def test_a_head_over_rows_may_stand_in_any_of_them_and_leaders_do_not_count() -> None:
    assert is_exact(SAME, TRUE)


def test_a_text_in_another_column_or_row_is_a_fault() -> None:
    moved = SAME.replace("<td>1</td><td>2</td>", "<td>2</td><td>1</td>")
    assert not is_exact(moved, TRUE)
    less = SAME.replace("<tr><td>North</td><td>1</td><td>2</td></tr>", "")
    page = TablePage(name="", truth=(TRUE, TRUE, TRUE), found=(SAME, moved, less))
    assert sorted(faults(page)) == ["rows too few", "texts in other cells"]
    assert faults(TablePage(name="", truth=(TRUE,), found=())) == ["missed"]
    assert faults(TablePage(name="", truth=(), found=(TRUE,))) == ["extra"]


def test_lines_are_of_the_rows_that_have_their_words_from_the_top() -> None:
    said = ("2015", "North", "nothing", "2")
    lines = [
        Baseline((Piece(each, 0, 12 * n, 30, 12 * n + 10, n),), frozenset({0}))
        for n, each in enumerate(said)
    ]
    assert rows_of_lines(lines, [TRUE]) == [1, 2, None, 2]
