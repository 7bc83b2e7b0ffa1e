"""What was detected on a page besides its letters, and which of it is in frames."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pagetide.document import Line
from pagetide.geometry import Box, area, box_of, center, contains, intersection_area
from pagetide.layout import NOTHING_DRAWN, Area, Drawn
from pagetide.structure.areas.kinds import is_picture
from pagetide.structure.figures.framed import framed_figures
from pagetide.structure.order.framed import framed_text
from pagetide.structure.order.panels import panels
from pagetide.structure.order.ruled_columns import ruled_columns
from pagetide.structure.tables.pieces import line_height
from pagetide.structure.tables.ruled.frames import frames_of, strokes_of
from pagetide.structure.upright import Upright

FIGURES = ("figure", "chart")


class PageContent:
    """What was detected on the page besides its letters, turned upright.

    Attributes:
        areas: The layout model's, with upright boxes.
        drawn: What is drawn.
    """

    def __init__(
        self, areas: Sequence[tuple[Box, Area]] = (), drawn: Drawn = NOTHING_DRAWN
    ) -> None:
        self.areas = list(areas)
        self.drawn = drawn

    @classmethod
    def of(cls, upright: Upright, areas: Sequence[Area], drawn: Drawn) -> PageContent:
        """What was detected on a page, turned so that its text runs from left to right."""
        turned = [upright.area(each) for each in areas]
        return cls([(box_of(each.polygon), each) for each in turned], upright.drawn(drawn))

    def inside(self, frames: Sequence[Box]) -> PageContent:
        """What was detected in frames, including their own rules."""
        return self._where(frames, inside=True)

    def outside(self, frames: Sequence[Box]) -> PageContent:
        """What was detected outside frames."""
        return self._where(frames, inside=False) if frames else self

    def framed(
        self, lines: Sequence[Line], boxes: Sequence[Box], size: tuple[float, float]
    ) -> list[list[Box]]:
        """The frames around text, from the top, with side-by-side ones grouped.

        Args:
            lines: Of the page, those of one direction.
            boxes: The same lines, turned upright.
            size: The page's width and height.
        """
        line = line_height(boxes)
        across, down = strokes_of(self.drawn.rules, line) or ([], [])
        found: list[list[Box]] = []
        if len(across) > 1 and len(down) > 1:
            pictures = [*self.drawn.pictures, *self._figures(lines, boxes, size)]
            said = [(each.text, box) for each, box in zip(lines, boxes, strict=True)]
            pictures += framed_figures(frames_of(across, down, line), said)
            found = framed_text(boxes, across, down, line, pictures)
        for pair in panels(boxes, self.drawn.fills, line):
            if not any(
                intersection_area(one, each) for one in pair for e in found for each in e
            ):
                found.append(pair)
        for columns in ruled_columns(boxes, across, down, line) if down else ():
            # A frame within a column is searched for again, in that column.
            around = [level for level in found if not _are_within(level, columns, line)]
            taken = [box for level in around for box in level]
            if not any(intersection_area(one, other) for one in columns for other in taken):
                found = [*around, columns]
        return found

    def _figures(
        self, lines: Sequence[Line], boxes: Sequence[Box], size: tuple[float, float]
    ) -> list[Box]:
        """The figure areas of a layout model that hold little text."""
        found = []
        every = max(1, sum(len(line.text) for line in lines))
        for box, each in self.areas:
            own = [place for place, b in enumerate(boxes) if contains(box, center(b))]
            letters = sum(len(lines[place].text) for place in own) / every
            held = [boxes[place] for place in own]
            if each.kind in FIGURES and is_picture(box, held, size, letters):
                found.append(box)
        return found

    def _where(self, frames: Sequence[Box], *, inside: bool) -> PageContent:
        def kept(box: Box) -> bool:
            return any(contains(frame, center(box)) for frame in frames) == inside

        def is_of(box: Box) -> bool:
            return sum(intersection_area(box, frame) for frame in frames) > area(box) / 2

        drawn = replace(
            self.drawn,
            rules=tuple(rule for rule in self.drawn.rules if kept((*rule.start, *rule.end))),
            fills=tuple(box for box in self.drawn.fills if kept(box)),
            pictures=tuple(box for box in self.drawn.pictures if kept(box)),
            charts=tuple(box for box in self.drawn.charts if kept(box)),
        )
        return PageContent([each for each in self.areas if is_of(each[0]) == inside], drawn)


def _are_within(frames: Sequence[Box], columns: Sequence[Box], line: float) -> bool:
    """Whether each frame is in one of the columns, or extends beyond it by its padding."""
    return all(
        any(
            x0 - line <= left and right <= x1 + line and y0 - line <= top and low <= y1 + line
            for x0, y0, x1, y1 in columns
        )
        for left, top, right, low in frames
    )
