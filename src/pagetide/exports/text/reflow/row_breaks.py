"""Whether a block's rows continue in the next one, by their ends and starts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from statistics import median

from pagetide.exports.text.hyphens import is_parted
from pagetide.exports.text.reflow.row_items import items_in
from pagetide.geometry import Box
from pagetide.layout.addresses import is_address
from pagetide.layout.words import is_unspaced

FEW, FEW_NARROW = 3, 5  # rows that are enough to show the width of their column
# In heights of a row: a column at least as wide may be running text, and its rows are then as
# full, as shares of the width.
WIDE, FULL = 15.0, 0.7
NARROW, FULL_NARROW = 8.0, 0.85
MOSTLY, INSIDE = 0.7, 0.4  # of the rows of a narrow column with an uneven edge
STEP = 0.8  # in heights: a row indented this much further starts a paragraph
WIDER_GAP = 0.35  # in heights: a row with this much more space above it starts a paragraph
NEARLY = 0.8  # of the width
CHANCE = 0.001  # of a list whose rows are all full
SLACK = 0.75  # in heights: a space, and how far boxes end before or after their letters
TALLER, WIDER = 1.2, 1.1  # than the row beside it: another font
_MARK = re.compile(r"^\s*\S{1,6}\t")
_ADDRESS = re.compile(r"\s*(?:\S+@\S|www\.|https?://)")  # lowercase in any position
# Rows that all start with a capital or a digit are addresses, forms, verses; fewer are enough
# if one starts with a post code and one is short, or the last is a phone number or an address.
ALL_NEW, SOME_NEW = 4, 3
_COUNTED = re.compile(r"\s*[(+]?\d{2}")
_CALL = re.compile(r"\s*[(+]?\d[\d\s()/.-]{5,}")


@dataclass(frozen=True, kw_only=True)
class Rows:
    """A block's rows from the top, as if they ran from left to right.

    Attributes:
        texts: Their texts.
        boxes: Their positions.
        starts: The widths of their first words.
        right: How far a row may extend.
        full: Where a full row ends: before `right` if only wider blocks extend so far.
        leads: The places of those that start an entry with a bold name.
        is_list: Whether each item starts on a separate row.
        is_counted: Whether each item may start with its number alone, as footnotes do.
        is_known: Whether other blocks, or the block's kind, show that a row may end at `right`,
            and only the width makes it end.
        is_aligned: Whether several other blocks end exactly there.
    """

    texts: Sequence[str]
    boxes: Sequence[Box]
    starts: Sequence[float]
    right: float
    full: float
    leads: frozenset[int] = frozenset()
    is_list: bool = False
    is_counted: bool = False
    is_known: bool = True
    is_aligned: bool = False

    def goes_on(self, place: int) -> bool:
        """Whether the row before this one continues in it."""
        before, row = self.texts[place - 1], self.texts[place]
        if not before.strip() or not row.strip():
            return False
        if self._has_columns(place - 1) or self._has_columns(place) or place in self._items:
            return False
        if is_parted(before, row) and row[0].islower():
            return True
        if place in self.leads or place in self._begins:
            return False
        if is_other_font(self.texts[place - 1 : place + 1], self.boxes[place - 1 : place + 1]):
            return False
        if self._gap(place) > self._usual_gap + WIDER_GAP * self._height:
            return False
        by_itself = _goes_on_by_itself(row)
        if not self._is_full(place - 1):
            return self._is_nearly_full(place - 1) and by_itself and is_inside(before)
        if not self._is_prose:
            shown = self.is_known or self._is_wide
            inside = shown and by_itself and is_inside(before)
            return (inside or bool(self.leads)) and not self._all_begin_anew
        return self._is_sure or by_itself or (self._is_sentence and is_inside(before))

    def _has_columns(self, place: int) -> bool:
        text = self.texts[place]
        if place in self._items:
            text = _MARK.sub("", text)
        leads = "...." in text or ". . . ." in text  # to a page number
        return leads or "\t" in text

    @cached_property
    def _items(self) -> frozenset[int]:
        return items_in(
            self.texts, self._is_full, is_list=self.is_list, is_counted=self.is_counted
        )

    def _ends(self, place: int, signs: str) -> bool:
        return self.texts[place].rstrip()[-1:] in signs

    def _gap(self, place: int) -> float:
        """Between the row before and this one; negative if they overlap."""
        return self.boxes[place][1] - self.boxes[place - 1][3]

    @cached_property
    def _usual_gap(self) -> float:
        """Of the lower third: most blocks have more rows within paragraphs than between."""
        gaps = sorted(self._gap(place) for place in range(1, len(self.boxes)))
        return gaps[len(gaps) // 3]

    def _is_full(self, place: int) -> bool:
        """The next row's first word would not have fitted on this row."""
        box = self.boxes[place]
        room = self.full - (box[2] if not self._is_centered else self._left + box[2] - box[0])
        return room < self.starts[place + 1] + SLACK * self._height

    def _is_nearly_full(self, place: int) -> bool:
        """One of few rows, which may be set in at the right, as quotations are."""
        wide = self.boxes[place][2] - self.boxes[place][0]
        return len(self.boxes) < FEW and self._is_wide and wide > NEARLY * self._width

    @cached_property
    def _height(self) -> float:
        return median(box[3] - box[1] for box in self.boxes)

    @cached_property
    def _left(self) -> float:
        return min(box[0] for box in self.boxes)

    @cached_property
    def _width(self) -> float:
        return self.right - self._left

    @cached_property
    def _is_wide(self) -> bool:
        return self._width >= WIDE * self._height

    @cached_property
    def _is_prose(self) -> bool:
        followed = [n for n in range(len(self.boxes) - 1) if n + 1 not in self._items]
        widths = [self.boxes[place][2] - self.boxes[place][0] for place in followed]
        if self._width <= 0 or self._all_begin_anew or not widths or are_stacked(self.boxes):
            return False
        fill = sum(widths) / len(widths) / self._width
        if self._is_wide:
            return fill >= FULL
        is_full = fill >= FULL_NARROW or self._runs_on
        return self._width >= NARROW * self._height and is_full

    @cached_property
    def _runs_on(self) -> bool:
        """Most rows end where the next word does not fit, and many start inside a sentence."""
        after = range(1, len(self.texts))
        full = sum(self._is_full(place - 1) for place in after)
        inside = sum(self.texts[place].lstrip()[:1].islower() for place in after)
        several = len(after) >= FEW_NARROW
        return several and full >= MOSTLY * len(after) and inside >= INSIDE * len(after)

    @cached_property
    def _all_begin_anew(self) -> bool:
        """Enough rows, none of which starts in the middle of a sentence; or an address."""
        if self._fills:
            return False
        if is_address(self.texts):
            return True
        if not all(map(_is_new, self.texts)):
            return False
        numbered = any(map(_COUNTED.match, self.texts[1:])) and (
            not all(map(self._is_full, range(len(self.texts) - 1)))
            or _CALL.fullmatch(self.texts[-1]) is not None
            or _ADDRESS.match(self.texts[-1]) is not None
        )
        return len(self.texts) >= (SOME_NEW if numbered else ALL_NEW)

    @cached_property
    def _fills(self) -> bool:
        """Long rows, each as full as it can be, and too many to be so by chance.

        Names and verses may be, if they are few: the ends of their rows differ by half of
        the width.
        """
        after = range(1, len(self.texts))
        if not self._is_wide or not all(self._is_full(place - 1) for place in after):
            return False
        words = [self.starts[place] + SLACK * self._height for place in after]
        return prod(min(1.0, 2 * word / self._width) for word in words) < CHANCE

    @cached_property
    def _is_sure(self) -> bool:
        """Rows enough, or others, to tell running text from an address or a name."""
        few = FEW if self._is_wide or self.is_aligned else FEW_NARROW
        return len(self.boxes) >= few or (self.is_known and self._is_wide)

    @cached_property
    def _is_sentence(self) -> bool:
        """Rows as long as running text's, the last of which ends a sentence."""
        return self._is_wide and self._ends(len(self.texts) - 1, ".!?。")

    @cached_property
    def _is_centered(self) -> bool:
        return _are_centered(self.boxes)

    @cached_property
    def _begins(self) -> frozenset[int]:
        """The rows that start a paragraph by a larger, or smaller, indent than most."""
        if self._is_centered:
            return frozenset()
        edge = self._left + STEP * self._height
        inner = {place for place, box in enumerate(self.boxes) if box[0] > edge}
        outer = set(range(len(self.boxes))) - inner
        if self.is_list or len(self._items) > 1:  # an indented row continues an item
            below = inner - self._items
            return frozenset(place for place in outer if place - 1 in below)
        if len(inner) == len(outer):
            few = inner if 0 in inner else outer
        else:
            few = min(inner, outer, key=len)
        return frozenset(
            place
            for place in few
            if place - 1 not in few or (place + 1 not in few and self._ends(place - 1, ".:;!?"))
            if not self._is_within(place)
        )

    def _is_within(self, place: int) -> bool:
        """Whether a sentence runs into a row, as beside a large initial."""
        if place == 1 and self._is_full(0) and not self._ends(0, ".:;!?"):
            return True
        row = self.texts[place]
        return place > 0 and row[:1].islower() and is_inside(self.texts[place - 1])


