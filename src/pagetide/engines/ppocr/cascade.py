"""Read every line with a cheap network, and what it is not sure of with a better one.

What is read again is cut at spaces: the doubtful words of a line with what stands beside them,
and the whole line where most of it is in doubt, holds an unknown sign, or was left unread.
`docs/decisions/0026-a-small-network-reads-first.md` has what was measured.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pagetide.engine import PageReading
from pagetide.engines.ppocr.first_stage.letters import UNKNOWN
from pagetide.engines.ppocr.lines.crops import Crop
from pagetide.engines.ppocr.lines.decode import ReadLine, ReadWord
from pagetide.engines.ppocr.page import PageSteps
from pagetide.engines.ppocr.window import ReadBatch, ReadRequest, StagedSteps

SURE = 0.9  # of a letter, 0–1: of drawn words whose letters are above it 1 % are wrong
LEAST = 480  # pixels of what is read again: less is read worse, alone
MOST = 0.6  # of a line's width: where more is in doubt, all of it is read again
UNREAD = 0.02  # of a line's ink near no letter: something was overlooked

Reading = Generator[ReadRequest, list[ReadLine], list[ReadLine]]
"""Yields what is to be read, is sent what it says, returns the lines."""


@dataclass(frozen=True)
class _Part:
    """Words of a line, first to past the last, that are read again between two columns."""

    first: int
    past: int
    left: int
    right: int


def single(steps: PageSteps, read: ReadBatch) -> StagedSteps:
    """A page whose lines are all read by one network."""

    def by_one(crops: list[Crop]) -> Reading:
        return (yield ReadRequest(crops, read))

    return _with(steps, by_one)


def staged(steps: PageSteps, first: ReadBatch, better: ReadBatch) -> StagedSteps:
    """A page whose lines are read by `first`, and by `better` where that is not sure."""
    return _with(steps, partial(_read, first=first, better=better))


def _with(steps: PageSteps, reading: Callable[[list[Crop]], Reading]) -> StagedSteps:
    lines: list[ReadLine] | None = None
    while True:
        try:
            crops = next(steps) if lines is None else steps.send(lines)
        except StopIteration as end:
            page: PageReading = end.value
            return page
        lines = yield from reading(crops)


def _read(crops: list[Crop], first: ReadBatch, better: ReadBatch) -> Reading:
    lines = yield ReadRequest(crops, first)
    parts = [doubtful(line, crop) for line, crop in zip(lines, crops, strict=True)]
    again_by_line = yield from _parts_read(crops, parts, better)
    result = [
        joined(line, chosen, again, crop.shape[1])
        for line, chosen, again, crop in zip(lines, parts, again_by_line, crops, strict=True)
    ]
    # A part is read without what stands beside it, which may be what it cannot do without.
    wholes = [[_whole(line, crop)] for line, crop in zip(lines, crops, strict=True)]
    left = [
        whole if chosen != whole and any(part.unread > UNREAD for part in again) else []
        for whole, chosen, again in zip(wholes, parts, again_by_line, strict=True)
    ]
    rest = yield from _parts_read(crops, left, better)
    return [again[0] if again else line for line, again in zip(result, rest, strict=True)]


def _parts_read(
    crops: list[Crop], parts: list[list[_Part]], read: ReadBatch
) -> Generator[ReadRequest, list[ReadLine], list[list[ReadLine]]]:
    """What each part of each line says."""
    chosen = [
        crop[:, part.left : part.right]
        for crop, of_line in zip(crops, parts, strict=True)
        for part in of_line
    ]
    answers = iter((yield ReadRequest(chosen, read)) if chosen else [])
    return [list(itertools.islice(answers, len(of_line))) for of_line in parts]


def _whole(line: ReadLine, crop: Crop) -> _Part:
    return _Part(0, len(line.words), 0, crop.shape[1])


def doubtful(line: ReadLine, crop: Crop) -> list[_Part]:
    """What of a line is to be read again, from left to right."""
    width = crop.shape[1]
    whole = [_whole(line, crop)]
    if line.unread > UNREAD or UNKNOWN in line.text:
        return whole
    parts = _widened(_runs(line.words, width), line.words, width)
    inside = sum(part.right - part.left for part in parts)
    return whole if inside > MOST * width else parts


def _runs(words: Sequence[ReadWord], width: int) -> list[_Part]:
    """The doubtful words, those side by side together."""
    runs = []
    places = [i for i, word in enumerate(words) if word.least <= SURE]
    for _, group in itertools.groupby(enumerate(places), lambda pair: pair[1] - pair[0]):
        run = [place for _, place in group]
        runs.append(_between(words, run[0], run[-1] + 1, width))
    return runs


def _between(words: Sequence[ReadWord], first: int, past: int, width: int) -> _Part:
    """Words with half of the gaps beside them."""
    left = 0.0 if first == 0 else (words[first - 1].end + words[first].start) / 2
    right = 1.0 if past == len(words) else (words[past - 1].end + words[past].start) / 2
    return _Part(first, past, round(left * width), round(right * width))


def _widened(parts: list[_Part], words: Sequence[ReadWord], width: int) -> list[_Part]:
    """Parts that are wide enough to be read, those near each other joined."""
    wide: list[_Part] = []
    for part in parts:
        while part.right - part.left < LEAST and (part.first, part.past) != (0, len(words)):
            part = _between(
                words, max(part.first - 1, 0), min(part.past + 1, len(words)), width
            )
        while wide and part.left - wide[-1].right < LEAST:
            part = _between(words, min(wide[-1].first, part.first), part.past, width)
            wide.pop()
        wide.append(part)
    return wide


def joined(
    line: ReadLine, parts: Sequence[_Part], again: Sequence[ReadLine], width: int
) -> ReadLine:
    """The line with what its parts say when read again."""
    if not parts:
        return line
    if parts[0].past - parts[0].first == len(line.words):
        return again[0]
    words: list[ReadWord] = []
    texts: list[str] = []
    place = 0
    for part, better in zip(parts, again, strict=True):
        before = line.words[place : part.first]
        words += [*before, *(_moved(word, part, width) for word in better.words)]
        texts += [*(word.text for word in before), better.text]
        place = part.past
    words += line.words[place:]
    texts += (word.text for word in line.words[place:])
    letters = sum(len(word.text) for word in words)
    certain = sum(word.confidence * len(word.text) for word in words)
    return replace(
        line,
        text=" ".join(filter(None, texts)),
        confidence=certain / max(letters, 1),
        words=tuple(words),
        unread=sum(
            better.unread * (part.right - part.left) / width
            for part, better in zip(parts, again, strict=True)
        ),
    )


def _moved(word: ReadWord, part: _Part, width: int) -> ReadWord:
    """A word of a part, where it lies on the line."""
    wide = part.right - part.left
    return replace(
        word,
        start=(part.left + word.start * wide) / width,
        end=(part.left + word.end * wide) / width,
    )
