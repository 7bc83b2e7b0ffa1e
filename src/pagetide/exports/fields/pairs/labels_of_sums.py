"""Labels of sums that are longer than the known ones, recognised by one of their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from pagetide.exports.fields.pairs.sums import begins_sum, sums_with
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.amounts import is_money
from pagetide.languages.labels import SUMS, plain, single_words

Place = tuple[int, int]
"""A phrase's row, and its index there."""

_LETTERS = re.compile(r"[^\W\d_]+")
# One of several is an item: `IBI 2025, cuota 6 de 12`.
_INSTALMENT = re.compile(r"\d\s(?:de|of|von|van|di|av|af|z)\s\d")
_ENDING = 6  # letters of a word that may end others: `Voorjaarskorting`


def labels_of_sums(sheet: Sheet, known: Mapping[Place, str]) -> Iterator[tuple[Place, str]]:
    """Labels before an amount that contain a word for a sum, and its name.

    Totals start like this, and below one are `abzgl. Abschlagszahlung vom 03.03.` and the like.

    Args:
        sheet: A page's phrases.
        known: The names of labels that are known as a whole.
    """
    summed = False
    known_in: dict[int, set[str]] = {}
    for (number, _), name in known.items():
        known_in.setdefault(number, set()).add(name)
    for number, row in enumerate(sheet.rows):
        names, place = known_in.get(number, set()), len(row) - 2
        if names & {"subtotal", "total"}:
            summed = True
        elif place >= 0 and not names & SUMS and is_money(row[-1].text):
            text = row[place].text
            name = named_among(text) if summed else ("total" if begins_sum(text) else "")
            if name:
                yield (number, place), name


def named_among(text: str) -> str:
    """The sum that one of a label's words names, or ends with; empty if none does."""
    if _INSTALMENT.search(text):
        return ""
    words = [plain(word) for word in _LETTERS.findall(text)]
    which = sums_with(words)
    names = ("paid", "discount") if which else ("paid", "discount", "shipping", "tax")
    if _is_named(words, names):  # few are
        return next(name for name in names if _is_named(words, (name,)))
    return "total" if which == "total" else ""


def _is_named(words: Sequence[str], names: tuple[str, ...]) -> bool:
    """Whether one of a label's words names one of some sums, or begins or ends so."""
    labels, ends = _words_of(names)
    return not labels.isdisjoint(words) or any(
        len(word) >= _ENDING and (word.endswith(ends) or word.startswith(ends))
        for word in words
    )


@cache
def _words_of(names: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """The words that name sums, and those that others may end or start with."""
    labels = frozenset[str]().union(*map(single_words, names))
    return labels, tuple(label for label in labels if len(label) >= _ENDING)
