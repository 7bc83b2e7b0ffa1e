"""Fills the cells found by a table model with words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from pagetide.document import Line, Table
from pagetide.geometry import Box, area, box_of, contains
from pagetide.structure.tables.grids.cells import confidence_of, owners_of, text_of
from pagetide.structure.tables.line_words import Words
from pagetide.structure.tables.pieces import Piece


def cells_filled(table: Table, words: Words, lines: Sequence[Line]) -> Table:
    """The table with the text, confidence and lines of its cells.

    A word goes to the smallest cell that contains its middle; a word in the table but in no
    cell, to the nearest cell at its own height.

    Args:
        table: Cells' polygons are upright; those without one stay empty.
        words: By line, only those in the table's area.
        lines: The page's.
    """
    boxes = {
        place: box_of(cell.polygon) for place, cell in enumerate(table.cells) if cell.polygon
    }
    if not boxes:
        return table
    held: dict[int, list[Piece]] = defaultdict(list)
    for of_line in words:
        for word in of_line:
            held[_cell_of(word, boxes)].append(word)
    owners = owners_of([held[place] for place in range(len(table.cells))])
    cells = tuple(
        msgspec.structs.replace(
            cell,
            text=text_of(held[place]) or cell.text,
            confidence=confidence_of(held[place], lines),
            line_indexes=tuple(owners.get(place, ())),
        )
        for place, cell in enumerate(table.cells)
    )
    return msgspec.structs.replace(table, cells=cells)


def _cell_of(word: Piece, boxes: dict[int, Box]) -> int:
    middle = (word.center, word.middle)
    holding = [place for place, box in boxes.items() if contains(box, middle)]
    if holding:
        return min(holding, key=lambda place: area(boxes[place]))

    def away(place: int) -> tuple[float, float]:
        x0, y0, x1, y1 = boxes[place]
        up = max(y0 - word.middle, 0.0, word.middle - y1)
        side = max(x0 - word.center, 0.0, word.center - x1)
        return up, side

    return min(boxes, key=away)
