"""The area below a table mirrored vertically, as if it were above."""

from __future__ import annotations

from collections.abc import Iterable

from pagetide.geometry import Box
from pagetide.structure.tables.line_words import LineWords, Words
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.ruled.frames import Stroke


def flipped(words: Words) -> list[LineWords]:
    """Words with up and down swapped."""
    return [LineWords(map(_flipped, of_line)) for of_line in words]


def _flipped(piece: Piece) -> Piece:
    return piece._replace(y0=-piece.y1, y1=-piece.y0)


def flipped_box(box: Box) -> Box:
    """The same for a box."""
    return (box[0], -box[3], box[2], -box[1])


def flipped_rules(across: Iterable[Stroke]) -> list[Stroke]:
    """The same for rules."""
    return [stroke._replace(at=-stroke.at) for stroke in across]
