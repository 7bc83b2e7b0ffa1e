"""What has been drawn on a page so far, and what of it is visible: pure, in page pixels."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from pagetide.geometry import Box, area, center, contains, union
from pagetide.inputs.drawings.bullets import bullets
from pagetide.inputs.drawings.charts import drawings
from pagetide.inputs.drawings.check_boxes import check_boxes, is_a_side, outside_boxes
from pagetide.inputs.drawings.covered import Cover, showing
from pagetide.layout import Drawn
from pagetide.layout.ruling import Piece, joined, rules_of

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, each 0–255."""

_MOST_PIECES, _MOST_RULES, _MOST_FILLS, _MOST_PICTURES = 40_000, 3000, 1500, 500
_MOST_GROUNDS = 200
_MOST_SHAPES = 600  # joining them is quadratic

# In points.
_THIN = 3.0  # a filled box no thicker is a line
_SHORTEST = 5.0  # of a rule: less than the height of a small line of text
_TOUCHING = 1.0  # strips of one picture leave no wider gap

_ALIKE = 4  # of 255: a smaller difference in each colour is not visible
_WHOLE_PAGE = 0.9  # a fill over this much of the page is its background
_WHOLE_PICTURE = 0.8  # and so is a picture: the page is a scan
_WHITE = (255.0, 255.0, 255.0)


