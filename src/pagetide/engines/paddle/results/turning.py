"""Back from the picture that PaddleX read to the page it was given."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from pagetide.document import Block, Line, Notice, Table, Word
from pagetide.engines.paddle.results.ocr_lines import Json
from pagetide.geometry import Polygon, turn_back

RECTIFIED = Notice(
    code="rectified_coordinates",
    message="The page was flattened before it was read: positions are those of the flattened"
    " picture.",
)


@dataclass(frozen=True, kw_only=True)
class Turning:
    """How PaddleX turned a page before it read it.

    Attributes:
        degrees: How far the content stands turned clockwise on the page: 0, 90, 180 or 270.
        width: Of the page, in pixels; the same for `height`.
        flattened: Whether it was flattened too, which nothing maps back.
    """

    degrees: int
    width: float
    height: float
    flattened: bool

    @classmethod
    def of(cls, result: Json, width: float, height: float) -> Turning:
        """What a pipeline's result says of it; -1 stands for a turn nobody looked for."""
        made = result.get("doc_preprocessor_res") or {}
        asked = made.get("model_settings") or {}
        return cls(
            degrees=max(int(made.get("angle", 0)), 0) % 360,
            width=width,
            height=height,
            flattened=bool(asked.get("use_doc_unwarping")),
        )

    @property
    def upright(self) -> tuple[float, float]:
        """Width and height of the picture that was read."""
        if self.degrees in (90, 270):
            return self.height, self.width
        return self.width, self.height

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What the caller should know."""
        return (RECTIFIED,) if self.flattened else ()

    def polygon(self, polygon: Polygon) -> Polygon:
        """A polygon of the picture, on the page."""
        return turn_back(polygon, self.degrees, self.width, self.height)

    def line(self, line: Line) -> Line:
        """A line of the picture, on the page."""
        if not self.degrees:
            return line
        return msgspec.structs.replace(
            line, polygon=self.polygon(line.polygon), words=tuple(map(self._word, line.words))
        )

    def block(self, block: Block) -> Block:
        """A block of the picture, on the page."""
        if not self.degrees:
            return block
        table = self._table(block.table) if block.table else None
        return msgspec.structs.replace(block, polygon=self.polygon(block.polygon), table=table)

    def _word(self, word: Word) -> Word:
        return msgspec.structs.replace(word, polygon=self.polygon(word.polygon))

    def _table(self, table: Table) -> Table:
        cells = tuple(
            msgspec.structs.replace(cell, polygon=self.polygon(cell.polygon))
            if cell.polygon
            else cell
            for cell in table.cells
        )
        return msgspec.structs.replace(table, cells=cells)
