"""Tables of digital PDFs held against what was drawn: rows, columns, spans, text and places."""

from __future__ import annotations

import pytest

import pagetide
from pagetide.document import Table
from pagetide.geometry import box_of
from pagetide.reading import ReadOptions
from tests.drawn.tables import PAGES, UNRULED_HEADS, tables_pdf
from tests.unit.tables_drawn import spans, texts

PIXELS = 2  # a point has at 144 dpi


@pytest.fixture(scope="module")
def found() -> dict[str, list[Table]]:
    """The tables on each page, by the page's name."""
    with pagetide.open_reader("structure-lite") as reader:
        document = reader.read(tables_pdf(), ReadOptions(text_layer="only"))
    tables = ([block.table for block in page.blocks if block.table] for page in document.pages)
    return dict(zip(PAGES, tables, strict=True))


@pytest.mark.parametrize("name", PAGES)
def test_tables_have_their_rows_columns_and_text(
    found: dict[str, list[Table]], name: str
) -> None:
    _, drawn = PAGES[name]
    assert [(each.rows, each.columns) for each in found[name]] == [each.shape for each in drawn]
    assert [texts(each) for each in found[name]] == [each.texts for each in drawn]


# Where no rule says so, a head over two columns is taken for one over the first.
@pytest.mark.parametrize("name", [name for name in PAGES if name != UNRULED_HEADS])
def test_cells_span_what_they_were_drawn_over(found: dict[str, list[Table]], name: str) -> None:
    _, drawn = PAGES[name]
    assert [spans(each) for each in found[name]] == [each.spans for each in drawn]


@pytest.mark.parametrize("name", [name for name in PAGES if name.endswith("all rules")])
def test_cells_stand_between_their_rules(found: dict[str, list[Table]], name: str) -> None:
    _, drawn = PAGES[name]
    for table, wanted in zip(found[name], drawn, strict=True):
        for cell in table.cells:
            assert cell.polygon
            left, _, right, _ = box_of(cell.polygon)
            edges = wanted.edges[cell.column], wanted.edges[cell.column + cell.column_span]
            assert (left, right) == pytest.approx([PIXELS * x for x in edges], abs=1)
