"""Whether a table came out exactly right, and what went wrong."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from bench.table_halves import size_of
from bench.teds import TablePage, rows_of

Unit = tuple[int, int]

# Signs and leaders that readers may write differently.
_SIGNS = str.maketrans("‐‑–—−", "-----")
_LEADERS = re.compile(r"([.·…]){3,}")


def placed(html: str) -> Iterator[tuple[str, frozenset[Unit]]]:
    """A table's texts, without spaces and leaders, each with the units its cell covers."""
    taken: set[Unit] = set()
    for row, cells in enumerate(rows_of(html)):
        column = 0
        for said, high, wide in cells:
            while (row, column) in taken:
                column += 1
            own = {(row + y, column + x) for y in range(high) for x in range(wide)}
            taken |= own
            column += wide
            if text := _plain(said):
                yield text, frozenset(own)


def _plain(said: str) -> str:
    text = "".join(unicodedata.normalize("NFKC", said).translate(_SIGNS).split())
    return _LEADERS.sub("", text) or text


def is_exact(found: str, truth: str) -> bool:
    """Whether a table has the rows and columns of the true one, and each text in its place.

    A head over several rows may be in any of them, and a name over several columns.
    """
    if size_of(found) != size_of(truth):
        return False
    mine, real = list(placed(found)), list(placed(truth))
    if Counter(text for text, _ in mine) != Counter(text for text, _ in real):
        return False
    return all(any(text == t and own & units for t, units in mine) for text, own in real)


def exact_of(page: TablePage) -> int:
    """How many of a page's true tables came out exactly right."""
    left = list(page.found)
    count = 0
    for truth in page.truth:
        for found in left:
            if is_exact(found, truth):
                left.remove(found)
                count += 1
                break
    return count


def faults(page: TablePage) -> list[str]:
    """The faults of a page's tables, each as a kind of fault."""
    said, left = [], list(page.found)
    for truth in page.truth:
        found = max(left, key=lambda html: _shared(html, truth), default=None)
        if found is None or not _shared(found, truth):
            said.append("missed")
            continue
        left.remove(found)
        said += _faults(found, truth)
    return [*said, *["extra"] * len(left)]


def _shared(found: str, truth: str) -> int:
    mine, real = (Counter(text for text, _ in placed(html)) for html in (found, truth))
    return (mine & real).total()


def _faults(found: str, truth: str) -> list[str]:
    if is_exact(found, truth):
        return []
    (rows, columns), (true_rows, true_columns) = size_of(found), size_of(truth)
    said = []
    if rows != true_rows:
        said.append("rows too many" if rows > true_rows else "rows too few")
    if columns != true_columns:
        said.append("columns too many" if columns > true_columns else "columns too few")
    return said or ["texts in other cells"]
