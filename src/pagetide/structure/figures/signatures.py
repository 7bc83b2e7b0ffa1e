"""Signatures: drawn strokes that were read as letters."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.structure.draft import Draft
from pagetide.structure.running import RowsOf

# A signature is read as one or two letters, wider than any letter is, and with low confidence:
# `MM`, 0.71. Of 140 pictures of the corpus no other line with letters is that wide and
# uncertain.
WIDE = 1.3  # times its line's height: the width of one letter
UNSURE = 0.85  # its confidence, at most
TALL = 1.3  # typical line heights
MOST_LETTERS = 8


def signatures(
    rows: RowsOf, places: Sequence[int], line: float
) -> tuple[list[Draft], list[int]]:
    """A figure for each signature, with the text read from it, and the remaining places.

    Args:
        rows: The lines.
        places: Those of no table.
        line: The typical line height.
    """
    drafts, left = list[Draft](), list[int]()
    for place in places:
        if _is_drawn(rows, place, line):
            row = rows.row([place])
            drafts.append(Draft(kind="figure", area=rows.boxes[place], rows=(row,)))
        else:
            left.append(place)
    return drafts, left


def _is_drawn(rows: RowsOf, place: int, line: float) -> bool:
    """Whether letters are too wide, too tall and too uncertain to be written text."""
    read = rows.lines[rows.members[place]]
    if read.confidence is None or read.confidence > UNSURE:
        return False
    x0, y0, x1, y1 = rows.boxes[place]
    letters = "".join(read.text.split())
    return (
        0 < len(letters) <= MOST_LETTERS
        and letters.isalpha()
        and x1 - x0 > WIDE * len(letters) * (y1 - y0)
        and y1 - y0 > TALL * line
    )
