"""Titles above lines that are shorter than they are, and what looks like one."""

from __future__ import annotations

import pytest

from pagetide.document import BlockKind, Line
from pagetide.geometry import polygon_of
from pagetide.structure.draft import Draft
from pagetide.structure.headings.by_look import with_headings
from pagetide.structure.rows import Row

PROSE = "a sentence of plain words that goes on from here to the end of its own line"


def _draft(
    *texts: str,
    top: float,
    height: float = 20.0,
    bold: bool = False,
    left: float = 100.0,
) -> Draft:
    rows = []
    for place, text in enumerate(texts):
        y = top + 1.2 * height * place
        box = (left, y, left + 0.45 * height * len(text), y + height)
        line = Line(text=text, polygon=polygon_of(box), bold=bold)
        rows.append(Row.of((place,), (line,), (box,)))
    return Draft(rows=tuple(rows))


@pytest.mark.parametrize(("height", "expected"), [(26.0, "heading"), (20.0, "text")])
def test_a_title_in_larger_type_may_be_wider_than_the_date_below_it(
    height: float, expected: BlockKind
) -> None:
    title = _draft("AGREEMENT ON THE CARE OF TOWN GARDENS", top=80, height=height, bold=True)
    date = _draft("Harrowby, 4 May 2021", top=120, left=250)
    prose = _draft(PROSE, PROSE, PROSE, PROSE, top=180)
    assert with_headings([title, date, prose], 20.0, [])[0].kind == expected


def test_a_quotation_beside_a_column_is_no_title() -> None:
    quoted = _draft("None of us had the key to the shed", top=80, height=26.0, bold=True)
    below = _draft("Told by the harbour master", top=120)
    column = _draft(PROSE, PROSE, PROSE, PROSE, top=80, left=600)
    assert with_headings([quoted, below, column], 20.0, [])[0].kind == "text"


def test_an_entry_of_a_list_of_contents_is_no_heading() -> None:
    entry = _draft("The care of gardens ............ 12", top=80, bold=True)
    below = _draft("The care of gardens in the towns of the north ............ 14", top=110)
    assert with_headings([entry, below], 20.0, [])[0].kind == "text"
