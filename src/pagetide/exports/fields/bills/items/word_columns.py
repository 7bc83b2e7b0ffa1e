"""The columns of words below headers, by the position of words in most rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.structure.tables.pieces import has_figures

SPACE = 0.6  # line heights between words of one column, at most
# The digits before the space in a number, and those after it.
_GROUPS, _GROUPED = re.compile(r"(?<!\d)(?!0)\d{1,3}$"), re.compile(r"\d{3}(?!\d)")
_SOME = 0.15  # of the rows may have a word across the gap between two columns
Word = tuple[str, float, float]
"""A word's text, its left edge and its right edge."""
Span = tuple[float, float]
"""A horizontal extent on the page."""


class Part(Struct, frozen=True, gc=False):
    """Words of a line set together, in the text's order."""

    text: str
    x0: float
    x1: float
    y0: float
    y1: float
    line: int
    words: Sequence[Word]

    @property
    def span(self) -> Span:
        """Their horizontal extent."""
        return self.x0, self.x1

    def at(self, place: int) -> tuple[Part, Part]:
        """The words before an index, and the others."""
        return self.between(0, place), self.between(place, len(self.words))

    def between(self, first: int, end: int) -> Part:
        """The words from one index to another."""
        return _part(self.words[first:end], self.y0, self.y1, self.line)


def parts_of(row: Iterable[Phrase]) -> list[Part]:
    """The words of a row, grouped by closeness."""
    found: list[Part] = []
    for phrase in row:
        own: list[Word] = []
        y0 = y1 = end = begin = 0.0
        near = SPACE * phrase.height
        for text, x0, top, x1, low in phrase.words:
            apart = x0 - end > near or begin - x1 > near
            if own and (apart or top >= y1 or low <= y0):
                found.append(_part(own, y0, y1, phrase.line))
                own = []
            y0 = top if not own or top < y0 else y0
            y1 = low if not own or low > y1 else y1
            own.append((text, x0, x1))
            begin, end = x0, x1
        found += [_part(own, y0, y1, phrase.line)] if own else []
    return found


def _part(words: Sequence[Word], y0: float, y1: float, line: int) -> Part:
    if len(words) == 1:
        text, x0, x1 = words[0]
        return Part(text, x0, x1, y0, y1, line, words)
    texts, starts, ends = zip(*words, strict=True)
    return Part(" ".join(texts), min(starts), max(ends), y0, y1, line, words)


def columns_of(heads: Sequence[Part], rows: Sequence[Sequence[Part]]) -> list[Span]:
    """The horizontal extent of each column's words, from the left.

    Args:
        heads: Above them; a column below several of them is cut between these.
        rows: With words in several columns.
    """
    apart = _joined([head.span for head in heads])
    words = [(x0, x1) for row in rows for part in row for _, x0, x1 in part.words]
    found: list[Span] = []
    for crowded in _crowded(rows):
        own = [head for head in apart if _shared(head, crowded) > 0]
        cuts = [_least(words, left, right) for left, right in pairwise(own)]
        found += pairwise([crowded[0], *cuts, crowded[1]])
    bare = [head for head in apart if not _over(head, found)]
    for head in bare:
        found = _with_head(found, head, apart)
    return sorted(found)


def in_columns(parts: Iterable[Part], columns: Sequence[Span]) -> dict[int, list[Part]]:
    """The parts by column: the one with most of the part, or the nearest."""
    found: dict[int, list[Part]] = {}
    for part in parts:
        found.setdefault(_column(part, columns), []).append(part)
    return found


def _column(part: Part, columns: Sequence[Span]) -> int:
    for place, (begin, end) in enumerate(columns):
        if begin <= part.x0 and part.x1 <= end:
            return place  # most words end here
    shared = [_shared(part.span, column) for column in columns]
    return shared.index(max(shared))


def cut(parts: Iterable[Part], columns: Sequence[Span]) -> Iterator[Part]:
    """The parts, cut where words of two columns are as close as those of one.

    There a figure starts or ends, and the next column starts, or the part ends where that
    column does.
    """
    for whole in parts:
        part = whole
        for column in columns if len(whole.words) > 1 else ():
            is_inside = whole.x0 < column[0] < whole.x1
            if is_inside and (place := _cut_at(part, column)):
                first, part = part.at(place)
                yield first
        yield part


def _cut_at(part: Part, column: Span) -> int:
    """The index of the first word in a column; 0 if none before it is in another."""
    near = SPACE * (part.y1 - part.y0)
    for place, (before, word) in enumerate(pairwise(part.words), 1):
        is_edge = abs(word[1] - column[0]) < near or abs(part.x1 - column[1]) < near
        is_between = before[2] < column[0] <= word[1] + near
        if is_between and is_edge and _are_apart(before[0], word[0]):
            return place
    return 0


def _are_apart(before: str, after: str) -> bool:
    """Whether one of two words is a figure, and they are not one number."""
    is_one = _GROUPS.search(before) is not None and _GROUPED.match(after) is not None
    return (has_figures(before) or has_figures(after)) and not is_one


def _with_head(columns: Sequence[Span], head: Span, heads: Sequence[Span]) -> list[Span]:
    """Adds a header above no column: to the nearest without one, or as a separate column."""
    free = [column for column in columns if not _over(column, heads)]
    near = max(free, key=lambda column: _shared(head, column), default=head)
    wide = (min(near[0], head[0]), max(near[1], head[1]))
    if any(other != head and wide[0] < other[0] < wide[1] for other in heads):
        near = wide = head
    return [*(column for column in columns if column != near), wide]


def _over(span: Span, others: Iterable[Span]) -> bool:
    return any(_shared(span, other) > 0 for other in others)


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Spans from the left, with overlapping ones joined."""
    found: list[Span] = []
    for x0, x1 in sorted(spans):
        if found and x0 < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], x1))
        else:
            found.append((x0, x1))
    return found


def _crowded(rows: Sequence[Sequence[Part]]) -> Iterator[Span]:
    """The extents where words are in more than some of the rows."""
    edges = sorted(
        edge for row in rows for part in row for edge in ((part.x0, 1), (part.x1, -1))
    )
    least, depth, start = _SOME * len(rows), 0, 0.0
    for x, step in edges:
        if depth <= least < depth + step:
            start = x
        elif depth + step <= least < depth:
            yield start, x
        depth += step


def _least(words: Sequence[Span], left: Span, right: Span) -> float:
    """Between the middles of two headers, that of the widest gap with the fewest words."""
    begin, end = sum(left) / 2, sum(right) / 2
    steps = Counter[float]()
    for x0, x1 in words:
        if x0 < end and x1 > begin:
            steps[max(x0, begin)] += 1
            steps[min(x1, end)] -= 1
    rooms, depth = list[tuple[int, float, float]](), 0
    for a, b in pairwise(sorted({begin, end, *steps})):
        depth += steps[a]
        rooms.append((depth, a - b, (a + b) / 2))
    return min(rooms)[2]


def _shared(one: Span, other: Span) -> float:
    """The shared width of two spans; negative if they are apart."""
    left = one[0] if one[0] > other[0] else other[0]
    return (one[1] if one[1] < other[1] else other[1]) - left
