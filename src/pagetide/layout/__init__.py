"""What was seen of a page besides its letters: areas a model named, lines that are drawn.

Engines and inputs say it; `structure` makes blocks of it. All of it is in page pixels, as
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
        kind: Ours; `other` for a label that no table of ours has.
        confidence: 0–1, or None where the model gives none.
        order: Place in the model's own reading order; None where it gives none.
        table: What a table model saw in it: cells with polygons, mostly without text or
            lines; None where no table model looked.
    """

    label: str
    kind: BlockKind
    polygon: Polygon
    confidence: float | None = None
    order: int | None = None
    table: Table | None = None


class Rule(Struct, frozen=True, kw_only=True, gc=False):
    """A straight line drawn on the page, from one end to the other.

    Upright pages have rules that run across or down; on a skewed page they run as its text
    does. `start` is the left end, or the upper one of a rule that runs down.
    The edge of a fill is a rule with no thickness.
    """

    start: tuple[float, float]
    end: tuple[float, float]
    thickness: float = 1.0


class CheckBox(Struct, frozen=True, kw_only=True, gc=False):
    """A small square that stands alone, and whether something is drawn in it."""

    box: Box
    marked: bool


class Drawn(Struct, frozen=True, kw_only=True, gc=False):
    """What is drawn on a page.

    Attributes:
        rules: Lines, edges of drawn boxes, and edges of filled cells, each once; collinear
            pieces that touch are one.
        fills: Boxes filled with a colour other than the page's, such as shaded rows.
        pictures: Boxes of pictures on the page.
        charts: Those of them that are charts and diagrams: what is in them is in no table.
        check_boxes: Squares as small as a line of text that may be boxes to tick.
        bullets: Dots, rings and small squares, each alone, that may stand before items.
        too_many: More was drawn than was looked at (a map, a plot): what is here is a part.
        skew: How far the text stands askew, radians clockwise, where its ink has shown it.
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
    """A heading of this page that the document's outline or its tags name.

    Attributes:
        level: From 1, of a section; 0 of the one item around all others, as a title is.
        top: Where on the page it leads to, in pixels from the top; None where it does not say.
    """

    title: str
    level: int
    top: float | None = None


NOTHING_DRAWN = Drawn()
