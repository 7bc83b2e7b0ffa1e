"""Lines of Arabic script: from the order in which they stand on the page to that of reading.

The recogniser gives a line's characters from left to right. Text is kept as it is read: words
from right to left, and within them numbers and Latin words as they stand.

Source: the reordering of Unicode Standard Annex 9, undone for one level of embedding.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from pagetide.engines.ppocr.lines.decode import ReadLine, ReadWord

_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
_INSIDE_NUMBERS = ".,:/-%"


def as_read(line: ReadLine) -> ReadLine:
    """The line with its words and letters in the order of reading; others stay as they are."""
    if not any(_runs_left(letter) for letter in line.text):
        return line
    words = tuple(replace(word, text=_word(word.text)) for word in _in_order(line.words))
    return replace(line, text=" ".join(word.text for word in words), words=words)


def _in_order(words: Iterable[ReadWord]) -> list[ReadWord]:
    """From right to left, but what is Latin stays as it stands."""
    runs = [
        (latin, list(run)) for latin, run in itertools.groupby(words, lambda w: _latin(w.text))
    ]
    ordered = [run if latin else run[::-1] for latin, run in reversed(runs)]
    return list(itertools.chain.from_iterable(ordered))


def _word(text: str) -> str:
    """A word turned round; its numbers and Latin letters stay as they stand."""
    if not any(_runs_left(letter) for letter in text):
        return text
    runs = [
        (keeps, "".join(run)) for keeps, run in itertools.groupby(text, lambda c: _keeps(c))
    ]
    turned = [
        run if keeps and _counts(run) else run[::-1].translate(_MIRRORED)
        for keeps, run in reversed(runs)
    ]
    return "".join(turned)


def _runs_left(letter: str) -> bool:
    return unicodedata.bidirectional(letter) in ("R", "AL")


def _latin(word: str) -> bool:
    return any(unicodedata.bidirectional(c) == "L" for c in word) and not any(
        map(_runs_left, word)
    )


def _keeps(letter: str) -> bool:
    """Whether it may be part of a number or of a Latin word."""
    return unicodedata.bidirectional(letter) in ("L", "EN", "AN") or letter in _INSIDE_NUMBERS


def _counts(run: str) -> bool:
    """Whether a run is a number or a Latin word, not punctuation alone."""
    return any(unicodedata.bidirectional(c) in ("L", "EN", "AN") for c in run)
