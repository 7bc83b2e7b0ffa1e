"""Heads that are set sideways over a table's columns."""

from __future__ import annotations

from pagetide.document import Line, Word
from pagetide.geometry import Box
from pagetide.layout import Drawn
from pagetide.structure import structure
from tests.unit.tables_drawn import HEIGHT, WIDTH, across, down, rows_from, texts

XS = (110.0, 480.0, 620.0, 760.0)
ROWS = [(f"Boat {n}", "15", "25", "40") for n in "ABCDE"]


def _upwards(said: str, box: Box) -> Line:
    """A line that is read from below."""
    x0, y0, x1, y1 = box
    around = ((x0, y1), (x0, y0), (x1, y0), (x1, y1))
    return Line(
        text=said, polygon=around, words=(Word(text=said, polygon=around),), source="text_layer"
    )


def _heads(y0: float, y1: float) -> list[Line]:
    names = ("Harbours", "Shipyards", "Lighthouses")
    return [_upwards(n, (x, y0, x + 20, y1)) for n, x in zip(names, XS[1:], strict=True)]


def test_those_above_a_table_are_its_first_row() -> None:
    lines = [*rows_from(ROWS, 300, XS), *_heads(160, 280)]
    rules = tuple(across(y, 100, 840) for y in (290, 500))
    _, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=rules))
    [table] = [block.table for block in blocks if block.table]
    assert texts(table) == [["", "Harbours", "Shipyards", "Lighthouses"], *map(list, ROWS)]
    assert all(cell.header for cell in table.cells if cell.row == 0)
    told = [place for block in blocks for place in block.line_indexes]
    assert sorted(told) == list(range(len(lines)))


def test_those_in_a_tables_cells_are_in_them() -> None:
    lines = [*rows_from([("Place", "", "", ""), *ROWS], 300, XS), *_heads(210, 320)]
    steep = tuple(down(x, 200, 540) for x in (100, 460, 600, 740, 840))
    flat = tuple(across(y, 100, 840) for y in (200, 330, 370, 410, 450, 490, 540))
    _, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=(*flat, *steep)))
    [table] = [block.table for block in blocks if block.table]
    assert texts(table)[0] == ["Place", "Harbours", "Shipyards", "Lighthouses"]
    assert {cell.row for cell in table.cells if cell.header} == {0}


def test_a_stamp_across_several_cells_is_in_none() -> None:
    rows = [("Place", "Men", "Women", "All"), *ROWS]
    lines = [*rows_from(rows, 300, XS), _upwards("COPY", (640, 320, 700, 480))]
    steep = tuple(down(x, 290, 530) for x in (100, 460, 600, 740, 840))
    flat = tuple(across(290 + 40 * n, 100, 840) for n in range(7))
    _, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=(*flat, *steep)))
    [table] = [block.table for block in blocks if block.table]
    assert texts(table) == [list(each) for each in rows]
    assert [block.text for block in blocks if not block.table] == ["COPY"]
