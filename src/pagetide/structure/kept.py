"""Checks that blocks hold every letter read on their page exactly once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pagetide.document import Block, Line


def amiss(lines: Sequence[Line], blocks: Sequence[Block]) -> tuple[int, int]:
    """How many letters of lines are in no block, and how many are in blocks too often.

    Ignores spaces; both are 0 on every page, otherwise a structure rule is at fault.
    """
    read = Counter(_letters(line.text for line in lines))
    kept = Counter(_letters(block.text for block in blocks))
    if read == kept:
        return 0, 0
    return (read - kept).total(), (kept - read).total()


def _letters(texts: Iterable[str]) -> str:
    return "".join("".join(texts).split())
