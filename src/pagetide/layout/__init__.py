"""What was detected on a page besides its letters: areas of a model, drawn lines.

Engines and inputs produce it; `structure` turns it into blocks. All of it is in page pixels, as
in `document`.
"""

from __future__ import annotations

from msgspec import Struct

from pagetide.document import BlockKind, Table
from pagetide.geometry import Box, Polygon

PICTURED: frozenset[BlockKind] = frozenset({"figure", "chart", "seal"})


class Area(Struct, frozen=True, kw_only=True, gc=False):
    """An area that a layout model found.

    Attributes:
        label: The model's own name for it.
        kind: Ours; `other` for a label in no table of ours.
        confidence: 0–1, or None if the model gives none.
        order: Position in the model's own reading order; None if it gives none.
        table: A table model's result for it: cells with polygons, mostly without text or lines;
            None without a table model.
    """

    label: str
    kind: BlockKind
    polygon: Polygon
    confidence: float | None = None
    order: int | None = None
    table: Table | None = None


class Rule(Struct, frozen=True, kw_only=True, gc=False):
    """A straight line drawn on the page, from one end to the other.

    Upright pages have horizontal or vertical rules; on a skewed page they follow its text.
    `start` is the left end, or the upper one of a vertical rule. The edge of a fill is a rule
    with no thickness.
    """

    start: tuple[float, float]
    end: tuple[float, float]
    thickness: float = 1.0


class CheckBox(Struct, frozen=True, kw_only=True, gc=False):
    """A small isolated square, and whether something is drawn in it."""

    box: Box
    marked: bool


class Drawn(Struct, frozen=True, kw_only=True, gc=False):
    """What is drawn on a page.

    Attributes:
        rules: Lines, edges of drawn boxes, and edges of filled cells, each once; collinear
            pieces that touch are joined.
        fills: Boxes filled with a colour other than the page's, such as shaded rows.
        pictures: Boxes of pictures on the page.
        charts: Those of them that are charts and diagrams: their content is in no table.
        check_boxes: Squares as small as a line of text that may be check boxes.
        bullets: Isolated dots, rings and small squares that may precede items.
        too_many: More was drawn than was examined (a map, a plot): this is a part.
        skew: The skew of the text, radians clockwise, if measured from its ink.
    """

    rules: tuple[Rule, ...] = ()
    fills: tuple[Box, ...] = ()
    pictures: tuple[Box, ...] = ()
    charts: tuple[Box, ...] = ()
    check_boxes: tuple[CheckBox, ...] = ()
    bullets: tuple[Box, ...] = ()
    too_many: bool = False
    skew: float | None = None


class OutlineItem(Struct, frozen=True, kw_only=True, gc=False):
    """A heading of this page from the document's outline or its tags.

    Attributes:
        level: From 1, of a section; 0 of the one item around all others, such as a title.
        top: Its target on the page, in pixels from the top; None if it gives none.
        left: That target's distance from the left, in pixels, likewise.
    """

    title: str
    level: int
    top: float | None = None
    left: float | None = None


NOTHING_DRAWN = Drawn()
