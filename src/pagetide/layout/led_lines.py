"""Leaders that a recogniser read in parts: dots from the end of one line to the next.

A detector of text takes most of a leader's dots for dirt. Some are read at the end of the name,
some before the value, as if they were words of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from pagetide.document import Line, Word
from pagetide.geometry import Box, box_of, polygon_of

FEWEST = 3  # on a page: fewer may be sentences left open
LEVEL = 0.5  # of the lower of two lines that are side by side
DOT = 0.25  # of a line's height, from one dot to the next
LEAST_DOTS = 4  # of a leader
ALIGNED = 0.5  # of a line's height: between the ends of two rows that are set alike
NEAR = 2.0  # line heights between these

_END = re.compile(r"[.…·]{2,}|…")  # of a name
_START = re.compile(r"[.…·]+")  # of a value: no text starts with a lone dot


def with_leaders(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines, with each leader whole at the end of its name, and no dots before its value.

    Args:
        lines: Of the page; only recognised ones are changed.
    """
    if sum(_is_led(line) or _follows(line) for line in lines) < FEWEST:
        return tuple(lines)
    boxes = [box_of(line.polygon) for line in lines]
    read = [n for n, line in enumerate(lines) if line.source == "ocr" and line.words]
    beside = list(_side_by_side(read, boxes))
    seen = [
        (name, value)
        for name, value in beside
        if _is_led(lines[name]) or _follows(lines[value])
    ]
    if len(seen) < FEWEST:
        return tuple(lines)
    pairs = [pair for pair in beside if any(_are_alike(pair, led, boxes) for led in seen)]
    found = list(lines)
    for name, value in pairs:
        if _follows(found[value]):
            found[value] = _of_words(found[value], found[value].words[1:])
        found[name] = _led(found[name], boxes[name], box_of(found[value].polygon)[0])
    return tuple(found)


def _side_by_side(places: Sequence[int], boxes: Sequence[Box]) -> Iterator[tuple[int, int]]:
    """Lines with the next one in their row, nothing being nearer to that on the left."""
    for one in places:
        level = [other for other in places if _is_level(boxes[one], boxes[other])]
        middle = _middle(boxes[one])
        after = [other for other in level if _middle(boxes[other]) > middle]
        if not after:
            continue
        next_one = min(after, key=lambda other: boxes[other][0])
        between = [
            other
            for other in places
            if middle < _middle(boxes[other]) < _middle(boxes[next_one])
            and _is_level(boxes[next_one], boxes[other])
        ]
        if not between:
            yield one, next_one


def _are_alike(pair: tuple[int, int], led: tuple[int, int], boxes: Sequence[Box]) -> bool:
    """Whether two lines start and end where two with a leader do, in a row near these."""
    (left, top, _, bottom), (*_, right, _) = (boxes[place] for place in pair)
    (start, high, _, low), (*_, end, _) = (boxes[place] for place in led)
    height = bottom - top
    edges = max(abs(left - start), abs(right - end))
    return edges < ALIGNED * height and max(high - bottom, top - low) < NEAR * height


def _middle(box: Box) -> float:
    return (box[0] + box[2]) / 2


def _is_level(one: Box, other: Box) -> bool:
    shared = min(one[3], other[3]) - max(one[1], other[1])
    return shared > LEVEL * min(one[3] - one[1], other[3] - other[1])


def _is_led(line: Line) -> bool:
    return len(line.words) > 1 and bool(_END.fullmatch(line.words[-1].text))


def _follows(line: Line) -> bool:
    return len(line.words) > 1 and bool(_START.fullmatch(line.words[0].text))


def _led(line: Line, box: Box, end: float) -> Line:
    """A name with a leader up to where its value starts."""
    words = line.words[:-1] if _is_led(line) else line.words
    start = box_of(words[-1].polygon)[2]
    height = box[3] - box[1]
    dots = "." * max(LEAST_DOTS, int((end - start) / (DOT * height)))
    leader = Word(
        text=dots,
        polygon=polygon_of((start, box[1], max(start, end), box[3])),
        confidence=line.confidence,
    )
    return _of_words(line, (*words, leader))


def _of_words(line: Line, words: tuple[Word, ...]) -> Line:
    """A line with other words at one of its ends."""
    first, last = words[0].polygon, words[-1].polygon
    return replace(
        line,
        text=" ".join(word.text for word in words),
        words=words,
        polygon=(first[0], last[1], last[2], first[3]),
    )
