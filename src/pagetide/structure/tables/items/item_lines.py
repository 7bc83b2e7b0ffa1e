"""What the lines among a table's items are: further lines of one, prose, or a page's number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pagetide.structure.margins.edges import is_sure_number
from pagetide.structure.tables.pieces import Piece

_WORD = re.compile(r"\S*[^\W\d_]\S*")
_SIZE = re.compile(r"\d\s?×\s?\d")
_PARTS = re.compile(r"\s[·•|]\s")

LONG = 4  # words with letters
# In line heights.
NEAR = 0.5  # between aligned edges
INDENT = 3.0  # of an item's further lines, at most


def is_prose(row: Sequence[Piece]) -> bool:
    """Whether sentences are side by side, as in columns of prose."""
    long = [piece.text for piece in row if len(_WORD.findall(piece.text)) >= LONG]
    return sum(not _SIZE.search(text) for text in long) > 1


def ends_in_page(text: str) -> bool:
    """Whether a text is a page's number, or ends with one after a dot or a stroke."""
    return is_sure_number(_PARTS.split(text)[-1])


def is_aligned(row: Sequence[Piece], above: Iterable[Piece], line: float) -> bool:
    """Whether most of a line's texts start or end where one of the texts above does.

    They may be indented, or have their middle there.

    Args:
        row: The line.
        above: The texts that it may belong to, and their headers.
        line: The page's typical line height.
    """
    others = list(above)
    aligned = sum(any(_lines_up(piece, other, line) for other in others) for piece in row)
    return 2 * aligned > len(row)


def _lines_up(piece: Piece, above: Piece, line: float) -> bool:
    near = NEAR * line
    return (
        -near < piece.x0 - above.x0 < INDENT * line
        or abs(piece.x1 - above.x1) < near
        or abs(piece.center - above.center) < near
    )
