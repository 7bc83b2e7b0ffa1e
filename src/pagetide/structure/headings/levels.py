"""Levels of a page's headings: by their number, otherwise by the size of their type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec

from pagetide.document import Block
from pagetide.geometry import box_of
from pagetide.structure.draft import Draft

SAME_SIZE = 1.12  # OCR boxes of headings of one font differ by less
MOST_LEVELS = 6

_LETTERED = re.compile(r"(\d{1,2}|[IVXLC]{1,6}|[A-Z])[.)]\s")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\D")


def numbered_level(text: str) -> int | None:
    """The level given by a heading's number: 2 for `3.1 Results`; None without one."""
    numbered = _NUMBERED.match(text)
    return numbered.group(1).count(".") + 1 if numbered else None


def number_kind(text: str, before: str) -> str:
    """The kind of a heading's number: `I`, `A`, `1`, or empty.

    Args:
        text: The heading's.
        before: That of the previous heading: `I.` after `H.` is a letter.
    """
    match = _LETTERED.match(text)
    if not match:
        return ""
    mark, last = match[1], _LETTERED.match(before)
    if mark.isdigit():
        return "1"
    after = last and len(mark) == len(last[1]) == 1 and ord(mark) == ord(last[1]) + 1
    return "I" if set(mark) <= set("IVXLC") and not after else "A"


def levelled(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, headings with a level."""
    headings = [d for d in drafts if d.kind == "heading" and d.level is None]
    stated = [(d.size, d.level) for d in drafts if d.kind == "heading" and d.level]
    levels = iter(_levels([(d.text, d.size) for d in headings], stated))
    return [
        replace(d, level=next(levels)) if d.kind == "heading" and d.level is None else d
        for d in drafts
    ]


def with_levels(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """An engine's own blocks; headings without a level get one."""
    headings = [b for b in blocks if b.kind == "heading" and b.level is None]
    levels = iter(_levels([(b.text, _line_height(b)) for b in headings]))
    return tuple(
        msgspec.structs.replace(b, level=next(levels))
        if b.kind == "heading" and b.level is None
        else b
        for b in blocks
    )


def _line_height(block: Block) -> float:
    box = box_of(block.polygon)
    return (box[3] - box[1]) / (block.text.strip().count("\n") + 1)


def _levels(
    headings: Sequence[tuple[str, float]], stated: Sequence[tuple[float, int]] = ()
) -> list[int]:
    """The levels of a page's headings, by their number, otherwise by their size.

    Sizes count on this page only: the largest is level 1, or the one below those in larger type
    that the document states.

    Args:
        headings: The text and the type size of each.
        stated: The size and the level of those whose level the document states.
    """
    sizes = sizes_of(size for _, size in headings)
    return [min(_level(text, size, sizes, stated), MOST_LEVELS) for text, size in headings]


def sizes_of(found: Iterable[float]) -> list[float]:
    """The sizes of type, the largest first; slightly smaller ones count as the same."""
    sizes: list[float] = []
    for size in sorted(found, reverse=True):
        if not sizes or size * SAME_SIZE < sizes[-1]:
            sizes.append(size)
    return sizes


def place_among(sizes: Sequence[float], size: float) -> int:
    """How many of the sizes are larger than one."""
    return sum(each > size * SAME_SIZE for each in sizes)


def _level(
    text: str, size: float, sizes: Sequence[float], stated: Sequence[tuple[float, int]]
) -> int:
    if level := numbered_level(text):
        return level
    alike = [
        level for own, level in stated if size < own * SAME_SIZE and own < size * SAME_SIZE
    ]
    larger = max((level for own, level in stated if own >= size * SAME_SIZE), default=0)
    return alike[0] if alike else larger + place_among(sizes, size) + 1
