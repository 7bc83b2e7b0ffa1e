"""Leaders that are typed as dots, from a name to its value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pagetide.geometry import union
from pagetide.structure.tables.line_words import LineWords, Words
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.ruled.frames import LEAST_LEADERS, MOST_RULES, Stroke

_DOTS = ".…·"
_LEAST_DOTS = 4
# A page, of a chapter perhaps (`12`, `iv`, `A-3`, `3–12`): what a table of contents leads to.
_PAGE = re.compile(r"(?:(?:[A-Z]{1,2}|\d{1,3})\s?[-–]\s?)?\d{1,4}|[ivxlc]{1,6}")


class Led(NamedTuple):
    """Words with the leaders among them.

    Attributes:
        without: Without leaders.
        apart: All words, what follows a leader apart from it.
        leaders: As if drawn.
    """

    without: Words
    apart: Words
    leaders: Sequence[Stroke]


def typed_leaders(words: Words) -> Led:
    """The leaders that are typed among a page's words; none if they are few, or too many."""
    parts = [_parted(own) for own in words]
    leaders = [leader for part in parts for leader in part[2]]
    if not LEAST_LEADERS <= len(leaders) <= MOST_RULES:
        return Led(words, words, [])
    without, apart = zip(*(part[:2] for part in parts), strict=True)
    return Led(without, apart, leaders)


def are_pages(values: Sequence[str]) -> bool:
    """Whether all values may be page numbers, as those of a table of contents are."""
    return all(_PAGE.fullmatch(value.strip()) for value in values)


def _parted(words: LineWords) -> tuple[LineWords, LineWords, list[Stroke]]:
    """The same of a line, as `Led`."""
    without, apart, run = list[Piece](), list[Piece](), list[Piece]()
    leaders: list[Stroke] = []
    for word in words:
        name, dots = _split(word)
        ended = _leader(run) if name else []
        if name:
            without += [*(run if not ended else ()), name]
            leaders, run = [*leaders, *ended], []
        apart.append(word._replace(apart=True) if ended else word)
        run += dots
    leaders += _leader(run)
    return (LineWords(without), LineWords(apart), leaders) if leaders else (words, words, [])


def _split(word: Piece) -> tuple[Piece | None, list[Piece]]:
    """What a word has besides dots, and the dots that it ends with or consists of."""
    bare = word.text.rstrip(_DOTS)
    count = len(word.text) - len(bare)
    if not bare:
        return None, [word]
    if count < _LEAST_DOTS:
        return word, []
    cut = word.x1 - (word.x1 - word.x0) * count / len(word.text)
    dots = word._replace(text=word.text[len(bare) :], x0=cut)
    return word._replace(text=bare, x1=cut), [dots]


def _leader(run: Sequence[Piece]) -> list[Stroke]:
    """The leader that words of dots are; empty if they are none."""
    if sum(len(word.text) for word in run) < _LEAST_DOTS:
        return []
    x0, y0, x1, y1 = union(word[1:5] for word in run)
    return [Stroke((y0 + y1) / 2, x0, x1)]
