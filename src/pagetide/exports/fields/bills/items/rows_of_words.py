"""Which lines of words form one row of a table: a line with an amount, and its neighbours."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

from pagetide.exports.fields.bills.items.word_columns import Part

COUNTED = re.compile(  # `2 x 1,50`
    r"(?P<quantity>\d+(?:[.,]\d+)?)\s?[x×*@]\s?(?P<price>(?:[€£$]\s?)?\d[\d.,]*)(?:\s?[€£$])?"
)
_WIDER = 1.25  # times the least gap between lines: a larger one separates rows
_NEAR = 0.8  # of the gap between rows: a larger one is not between the lines of one
_TIGHT = 0.4  # of a line's height: gaps allowed within a row, whatever the gap between rows
_CLOSE = 0.6  # of a line's height: a larger gap is not between the lines of the last row
Places = dict[int, list[Part]]
"""Words by column."""


class WordLine(NamedTuple):
    """Words on one baseline, by column.

    Attributes:
        is_row: Whether a row has its amount here, or what is counted.
    """

    places: Places
    y0: float
    y1: float
    is_row: bool


def joined_rows(lines: Sequence[WordLine]) -> Iterator[Places]:
    """The lines with amounts, each with the lines of words that belong to its row.

    Other lines are in no row: section names, the page's foot.

    Args:
        lines: From the top.
    """
    places = [n for n, line in enumerate(lines) if line.is_row]
    if _are_named_above(lines, places):
        for above, place in pairwise([-1, *places]):
            yield _joined(lines[above + 1 : place + 1])
        return
    rooms = [max(0.0, b.y0 - a.y1) for a, b in pairwise(lines)]
    between = sorted(rooms[a] for a, b in pairwise(places) if b == a + 1)
    least = between[(len(between) - 1) // 2] if between else inf
    always = all(below - above > 1 for above, below in pairwise([-1, *places]))
    first, usual = 0, 0.0
    longest: tuple[int, float] | None = None
    for place, after in pairwise([*places, len(lines)]):
        end = _end(lines, rooms, (place, after), least, usual)
        usual = max([usual, *rooms[place : end - 1]])
        # If a row continues below its amount, none starts above it.
        begin = place
        if not usual and place > first:
            longest = longest or _longest(lines)
            begin = _begin(lines, (first, place), longest, always=always)
        yield _joined(lines[begin:end]) if end > begin + 1 else lines[place].places
        first = end


def _are_named_above(lines: Sequence[WordLine], places: Sequence[int]) -> bool:
    """Whether most rows start with a quantity and price: tills print the name above."""
    firsts = [min(lines[n].places.items())[1][0].text for n in places]
    return 2 * sum(COUNTED.fullmatch(text) is not None for text in firsts) > len(firsts)


def _end(
    lines: Sequence[WordLine],
    rooms: Sequence[float],
    places: tuple[int, int],
    least: float,
    usual: float,
) -> int:
    """The index after the last line of words that is nearer to those above than to the next.

    Args:
        lines: All of them.
        rooms: Below each.
        places: Of the line with an amount, and of the next such line.
        least: Usual gap between rows.
        usual: The largest gap between the lines of one row so far.
    """
    place, end = places
    own = rooms[place:end]
    is_last = end == len(lines)
    if not is_last and len(own) > 1:
        widest = max(range(len(own)), key=lambda n: (own[n], n))
        end = place + 1 + widest if own[widest] > _WIDER * min(own) + 1 else end
    for n in range(place, end - 1):
        height = lines[n].y1 - lines[n].y0
        is_far = is_last and rooms[n] > (usual + 1 if usual else _CLOSE * height)
        is_row = least < inf and rooms[n] > max(_NEAR * least, _TIGHT * height)
        if is_row or is_far or not _fits(lines[n + 1], lines[place]):
            return n + 1
    return end


def _begin(
    lines: Sequence[WordLine],
    places: tuple[int, int],
    longest: tuple[int, float],
    *,
    always: bool,
) -> int:
    """The first line of words above an amount's that belongs to its row.

    It is a full line, as the words below continue it; other lines are section names.

    Args:
        lines: All of them.
        places: Of the first that may be in the row, and of the line with the amount.
        longest: The column with the longest text, and where its words end.
        always: Whether words are above every amount; above only some they are section names.
    """
    first, place = places
    column, edge = longest
    own = set(lines[place].places) - {column}
    for n in range(place - 1, first - 1, -1):
        upper, lower = lines[n], lines[n + 1]
        words, below = upper.places.get(column), lower.places.get(column)
        others = upper.places.keys() - {column}
        if not (words and below and _fits(upper, lines[place])) or others & own:
            return n + 1
        room = lower.y0 - upper.y1
        is_full = words[-1].x1 + _first_width(below) >= edge
        is_near = room < _TIGHT * (upper.y1 - upper.y0)
        if not (is_near and (is_full or always)):
            return n + 1
        own |= others
    return first


def _fits(line: WordLine, row: WordLine) -> bool:
    """Whether a line's words end before the row's next column starts."""
    for column, parts in line.places.items():
        others = [part.x0 for c, own in row.places.items() if c > column for part in own]
        if others and max(part.x1 for part in parts) > min(others):
            return False
    return True


def _longest(lines: Iterable[WordLine]) -> tuple[int, float]:
    """The column with the longest text, and where its words end."""
    lengths, ends = Counter[int](), defaultdict[int, float](float)
    for line in lines:
        for column, parts in line.places.items():
            lengths[column] += sum(len(part.text) for part in parts)
            ends[column] = max(ends[column], *(part.x1 for part in parts))
    column = max(lengths, key=lambda each: lengths[each], default=0)
    return column, ends[column]


def _first_width(parts: Sequence[Part]) -> float:
    _, x0, x1 = parts[0].words[0]
    return x1 - x0


def _joined(lines: Iterable[WordLine]) -> Places:
    found: Places = {}
    for line in lines:
        for column, parts in line.places.items():
            found.setdefault(column, []).extend(parts)
    return found
