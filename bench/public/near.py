"""The similarity of a short text to some piece of a longer one, as the benchmarks count it."""

from __future__ import annotations

from functools import lru_cache

from bench.drawn.tree_edits import edits_by_end, letters_apart
from bench.order_quality import edit_row


@lru_cache(maxsize=1 << 16)  # the pairs of a page, which are queried repeatedly
def apart(a: str, b: str) -> float:
    """Levenshtein's distance over the longer one's length, 0–1; 0 if both are empty."""
    return letters_apart(a, b) / max(len(a), len(b), 1)


def alike(a: str, b: str) -> float:
    """The similarity of two texts, 0–1: 1 minus letters added and left out over both lengths.

    Source: `ratio` of the package rapidfuzz, with which olmOCR-bench compares cells.
    """
    if a == b:
        return 1.0
    share = 1 - int(edit_row(_codes(a), _codes(b), swap=2)[-1]) / (len(a) + len(b))
    return 100 * share / 100  # rounded as the package's percentages are, which decides ties


def holds(text: str, piece: str, most: int) -> bool:
    """Whether a run of the text, no longer than the piece, matches it to 1 - most / length.

    If the text is the shorter one, its runs are searched in the piece.

    Source: `partial_ratio` of the package rapidfuzz, as olmOCR-bench uses it.
    """
    if piece in text or not piece:
        return True
    if most == 0:
        return False
    short, long = sorted((piece, text), key=len)
    least = 1 - most / len(piece)
    allowed = 2 * len(short) * most / len(piece)  # added and left out, in the longest run
    ends = edit_row(_codes(long), _codes(short), anywhere=True, swap=2)
    if ends.min() > allowed:
        return False
    size = len(short)
    starts = range(1 - size, len(long))  # runs at either end may be shorter
    return any(alike(long[max(start, 0) : start + size], short) >= least for start in starts)


def starts_of(text: str, piece: str, most: int) -> list[int]:
    """Where runs with at most this many edits begin; of overlapping ones the nearest.

    Source: `find_near_matches` of the package fuzzysearch, as olmOCR-bench uses it.
    """
    back = edits_by_end(piece[::-1], text[::-1], anywhere=True)[::-1]
    found: list[int] = []
    last = -len(piece)
    for start in (place for place, edits in enumerate(back) if edits <= most):
        if start - last >= len(piece):
            found.append(start)
        elif back[start] < back[found[-1]]:
            found[-1] = start
        last = start
    return found


def within(text: str, piece: str, share: float) -> bool:
    """Whether a run of the text, as long as the piece, is less than that share of it away.

    Args:
        text: At least as long as the piece, otherwise there is no such run.
        piece: Not empty, otherwise no run is near it.
        share: Of the piece's letters, 0–1.
    """
    size = len(piece)
    if not size or len(text) < size:
        return False
    by_end = edits_by_end(piece, text, anywhere=True)
    if 2 * min(by_end) < share * size:  # to make that run as long costs no more than it does
        return True
    return any(
        letters_apart(text[end - size : end], piece) < share * size
        for end in range(size, len(text) + 1)
        if by_end[end] < share * size
    )


def _codes(text: str) -> list[int]:
    return [*map(ord, text)]
