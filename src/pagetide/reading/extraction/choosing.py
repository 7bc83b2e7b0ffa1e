"""Chooses the parts of a long document that have most to do with the schema."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pagetide.document import Document
from pagetide.exports.chunks import Chunking, chunked
from pagetide.reading.extraction.pieces import Row

_WORD = re.compile(r"[^\W\d_]{3,}|[\u2e80-\u9fff\uac00-\ud7af]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_A_REQUEST = 4  # so many chunks go into one request, or more
_LETTERS_A_WORD = 8


class Parts(NamedTuple):
    """The chosen parts: rows by request, and how many chunks are left out of how many."""

    asked: list[list[Row]]
    left: int
    of: int


def parts_of(
    document: Document, rows: Sequence[Row], words: Iterable[str], *, letters: int, most: int
) -> Parts:
    """The document's rows by request; all of them in one where they fit.

    Args:
        document: As read.
        rows: All of its rows.
        words: What the schema speaks of.
        letters: Most of one request.
        most: Requests.
    """
    if _size(rows) <= letters:
        return Parts([list(rows)], 0, 1)
    share = letters // _A_REQUEST
    chunks = [cut for chunk in _chunks(document, rows, share) for cut in _cut(chunk, share)]
    sought = _words(words)
    common = Counter(word for chunk in chunks for word in _words(map(str, chunk)) & sought)
    worth = [_worth(chunk, sought, common, len(chunks)) for chunk in chunks]
    kept, room = list[int](), most * (letters - share)  # what a request may leave empty
    for index in sorted(range(len(chunks)), key=lambda index: (-worth[index], index)):
        room -= _size(chunks[index])
        if room < 0 and kept:
            break
        kept.append(index)
    asked = _packed((chunks[index] for index in sorted(kept)), letters)
    return Parts(asked, len(chunks) - len(kept), len(chunks))


def _chunks(document: Document, rows: Sequence[Row], share: int) -> list[list[Row]]:
    """The rows by chunk, in the document's order; what is in no chunk by page."""
    how = Chunking(max_tokens=max(20, share // _LETTERS_A_WORD))
    of_block: dict[tuple[int, int | None], int] = {}
    for chunk in chunked(document, how):
        for place in chunk.places:
            if place.order is not None:
                of_block.setdefault((place.page, place.order), chunk.index)
    found: dict[tuple[int, int | None], list[Row]] = {}
    for row in rows:
        index = of_block.get((row.page, row.block))
        found.setdefault((row.page, index), []).append(row)
    return list(found.values())


def _cut(chunk: Sequence[Row], share: int) -> list[list[Row]]:
    """A chunk in parts of that size; a longer row is one by itself."""
    return _packed(([row] for row in chunk), share)


def _packed(chunks: Iterable[list[Row]], letters: int) -> list[list[Row]]:
    """Chunks put together, in their order, as long as they fit."""
    packed: list[list[Row]] = []
    room = 0
    for chunk in chunks:
        size = _size(chunk)
        if not packed or size > room:
            packed.append([])
            room = letters
        packed[-1] += chunk
        room -= size
    return packed


def _size(rows: Iterable[Row]) -> int:
    return sum(len(str(row)) + 1 for row in rows)


def _worth(chunk: Sequence[Row], sought: set[str], common: Counter[str], chunks: int) -> float:
    """How much a chunk has to do with the words sought; rare ones count for more."""
    held = _words(map(str, chunk)) & sought
    return sum(math.log(1 + chunks / common[word]) for word in held)


def _words(texts: Iterable[str]) -> set[str]:
    parted = (_HUMP.sub(" ", text).casefold() for text in texts)
    return {word for text in parted for word in _WORD.findall(text)}
