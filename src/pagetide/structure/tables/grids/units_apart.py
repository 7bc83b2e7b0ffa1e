"""Units in a separate column, as close to their figures as words are: `4 | VE`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.pieces import Piece, baselines, phrase

NEAREST = 0.45  # of a word's height: spaces between words are narrower
WIDER = 1.3  # times the usual space in the table: typewriters have wide ones
LEVEL = 0.15  # of a word's height: tolerance for the ends of figures and the starts of units
BEGINS = 0.5  # of it: tolerance for the start of a unit header from where the units start
LEAST = 3  # figures with units
MOST = 20  # such columns in a table
LONGEST = 6  # characters of a unit
SIGNS = frozenset("%‰")

Pair = tuple[Piece, Piece]


def unit_gutters(pieces: Sequence[Piece], known: Sequence[float]) -> list[float]:
    """Where unit columns start whose header is separate from that of the figures.

    The figures are right-aligned, and the units left-aligned.

    Args:
        pieces: A table's phrases.
        known: The column boundaries found so far.
    """
    words, spaces = _beside(pieces)
    usual = median(spaces) if spaces else 0.0
    words = [(a, b) for a, b in words if _space(a, b) >= WIDER * usual]
    pairs = [(a, b) for a, b in words if is_number(a.text) and is_unit(b.text)]
    groups = [group for group in _level(pairs) if len(group) >= LEAST]
    if not groups:
        return []
    words += (pair for row in baselines(pieces) for pair in pairwise(row))
    heads = [(a, b) for a, b in words if not (is_number(a.text) or is_number(b.text))]
    found: list[float] = []
    for group in groups if len(groups) <= MOST else ():
        left, right = max(a.x1 for a, _ in group), min(b.x0 for _, b in group)
        top = min(a.y0 for a, _ in group)
        is_new = not any(left <= x <= right for x in (*known, *found))
        if is_new and any(_is_head(*pair, left, right, top) for pair in heads):
            found.append((left + right) / 2)
    return found


def _beside(pieces: Iterable[Piece]) -> tuple[list[Pair], list[float]]:
    """The text before the last word of each phrase, and that word, if they are far apart.

    The figure before a unit may have a mark, such as `11,4 D`. Also the spaces between all
    other words, in heights.
    """
    found: list[Pair] = []
    spaces: list[float] = []
    for piece in pieces:
        rooms = [_space(a, b) for a, b in pairwise(piece.words)]
        if rooms and rooms[-1] >= NEAREST and rooms[-1] > max(rooms[:-1], default=0.0):
            *before, unit = piece.words
            found.append((phrase(before), unit))
            del rooms[-1]
        spaces += [room for room in rooms if room > 0]
    return found, spaces


def _space(a: Piece, b: Piece) -> float:
    return (b.x0 - a.x1) / max(b.y1 - b.y0, 1.0)


def is_unit(text: str) -> bool:
    """Whether a text may be a unit: `kg`, `%`, `10³/µL`."""
    is_named = text[:1].isalpha() or ("/" in text and any(map(str.isalpha, text)))
    return len(text) <= LONGEST and (is_named or text in SIGNS)


def _level(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """The pairs that split at one position, from the left."""
    group: list[Pair] = []
    for pair in sorted(pairs, key=lambda pair: pair[1].x0):
        near = LEVEL * (pair[1].y1 - pair[1].y0)
        if group and not all(
            abs(new - old) <= near
            for new, old in ((pair[1].x0, group[0][1].x0), (pair[0].x1, group[0][0].x1))
        ):
            yield group
            group = []
        group.append(pair)
    if group:
        yield group


def _is_head(name: Piece, unit: Piece, left: float, right: float, top: float) -> bool:
    """Whether two words above figures and their units are the headers of one each."""
    near = BEGINS * (unit.y1 - unit.y0)
    is_over = name.x1 <= left + near and abs(unit.x0 - right) <= near
    return is_over and unit.y1 <= top + near
