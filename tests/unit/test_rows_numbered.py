"""Running numbers of rows, a word's space before codes, are a column of their own."""

from __future__ import annotations

import pytest

from pagetide.geometry import box_of
from pagetide.structure.tables.line_words import words_of
from tests.unit.tables_drawn import text

CODES = ("2104 8813", "2104 8819", "2104 8840", "2104 8902")


def phrases(texts: list[str]) -> list[list[str]]:
    lines = [text(each, 100, 100 + 40 * n) for n, each in enumerate(texts)]
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    return [[phrase.text for phrase in own.phrases] for own in words]


def test_numbers_that_count_rows_are_apart_from_codes() -> None:
    rows = [f"{n} {code}" for n, code in enumerate(CODES, 1)]
    assert phrases(rows) == [[str(n), code] for n, code in enumerate(CODES, 1)]


@pytest.mark.parametrize(
    "rows",
    [
        ["1 2104 8813", "2 2104 8819"],  # two may be chance
        ["4 2104 8813", "7 2104 8819", "9 2104 8840"],  # quantities
        ["1 pull the lever", "2 let it go", "3 count to ten"],  # a list
    ],
)
def test_other_figures_are_not(rows: list[str]) -> None:
    assert phrases(rows) == [[row] for row in rows]
