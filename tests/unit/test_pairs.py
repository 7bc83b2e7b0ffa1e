"""Names with their values in columns side by side: each is read by itself."""

from __future__ import annotations

import pytest

from pagetide.document import Line
from pagetide.structure import structure
from tests.unit.tables_drawn import HEIGHT, WIDTH, prose, text

LEFT = [
    text("Bill To:", 100, 200),
    text("Ada Lovelace", 220, 206),
    text("Address:", 100, 236),
    text("12 Quay", 220, 256),
]
RIGHT = [
    text("Phone:", 540, 198),
    text("Fax:", 540, 230),
    text("Date: 7 May", 540, 262),
]


def _texts(lines: list[Line]) -> list[str]:
    _, blocks = structure([*lines, *prose(500)], WIDTH, HEIGHT)
    return [block.text for block in blocks][:-1]


def test_each_name_has_its_value_though_that_stands_lower() -> None:
    names, others = _texts([*LEFT, *RIGHT])
    assert names == "Bill To:\tAda Lovelace\nAddress:\t12 Quay"
    assert others == "Phone:\nFax:\nDate: 7 May"


@pytest.mark.parametrize(
    "other",
    [
        text("a line that runs from side to side of them", 100, 218),
        text("Berth", 20, 210),
    ],
    ids=["runs across", "stands left of all names"],
)
def test_where_something_else_stands_level_no_columns_are_told(other: Line) -> None:
    assert "Bill To:\tAda Lovelace\nAddress:\t12 Quay" not in _texts([*LEFT, *RIGHT, other])


@pytest.mark.parametrize("lower", [0, 13], ids=["level with its start", "in the middle"])
def test_a_name_of_two_lines_is_read_whole(lower: int) -> None:
    left = [
        text("Kind of", 100, 200),
        text("account:", 100, 226),
        text("Harbour Plus", 220, 200 + lower),
        text("Number of", 100, 262),
        text("account:", 100, 288),
        text("41 1090", 220, 262 + lower),
    ]
    right = [text("Currency:", 540, 200), text("Limit:", 540, 262)]
    names, others = _texts([*left, *right])
    assert names == "Kind of account:\tHarbour Plus\nNumber of account:\t41 1090"
    assert others == "Currency:\nLimit:"


def test_a_head_above_the_names_is_none_of_their_lines() -> None:
    head = text("Account", 100, 174)
    told = _texts([head, *LEFT, *RIGHT])
    assert "Bill To:\tAda Lovelace\nAddress:\t12 Quay" in told
