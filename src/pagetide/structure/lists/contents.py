"""Tables of contents: titles with dot leaders and page numbers on their line.

OCR reads only some of the dots, and the numbers as a separate column.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from pagetide.document import Table
from pagetide.geometry import Box
from pagetide.structure.draft import Draft
from pagetide.structure.running import RowsOf

LEAST = 3  # entries
LEVEL = 0.6  # line heights between the middles of a title and its number
ALIGNED = 1.5  # line heights between the ends of the numbers
NEXT = 2.6  # line heights between the middles of two entries
BESIDE = 20  # lines level with each other, at most
END = 8  # letters at a text's end, checked for dots: a line may hold thousands
LED = 0.5  # of the entries, at least, with dots

_LEADER = re.compile(r"(\.\s?){2,}…?$|…\.*$|·\s?·$")
_NUMBER = re.compile(r"\d{1,4}|[ivxlc]{1,6}")

Entry = tuple[int, ...]
"""The places of a title and, if it was read, of its number."""


def contents(rows: RowsOf, places: Sequence[int]) -> tuple[list[Draft], list[int]]:
    """The tables of contents, and the places that are in none.

    Args:
        rows: The lines.
        places: Those that may be in one.
    """
    texts = {place: rows.lines[rows.members[place]].text.strip() for place in places}
    led = {place for place, text in texts.items() if _LEADER.search(text[-END:])}
    if len(led) < 2:
        return [], list(places)
    entries = _entries(texts, led, rows.boxes)
    drafts, taken = list[Draft](), set[int]()
    for run in _runs(entries, rows.boxes):
        if len(run) >= LEAST and sum(entry[0] in led for entry in run) >= LED * len(run):
            drafts.append(Draft(kind="toc", rows=tuple(rows.row(entry) for entry in run)))
            taken.update(place for entry in run for place in entry)
    return drafts, [place for place in places if place not in taken]


def are_contents(table: Table) -> bool:
    """Whether a table's rows are titles with dot leaders, and page numbers."""
    titles, numbers = list[str](), list[str]()
    for cell in table.cells:
        text = cell.text.strip()
        if text:
            (numbers if _NUMBER.fullmatch(text) else titles).append(text)
    led = sum(bool(_LEADER.search(text[-END:])) for text in titles)
    return (
        len(numbers) >= LEAST
        and led >= max(2, LED * table.rows)
        and len(titles) + len(numbers) <= 2 * table.rows
    )


def _entries(texts: dict[int, str], led: set[int], boxes: Sequence[Box]) -> list[Entry]:
    """Titles with their numbers, and titles with only dots, from the top."""
    numbers = [place for place, text in texts.items() if _NUMBER.fullmatch(text)]
    titles = sorted(texts.keys() - set(numbers), key=lambda place: _middle(boxes[place]))
    middles = [_middle(boxes[place]) for place in titles]
    found: dict[int, Entry] = {place: (place,) for place in led}
    for number in numbers:
        level, middle = LEVEL * (boxes[number][3] - boxes[number][1]), _middle(boxes[number])
        low = bisect_left(middles, middle - level)
        near = titles[low : min(low + BESIDE, bisect_right(middles, middle + level))]
        beside = [place for place in near if boxes[place][2] <= boxes[number][0] + level]
        if len(beside) == 1:
            found[beside[0]] = (beside[0], number)
    return sorted(found.values(), key=lambda entry: _middle(boxes[entry[0]]))


def _runs(entries: Sequence[Entry], boxes: Sequence[Box]) -> list[list[Entry]]:
    """Consecutive entries whose numbers are aligned at one edge."""
    runs: list[list[Entry]] = [[entry] for entry in entries[:1]]
    for above, below in pairwise(entries):
        a, b = boxes[above[0]], boxes[below[0]]
        line = min(a[3] - a[1], b[3] - b[1])
        near = _middle(b) - _middle(a) <= NEXT * line
        ends = [boxes[entry[1]][2] for entry in (above, below) if len(entry) > 1]
        if not near or max(ends, default=0.0) - min(ends, default=0.0) > ALIGNED * line:
            runs.append([])
        runs[-1].append(below)
    return runs


def _middle(box: Box) -> float:
    return (box[1] + box[3]) / 2
