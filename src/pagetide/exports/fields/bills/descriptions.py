"""Descriptions that go on in rows of their own, above an item's figures or below them."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Cell, Page
from pagetide.document.field import Value
from pagetide.exports.fields.heads import Heads
from pagetide.geometry import Box, box_of, polygon_of, union

DETAILS = 6  # rows below an item that say more of it, at most
_CLOSE = 0.6  # of the distance to the next row: so near are lines of one description
_LEADING = 0.5  # of a line's height: less is between the lines of one text

Cells = Sequence[Cell]


class Descriptions:
    """Completes the descriptions of a table's items, from the top.

    The last item has no row after it that tells how near is near: it goes on where lines do,
    or as near as the others did.
    """

    def __init__(self, page: Page, heads: Heads) -> None:
        self._page, self._heads = page, heads
        self._usual = 0.0  # the most room above a row that a description went on with

    def complete(
        self,
        said: dict[str, Value],
        above: Sequence[Cells],
        cells: Cells,
        below: Sequence[Cells],
    ) -> None:
        """Add to what a row says the rows around it that have nothing but a description.

        Args:
            said: By the names of the row's columns.
            above: The rows before it.
            cells: The row's.
            below: The rows after it.
        """
        lines = [cell for cell in cells if self._heads.get(cell.column) == ("description",)]
        if "description" in said and lines:
            self._begin(said, above, lines[0])
            self._end(said, lines[0], below)

    def _begin(self, said: dict[str, Value], above: Sequence[Cells], cell: Cell) -> None:
        """Begin with the row above, where it is nearer to this row than to the one before."""
        if len(above) < 2 or len(above[-1]) != 1 or above[-1][0].column != cell.column:
            return
        [first] = above[-1]
        before = [box for other in above[-2] if (box := self._box(other))]
        upper, lower = self._box(first), self._box(cell)
        if not (before and upper and lower):
            return
        if lower[1] - upper[3] < _CLOSE * (upper[1] - max(box[3] for box in before)):
            said["description"] = self._joined(first, said["description"], above=True)

    def _end(self, said: dict[str, Value], cell: Cell, below: Sequence[Cells]) -> None:
        """End with the rows below that stand nearer to it than to what comes after them.

        What stands as near to the row after is what that begins with, as its section's name.
        """
        last = self._box(cell)
        for place, row in enumerate(below[:DETAILS]):
            box = self._box(row[0]) if len(row) == 1 and row[0].column == cell.column else None
            if box is None or last is None:
                return
            after = below[place + 1] if place + 1 < len(below) else ()
            tops = [other[1] for each in after if (other := self._box(each))]
            room = box[1] - last[3]
            if not self._is_near(room, box, tops):
                return
            self._usual, last = max(self._usual, room), box
            said["description"] = self._joined(row[0], said["description"], above=False)

    def _is_near(self, room: float, box: Box, tops: Sequence[float]) -> bool:
        if tops:
            return room < _CLOSE * (min(tops) - box[3])
        return room < _LEADING * (box[3] - box[1]) or room <= self._usual + 1

    def _joined(self, cell: Cell, value: Value, *, above: bool) -> Value:
        parts = [(cell.text, cell.line_indexes), (value.text, value.lines)]
        texts, lines = zip(*(parts if above else parts[::-1]), strict=True)
        own = (*lines[0], *lines[1])
        return Value(
            text="\n".join(texts),
            page=self._page.number,
            polygon=polygon_of(union([box_of(self._page.lines[n].polygon) for n in own])),
            lines=own,
            confidence=value.confidence,
        )

    def _box(self, cell: Cell) -> Box | None:
        """Where a cell's text stands; None where that is not known."""
        boxes = [box_of(self._page.lines[line].polygon) for line in cell.line_indexes]
        return union(boxes) if boxes else None
