"""Sums in a ruled table's last columns: left of them, only their names are in the table."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.geometry import Box
from pagetide.structure.tables.line_words import LineWords, Words
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.ruled.frames import Frame

LEAST = 3.0  # line heights of the sums
NAME, NEAR = 4, 1.0  # words of a sum's short name, and line heights from its end to the sums


def without_notch(frame: Frame, words: Words, line: float) -> Words:
    """The words, without those left of where a frame's sums start, except the sums' names."""
    notch = _notch(frame, line)
    if notch is None:
        return words
    x0, y0, x1, y1 = notch
    inside = [
        phrase
        for of_line in words
        for phrase in of_line.phrases
        if x0 < phrase.center < x1 and y0 < phrase.middle < y1
    ]
    left_out = set(inside).difference(_names(inside, x1, line))
    if not left_out:
        return words
    return [
        LineWords(
            word
            for phrase in of_line.phrases
            if phrase not in left_out
            for word in phrase.words or (phrase,)
        )
        for of_line in words
    ]


def _names(phrases: Sequence[Piece], edge: float, line: float) -> list[Piece]:
    """The short phrases that end right before the sums, and longer ones that end with one."""
    near = [phrase for phrase in phrases if 0 < edge - phrase.x1 < NEAR * line]
    ends = [phrase.x1 for phrase in near if len(phrase.words) <= NAME]
    return [p for p in near if any(abs(p.x1 - end) < line / 8 for end in ends)]


def _notch(frame: Frame, line: float) -> Box | None:
    """Where a frame's left side has ended, but a rule between its columns has not.

    Shades that start again below, none with a drawn side, are those of some rows.
    """
    x0, y0, _, y1 = frame.box
    near, bottom = line / 2, y0
    sides = sorted((s for s in frame.down if s.at < x0 + near), key=lambda stroke: stroke.start)
    for side in sides:
        if side.start < bottom + line:
            bottom = max(bottom, side.end)
    if sides and sides[-1].start > bottom and not any(side.thickness for side in sides):
        return None
    if bottom < y0 + line or y1 - bottom < LEAST * line:
        return None
    inner = [
        rule.at
        for rule in frame.down
        if rule.at > x0 + near and rule.start < bottom - line and rule.end > y1 - near
    ]
    below = next((rule for rule in frame.across if rule.at > bottom + near), None)
    if not inner or below is None or below.start < min(inner) - near:
        return None
    return (x0, bottom, min(inner), y1)
