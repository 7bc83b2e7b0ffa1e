"""Letters in the boxes of a comb, one in each: the words that they spell."""

from __future__ import annotations

import math
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from msgspec.structs import replace

from pagetide.document import Line, Word
from pagetide.geometry import box_of, center, direction, polygon_of, union
from pagetide.layout import Rule
from pagetide.layout.edits import Edit, edited

LEAST = 5  # rules of a comb, so that four letters fit
LEAST_LETTERS = 3  # in one
EVEN = 0.1  # of the pitch, by which it differs
PITCH = 0.4, 1.5  # heights of the boxes
HIGHEST = 2.5  # heights of a line
_SAME_END = 2.0  # pixels
_ASKEW = math.radians(5)


class _Comb(NamedTuple):
    """The rules between a comb's boxes, from left to right, and their vertical extent."""

    places: tuple[float, ...]
    top: float
    bottom: float


class _Letter(NamedTuple):
    """A word in a comb: its place in its line, and the comb's box that it is in."""

    place: int
    box: int
    text: str


def with_combs(lines: Sequence[Line], rules: Sequence[Rule]) -> tuple[Line, ...]:
    """The lines, with the letters in neighbouring boxes of a comb joined into words.

    Letters in the order of the alphabet, or figures that count up, are a scale, not a word.

    Args:
        lines: Of a page.
        rules: Drawn on it.
    """
    found: list[Line] = list(lines)
    for comb in _combs(rules):
        within = {n: own for n, line in enumerate(found) if (own := _letters(line, comb))}
        letters = [each.text for own in within.values() for each in own]
        if _are_spelled(letters):
            for n, own in within.items():
                found[n] = _joined(found[n], own)
    return tuple(found)


def _combs(rules: Sequence[Rule]) -> Iterator[_Comb]:
    levels: dict[tuple[int, int], list[float]] = defaultdict(list)
    for (x0, y0), (x1, y1) in ((rule.start, rule.end) for rule in rules):
        if x0 == x1:
            levels[round(y0 / _SAME_END), round(y1 / _SAME_END)].append(x0)
    for (top, bottom), places in levels.items():
        for run in _even(sorted(places), (bottom - top) * _SAME_END):
            yield _Comb(tuple(run), top * _SAME_END, bottom * _SAME_END)


def _even(places: Sequence[float], height: float) -> Iterator[list[float]]:
    """The runs of places as far from each other as the sides of boxes for letters."""
    if len(places) < LEAST:
        return
    pitch = median(b - a for a, b in pairwise(places))
    runs = [[places[0]]]
    for last, place in pairwise(places):
        if abs(place - last - pitch) > EVEN * pitch:
            runs.append([])
        runs[-1].append(place)
    if PITCH[0] * height <= pitch <= PITCH[1] * height:
        yield from (run for run in runs if len(run) >= LEAST)


def _letters(line: Line, comb: _Comb) -> list[_Letter]:
    """The line's words in a comb, if the line is upright and not too small for its boxes."""
    _, top, _, bottom = box_of(line.polygon)
    is_level = comb.top < (top + bottom) / 2 < comb.bottom
    if not is_level or comb.bottom - comb.top > HIGHEST * (bottom - top):
        return []
    if abs(math.remainder(direction(line.polygon), math.tau)) > _ASKEW:
        return []
    boxes = [bisect(comb.places, center(box_of(word.polygon))[0]) for word in line.words]
    return [
        _Letter(place, box, word.text)
        for place, (box, word) in enumerate(zip(boxes, line.words, strict=True))
        if 0 < box < len(comb.places)
    ]


def _are_spelled(letters: Sequence[str]) -> bool:
    """Whether they are single ones, and not all of a scale."""
    if len(letters) < LEAST_LETTERS or any(len(letter) != 1 for letter in letters):
        return False
    return not all(ord(b) == ord(a) + 1 for a, b in pairwise(letters))


def _joined(line: Line, letters: Sequence[_Letter]) -> Line:
    """The line with the letters in neighbouring boxes joined."""
    after = {b.place for a, b in pairwise(letters) if b.box == a.box + 1}
    edits, words, at = list[Edit](), list[Word](), 0
    for place, word in enumerate(line.words):
        start = line.text.index(word.text, at)
        if place in after:
            edits.append(Edit(at, start, ""))
            words[-1] = _one(words[-1], word)
        else:
            words.append(word)
        at = start + len(word.text)
    return replace(edited(line, edits), words=tuple(words))


def _one(word: Word, letter: Word) -> Word:
    polygon = polygon_of(union([box_of(word.polygon), box_of(letter.polygon)]))
    return replace(word, text=word.text + letter.text, polygon=polygon)
