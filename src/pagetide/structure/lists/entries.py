"""Rows that start an entry by what they say: references, clauses, and what people say.

`[7]` starts a reference where another row starts with `[8]`, and `2.3` a clause where another
starts with `2.2`. A name before a colon, or a letter before a full stop, starts a speech where
the same one does so again: speakers take turns, names of values do not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

TURNS = 2  # of one speaker
SPEAKERS = 2

_REFERENCE = re.compile(r"\[(\d{1,3})\]\s")
_CLAUSE = re.compile(r"((?:\d{1,2}\.){1,3})(\d{1,2})\.?\s+\W?[^\W\d_]")
_SPEAKER = re.compile(
    r"\W?((?:[^\W\d_][\w.’'-]*\s){0,4}[^\W\d_][\w.’'-]*\s?[:：]|[^\W\d_]\.)\s+\W?[^\W\d_a-z]"
)


def entries(texts: Sequence[str], ended: Sequence[bool]) -> frozenset[int]:
    """The places of rows that start an entry.

    Args:
        texts: A column's rows, from the top.
        ended: Whether a sentence had ended above each; only there clauses and speeches start.
    """
    told = _clauses(texts) | speeches(texts)
    return frozenset(_references(texts) | {place for place in told if ended[place]})


def _references(texts: Sequence[str]) -> set[int]:
    """Those with a number in brackets, if some count up."""
    found = {
        n: int(match[1]) for n, text in enumerate(texts) if (match := _REFERENCE.match(text))
    }
    counts = any(b == a + 1 for a, b in pairwise(found.values()))
    return set(found) if counts else set()


def _clauses(texts: Sequence[str]) -> set[int]:
    """Those with numbers of several parts, if the last part of some counts up."""
    found = {n: match for n, text in enumerate(texts) if (match := _CLAUSE.match(text))}
    siblings = pairwise(found.values())
    counts = any(a[1] == b[1] and int(b[2]) == int(a[2]) + 1 for a, b in siblings)
    return set(found) if counts else set()


def speeches(texts: Sequence[str]) -> set[int]:
    """The places of texts that start with a speaker, if several take turns."""
    found = {n: match[1] for n, text in enumerate(texts) if (match := _SPEAKER.match(text))}
    turns = Counter(found.values())
    take_turns = len(turns) >= SPEAKERS and max(turns.values()) >= TURNS
    return set(found) if take_turns else set()
