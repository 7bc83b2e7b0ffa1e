"""Rows of a page that name the columns of items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from pagetide.exports.fields.bills.items.word_columns import Part, parts_of
from pagetide.exports.fields.heads import named
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.products import FIGURES
from pagetide.exports.fields.values.amounts import amount_in
from pagetide.languages.labels import column_labels
from pagetide.structure.tables.pieces import has_figures

_STOPS = ".:*()"
_LEAST = 2  # columns that a header names
_WORDS = 12  # of headers set as close as words, at most
_LINES = 4  # of a header, at most
_STACKED = 0.9  # line heights between the lines of a header, at most
_LEVEL = 0.25  # of a line's height: rows that overlap more are one
Parts = Sequence[Part]


def level(rows: Iterable[Sequence[Phrase]]) -> Iterator[list[Phrase]]:
    """The rows, with those joined that overlap vertically."""
    found: list[Phrase] = []
    low = 0.0
    for row in rows:
        top, height = min([p.y0 for p in row]), min([p.y1 - p.y0 for p in row])
        if found and low - top <= _LEVEL * height:
            yield found
            found = []
        low = max(low if found else 0.0, *[p.y1 for p in row])
        found += row
    if found:
        yield found


def heads_among(rows: Sequence[Sequence[Phrase]]) -> list[int]:
    """The indexes of the headers; of neighbouring ones the row that names the most columns."""
    counts = [0, *map(_named_by, rows), 0]
    return [
        place
        for place, count in enumerate(counts[1:-1])
        if count > counts[place] and count >= counts[place + 2]
    ]


def whole_head(rows: Sequence[Parts], place: int, end: int) -> tuple[int, list[Part]]:
    """The first row below a header, and the parts of all its lines, each in one column."""
    head, first = list(rows[place]), place + 1
    if place and _is_of(rows[place - 1], head):
        head = [*rows[place - 1], *head]
    while first < min(end, place + _LINES) and _is_of(rows[first], head):
        head += rows[first]
        first += 1
    return first, [part for whole in head for part in _heads_in(whole)]


def _named_by(row: Sequence[Phrase]) -> int:
    """How many item columns a row names; 0 if it is not a header."""
    short = [phrase for phrase in row if len(phrase.words) <= _WORDS]
    if not short or amount_in(short[-1].text):
        return 0  # most rows end here
    words = [word[0] for phrase in short for word in phrase.words]
    if len(words) < _LEAST or sum(map(_may_be_a_heads, words)) < _LEAST:
        return 0
    if any([amount_in(phrase.text) for phrase in row]):
        return 0
    heads = [part for whole in parts_of(row) for part in _heads_in(whole)]
    likely = [head for head in heads if any(_may_be_a_heads(word[0]) for word in head.words)]
    names = {name for head in likely for name in named(head.text)}
    return len(names) if len(names) >= _LEAST and FIGURES & names else 0


@lru_cache(maxsize=4096)
def _may_be_a_heads(word: str) -> bool:
    return word.endswith(".") or word.casefold().strip(_STOPS) in _head_words()


@cache
def _head_words() -> frozenset[str]:
    """The words of all known headers."""
    labels = (label.casefold().split() for label, _ in column_labels())
    return frozenset(word.strip(_STOPS) for words in labels for word in words)


def _heads_in(whole: Part) -> Sequence[Part]:
    """Splits headers set as close as words, if each of them is known."""
    words = [_may_be_a_heads(word[0]) for word in whole.words[: _WORDS + 1]]
    if not 1 < len(words) <= _WORDS or sum(words) < _LEAST or len(named(whole.text)) == 1:
        return (whole,)
    found: list[Part] = []
    texts = [word[0] for word in whole.words]
    first, count = 0, len(words)
    while first < count:
        ends = range(count, first, -1)
        end = next((end for end in ends if len(named(" ".join(texts[first:end]))) == 1), None)
        if end is None:
            return (whole,)
        found.append(whole.between(first, end))
        first = end
    return found


def _is_of(row: Parts, head: Parts) -> bool:
    """Whether a row is a line of the header beside it: each word is over or under one."""
    y0, y1 = min(part.y0 for part in row), max(part.y1 for part in row)
    room = max(y0 - max(part.y1 for part in head), min(part.y0 for part in head) - y1)
    over = [[q for q in head if p.x0 < q.x1 and q.x0 < p.x1] for p in row]
    if room > _STACKED * (y1 - y0) or not all(over) or any(has_figures(p.text) for p in row):
        return False
    return len(row) > 1 or bool(named(f"{over[0][0].text} {row[0].text}"))
