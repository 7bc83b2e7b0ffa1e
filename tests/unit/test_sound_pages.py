"""A page that a child put together is taken only if all that it numbers is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from pagetide.document import Block, BlockPlace, Cell, Failure, Page, Table
from pagetide.document.marks import Footnote, TextPlace
from pagetide.geometry import polygon_of
from pagetide.inputs.sound import is_sound
from pagetide.reading.opening import open_reader
from tests.documents import line, page_of

CELL = Cell(row=0, column=0, text="Tide", line_indexes=(0,))
TABLE = Table(rows=1, columns=2, cells=(CELL, Cell(row=0, column=1)))
BLOCK = Block(
    kind="table",
    polygon=polygon_of((10, 10, 100, 30)),
    order=0,
    line_indexes=(0,),
    table=TABLE,
)
NOTE = Footnote(mark="1", place=TextPlace(line=0, start=0, end=1), marked=())
PAGE = page_of((line("Tide", (10, 10, 100, 30)),), blocks=(BLOCK,))
MIXED = Path(__file__).parents[2] / "samples" / "mixed.pdf"


def _with(**changes: Any) -> Page:
    return replace(PAGE, blocks=(replace(BLOCK, **changes),))


def _table(**changes: Any) -> Page:
    return _with(table=replace(TABLE, **changes))


def _cell(**changes: Any) -> Page:
    return _table(cells=(replace(CELL, **changes),))


@pytest.mark.parametrize(
    "page",
    [
        replace(PAGE, number=2),
        replace(PAGE, width=9),
        replace(PAGE, error=Failure(code="damaged", message="No.")),
        replace(PAGE, blocks=(BLOCK, BLOCK)),
        _with(line_indexes=(1,)),
        _with(line_indexes=(-1,)),
        _with(caption_of=7),
        _with(continues=7),
        _with(continued_from=BlockPlace(page=1, order=7)),
        _with(continued_from=BlockPlace(page=7, order=0)),
        _table(rows=10**9, columns=10**9),
        _table(rows=0),
        _table(rows=-1, columns=-1),
        _cell(row=1),
        _cell(row=-1),
        _cell(column_span=10**9),
        _cell(row_span=0),
        _cell(line_indexes=(9,)),
        replace(PAGE, footnotes=(replace(NOTE, place=TextPlace(line=1, start=0, end=1)),)),
        replace(PAGE, footnotes=(replace(NOTE, place=TextPlace(line=0, start=3, end=9)),)),
    ],
)
def test_what_numbers_something_that_is_not_there_is_no_page(page: Page) -> None:
    assert is_sound(replace(PAGE, footnotes=(NOTE,)), 1, PAGE)
    assert not is_sound(page, 1, PAGE)


def test_pages_as_they_are_put_together_are_sound() -> None:
    with open_reader("text-layer") as reader:
        pages = list(reader.read_pages(MIXED))
    assert any(block.table for page in pages for block in page.blocks)
    for page in pages:
        assert page.error or is_sound(replace(page, model=None), page.number, page)
