"""Unfinished blocks: their content is known, their place on the page is not."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import median

from pagetide.document import BlockKind, Table
from pagetide.geometry import Box, union
from pagetide.structure.rows import Row


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A block before its place in the reading order is known.

    Attributes:
        rows: Its lines, row by row; empty for a picture without text.
        area: The box given by something drawn or a layout model; the block's box includes this
            and its rows. Upright pixels, as the rows' boxes.
        table: Cells' polygons are upright too; `line_indexes` are the page's.
        label: The layout model's name for it.
        confidence: The layout model's.
        model_order: Its position in the model's own reading order.
        level: Of a heading, 1–6.
        parts: The side-by-side blocks that it represents in the reading order.
    """

    kind: BlockKind = "text"
    rows: tuple[Row, ...] = ()
    area: Box | None = None
    table: Table | None = None
    label: str | None = None
    confidence: float | None = None
    model_order: int | None = None
    level: int | None = None
    parts: tuple[Draft, ...] = ()

    @property
    def indexes(self) -> list[int]:
        """Its lines' places on the page, in reading order."""
        return [index for row in self.rows for index in row.indexes]

    @cached_property
    def box(self) -> Box:
        """Around all of it."""
        boxes = [row.box for row in self.rows]
        return union([*boxes, self.area] if self.area else boxes)

    @property
    def line_height(self) -> float:
        """The typical height of its rows; 0 if it has none."""
        return median(row.height for row in self.rows) if self.rows else 0.0

    @property
    def size(self) -> float:
        """The typical size of its type; 0 if it has no rows."""
        return median(row.size for row in self.rows) if self.rows else 0.0

    @property
    def text(self) -> str:
        """Its rows' text, a line feed between rows."""
        return "\n".join(row.text for row in self.rows)
