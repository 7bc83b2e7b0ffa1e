"""Whether the numbers before items are positions or article numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from pagetide.exports.fields.bills.items.settled_rows import Row

_FIRST = 10  # if the first part is higher, it is not a position
_LEAST = 2  # rows needed to decide


def numbered(rows: Sequence[Row]) -> list[Row]:
    """Rows with a position if their numbers count them, otherwise with an article.

    Rows that have both, or neither, do not change.
    """
    positions = [row.item.position for row in rows]
    articles = [row.item.article for row in rows]
    if len(rows) < _LEAST:
        return list(rows)
    if all(positions) and not any(articles) and not _count([p.text for p in positions if p]):
        return list(map(_swapped, rows))
    if all(articles) and not any(positions) and _count([a.text for a in articles if a]):
        return list(map(_swapped, rows))
    return list(rows)


def _swapped(row: Row) -> Row:
    item = row.item
    return row._replace(item=replace(item, article=item.position, position=item.article))


def _count(texts: Sequence[str]) -> bool:
    """Whether numbers rise from the first on, by equal steps or part by part: `1.1`, `1.2`."""
    parts = [text.strip(" .)").split(".") for text in texts]
    if not all(part.isdecimal() for own in parts for part in own):
        return False
    numbers = [tuple(map(int, own)) for own in parts]
    if any(upper >= lower for upper, lower in pairwise(numbers)) or numbers[0][0] > _FIRST:
        return False
    steps = {lower[0] - upper[0] for upper, lower in pairwise(numbers)}
    return max(map(len, numbers)) > 1 or (len(steps) == 1 and numbers[0][0] in {1, *steps})
