"""Cells that a column wrapped are one line again; names, items and figures in them are not."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Block, Cell, Line, Table
from pagetide.exports.text.reflow import reflowed
from pagetide.geometry import polygon_of
from tests.documents import document_of, page_of
from tests.unit.test_reflow import HEIGHT, LETTER, wrapped

Rows = Sequence[str]


def _told(
    *table: Sequence[Rows], headers: int = 0, bold: Sequence[str] = ()
) -> list[list[str]]:
    """The texts of a table's cells, each given as its rows, once they are reflowed."""
    lines, cells = list[Line](), list[Cell]()
    for number, row in enumerate(table):
        for column, texts in enumerate(row):
            first = len(lines)
            for at, text in enumerate(texts):
                left, top = 600 * column, 300 * number + 1.2 * HEIGHT * at
                box = (left, top, left + LETTER * len(text), top + HEIGHT)
                lines.append(Line(text=text, polygon=polygon_of(box), bold=text in bold))
            cells.append(
                Cell(
                    row=number,
                    column=column,
                    text="\n".join(texts),
                    header=number < headers,
                    line_indexes=tuple(range(first, len(lines))),
                )
            )
    whole = Table(rows=len(table), columns=len(table[0]), cells=tuple(cells))
    block = Block(
        kind="table",
        polygon=polygon_of((0, 0, 1200, 300 * len(table))),
        order=0,
        text="",
        line_indexes=tuple(range(len(lines))),
        table=whole,
    )
    shown = reflowed(document_of(page_of(lines, blocks=(block,)))).pages[0].blocks[0].table
    assert shown
    return [[cell.text for cell in shown.cells if cell.row == row] for row in range(shown.rows)]


WORDS = st.lists(st.text("abcdefgh", min_size=2, max_size=7), min_size=20, max_size=40)


@given(WORDS, st.integers(14, 30))
def test_what_a_column_wrapped_is_one_again(words: list[str], width: int) -> None:
    parts = [words[:10], words[10:]]
    told = _told(*([[f"Row {n}"], wrapped(part, width)] for n, part in enumerate(parts)))
    assert [row[1] for row in told] == [" ".join(part) for part in parts]


def test_a_capital_inside_a_wrapped_column_starts_no_line() -> None:
    services = ["Services for the", "Coordination of", "the audit and", "of the works"]
    told = _told([services], [["Strategy for the", "Ministry"]])
    assert told == [[" ".join(services)], ["Strategy for the Ministry"]]


def test_headers_are_phrases() -> None:
    told = _told([["Method of", "Procurement"], ["No."]], [["Shopping list"], ["1"]], headers=1)
    assert told[0] == ["Method of Procurement", "No."]


def test_names_dates_and_items_stay_on_their_lines() -> None:
    cells = [
        ["10.06.2025", "09.06.2025"],
        ["Anna Berg", "Karl Lund"],
        ["1. first of them", "2. second of them"],
        ["Hill Farm Ltd", "Mill Lane 7", "12345 Overton"],
        ["apples", "pears and plums"],
    ]
    for rows in cells:
        beside = ["7", "12", "5"][: len(rows)]
        assert _told([rows, beside]) == [["\n".join(rows), "\n".join(beside)]]


def test_a_bold_name_stays_over_what_is_below() -> None:
    rows = ["Cook", "by agreement only"]
    assert _told([rows], bold=["Cook"]) == [["Cook\nby agreement only"]]


def test_a_hyphen_stays_where_the_document_splits_no_words() -> None:
    told = _told([["a failed switch re-", "patched by the cabinet"]])
    assert told == [["a failed switch re-patched by the cabinet"]]
