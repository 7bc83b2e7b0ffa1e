"""A page's lines of one direction, turned upright and running from left to right."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from unicodedata import bidirectional

import msgspec

from pagetide.document import Line, Table
from pagetide.geometry import Box, Point, Polygon, box_of, polygon_of, turned
from pagetide.layout import Area, Drawn, Rule
from pagetide.layout.words import IS_LEFTWARD

SHORT = 2  # letters
_LEFTWARD = re.compile(f"{IS_LEFTWARD.pattern}|\u200f")  # including the right-to-left mark
UPRIGHT = 20  # degrees: how far a page may be skewed and still be the right way up


@dataclass(frozen=True, kw_only=True)
class Upright:
    """How a page is turned so that some of its text is upright.

    Attributes:
        angle: The rotation of that text, radians clockwise as seen.
        mirrored: The text runs from right to left: left and right are swapped, so that code
            that orders or groups boxes from left to right follows the text's order.
        origin: What is then subtracted, so that the page starts at 0, 0.
    """

    angle: float = 0.0
    mirrored: bool = False
    origin: Point = (0.0, 0.0)

    @property
    def is_upright(self) -> bool:
        """Whether the text is upright on the page, apart from a small skew."""
        return abs(math.degrees(math.remainder(self.angle, math.tau))) < UPRIGHT

    def polygon(self, polygon: Polygon) -> Polygon:
        """A polygon of the page, turned."""
        points = turned(polygon, -self.angle)
        sign, (left, top) = -1 if self.mirrored else 1, self.origin
        if sign == 1 and left == top == 0.0:
            return points
        return tuple((sign * x - left, y - top) for x, y in points)

    def box(self, polygon: Polygon) -> Box:
        """The upright box around a polygon of the page."""
        return box_of(self.polygon(polygon))

    def line(self, line: Line) -> Line:
        """A line of the page, turned, and its words with it."""
        if self == Upright():
            return line
        words = tuple(
            msgspec.structs.replace(word, polygon=self.polygon(word.polygon))
            for word in line.words
        )
        return msgspec.structs.replace(line, polygon=self.polygon(line.polygon), words=words)

    def back(self, box: Box) -> Polygon:
        """An upright box as a polygon of the page, from the text's own top left."""
        left, top = self.origin
        box = (box[0] + left, box[1] + top, box[2] + left, box[3] + top)
        if self.mirrored:
            box = (-box[2], box[1], -box[0], box[3])
        return turned(polygon_of(box), self.angle)

    def drawn(self, drawn: Drawn) -> Drawn:
        """What is drawn on the page, turned."""
        if self == Upright():
            return drawn
        return Drawn(
            rules=tuple(self._rule(rule) for rule in drawn.rules),
            fills=tuple(self.box(polygon_of(box)) for box in drawn.fills),
            pictures=tuple(self.box(polygon_of(box)) for box in drawn.pictures),
            charts=tuple(self.box(polygon_of(box)) for box in drawn.charts),
            too_many=drawn.too_many,
        )

    def on_page(self, width: float, height: float) -> Upright:
        """The same for a page of this size, which starts at 0, 0 after turning."""
        plain = replace(self, origin=(0.0, 0.0))
        left, top, _, _ = plain.box(polygon_of((0.0, 0.0, width, height)))
        return replace(self, origin=(left, top))

    def area(self, area: Area) -> Area:
        """An area of the page, turned, and its table with it."""
        table = area.table and _moved(area.table, self.polygon)
        return msgspec.structs.replace(
            area, polygon=polygon_of(self.box(area.polygon)), table=table
        )

    def table_back(self, table: Table) -> Table:
        """An upright table in page coordinates."""
        return _moved(table, lambda polygon: self.back(box_of(polygon)))

    def _rule(self, rule: Rule) -> Rule:
        start, end = sorted(self.polygon((rule.start, rule.end)))
        if abs(end[0] - start[0]) < abs(end[1] - start[1]):
            start, end = sorted((start, end), key=_height)
        return Rule(start=start, end=end, thickness=rule.thickness)


def _moved(table: Table, move: Callable[[Polygon], Polygon]) -> Table:
    cells = tuple(
        msgspec.structs.replace(cell, polygon=cell.polygon and move(cell.polygon))
        for cell in table.cells
    )
    return msgspec.structs.replace(table, cells=cells)


def by_direction(
    lines: Sequence[Line], skew: float | None = None
) -> list[tuple[Upright, list[int]]]:
    """Indexes by the quarter turn of their text, most lines first.

    The angle includes the lines' common skew: the known one, or the one measured from them.
    """
    if lines and all(map(_is_level, lines)):  # as most pages with a text layer are
        upright = Upright(
            angle=skew or 0.0, mirrored=runs_leftward(line.text for line in lines)
        )
        return [(upright, list(range(len(lines))))]
    skews: dict[int, list[float]] = defaultdict(list)
    members: dict[int, list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        start, end, below = line.polygon[:3]
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        quarter = round(angle / (math.pi / 2)) % 4
        members[quarter].append(index)
        # A short line says little about the page's skew.
        if math.dist(start, end) > 3 * math.dist(end, below):
            skews[quarter].append(math.remainder(angle - quarter * math.pi / 2, math.tau))
    _join_short(lines, members)
    quarters = sorted(members, key=lambda quarter: (-len(members[quarter]), quarter))
    return [
        (
            Upright(
                angle=quarter * math.pi / 2
                + (median(skews[quarter] or [0.0]) if skew is None else skew),
                mirrored=runs_leftward(lines[index].text for index in members[quarter]),
            ),
            members[quarter],
        )
        for quarter in quarters
    ]


def _is_level(line: Line) -> bool:
    """Whether a line's text runs to the right, exactly level."""
    (left, top), (right, foot) = line.polygon[:2]
    return top == foot and left < right


def _join_short(lines: Sequence[Line], members: dict[int, list[int]]) -> None:
    """Puts lines of one or two letters with the others: their shape shows no direction."""
    most = max(members, key=lambda quarter: len(members[quarter]), default=0)
    for quarter in [each for each in members if each != most]:
        short = {index for index in members[quarter] if len(lines[index].text.strip()) <= SHORT}
        members[quarter] = [index for index in members[quarter] if index not in short]
        members[most] = sorted([*members[most], *short])
        if not members[quarter]:
            del members[quarter]


def runs_leftward(texts: Iterable[str]) -> bool:
    """Whether most letters are of scripts written from right to left."""
    texts = list(texts)
    if not any(map(_LEFTWARD.search, [text for text in texts if not text.isascii()])):
        return False
    ways = [bidirectional(letter) for text in texts for letter in text]
    return ways.count("R") + ways.count("AL") > ways.count("L")


def _height(point: Point) -> float:
    return point[1]