def are_stacked(boxes: Sequence[Box]) -> bool:
    """Whether few short rows have one middle, as a name and what is said of it."""
    height = median(box[3] - box[1] for box in boxes)
    is_wide = max(box[2] - box[0] for box in boxes) >= WIDE * height
    return len(boxes) < FEW and not is_wide and _are_centered(boxes)


def _are_centered(boxes: Sequence[Box]) -> bool:
    """Whether rows of different widths have one middle."""
    height = median(box[3] - box[1] for box in boxes)
    starts = [box[0] for box in boxes]
    middles = [box[0] + box[2] for box in boxes]
    apart = max(starts) - min(starts) > 2 * STEP * height
    return apart and max(middles) - min(middles) < STEP * height


def is_other_font(texts: Sequence[str], boxes: Sequence[Box]) -> bool:
    """Whether one of two rows is taller and wider: a formula only makes a row taller."""
    (tall, wide), (other_tall, other_wide) = map(_size, texts, boxes)
    return (tall > TALLER * other_tall and wide > WIDER * other_wide) or (
        other_tall > TALLER * tall and other_wide > WIDER * wide
    )


def _size(text: str, box: Box) -> tuple[float, float]:
    """A row's height, and the width of its letters."""
    left, top, right, bottom = box
    return bottom - top, (right - left) / len(text)


def _is_new(row: str) -> bool:
    first = row.lstrip(" (+")[:1]
    return first.isupper() or first.isdigit() or _ADDRESS.match(row) is not None


def is_inside(row: str) -> bool:
    """Whether it ends inside a sentence: in a lowercase word, or at a comma."""
    last = row.rstrip()[-1:]
    return last.islower() or last in ",，、" or (last.isalpha() and is_unspaced(last))


def _goes_on_by_itself(row: str) -> bool:
    """No sentence and no name starts like this; or its script does not show it."""
    return is_small(row) or is_unspaced(row)


def is_small(row: str) -> bool:
    """Whether it starts in lowercase, and not with an address, which always does."""
    return row[0].islower() and not _ADDRESS.match(row)
