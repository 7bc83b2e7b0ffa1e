"""Splits rows of running text into paragraphs and list items by their geometry."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cached_property
from statistics import median, median_low

from pagetide.layout.leads import leads
from pagetide.structure.areas.size_runs import are_exact, has_room, runs_of_a_size
from pagetide.structure.figures.captions import is_numbered_caption
from pagetide.structure.lists.entries import entries
from pagetide.structure.lists.speech import returns
from pagetide.structure.paragraphs.indents import EVEN, MOST_INDENT, Indents
from pagetide.structure.rows import Row

# Lengths in line heights, pitches in typical pitches.
LOOSE_PITCH = 1.35  # a paragraph gap; leading within one varies by a few per cent
MOST_PITCH = 2.5  # line heights: of double-spaced text
SPACED = 1.1  # the same if a font gives the places of rows, and a sentence has ended
LOOSE_PAIR = 2.0  # the same in line heights, if two rows give no typical pitch
LOOSE_ENDED = 1.6  # the same where a sentence ends and another starts
INDENT = 0.8
FILLED = 0.7  # of a column's width, by its long rows
WIDE, NARROW = 15.0, 8.0  # of a column of prose; the second if its paragraphs are indented

ENDS = re.compile(r"[.!?:;。！？：；]['\"»”’)\]]*\s*$")
STARTS = re.compile(r"\s*['\"«“‘¿¡(\[]*([^\Wa-zß-öø-ÿ_]|\d)")
_DASH = re.compile(r"[-\u2010-\u2015\u2212\ufffd]\s")


def paragraphs(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of one column, from the top, split into paragraphs and list items."""
    found: list[list[Row]] = []
    for run in runs_of_a_size(rows):
        column = _Column(run)
        for place, row in enumerate(run):
            if place == 0 or column.begins(place, found[-1]):
                found.append([])
            found[-1].append(row)
    return found


def _is_wrapped(part: Sequence[Row]) -> bool:
    """Whether the second row of a part returns to the margin."""
    return len(part) > 1 and returns(part[0], part[1])


