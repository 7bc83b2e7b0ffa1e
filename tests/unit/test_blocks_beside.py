"""Blocks side by side: addresses one after the other, names beside their values."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from pagetide.document import Line
from pagetide.geometry import box_of, polygon_of
from pagetide.structure import amiss, structure
from pagetide.structure.paragraphs import paragraphs
from pagetide.structure.rows import Row
from tests.unit.tables_drawn import HEIGHT, WIDTH, text

SELLER = ["Minton and Sons", "148 Station Road", "Linford 15107", "Phone 0461 22"]
BUYER = ["Maud Fenn", "12 Quay Lane", "Tarnside 88210", "Phone 0533 71"]
NAMES = ["Order", "Customer", "Berth", "Town"]
VALUES = ["4711 a", "Minton 17", "C 4", "Linford 15107"]
RIGHT = 80 + 10 * max(map(len, SELLER))  # at most, of the seller's lines


def _prose(top: float, count: int = 5) -> list[Line]:
    said = "the boats that came in with the tide were unloaded before the evening and went"
    return [text(f"{said} {n}", 80, top + 26 * n) for n in range(count)]


def _column(texts: Sequence[str], x: float) -> list[Line]:
    return [text(said, x, 300 + 26 * n) for n, said in enumerate(texts)]


def _bold(line: Line) -> Line:
    return Line(text=line.text, polygon=line.polygon, words=line.words, bold=True)


def _between(lines: Sequence[Line]) -> list[list[str]]:
    """The rows of each block between the prose above and that below."""
    page = [*_prose(100), *lines, *_prose(700)]
    _, blocks = structure(page, WIDTH, HEIGHT)
    assert amiss(page, blocks) == (0, 0)
    return [block.text.split("\n") for block in blocks[1:-1]]


@pytest.mark.parametrize("gap", [40, 60, 100, 200])
def test_addresses_side_by_side_are_read_one_after_the_other(gap: float) -> None:
    lines = [*_column(SELLER, 80), *_column(BUYER, RIGHT + gap)]
    assert _between(lines) == [SELLER, BUYER]


def test_an_address_close_to_names_with_values_is_a_block_by_itself() -> None:
    names = ["Order:", "Customer:", "Berth:", "Date:"]
    dates = ["1177", "1178", "1179", "1180"]
    lines = [*_column(SELLER, 80), *_column(names, 330), *_column(dates, 450)]
    first, *others = _between(lines)
    assert first == SELLER
    said = "\n".join(row for block in others for row in block)
    assert said.split() == [each for pair in zip(names, dates, strict=True) for each in pair]


def test_names_close_to_their_values_are_read_row_by_row() -> None:
    rows = [f"{name}\t{value}" for name, value in zip(NAMES, VALUES, strict=True)]
    assert _between([*_column(NAMES, 80), *_column(VALUES, 230)]) == [rows]


def test_names_in_bold_type_that_have_numbers_stay_beside_their_values() -> None:
    names = ["Berth", "Mast 1", "Mast 2", "Mast 3"]
    values = ["of oak", "12 m high", "14 m high", "9 m high"]
    rows = [f"{name}\t{value}" for name, value in zip(names, values, strict=True)]
    lines = [*map(_bold, _column(names, 80)), *_column(values, 230)]
    assert _between(lines) == [rows]


def test_two_lines_side_by_side_are_no_addresses() -> None:
    left, right = SELLER[:2], BUYER[:2]
    rows = [f"{a}\t{b}" for a, b in zip(left, right, strict=True)]
    assert _between([*_column(left, 80), *_column(right, RIGHT + 60)]) == [rows]


@pytest.mark.parametrize("x", [340, 480, 640])
def test_names_far_from_their_values_are_read_row_by_row(x: float) -> None:
    rows = [f"{name}\t{value}" for name, value in zip(NAMES, VALUES, strict=True)]
    assert _between([*_column(NAMES, 80), *_column(VALUES, x)]) == [rows]


def test_blocks_far_apart_with_numbers_in_both_are_no_names_and_values() -> None:
    assert _between([*_column(SELLER, 80), *_column(BUYER, 640)]) == [SELLER, BUYER]


def test_words_far_from_names_are_not_their_values() -> None:
    words = ["Clara Stow", "of Quay Lane", "Tarnside", "in the north"]
    assert _between([*_column(NAMES, 80), *_column(words, 640)]) == [NAMES, words]


def _key_figures(size: float) -> list[str]:
    figures, names = ("2 184", "412"), ("Revenue in millions", "Result in millions")
    lines = []
    for x, figure, name in zip((80.0, 340.0), figures, names, strict=True):
        box = (x, 300, x + size * len(figure) / 2, 300 + size)
        large = Line(text=figure, polygon=polygon_of(box), source="text_layer")
        lines += [large, text(name, x, 312 + size)]
    return [row for block in _between(lines) for row in block]


def test_key_figures_side_by_side_are_each_read_with_what_they_count() -> None:
    assert _key_figures(40) == ["2 184", "Revenue in millions", "412", "Result in millions"]
    assert "2 184\t412" in _key_figures(20)  # in the size of the text they are a row


LOAN = {
    "Borrower of the loan": "Katharina Minton-Fenn",
    "Purpose of the loan": "Renewal of the heating",
    "Amount paid out": "36,000.00 in one sum",
    "Rate each month": "654.58 on the first",
    "Duration of all": "60 months, until 2032",
}


def test_names_far_from_values_of_their_length_are_read_row_by_row() -> None:
    lines = [*_column([*LOAN], 80), *_column([*LOAN.values()], 400)]
    assert _between(lines) == [[f"{name}\t{value}" for name, value in LOAN.items()]]


def test_lists_side_by_side_are_read_one_after_the_other() -> None:
    """Names in two columns have no figures, and rows of prose start inside a sentence."""
    names = [f"{name} of Linford" for name in (*NAMES, "Harbour")]
    prose = [value.replace("Rate", "rate").lower() for value in LOAN.values()]
    for right in (names[::-1], prose):
        rows = [
            row
            for block in _between([*_column(names, 80), *_column(right, 400)])
            for row in block
        ]
        assert rows == [*names, *right]


@pytest.mark.parametrize("end", [430, 500])
def test_a_single_row_set_in_a_little_starts_a_paragraph_where_justified_text_ended(
    end: float,
) -> None:
    """In narrow justified columns only a paragraph's last row ends early."""
    said = "the boats that came in late"
    rows = [(80, 500)] * 5 + [(80, end), (94, 500)] + [(80, 500)] * 4
    lines = [
        Line(text=said, polygon=polygon_of((left, top, right, top + 32)), source="text_layer")
        for (left, right), top in zip(rows, range(300, 700, 36), strict=False)
    ]
    lines[5] = msgspec.structs.replace(lines[5], text="and were unloaded today.")
    lines[6] = msgspec.structs.replace(lines[6], text="In the evening they left")
    boxes = [box_of(line.polygon) for line in lines]
    column = [Row.of((n,), (line,), (boxes[n],)) for n, line in enumerate(lines)]
    assert [len(part) for part in paragraphs(column)] == ([6, 5] if end < 500 else [11])
