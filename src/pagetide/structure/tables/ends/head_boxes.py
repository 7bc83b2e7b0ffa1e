"""Headers in a separate frame joined with the rows below: one table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from pagetide.document import Table
from pagetide.geometry import union
from pagetide.structure.tables.baseline import is_number, is_year, numbered
from pagetide.structure.tables.found import FoundTable
from pagetide.structure.tables.pieces import has_figures

NEAR = 2.0  # line heights between the headers and the first row, at most
OVER = 1.2  # line heights that the two may overlap
MOST_HEADS = 8  # rows

_SCALE = re.compile(r"(1[\s.,]?)?000([\s.,]000)?|100")  # a unit: thousands, millions


def with_head_boxes(found: Sequence[FoundTable], line: float) -> list[FoundTable]:
    """The tables, each that has only headers joined with the one right below it.

    Args:
        found: Upright.
        line: The page's typical line height.
    """
    left = sorted(found, key=lambda each: (each.box[1], each.box[0]))
    done: list[FoundTable] = []
    while left:
        head = left.pop(0)
        body = next((each for each in left if _heads(head, each, line)), None)
        if body is None:
            done.append(head)
            continue
        left[left.index(body)] = FoundTable(
            union([head.box, body.box]),
            _stacked(head.table, body.table),
            (*head.held, *body.held),
        )
    return done


def _heads(head: FoundTable, body: FoundTable, line: float) -> bool:
    """Whether a table has no figures, and another one as wide is right below."""
    sides = (abs(head.box[side] - body.box[side]) < line for side in (0, 2))
    is_below = -OVER * line < body.box[1] - head.box[3] < NEAR * line
    same = head.table.columns == body.table.columns and head.table.rows <= MOST_HEADS
    return is_below and same and all(sides) and _are_names(head.table)


def _are_names(table: Table) -> bool:
    texts = [cell.text for cell in table.cells if has_figures(cell.text)]
    counted = numbered(texts)
    return not any(
        is_number(text) and not (is_year(text) or text in counted or _SCALE.fullmatch(text))
        for text in texts
    )


def _stacked(head: Table, body: Table) -> Table:
    heads = (replace(cell, header=True) for cell in head.cells)
    below = (replace(cell, row=cell.row + head.rows) for cell in body.cells)
    return replace(body, rows=head.rows + body.rows, cells=(*heads, *below))
