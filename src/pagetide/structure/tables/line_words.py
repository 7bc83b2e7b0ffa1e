"""The words of a page by line, and which of them are inside a box."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

from pagetide.document import Line
from pagetide.geometry import Box, box_of, center, stretch_of
from pagetide.layout.words import spaced_words
from pagetide.structure.tables.columns_apart import with_columns_apart
from pagetide.structure.tables.pieces import Piece, chunks_of
from pagetide.structure.tables.rows_numbered import with_numbers_apart


class LineWords(tuple[Piece, ...]):
    """Words of one line, in the text's order.

    Their extent and their phrases are computed once: a page needs them 100 times.
    """

    @cached_property
    def reach(self) -> Box:
        """The box around the words' middles; without words, a box that touches nothing."""
        across, up = [w.x0 + w.x1 for w in self], [w.y0 + w.y1 for w in self]
        if not across:
            return math.inf, math.inf, -math.inf, -math.inf
        return min(across) / 2, min(up) / 2, max(across) / 2, max(up) / 2

    @cached_property
    def phrases(self) -> tuple[Piece, ...]:
        """The words joined into phrases where the gaps are those within a phrase."""
        return tuple(chunks_of(self))

    def between(self, top: float, bottom: float) -> LineWords:
        """The words whose middles are between two vertical positions."""
        _, high, _, low = self.reach
        if top <= high and low <= bottom:
            return self
        return LineWords(word for word in self if top <= word.middle <= bottom)


Words = Sequence[LineWords]
"""Words by line; a line may have none."""


def together(words: Words) -> Words:
    """The words as close as their spaces say, whatever columns they are in."""
    if not any(word.apart for own in words for word in own):
        return words
    return [LineWords(word._replace(apart=False) for word in own) for own in words]


def words_of(lines: Sequence[Line], boxes: Sequence[Box]) -> list[LineWords]:
    """Each line's words, upright, in the text's order; a line without words is one.

    Args:
        lines: With polygons in page pixels, in any orientation.
        boxes: The same lines turned upright (and possibly mirrored).
    """
    mirrored = _mirrored(lines, boxes)
    words = [
        [piece for piece in _words(line, box, index, mirrored=mirrored) if piece.text.strip()]
        for index, (line, box) in enumerate(zip(lines, boxes, strict=True))
    ]
    apart = with_numbers_apart(with_columns_apart(lines, words))
    return [LineWords(own) for own in apart]


def _words(line: Line, box: Box, index: int, *, mirrored: bool) -> list[Piece]:
    if not line.words:
        return [Piece(line.text, *box, index)]
    spaced = [True, *(space for _, space in spaced_words(line))]
    if not mirrored and _near(box_of(line.polygon), box):
        return [
            Piece(word.text, *box_of(word.polygon), index, (), space, place)
            for place, (word, space) in enumerate(zip(line.words, spaced, strict=False))
        ]
    # The line was turned: a word keeps its share of the line's length.
    x0, y0, x1, y1 = box
    found = []
    for place, (word, space) in enumerate(zip(line.words, spaced, strict=False)):
        low, high = stretch_of(line.polygon, word.polygon)
        if mirrored:
            low, high = 1 - high, 1 - low
        left, right = x0 + low * (x1 - x0), x0 + high * (x1 - x0)
        found.append(Piece(word.text, left, y0, right, y1, index, (), space, place))
    return found


def _near(a: Box, b: Box) -> bool:
    return all(abs(p - q) < 0.01 for p, q in zip(a, b, strict=True))


def _mirrored(lines: Sequence[Line], boxes: Sequence[Box]) -> bool:
    """Whether left and right are swapped, as for text that runs leftward.

    The leftmost and rightmost lines decide: along the text's direction they are then in reverse
    order.
    """
    if len(lines) < 2:
        return False
    order = sorted(range(len(boxes)), key=lambda i: boxes[i][0] + boxes[i][2])
    left, right = lines[order[0]].polygon, lines[order[-1]].polygon
    (x0, y0), (x1, y1) = max((left, right), key=lambda p: math.dist(p[0], p[1]))[:2]
    (ax, ay), (bx, by) = center(box_of(left)), center(box_of(right))
    return (bx - ax) * (x1 - x0) + (by - ay) * (y1 - y0) < 0


def inside_of(box: Box, words: Words, line: float) -> list[LineWords]:
    """The words in a box or half a line beside it, by line.

    A phrase cut by the box is included as a whole if most of it is inside, otherwise not at
    all.
    """
    x0, y0, x1, y1 = box
    x0, x1 = x0 - line / 2, x1 + line / 2

    def inside(word: Piece) -> bool:
        return y0 <= word.middle <= y1 and x0 <= word.center <= x1

    found = []
    for of_line in words:
        left, top, right, bottom = of_line.reach
        if right < x0 or x1 < left or bottom < y0 or y1 < top:
            continue
        if x0 <= left and right <= x1 and y0 <= top and bottom <= y1:
            found.append(of_line)
            continue
        runs = (phrase.words or (phrase,) for phrase in of_line.phrases)
        cut = LineWords(word for run in runs if _mostly(run, inside) for word in run)
        if cut:
            found.append(cut)
    return found


def _mostly(words: Sequence[Piece], inside: Callable[[Piece], bool]) -> bool:
    """Whether the words inside take up more than half of the words' width."""
    widths = [(max(word.x1 - word.x0, 1e-6), inside(word)) for word in words]
    return 2 * sum(width for width, within in widths if within) > sum(w for w, _ in widths)
