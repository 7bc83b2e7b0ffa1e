"""Names and what is said of them, below a head of two short names, are a table."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.geometry import Box, box_of
from pagetide.layout import Drawn, Rule
from pagetide.structure.tables import find_tables
from tests.unit.tables_drawn import HEIGHT, WIDTH, across, joined, prose, row, texts

XS = (100.0, 300.0)
HEAD = ("Berth", "What it is for")
SAID = [
    ("Outer wall", "Boats that wait for the tide, and pilots who are called at night."),
    ("Inner basin", "Boats that stay for the winter, moored bow and stern to the piles;"),
    ("", "the harbour master says where."),
    ("Slipway", "Boats that are taken ashore to be scraped and painted in spring,"),
    ("", "by their own crews or by the yard."),
    ("Fuel quay", "Nobody stays here longer than it takes to fill a tank."),
]
CELLS = [
    list(HEAD),
    list(SAID[0]),
    [SAID[1][0], f"{SAID[1][1]}\n{SAID[2][1]}"],
    [SAID[3][0], f"{SAID[3][1]}\n{SAID[4][1]}"],
    list(SAID[5]),
]
SHADE: Box = (90, 295, 960, 330)


def _lines(rows: Sequence[Sequence[str]], xs: Sequence[float] = XS) -> list[Line]:
    """Lines 24 pixels apart; rows that begin with a key have more room above."""
    lines, y = [], 260.0
    for each in rows:
        y += 40 if each[0] else 24
        lines += row(each, xs, y)
    return lines


def _found(
    lines: Sequence[Line], rules: Sequence[Rule] = (), fills: Sequence[Box] = ()
) -> list[list[list[str]]]:
    page = [*prose(60), *lines, *prose(1100)]
    boxes = [box_of(line.polygon) for line in page]
    drawn = Drawn(rules=tuple(rules), fills=tuple(fills))
    return [texts(each.table) for each in find_tables(page, boxes, drawn, (), WIDTH, HEIGHT)]


@pytest.mark.parametrize(
    ("rules", "fills"), [((), (SHADE,)), ((across(325, 90, 960),), ())], ids=["shade", "rule"]
)
def test_names_beside_sentences_below_a_head_are_a_table(
    rules: Sequence[Rule], fills: Sequence[Box]
) -> None:
    assert _found(_lines([HEAD, *SAID]), rules, fills) == [CELLS]


def test_a_text_that_ends_short_ends_its_row_though_all_lines_are_equally_apart() -> None:
    said = [(key, words.rstrip(".;,")) for key, words in SAID]
    rows = enumerate([HEAD, *said])
    lines = [line for n, each in rows for line in row(each, XS, 300 + 24 * n)]
    [table] = _found(lines, (), [SHADE])
    assert table[3:] == [
        [said[3][0], f"{said[3][1]}\n{said[4][1]}"],
        list(said[5]),
    ]


def test_they_are_none_without_shade_or_rule() -> None:
    assert _found(_lines([HEAD, *SAID])) == []


def test_a_key_that_ends_close_before_its_text_is_a_cell_by_itself() -> None:
    key, said = "Northern quay one", SAID[5][1]
    *lines, left, right = _lines([HEAD, *SAID[:5], (key, said)], (100.0, 270.0))
    [table] = _found([*lines, joined([*left.words, *right.words])], (), [SHADE])
    assert table == [*CELLS[:4], [key, said]]


def test_two_columns_of_prose_below_a_rule_are_none() -> None:
    left = ["the boats that came in with the", "tide were unloaded and then the"] * 4
    right = ["men went on to the north, where", "others had waited for them all"] * 4
    lines = _lines([("Harbour", "Weather"), *zip(left, right, strict=True)], (100.0, 520.0))
    assert _found(lines, [across(325, 90, 960)]) == []
