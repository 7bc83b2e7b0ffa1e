"""Headings among the rows of running text, detected by their length and position."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.structure.areas.kinds import is_prose
from pagetide.structure.rows import Row

HEADING_LETTERS = 120
SHORT = 0.75  # of the prose below it: a heading that only its position indicates

STOPS = (".", ":", ";", "?", "!", "。", "：", "].", ")")
ENDS = (*STOPS, ",")


def heads(row: Row, following: Sequence[Row]) -> bool:
    """Whether a row is the heading of prose: short, of letters, not a sentence."""
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
