"""Rows that start with a bold name or word, and go on otherwise: each is an entry."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from pagetide.document import Line

FEWEST = 2  # below the first row, which starts a paragraph in any case


def leads(rows: Sequence[Sequence[Line]]) -> frozenset[int]:
    """The places of rows with a bold start; none if others of a text's words are bold, too.

    What a sentence stresses is anywhere in its rows.

    Args:
        rows: The lines of each row of one text, from the top.
    """
    bold = [[text for line in row for text in _parts(line)] for row in rows]
    if any(chain.from_iterable(parts[1:] for parts in bold)):
        return frozenset()
    led = frozenset(n for n, parts in enumerate(bold) if any(parts) and len(parts) > 1)
    is_other = any(parts == [True] for parts in bold)
    return frozenset() if is_other or len(led - {0}) < FEWEST else led


def _parts(line: Line) -> list[bool]:
    """Whether each part of a line in one weight is bold, from the left."""
    spans = [(each.start, each.end) for each in line.styles if each.kind == "bold"]
    if line.bold and not spans:
        return [True]
    found, at = list[bool](), 0
    for start, end in sorted(spans):
        found += [False] * bool(line.text[at:start].strip()) + [True]
        at = end
    return found + [False] * bool(line.text[at:].strip())