class Canvas:
    """Collects lines, boxes and pictures in drawing order.

    Args:
        page: The page's box.
        unit: Pixels per point.

    Attributes:
        too_many: More was drawn than is kept.
    """

    def __init__(self, page: Box, unit: float) -> None:
        self.page, self.unit = page, unit
        self.too_many = False
        self._across: list[Piece] = []
        self._down: list[Piece] = []
        self._fills: list[Box] = []
        self._covers: list[Cover] = []
        self._pictures: list[Box] = []
        self._grounds: list[Box] = []
        self._shapes: list[Box] = []
        self._dots: list[Box] = []
        self._frames: list[Box] = []
        self._background = _WHITE

    def line(
        self,
        is_down: bool,
        piece: Piece,
        colour: Colour | None,
        clip: Box,
    ) -> None:
        """A straight line.

        Args:
            is_down: It runs from top to bottom.
            piece: Its position.
            colour: None if unknown: then it is visible.
            clip: The visible part of the page.
        """
        at, start, end, thickness = piece
        if thickness > _THIN * self.unit:
            half = thickness / 2
            low, high = at - half, at + half
            box = (low, start, high, end) if is_down else (start, low, end, high)
            self.box(clipped(box, clip), colour)
            return
        left, top, right, bottom = clip
        near, far, first, last = (
            (left, right, top, bottom) if is_down else (top, bottom, left, right)
        )
        start, end = max(start, first), min(end, last)
        # A line on the clip's edge is half cut off, not gone.
        slack = thickness / 2 + self.unit / 2
        if not start < end or not near - slack <= at <= far + slack:
            return
        middle = (start + end) / 2
        if self._shows(colour, (at, middle) if is_down else (middle, at)):
            self._piece(is_down, (at, start, end, thickness))

    def box(self, box: Box, colour: Colour | None, *, hides: bool = False) -> None:
        """A filled box, already clipped.

        Args:
            box: Its position.
            colour: None for a pattern.
            hides: Nothing drawn before is visible through it.
        """
        x0, y0, x1, y1 = box
        width, height = x1 - x0, y1 - y0
        if width < 0 or height < 0:
            return
        if min(width, height) <= _THIN * self.unit:
            self._thin(box, colour)
            return
        if hides and len(self._covers) < _MOST_FILLS:
            self._covers.append(Cover(box, len(self._across), len(self._down)))
        if area(box) >= _WHOLE_PAGE * area(self.page):
            self._cover(colour)
        else:
            self._fill(box, colour)

    def picture(self, box: Box) -> None:
        """A picture, already clipped."""
        if box[2] <= box[0] or box[3] <= box[1]:
            return
        self._ground(box)
        if area(box) >= _WHOLE_PICTURE * area(self.page):
            return
        if len(self._pictures) < _MOST_PICTURES:
            self._pictures.append(box)
        else:
            self.too_many = True

    def shape(self, box: Box, colour: Colour | None) -> None:
        """A drawing other than a level line or a box, already clipped."""
        if len(self._shapes) >= _MOST_SHAPES:
            self.too_many = True
        elif self._shows(colour, center(box)):
            self._shapes.append(box)

    def frame(self, box: Box) -> None:
        """A box with an edge, with or without round corners, already clipped."""
        if len(self._frames) < _MOST_SHAPES:
            self._frames.append(box)

    def drawn(self) -> Drawn:
        """Everything visible, joined."""
        pictures = self._whole_pictures()
        across, down = (
            joined(showing(each, self._covers, down=is_down, unit=self.unit), unit=self.unit)
            for each, is_down in ((self._across, False), (self._down, True))
        )
        lines = (across[:_MOST_RULES], down[:_MOST_RULES])
        squares = check_boxes(
            self._across, self._down, self._shapes, self._fills, unit=self.unit
        )
        # A cross in a check box is not an arrow.
        shapes, frames = (outside_boxes(each, squares) for each in (self._shapes, self._frames))
        drawings_here, charts = drawings(shapes, frames, self._fills, *lines, unit=self.unit)
        pictures += drawings_here
        marks = chain(self._shapes, self._fills, self._dots)
        rules = [
            rule
            for rule in rules_of(across, down, unit=self.unit, shortest=_SHORTEST * self.unit)
            if not is_a_side(rule, squares, self.unit)
        ]
        if len(rules) > _MOST_RULES:
            self.too_many = True
            rules.sort(key=lambda rule: -sum(rule.end) + sum(rule.start))
            del rules[_MOST_RULES:]
        return Drawn(
            rules=tuple(rules),
            fills=tuple([_rounded(box) for box in self._fills]),
            pictures=tuple([_rounded(box) for box in pictures]),
            charts=tuple([_rounded(box) for box in charts]),
            check_boxes=tuple(squares),
            bullets=tuple([_rounded(box) for box in bullets(marks, pictures, unit=self.unit)]),
            too_many=self.too_many,
        )

    def _piece(self, is_down: bool, piece: Piece) -> None:
        if len(self._across) + len(self._down) >= _MOST_PIECES:
            self.too_many = True
        elif is_down:
            self._down.append(piece)
        else:
            self._across.append(piece)

    def _thin(self, box: Box, colour: Colour | None) -> None:
        x0, y0, x1, y1 = box
        if not self._shows(colour, center(box)):
            return
        width, height = x1 - x0, y1 - y0
        if len(self._dots) < _MOST_SHAPES:
            self._dots.append(box)
        # A dot may be part of a dotted line either way.
        if width >= height / 2:
            self._piece(False, ((y0 + y1) / 2, x0, x1, height))
        if height >= width / 2:
            self._piece(True, ((x0 + x1) / 2, y0, y1, width))

    def _fill(self, box: Box, colour: Colour | None) -> None:
        if not self._shows(colour, center(box)):
            return
        if not self._is_background(colour):
            if len(self._fills) >= _MOST_FILLS:
                self.too_many = True
                return
            self._fills.append(box)
            self._ground(box)
        x0, y0, x1, y1 = box
        self._piece(False, (y0, x0, x1, 0.0))
        self._piece(False, (y1, x0, x1, 0.0))
        self._piece(True, (x0, y0, y1, 0.0))
        self._piece(True, (x1, y0, y1, 0.0))

    def _ground(self, box: Box) -> None:
        if len(self._grounds) < _MOST_GROUNDS:
            self._grounds.append(box)

    def _cover(self, colour: Colour | None) -> None:
        if colour is not None:
            red, green, blue, opacity = colour
            share = opacity / 255
            self._background = tuple(  # type: ignore[assignment]  # three, as given
                under + (over - under) * share
                for over, under in zip((red, green, blue), self._background, strict=True)
            )

    def _shows(self, colour: Colour | None, middle: tuple[float, float]) -> bool:
        if not self._is_background(colour):
            return True
        if colour is None or colour[3] < _ALIKE:
            return False
        return any(contains(box, middle) for box in self._grounds)

    def _is_background(self, colour: Colour | None) -> bool:
        """Whether it looks the same as the page itself."""
        if colour is None:
            return False
        red, green, blue, opacity = colour
        under_red, under_green, under_blue = self._background
        most = max(abs(red - under_red), abs(green - under_green), abs(blue - under_blue))
        return most * opacity < _ALIKE * 255

    def _whole_pictures(self) -> list[Box]:
        """The pictures, strips of one joined; thin ones become lines."""
        pictures = self._pictures
        for along in (1, 0):
            pictures = _stacked(pictures, along, _TOUCHING * self.unit)
        whole: list[Box] = []
        for box in pictures:
            if min(box[2] - box[0], box[3] - box[1]) <= _THIN * self.unit:
                self._thin(box, None)
            else:
                whole.append(box)
        return [box for box in whole if area(box) < _WHOLE_PICTURE * area(self.page)]


def clipped(box: Box, within: Box) -> Box:
    """The part of a box that lies in another; with `x1 < x0` or `y1 < y0`, none."""
    return (
        box[0] if box[0] > within[0] else within[0],
        box[1] if box[1] > within[1] else within[1],
        box[2] if box[2] < within[2] else within[2],
        box[3] if box[3] < within[3] else within[3],
    )


def _stacked(boxes: Iterable[Box], along: int, gap: float) -> list[Box]:
    """Boxes with the same sides that touch along one axis, joined."""
    across = 1 - along
    whole: list[Box] = []
    for box in sorted(boxes, key=lambda box: (round(box[across] / gap), box[along])):
        last = whole[-1] if whole else None
        if (
            last is not None
            and abs(last[across] - box[across]) <= gap
            and abs(last[across + 2] - box[across + 2]) <= gap
            and box[along] - last[along + 2] <= gap
        ):
            whole[-1] = union((last, box))
        else:
            whole.append(box)
    return whole


def _rounded(box: Box) -> Box:
    x0, y0, x1, y1 = box
    return (round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))
