"""Parts gathered into chunks, as many as fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pagetide.exports.chunks.counting import Counting
from pagetide.exports.chunks.cutting import most
from pagetide.exports.chunks.parts import Part, pieces
from pagetide.layout.words import joint, parted


def gathered(parts: Iterable[Part], counting: Counting) -> Iterator[list[Part]]:
    """What each chunk is made of: each begins with the end of the one before, if asked for."""
    every = [piece for part in parts for piece in pieces(part, counting)]
    before: list[Part] = []
    while every:
        held = [*before, *every[: _fitting(before, every, counting)]]
        every = every[len(held) - len(before) :]
        yield held
        before = _overlap(held[-1], every[0], counting) if every else []


def _fitting(before: Sequence[Part], every: Sequence[Part], counting: Counting) -> int:
    """How many parts fit behind those before; one always goes in."""
    return max(
        1,
        most(len(every), lambda count: counting.fits(text_of([*before, *every[:count]]))),
    )


def text_of(parts: Sequence[Part]) -> str:
    """The parts' texts with blank lines between, but for pieces of one block."""
    text = ""
    for place, part in enumerate(parts):
        before = parts[place - 1] if place else None
        text += _between(before, part) + part.whole
    return text


def _between(before: Part | None, part: Part) -> str:
    if before is None:
        return ""
    is_one = before.piece and part.piece and before.places == part.places
    if is_one and not (before.table or part.table):
        return "\n" if part.by_line else joint(before.whole, part.whole)
    return "\n\n"


def _overlap(last: Part, following: Part, counting: Counting) -> list[Part]:
    """The last part's end, as much of it as a chunk may begin with before what follows."""
    if last.table or not counting.overlap:
        return []
    words = parted(last.text)

    def end(count: int) -> Part:
        text = "".join(words[-count:]).strip()
        return replace(last, text=text, piece=True)

    def fits(count: int) -> bool:
        part = end(count)
        whole = text_of([part, following])
        return counting.is_overlap(part.text) and counting.fits(whole)

    count = most(len(words), fits)
    return [end(count)] if count else []
