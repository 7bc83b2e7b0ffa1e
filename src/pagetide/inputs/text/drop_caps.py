"""Large initials beside the first rows of a paragraph: part of its first word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pagetide.geometry import Box

if TYPE_CHECKING:
    from pagetide.inputs.text.lines import PlacedWord

    Run = list[PlacedWord]

MOST = 50  # of a page: more large letters are a table, a keyboard or an alphabet
LONGEST = 2  # characters: a quotation mark may precede the letter
TALL = 1.6  # times the rows beside it; in their heights the rest
NEAR = 1.2  # from it to the rows
OVERLAP = 0.4  # of it and the rows, as boxes end beside their letters
ROWS = 2  # that it is beside, at least
# Words of one letter in some language: others are always the start of a longer one.
_WORDS = "AEIOUYÀÁÉÈÓÒÙÔΟΗΩАИОУЯЭ"


def with_initials(runs: list[Run]) -> list[Run]:
    """The lines' words, with large initials in the first word beside them.

    An initial gets the height of that word's row. It is a word of its own if it is one in some
    language, and what follows is one on this page, and both together are not.

    Args:
        runs: Each line's words, in points, y up.
    """
    initials = [run[0] for run in runs if _may_be_initial(run)]
    if not 0 < len(initials) <= MOST:
        return runs
    parted = [part for run in runs for part in _parted(run)]
    beside: dict[int, PlacedWord] = {}
    for initial in initials:
        if (first := _first_beside(initial[1], parted)) is not None:
            beside[id(first)] = initial
    if not beside:
        return runs
    taken = {id(initial) for initial in beside.values()}
    count = Counter(word[0].lower() for run in parted for word in run)
    return [
        _begun(beside[id(run)], run, count) if id(run) in beside else run
        for run in parted
        if id(run[0]) not in taken
    ]


def _parted(run: Run) -> Iterator[Run]:
    """A large initial and the words right behind it in the file apart."""
    if len(run) > 1 and _may_be_initial(run):
        yield run[:1]
        run = run[1:]
    yield run


def _may_be_initial(run: Run) -> bool:
    text, (_, low, _, high), _, angle = run[0]
    is_apart = len(run) == 1 or high - low > TALL * (run[1][1][3] - run[1][1][1])
    return (
        is_apart
        and not angle
        and len(text) <= LONGEST
        and text[-1:].isalpha()
        and not text[-1:].islower()
        and not text[:-1].isalnum()
    )


def _first_beside(initial: Box, runs: Sequence[Run]) -> Run | None:
    """The highest of the rows that start right of an initial, if there are several."""
    left, low, right, high = initial
    found: list[Run] = []
    for run in runs:
        _, (x0, y0, _, y1), _, angle = run[0]
        height = y1 - y0
        is_level = low - height / 2 < y0 and (y0 + y1) / 2 < high
        is_near = -OVERLAP * height < x0 - right < NEAR * height
        if is_level and is_near and not angle and TALL * height < high - low and x0 > left:
            found.append(run)
    return max(found, key=lambda run: run[0][1][1]) if len(found) >= ROWS else None


def _begun(initial: PlacedWord, run: Run, count: Mapping[str, int]) -> Run:
    """A row that starts with an initial.

    Args:
        initial: The letter.
        run: The row.
        count: How often the page has each word, in lowercase.
    """
    text, box, joint, angle = run[0]
    letter, (left, _, right, _) = initial[0], initial[1]
    alone = letter[-1] in _WORDS and count[text.lower()] > 1
    if alone and not count[(letter + text).lower()]:
        own = (letter, (left, box[1], right, box[3]), joint, angle)
        return [own, (text, box, 1, angle), *run[1:]]
    return [(letter + text, (left, box[1], box[2], box[3]), joint, angle), *run[1:]]
