"""The content of a drawn page: words, blocks, tables, lists, links and their order.

Everything is frozen. All boxes of a page are in one space: CSS pixels (1/96 inch) of the
page as printed, origin top left, y down, as `(x0, y0, x1, y1)`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from pagetide.document import BlockKind
from pagetide.geometry import Box


class DrawnWord(Struct, frozen=True, kw_only=True):
    """A run of characters without a space, or one Chinese character.

    Attributes:
        block: The `order` of its block.
    """

    text: str
    box: Box
    block: int


class DrawnCell(Struct, frozen=True, kw_only=True):
    """A cell; `row` and `column` count from 0, and a cell occurs once, at its top left."""

    row: int
    column: int
    row_span: int = 1
    column_span: int = 1
    text: str = ""
    header: bool = False
    box: Box


class DrawnTable(Struct, frozen=True, kw_only=True):
    """A grid that its cells fill without a gap, as far as it is on this page."""

    rows: int
    columns: int
    cells: tuple[DrawnCell, ...]


class DrawnItem(Struct, frozen=True, kw_only=True):
    """An item of a list; `depth` counts from 0."""

    depth: int
    text: str
    box: Box


class DrawnLink(Struct, frozen=True, kw_only=True):
    """A link and its target."""

    address: str
    text: str
    box: Box


class DrawnBlock(Struct, frozen=True, kw_only=True):
    """An area of one kind.

    Attributes:
        order: Place in the reading order of the page, from 0, dense.
        also: Kinds that are right for it too, where readers may differ: names and values
            that are in two rows of a grid are text to some and a table to others.
        level: Of a heading, from 1 (the largest).
        late: Whether it may as well be read at the end, as footnotes may.
    """

    kind: BlockKind
    box: Box
    text: str
    order: int
    also: tuple[BlockKind, ...] = ()
    level: int | None = None
    table: DrawnTable | None = None
    items: tuple[DrawnItem, ...] = ()
    late: bool = False


class DrawnPage(Struct, frozen=True, kw_only=True):
    """A page; `width` and `height` in CSS pixels."""

    number: int
    width: float
    height: float
    words: tuple[DrawnWord, ...]
    blocks: tuple[DrawnBlock, ...]
    links: tuple[DrawnLink, ...] = ()

    @property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        """The right orders: as drawn, and with what may be read late at the end."""
        drawn = tuple(block.order for block in self.blocks)
        late = {block.order for block in self.blocks if block.late}
        ends = {b.order for b in self.blocks if b.kind in ("footer", "page_number")}
        last = tuple(sorted(drawn, key=lambda order: (order in ends, order in late, order)))
        return (drawn,) if last == drawn else (drawn, last)


class DrawnTruth(Struct, frozen=True, kw_only=True):
    """A document's ground truth; `kind` is that of the document, an invoice for instance.

    An invoice has its `fields` and `items`, too: texts as printed.
    """

    seed: int
    kind: str
    language: str
    pages: tuple[DrawnPage, ...]
    fields: dict[str, str] = {}
    items: tuple[dict[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The stem of its files."""
        return f"{self.seed:05d}-{self.kind}-{self.language}"


def written(truth: DrawnTruth, folder: Path) -> Path:
    """The JSON file that now contains the truth, in the folder."""
    path = folder / f"{truth.name}.json"
    path.write_bytes(msgspec.json.format(msgspec.json.encode(truth), indent=1))
    return path


def loaded(path: Path) -> DrawnTruth:
    """The truth that `written` wrote."""
    return msgspec.json.decode(path.read_bytes(), type=DrawnTruth)
