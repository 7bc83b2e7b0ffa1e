"""Those who sign, side by side: each one's title and name, with room to sign between.

Titles are on one row, names on another: read row by row, the signers would be mixed. The room
is empty, or holds a rule, drawn or typed, for each of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pagetide.geometry import union
from pagetide.structure.draft import Draft
from pagetide.structure.grids import SHORT_LINE
from pagetide.structure.running import RowsOf
from pagetide.structure.tables.ruled.frames import Stroke

MOST_PLACES = 1000  # a page with more is not examined
FEWEST = 2
MOST_ROWS = 4  # of titles, and of names: columns of text have more
# In line heights.
LEVEL = 0.3  # between the middles of one row
ROOM = 2.0, 8.0  # from the titles to the names
APART, RULES_APART = 2.0, 0.5  # between side-by-side signers, and between their typed rules
EDGE = 0.5  # between left edges in a column, or between middles
CLOSE = 1.0  # from one row of titles or names to the next

Level = tuple[int, ...]
"""The places of one row, from left to right."""

_TYPED = re.compile(r"[_.…\s]{4,}")


def signers(
    rows: RowsOf, places: Sequence[int], rules: Sequence[Stroke], line: float
) -> tuple[list[Draft], list[int]]:
    """Each group of signers as a draft with `parts`, and the places that are in none.

    Args:
        rows: The lines.
        places: Those of no table.
        rules: The page's horizontal ones.
        line: The typical line height.
    """
    if len(places) > MOST_PLACES:
        return [], list(places)
    levels = _levels(rows, places, line)
    found, taken = list[Draft](), set[int]()
    for first, end in _groups(_Signing(rows, rules, line), levels):
        columns = list(zip(*levels[first:end], strict=True))
        if taken.isdisjoint(place for own in columns for place in own):
            parts = tuple(Draft(rows=tuple(rows.row([p]) for p in own)) for own in columns)
            every = tuple(row for part in parts for row in part.rows)
            found.append(Draft(rows=every, area=union(p.box for p in parts), parts=parts))
            taken.update(place for own in columns for place in own)
    return found, [place for place in places if place not in taken]


def _levels(rows: RowsOf, places: Sequence[int], line: float) -> list[Level]:
    """The rows from the top."""
    middles = {place: (rows.boxes[place][1] + rows.boxes[place][3]) / 2 for place in places}
    found: list[list[int]] = []
    for place in sorted(places, key=middles.__getitem__):
        if not found or middles[place] - middles[found[-1][-1]] > LEVEL * line:
            found.append([])
        found[-1].append(place)
    return [tuple(sorted(level, key=lambda p: rows.boxes[p][0])) for level in found]


def _groups(signing: _Signing, levels: Sequence[Level]) -> Iterator[tuple[int, int]]:
    """The first row of each group of signers, and the row after its last."""
    for at, (upper, lower) in enumerate(pairwise(levels), 1):
        end = signing.end(levels, at)
        if 1 <= end - at < MOST_ROWS and signing.are_below_rules(levels[max(at - 2, 0) : at]):
            yield at - 1, end
        if signing.are_typed(upper) and signing.are_columns(upper, lower):
            end = signing.end(levels, at + 1)
            if end - at < MOST_ROWS:
                yield at - 1, end
            continue
        if not signing.have_room(upper, lower):
            continue
        first, end = at - 1, signing.end(levels, at + 1)
        while first and signing.are_close(levels[first - 1], levels[first]):
            first -= 1
        if max(at - first, end - at) > MOST_ROWS:
            continue
        ends = [levels[max(first - 1, 0) : first + 1], levels[end - 1 : end + 1]]
        goes_on = any(signing.are_columns(*pair) for pair in ends if len(pair) > 1)
        if signing.is_ruled(upper, lower) or not goes_on:
            yield first, end


class _Signing:
    """What rows one above the other are to those who sign."""

    def __init__(self, rows: RowsOf, rules: Sequence[Stroke], line: float) -> None:
        self.rows, self.boxes, self.rules, self.line = rows, rows.boxes, rules, line

    def have_room(self, upper: Level, lower: Level) -> bool:
        """Whether the lower row is as far below the upper as titles are above names."""
        if not self.are_columns(upper, lower):
            return False
        room = self._room(upper, lower)
        return ROOM[0] * self.line <= room <= ROOM[1] * self.line or self.are_typed(lower)

    def are_close(self, upper: Level, lower: Level) -> bool:
        """Whether two rows are lines of the same titles or names."""
        return self.are_columns(upper, lower) and self._room(upper, lower) < CLOSE * self.line

    def end(self, levels: Sequence[Level], at: int) -> int:
        """The row after the last of those close below the one before this."""
        while at < len(levels) and self.are_close(levels[at - 1], levels[at]):
            at += 1
        return at

    def are_below_rules(self, levels: Sequence[Level]) -> bool:
        """Whether each piece of the last row is right below a rule, with room to sign above."""
        *above, names = levels
        room = self._room(above[0], names) if above else math.inf
        top = min(self.boxes[place][1] for place in names)
        near = [rule for rule in self.rules if 0 <= top - rule.at < CLOSE * self.line]
        over = [self._below(rule, names) for rule in near]
        return room > ROOM[0] * self.line and sorted(over) == [[place] for place in names]

    def is_ruled(self, upper: Level, lower: Level) -> bool:
        """Whether a rule for each signer is between two rows, or the lower is of rules."""
        if self.are_typed(lower):
            return True
        top, bottom = self.boxes[upper[0]][3], self.boxes[lower[0]][1]
        between = [rule for rule in self.rules if top <= rule.at <= bottom]
        over = [self._below(rule, lower) for rule in between]
        return all([place] in over for place in lower)

    def _below(self, rule: Stroke, level: Level) -> list[int]:
        """The places of a row's pieces below a rule: of one to sign on, a single piece."""
        spans = ((place, self.boxes[place]) for place in level)
        return [place for place, box in spans if rule.start < box[2] and box[0] < rule.end]

    def are_columns(self, upper: Level, lower: Level) -> bool:
        """Whether two rows have as many short pieces, aligned and far from one another."""
        if not FEWEST <= len(upper) == len(lower):
            return False
        least = RULES_APART if self.are_typed(upper) or self.are_typed(lower) else APART
        apart = all(
            min(self.boxes[p][0] for p in after) - max(self.boxes[p][2] for p in own)
            > least * self.line
            for own, after in pairwise(zip(upper, lower, strict=True))
        )
        return (
            apart
            and all(map(self._are_aligned, upper, lower))
            and all(map(self._may_sign, (*upper, *lower)))
        )

    def _are_aligned(self, one: int, two: int) -> bool:
        (x0, _, x1, _), (left, _, right, _) = self.boxes[one], self.boxes[two]
        return min(abs(x0 - left), abs(x0 + x1 - left - right) / 2) < EDGE * self.line

    def _may_sign(self, place: int) -> bool:
        text = self._text(place)
        return len(text) <= SHORT_LINE and not any(map(str.isdigit, text))

    def are_typed(self, level: Level) -> bool:
        """Whether a row is of typed rules."""
        return all(_TYPED.fullmatch(self._text(place)) for place in level)

    def _room(self, upper: Level, lower: Level) -> float:
        return min(self.boxes[p][1] for p in lower) - max(self.boxes[p][3] for p in upper)

    def _text(self, place: int) -> str:
        return self.rows.lines[self.rows.members[place]].text
