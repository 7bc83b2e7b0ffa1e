"""Lists and headings among the rows of running text, told by marks, steps and length."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from pagetide.structure.area_kinds import is_prose
from pagetide.structure.paragraphs import Row

HEADING_LETTERS = 120
SHORT = 0.75  # of the prose below it: a heading that nothing but its place tells

STOPS = (".", ":", ";", "?", "!", "。", "：", "].", ")")
ENDS = (*STOPS, ",")
ITEM = re.compile(r"\s*\(?(\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s")


def hangs(part: Sequence[Row]) -> bool:
    """Whether a part is a list's item: a number, and all other rows set in below its text."""
    if len(part) < 2 or not ITEM.match(part[0].text):
        return False
    return all(row.box[0] > part[0].box[0] + row.height / 2 for row in part[1:])


def items(rows: list[Row]) -> list[tuple[list[Row], bool]]:
    """The rows parted before each item of a list whose items count up.

    Returns:
        Rows, and whether an item begins with them.
    """
    starts = [
        (place, match[1]) for place, row in enumerate(rows) if (match := ITEM.match(row.text))
    ]
    cuts = {
        place
        for (a, one), (b, two) in itertools.pairwise(starts)
        if _follows(one, two) and abs(rows[a].box[0] - rows[b].box[0]) < rows[a].height
        for place in (a, b)
    }
    cuts |= {place for place, _ in starts if _hangs_at(rows, place)}
    edges = sorted({0, *cuts, len(rows)})
    return [(rows[start:end], start in cuts) for start, end in itertools.pairwise(edges)]


def _hangs_at(rows: list[Row], place: int) -> bool:
    """Whether an item begins at a place though none follows: its next row is set in."""
    following = rows[place + 1 : place + 2]
    step = rows[place].height / 2
    return bool(following) and step < following[0].box[0] - rows[place].box[0] < 4 * step


def _follows(one: str, two: str) -> bool:
    if one.isdigit() and two.isdigit():
        return int(two) == int(one) + 1
    return len(one) == len(two) == 1 and ord(two) == ord(one) + 1


def heads(row: Row, following: Sequence[Row]) -> bool:
    """Whether a row is the heading of prose: short, of letters, no sentence."""
    text = row.text.strip()
    left, right = min(r.box[0] for r in following), max(r.box[2] for r in following)
    return (
        len(following) > 1
        and is_prose(following)
        and len(text) <= HEADING_LETTERS
        and text[:1].isalnum()
        and not text[:1].islower()
        and sum(map(str.isalpha, text)) > len(text) / 2
        and not text.endswith(ENDS)
        and row.box[2] - row.box[0] < SHORT * (right - left)
        and abs(row.box[0] - left) < row.height
    )
