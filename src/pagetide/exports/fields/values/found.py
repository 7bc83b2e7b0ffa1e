"""The values of a page recognised by their form, wherever they are."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from pagetide.document.field import Value
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Meaning, Sheet
from pagetide.exports.fields.values.dates import DATE, Order, normalised, signs_of_dates
from pagetide.exports.fields.values.forms import FORMS, Form


def values_on(sheet: Sheet, order: Order) -> Iterator[Value]:
    """The values among a page's phrases, in their order; none of them twice."""
    signs = _signs([phrase.text for phrase in sheet.phrases])
    for place in sorted(signs):
        yield from _values_in(sheet, sheet.phrases[place], signs[place], order)


def _signs(texts: Sequence[str]) -> dict[int, list[Form | None]]:
    """By index of text, the forms whose sign it has; None is that of dates.

    All texts are searched as one: testing each text for each form takes longer than finding the
    values of those that have some.
    """
    whole = "\n".join(texts)
    ends = list(accumulate([len(text) + 1 for text in texts]))
    marks: list[tuple[Form | None, Iterable[int]]] = [(None, signs_of_dates(whole))]
    marks += [(form, map(re.Match.start, form.sign.finditer(whole))) for form in FORMS]
    found: dict[int, list[Form | None]] = {}
    for form, places in marks:
        for text in {bisect_right(ends, place) for place in places}:
            found.setdefault(text, []).append(form)
    return found


def _values_in(
    sheet: Sheet, phrase: Phrase, forms: Sequence[Form | None], order: Order
) -> list[Value]:
    """The values of these forms; of two that overlap, that of the first form."""
    taken: list[tuple[int, int]] = []
    found: dict[int, Value] = {}
    for form in forms:
        for match in (form.pattern if form else DATE).finditer(phrase.text):
            start, end = match.span()
            meaning = form.meaning_of(match[0].strip()) if form else _date(match, order)
            place = bisect_left(taken, (end, 0)) if taken else 0
            if meaning and (place == 0 or taken[place - 1][1] <= start):
                taken.insert(place, (start, end))
                found[start] = sheet.value([phrase.part(start, end)], meaning=meaning)
    return [found[start] for start, _ in taken]


def _date(match: re.Match[str], order: Order) -> Meaning:
    return Meaning("date", normalised(match, order))