class _Column:
    """Common properties of a column's rows of one size."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self.left = min(row.box[0] for row in rows)
        self.right = max(row.box[2] for row in rows)
        self.height = median(row.height for row in rows)
        steps = [(a, b, b.middle - a.middle) for a, b in itertools.pairwise(rows)]
        pitches = sorted(pitch for *_, pitch in steps)
        # The lower third: most columns have more lines within paragraphs than between;
        # otherwise a full line shows how far below it the paragraph continues.
        self.pitch = pitches[len(pitches) // 3] if len(pitches) > 2 else None
        full = [pitch for a, b, pitch in steps if self.right - a.box[2] < b.first_word]
        if self.pitch and full:
            self.pitch = min(self.pitch, median_low(full))
        texts = [row.text for row in rows]
        ended = [True, *(bool(ENDS.search(text)) for text in texts[:-1])]
        self.entries = entries(texts, ended)
        self.leads = leads([row.lines for row in rows])
        self.is_exact = are_exact(rows)
        width = self.right - self.left
        self.is_filled = (
            width >= NARROW * self.height and self._are_long(width) and not self._are_pairs()
        )
        self.is_prose = self.is_filled and width >= WIDE * self.height
        self.indents = Indents(
            rows, self.height, self._has_ended, self._has_room, is_filled=self.is_filled
        )

    def begins(self, place: int, before: list[Row]) -> bool:
        """Whether the row at this place starts a paragraph; `before` is the open one."""
        row, previous = self.rows[place], self.rows[place - 1]
        return (
            (row.bulleted and place not in self.dashed)
            or row.is_option
            or place in self.entries
            or self._leaves_item(before, row)
            or self._is_below_item(place, before)
            or self._is_far(previous, row)
            or self._is_spaced(place)
            or self._follows_centered(place)
            or (self.is_prose and (place in self.leads or self._follows_short(previous, row)))
            or self._is_indented(place, before)
            or (self.is_filled and self.indents.are_entries and self.indents.is_flush(place))
            or (is_numbered_caption(row.text) and has_room(previous, row, self.right))
        )

    @cached_property
    def dashed(self) -> frozenset[int]:
        """The places of rows that start with a dash of the sentence, which is no item's.

        Each such row follows a full one that ends no sentence, and no row hangs below one. A
        single one that does otherwise is an item, and so are all that start at its left.
        """
        starts = [n for n, row in enumerate(self.rows) if _DASH.match(row.text)]
        items = [self.rows[n].box[0] for n in starts if not self._is_within(n)]
        near = self.height / 2
        return frozenset(
            n
            for n in starts
            if not any(abs(self.rows[n].box[0] - left) < near for left in items)
        )

    def _is_within(self, place: int) -> bool:
        """Whether a row is the next one of a sentence, at the margin and full before it."""
        if not place or ENDS.search(self.rows[place - 1].text) or self._has_room(place - 1):
            return False
        level = [row.box[0] for row in self.rows[place - 1 : place + 2]]
        return max(level) - min(level) < self.height / 2

    def _are_long(self, width: float) -> bool:
        """Whether most rows are, or several end exactly at the right edge of justified text."""
        widths = [row.box[2] - row.box[0] for row in self.rows]
        edge = self.right - EVEN * self.height
        short = (1 - FILLED) * width
        even = [
            row for row in self.rows if row.box[2] > edge and row.box[0] < self.left + short
        ]
        return median(widths) >= FILLED * width or 3 * len(even) >= max(len(self.rows), 4)

    def _are_pairs(self) -> bool:
        """Whether most rows have a second piece, all with the same left edge."""
        seconds = sorted(row.boxes[1][0] for row in self.rows if len(row.boxes) > 1)
        usual = seconds[len(seconds) // 2] if seconds else 0.0
        level = sum(abs(second - usual) < self.height / 2 for second in seconds)
        return level > max(1, len(self.rows) / 2)

    def _is_far(self, previous: Row, row: Row) -> bool:
        pitch = row.middle - previous.middle
        tall = max(row.height, previous.height)
        if self.pitch is None:
            ends = bool(ENDS.search(previous.text) and STARTS.match(row.text))
            return pitch > (LOOSE_ENDED if ends else LOOSE_PAIR) * tall
        usual = min(max(self.pitch, 0.8 * self.height), MOST_PITCH * tall)
        return pitch > LOOSE_PITCH * usual

    def _is_spaced(self, place: int) -> bool:
        """Whether a little more space is above a row, where a sentence or its row had ended.

        Only a font gives the places of rows that exactly.
        """
        if not self.is_exact or not self.pitch or self.right - self.left < WIDE * self.height:
            return False
        step = self.rows[place].middle - self.rows[place - 1].middle
        return step > SPACED * self.pitch and self._has_ended(place - 1)

    def _follows_centered(self, place: int) -> bool:
        """Whether rows go on at the margin below one centered between both: below a caption."""
        if not self._is_centered(place - 1):
            return False
        ended = self._has_room(place - 1) and self._has_ended(place - 1)
        is_flush = self.indents.is_flush
        return ended and is_flush(place) and is_flush(place + 1)

    def _is_centered(self, place: int) -> bool:
        """Whether a row is as far from one margin as from the other."""
        x0, _, x1, _ = self.rows[place].box
        before, after = x0 - self.left, self.right - x1
        return before > INDENT * self.height and abs(before - after) < EVEN * self.height

    def _follows_short(self, previous: Row, row: Row) -> bool:
        """The row's first word would have fitted on the row before, had that continued."""
        room = self.right - previous.box[2]
        return room > row.first_word + self.height + (self.right - self.left) / 4

    def _leaves_item(self, before: list[Row], row: Row) -> bool:
        """It is below an item's bullet, not below its text, nor the rest of its sentence."""
        if not before[0].bulleted or not returns(before[0], row):
            return False
        return not (self._wraps(before[0], row) if len(before) == 1 else _is_wrapped(before))

    def _is_below_item(self, place: int, before: list[Row]) -> bool:
        """It is as far in as an item's text, but the first row of the paragraph below it.

        The item has ended, the row is full, and its sentence goes on at the margin.
        """
        if place + 1 == len(self.rows) or not before[0].bulleted or _is_wrapped(before):
            return False
        row, after = self.rows[place], self.rows[place + 1]
        is_in, is_back = not returns(before[0], row), returns(before[0], after)
        goes_on = not (self._has_ended(place) or self._has_room(place))
        is_first = is_in and is_back and self._has_ended(place - 1)
        return is_first and goes_on and not after.bulleted

    def _wraps(self, item: Row, row: Row) -> bool:
        """A bulleted row is full, and its sentence goes on at the margin."""
        if has_room(item, row, self.right):
            return False
        is_in = item.box[0] - row.box[0] > INDENT * self.height
        return is_in or (row.text[:1].islower() and not ENDS.search(item.text))

    def _is_indented(self, place: int, before: list[Row]) -> bool:
        """It is indented from the row before and from the row after it.

        The last row has none after it: it starts a paragraph if a sentence ended, or a row had
        space; an item of two rows is indented below its number. So does one below a single row,
        or in lower case: both may be beside the same large initial.
        """
        is_item = before[0].bulleted or before[0].is_option
        if place - len(before) in self.entries or (is_item and not _is_wrapped(before)):
            return False
        if place in self.indents.first_rows:
            return True
        if self.indents.hangs or self.indents.are_centered:
            return False
        if not (self.is_prose or (self.is_filled and self._is_over(place))):
            return False
        if self._is_centered(place - 1) and self._is_centered(place):
            return False
        step = INDENT * self.height
        row = self.rows[place]
        after = self.rows[min(place + 1, len(self.rows) - 1)]
        indent = row.box[0] - before[-1].box[0]
        if not step < indent < MOST_INDENT * self.height:
            return False
        is_first = after is row or len(before) == 1 or row.text[:1].islower()
        if is_first and not self._has_ended(place - 1):
            return False
        return after is row or row.box[0] - after.box[0] > step

    def _is_over(self, place: int) -> bool:
        """Whether a paragraph has surely ended above a row: a sentence, on a short row."""
        above, row = self.rows[place - 1], self.rows[place]
        ends = ENDS.search(above.text) and STARTS.match(row.text)
        return bool(ends) and self._has_room(place - 1)

    def _has_ended(self, place: int) -> bool:
        """Whether a sentence ends with a row, or the next row's word would have fitted."""
        row, below = self.rows[place], self.rows[place + 1]
        if ENDS.search(row.text):
            return True
        return not below.text[:1].islower() and has_room(row, below, self.right)

    def _has_room(self, place: int) -> bool:
        return has_room(self.rows[place], self.rows[place + 1], self.right)
