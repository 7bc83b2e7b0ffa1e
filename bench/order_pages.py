"""Pages whose reading order is known: their content, and the lines as engines find them.

`bench.order_layouts` sets such pages from words of our own.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from pagetide.document import Line, Word
from pagetide.geometry import Box, Point, Polygon, polygon_of, turned, union
from pagetide.layout import Drawn, Rule


@dataclass(frozen=True, kw_only=True)
class Piece:
    """One line of text: its words, left to right, and their positions."""

    words: tuple[str, ...]
    boxes: tuple[Box, ...]

    @property
    def box(self) -> Box:
        """Around all words."""
        return union(self.boxes)


@dataclass(frozen=True, kw_only=True)
class Part:
    """A block: a paragraph, a heading, a caption, a table, a header.

    Attributes:
        size: Of its letters, in pixels.
        picture: The figure's box, for a block that is one; it has labels or no lines.
        rules: The ends of lines drawn across a table.
    """

    kind: str
    pieces: tuple[Piece, ...]
    size: float
    picture: Box | None = None
    rules: tuple[tuple[Point, Point], ...] = ()


@dataclass(frozen=True, kw_only=True)
class OrderPage:
    """A page, its blocks in reading order.

    Attributes:
        name: Of the layout.
        orders: The right orders, as places in `parts`; the first is as printed.
        leftward: Its script runs from right to left.
        skew: Degrees clockwise.
    """

    name: str
    seed: int
    width: float
    height: float
    parts: tuple[Part, ...]
    orders: tuple[tuple[int, ...], ...]
    leftward: bool = False
    skew: float = 0.0

    def lines(self, *, like_ocr: bool) -> tuple[list[Line], list[int]]:
        """The lines in no order, and for each the place of its block in `parts`.

        Args:
            like_ocr: Boxes are slightly off and some lines are found in two pieces.
        """
        chance = random.Random(f"{self.name} {self.seed} lines")  # noqa: S311 - not for secrets
        found = []
        for place, part in enumerate(self.parts):
            for piece in part.pieces:
                halves = _broken(piece, chance) if like_ocr else [piece]
                found += [
                    (self._line(half, part.size, chance if like_ocr else None), place)
                    for half in halves
                ]
        chance.shuffle(found)
        return [line for line, _ in found], [place for _, place in found]

    @property
    def seen(self) -> Drawn:
        """What is drawn on the page besides its letters."""
        rules = (self._placed(ends) for part in self.parts for ends in part.rules)
        return Drawn(
            pictures=tuple(part.picture for part in self.parts if part.picture),
            rules=tuple(Rule(start=start, end=end, thickness=2) for start, end in rules),
        )

    def drawn(self) -> list[Line]:
        """The lines block by block, the blocks in no order, as frames of a page are drawn."""
        chance = random.Random(f"{self.name} {self.seed} frames")  # noqa: S311 - not for secrets
        parts = chance.sample(self.parts, len(self.parts))
        return [self._line(piece, part.size, None) for part in parts for piece in part.pieces]

    def _line(self, piece: Piece, size: float, chance: random.Random | None) -> Line:
        x0, y0, x1, y1 = piece.box
        if chance:
            off = [chance.uniform(-0.1, 0.15) * size for _ in range(4)]
            x0, y0, x1, y1 = x0 - off[0], y0 - off[1], x1 + off[2], y1 + off[3]
        pairs = zip(piece.words, piece.boxes, strict=True)
        words = [Word(text=text, polygon=self._placed(polygon_of(box))) for text, box in pairs]
        texts = piece.words
        if self.leftward:
            words, texts = words[::-1], texts[::-1]
        polygon = self._placed(polygon_of((x0, y0, x1, y1)))
        if chance:
            shaken = ((x, y + chance.uniform(-0.04, 0.04) * size) for x, y in polygon)
            polygon = tuple(shaken)
        return Line(text=" ".join(texts), polygon=polygon, words=tuple(words))

    def upright(self, polygon: Polygon) -> Polygon:
        """A polygon of the page as displayed, as if the page were not skewed."""
        middle = (self.width / 2, self.height / 2)
        points = tuple((x - middle[0], y - middle[1]) for x, y in polygon)
        return tuple(
            (x + middle[0], y + middle[1]) for x, y in turned(points, -math.radians(self.skew))
        )

    def _placed(self, polygon: Polygon) -> Polygon:
        middle = (self.width / 2, self.height / 2)
        points = tuple((x - middle[0], y - middle[1]) for x, y in polygon)
        return tuple(
            (x + middle[0], y + middle[1]) for x, y in turned(points, math.radians(self.skew))
        )


def _broken(piece: Piece, chance: random.Random) -> list[Piece]:
    """The line, or one time in twenty its two halves."""
    if len(piece.words) < 4 or chance.random() > 0.05:
        return [piece]
    at = chance.randrange(1, len(piece.words))
    return [
        Piece(words=piece.words[part], boxes=piece.boxes[part])
        for part in (slice(None, at), slice(at, None))
    ]
