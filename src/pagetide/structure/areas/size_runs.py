"""Splits the rows of a column where their type changes: its size, its weight or its slant."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median_low

from pagetide.structure.figures.captions import is_numbered_caption
from pagetide.structure.rows import Row, is_bold_at, starts_anew

OTHER_SIZE = 1.2  # OCR boxes of one font differ by this much with their letters
OTHER_WIDTH = 1.1
BOLD_SIZE = 1.5  # times the height: bold rows of two sizes, if the font is known
EXACT = 0.005  # of the usual height
HEAD_SIZE, HEAD_WIDTH = 1.07, 1.03  # of a header, if a font gives the height of rows

NOTE_SIZE = 1.1  # of text, in relation to a caption


def runs_of_a_size(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows split where the font's size or weight changes, or a short row is in italics.

    Box height alone misleads if a formula makes a line tall, letter width alone if one is bold;
    so both must agree.
    """
    runs: list[list[Row]] = []
    exact = are_exact(rows)
    right = max((row.box[2] for row in rows), default=0.0)
    for row in rows:
        last = runs[-1][-1] if runs else None
        if (
            last is None
            or (row.bold != last.bold and not _reads_on(last, row, right))
            or _is_larger(row, last)
            or _is_larger(last, row)
            or (exact and row.bold and _are_apart(row.height, last.height))
            or (exact and _ends_caption(runs[-1], row))
            or (
                has_room(last, row, right)
                and (row.italic != last.italic or (exact and _is_over(last, row)))
            )
        ):
            runs.append([])
        runs[-1].append(row)
    return runs


def _are_apart(height: float, other: float) -> bool:
    """Whether bold rows have two sizes: no formula is bold, and letters may be narrow."""
    return max(height, other) > BOLD_SIZE * min(height, other)


def are_exact(rows: Sequence[Row]) -> bool:
    """Whether most rows have equal heights: they come from a font, not an image."""
    usual = median_low(row.height for row in rows) if rows else 0.0
    return 2 * sum(abs(row.height - usual) < EXACT * usual for row in rows) > len(rows)


def has_room(row: Row, below: Row, right: float) -> bool:
    """Whether the next row's first word would have fitted on a row."""
    return right - row.box[2] > below.first_word + below.height


def _reads_on(row: Row, below: Row, right: float) -> bool:
    """Whether a bold phrase of a sentence goes on at the start of the next row."""
    ends = is_bold_at(row.lines[-1], len(row.lines[-1].text) - 1)
    return ends and is_bold_at(below.lines[0], 0) and not has_room(row, below, right)


def _ends_caption(caption: Sequence[Row], row: Row) -> bool:
    """Whether rows are a caption in smaller type than the sentence below it."""
    last = caption[-1]
    return (
        is_numbered_caption(caption[0].text)
        and last.text.rstrip()[-1:] in ".!?:。"
        and starts_anew(row.text)
        and row.height > NOTE_SIZE * last.height
        and row.letter_width > HEAD_WIDTH * last.letter_width
    )


def _is_over(row: Row, below: Row) -> bool:
    """Whether a row's type is slightly larger than the next one's."""
    return (
        row.height > HEAD_SIZE * below.height
        and row.letter_width > HEAD_WIDTH * below.letter_width
    )


def _is_larger(row: Row, other: Row) -> bool:
    return (
        row.height > OTHER_SIZE * other.height
        and row.letter_width > OTHER_WIDTH * other.letter_width
    )
