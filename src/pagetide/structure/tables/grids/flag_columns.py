"""Columns of flags set as close to figures as words: `11.58  PB`, `18,9  ++`.

Figures of several widths that end at one edge, whether a text follows them or not, are a
right-aligned column. With a flag in their own cell, those without one would end farther right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.grids.level_words import LevelGutter
from pagetide.structure.tables.pieces import Piece, baselines, has_figures, phrase

LEAST = 2  # figures with a flag, and figures without
GAP = 0.4  # of a word's height: a note's mark is closer to its figure
LEVEL = 0.15  # of a word's height: aligned edges


class _Value(NamedTuple):
    """A column's text in a row, and what follows it there, if anything does."""

    text: Piece
    flag: Piece | None


def flag_gutters(pieces: Sequence[Piece], known: Sequence[float]) -> list[LevelGutter]:
    """The boundaries between right-aligned figures and flags that start at one edge.

    One that is known already is among them: it parts phrases that are set across it.

    Args:
        pieces: A table's phrases.
        known: Its column boundaries, with the outer ones.
    """
    rows = [[w for piece in row for w in piece.words or (piece,)] for row in baselines(pieces)]
    edges = sorted(known)
    inside = (_gutter(list(_values(rows, *column)), edges) for column in pairwise(edges))
    pairs = zip(edges, edges[2:], strict=False)
    across = (_gutter(list(_values(rows, *pair)), edges) for pair in pairs)
    return [gutter for gutter in inside if gutter] + [
        gutter for gutter in across if gutter and gutter.at in edges
    ]


def _values(rows: Sequence[Sequence[Piece]], left: float, right: float) -> Iterator[_Value]:
    """What each row has in a column, parted at its first gap that is wider than a space."""
    for row in rows:
        words = [word for word in row if word.center > left and word.x0 < right]
        if not words:
            continue
        gaps = (place for place in range(1, len(words)) if _is_apart(*words[place - 1 :][:2]))
        end = next(gaps, len(words))
        flag = phrase(words[end:]) if end < len(words) else None
        yield _Value(phrase(words[:end]), flag)


def _is_apart(left: Piece, right: Piece) -> bool:
    return right.x0 - left.x1 >= GAP * (right.y1 - right.y0)


def _gutter(values: Sequence[_Value], known: Sequence[float]) -> LevelGutter | None:
    """The boundary between a column's figures and their flags, if it has any."""
    figures = [value for value in values if is_number(value.text.text)]
    flagged = [(value.text, value.flag) for value in figures if value.flag]
    if min(len(flagged), len(figures) - len(flagged)) < LEAST:
        return None
    near = LEVEL * (figures[0].text.y1 - figures[0].text.y0)
    ends, flags = [each.text.x1 for each in figures], [flag.x0 for _, flag in flagged]
    end = max(ends)
    if end - min(ends) > near or max(flags) - min(flags) > near:
        return None
    starts = [v.text.x0 for v in values if abs(v.text.x1 - end) <= near]
    if max(starts) - min(starts) <= near or any(has_figures(f.text) for _, f in flagged):
        return None
    begin, top = min(flags), figures[0].text.y0
    if any(v.text.x0 < begin < v.text.x1 for v in values if v.text.y0 > top):
        return None
    at = next((x for x in known if end <= x <= begin), (end + begin) / 2)
    return LevelGutter(at, max(flag.y1 for _, flag in flagged))
