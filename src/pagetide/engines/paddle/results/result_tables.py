"""Tables out of PP-StructureV3's JSON: HTML and loose cell boxes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from pagetide.document import Cell, Line, Table
from pagetide.engines.paddle.results.html_tables import table_of
from pagetide.geometry import (
    Box,
    box_of,
    center,
    covering,
    intersection_area,
    polygon_of,
    union,
)


@dataclass(frozen=True, kw_only=True)
class ResultTable:
    """A table of the result.

    Attributes:
        table: None where its HTML has no cells.
        box: Around its cells, or around its text; None where it has neither.
    """

    table: Table | None
    box: Box | None


def tables_of(results: Sequence[Mapping[str, Any]]) -> list[ResultTable]:
    """The tables of `table_res_list`, in its order.

    Boxes become the cells' polygons only where there are as many of them as cells, and where
    they lie as the grid says: the two come from different networks.
    """
    found = []
    for result in results:
        boxes = [box_at(box) for box in result.get("cell_box_list") or ()]
        table = table_of(result.get("pred_html") or "")
        if table and len(boxes) == len(table.cells) and _lie_so(table.cells, boxes):
            table = _placed(table, boxes)
        around = boxes or [
            box_at(box) for box in (result.get("table_ocr_pred") or {}).get("rec_boxes") or ()
        ]
        found.append(ResultTable(table=table, box=union(around) if around else None))
    return found


def table_for(block: Box, found: list[ResultTable]) -> Table | None:
    """The table of a block: the one that overlaps it most. It is taken out of the list.

    PaddleX's own `block_content` counts tables and blocks side by side and is off by one as
    soon as one of two overlapping blocks is dropped.
    """
    shares = [intersection_area(block, each.box) if each.box else 0.0 for each in found]
    best = max(range(len(found)), key=shares.__getitem__, default=None)
    if best is None or shares[best] <= 0:
        return None
    return found.pop(best).table


def with_lines(table: Table, lines: Sequence[Line], indexes: Sequence[int]) -> Table:
    """The table, each cell with the lines that lie in it, where cells have polygons."""
    if any(cell.polygon is None for cell in table.cells):
        return table
    boxes = [box_of(cell.polygon) for cell in table.cells if cell.polygon]
    owned: list[list[int]] = [[] for _ in boxes]
    for index in indexes:
        owner = covering(box_of(lines[index].polygon), boxes)
        if owner is not None:
            owned[owner].append(index)
    cells = zip(table.cells, owned, strict=True)
    return msgspec.structs.replace(
        table,
        cells=tuple(msgspec.structs.replace(c, line_indexes=tuple(own)) for c, own in cells),
    )


def _placed(table: Table, boxes: Sequence[Box]) -> Table:
    return msgspec.structs.replace(
        table,
        cells=tuple(
            msgspec.structs.replace(cell, polygon=polygon_of(box))
            for cell, box in zip(table.cells, boxes, strict=True)
        ),
    )


def _lie_so(cells: Sequence[Cell], boxes: Sequence[Box]) -> bool:
    """Whether the boxes stand to each other as their cells do."""
    both = list(zip(cells, boxes, strict=True))
    across = sorted(both, key=lambda each: (each[0].row, each[0].column))
    down = sorted(both, key=lambda each: (each[0].column, each[0].row))
    return all(
        center(a[1])[0] < center(b[1])[0]
        for a, b in itertools.pairwise(across)
        if a[0].row == b[0].row
    ) and all(
        center(a[1])[1] < center(b[1])[1]
        for a, b in itertools.pairwise(down)
        if a[0].column == b[0].column
    )


def box_at(numbers: Sequence[float]) -> Box:
    """A rectangle of PaddleOCR's, given as four numbers."""
    x0, y0, x1, y1 = map(float, numbers)
    return (x0, y0, x1, y1)
