"""Character errors and boxes found: the distance of a reading from the truth."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.corpus import TruthLine

ALIKE = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "–": "-",
        "—": "-",
        "−": "-",
        "‐": "-",
        "‑": "-",
    }
)
Box = tuple[float, float, float, float]


@dataclass(frozen=True, kw_only=True)
class FoundLine:
    """What an engine read, and the upright box around it, in pixels."""

    text: str
    box: Box


@dataclass(frozen=True, kw_only=True)
class Errors:
    """Character edits from the reading to the truth, and the truth's number of characters."""

    edits: int
    characters: int

    def __add__(self, other: Errors) -> Errors:
        return Errors(
            edits=self.edits + other.edits, characters=self.characters + other.characters
        )

    @property
    def percent(self) -> float:
        """Edits per hundred characters of truth."""
        return 100 * self.edits / max(self.characters, 1)


def character_errors(
    truth: Sequence[TruthLine],
    found: Sequence[FoundLine],
    counts: Callable[[str], bool] = lambda character: True,
) -> Errors:
    """Count errors independently of the order of lines.

    Each character of the truth goes to the found box that holds its centre (the smallest,
    where several do); each box's text is compared with what it was given. A character in no
    box is missing, text in a box without truth is invented. Spaces do not count, and neither
    do the forms of quotes and dashes. Two boxes merged into one cost nothing here: boxes are
    measured by `found_share`.

    Args:
        truth: Of a page.
        found: Of the same page.
        counts: Which characters count; all by default.
    """
    given: list[list[tuple[int, float, str]]] = [[] for _ in found]
    missing = characters = 0
    for row, line in enumerate(truth):
        text = _plain(line.text)
        for character, (x, y) in zip(text, _centres(line.box, len(text)), strict=True):
            if not counts(character):
                continue
            characters += 1
            box = _holding(found, x, y)
            if box is None:
                missing += 1
            else:
                given[box].append((row, x, character))
    edits = missing
    for box_text, held in zip(found, given, strict=True):
        text = "".join(filter(counts, _plain(box_text.text)))
        edits += _edits(_in_order(truth, held), text)
    return Errors(edits=edits, characters=characters)


def found_share(wanted: Sequence[Box], found: Sequence[Box]) -> tuple[int, int]:
    """How many wanted boxes have a box of their own that overlaps them by half (IoU)."""
    free = list(found)
    hits = 0
    for box in wanted:
        best = max(free, key=lambda other: _overlap(box, other), default=None)
        if best is not None and _overlap(box, best) >= 0.5:
            free.remove(best)
            hits += 1
    return hits, len(wanted)


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).translate(ALIKE).split())


def _centres(box: Box, count: int) -> list[tuple[float, float]]:
    x0, y0, x1, y1 = box
    if y1 - y0 > 1.5 * (x1 - x0) and count > 2:  # a line that runs up or down the page
        return [((x0 + x1) / 2, y0 + (y1 - y0) * (i + 0.5) / count) for i in range(count)]
    return [(x0 + (x1 - x0) * (i + 0.5) / count, (y0 + y1) / 2) for i in range(count)]


def _holding(found: Sequence[FoundLine], x: float, y: float) -> int | None:
    holding = [
        i
        for i, line in enumerate(found)
        if line.box[0] <= x <= line.box[2] and line.box[1] <= y <= line.box[3]
    ]
    return min(holding, key=lambda i: _area(found[i].box), default=None)


def _in_order(truth: Sequence[TruthLine], characters: list[tuple[int, float, str]]) -> str:
    """The characters as read: truth lines on one height go left to right."""
    rows: list[list[int]] = []
    for row in sorted({row for row, _, _ in characters}, key=lambda r: truth[r].box[1]):
        if rows and _same_height(truth[rows[-1][-1]].box, truth[row].box):
            rows[-1].append(row)
        else:
            rows.append([row])
    level = {row: i for i, group in enumerate(rows) for row in group}
    upright = sorted(
        enumerate(characters), key=lambda item: (level[item[1][0]], *_along(truth, item))
    )
    return "".join(character for _, (_, _, character) in upright)


def _along(
    truth: Sequence[TruthLine], item: tuple[int, tuple[int, float, str]]
) -> tuple[float, int, int]:
    place, (row, _, _) = item
    return truth[row].box[0], row, place


def _same_height(a: Box, b: Box) -> bool:
    return min(a[3], b[3]) - max(a[1], b[1]) > 0.5 * min(a[3] - a[1], b[3] - b[1])


def _edits(truth: str, text: str) -> int:
    """Levenshtein's distance, a row of the matrix at a time."""
    if not truth or not text:
        return len(truth) + len(text)
    a: NDArray[np.int32] = np.array([ord(c) for c in truth], np.int32)
    steps = np.arange(len(a) + 1)
    row = steps.copy()
    for i, character in enumerate(text, 1):
        best = np.minimum(row[1:] + 1, row[:-1] + (a != ord(character)))
        best = np.concatenate(([i], best))
        row = np.minimum.accumulate(best - steps) + steps
    return int(row[-1])


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _overlap(a: Box, b: Box) -> float:
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / (_area(a) + _area(b) - shared)
