"""A bill's number without a label: next to the title."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pagetide.document.field import Value
from pagetide.exports.fields.bills.parties.titles import has_title, is_title
from pagetide.exports.fields.pairs.near import overlap
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.dates import is_moment, signs_of_dates
from pagetide.languages.composed import composed
from pagetide.languages.labels import plain

_ROWS = 20  # of a page that may contain a title
_BELOW = 2.0  # heights between a title and the number below
# After a word or sign for it: `Nr. 250418`, `n. 38/NC del 22 maggio`, `#F250031`.
_SIGN = re.compile(r"(?:\b(?:n[°º]|(?:nr|no|num|n)\b\.?)|[#№])\s?:?\s*", re.IGNORECASE)
# With letters before it or without: `RE-71`, `FT A/3172`, `2025/0388`.
_CODE = re.compile(
    r"(?:[A-Z]{1,4}\s)?(?:[^\W\d_]{1,5}[-/ ]?){0,2}\d[\w/.-]*(?:\s\d{3,})?(?=[\s,;)]|$)"
)
_SERIES = frozenset({"seria", "serie", "série", "series"})
_WORDS = 5  # of a title, at most
_MANY = 6  # of a title after which anything may follow
_SIGNED = 4  # digits of a number indicated only by a sign
_DIGITS = 3  # of a number without a sign before it, at least


def number_at_title(sheet: Sheet) -> Value | None:
    """The number after a title, beside it or right below; None if there is none."""
    rows = sheet.rows[:_ROWS]
    for place, row in enumerate(rows):
        for n, phrase in enumerate(row):
            if has_title(phrase.text):
                below = rows[place + 1] if place + 1 < len(rows) else ()
                near = [p for p in below if p.y0 - phrase.y1 < _BELOW * phrase.height]
                near.sort(key=lambda p: not overlap(p, phrase))  # right below it first
                for other in (*_behind(phrase), *row[n + 1 : n + 2], *near):
                    if number := _number_in(other):
                        return sheet.value([number])
    signed = (_signed_in(phrase) for row in rows for phrase in row)
    number = next(filter(None, signed), None)
    return sheet.value([number]) if number else None


def _signed_in(phrase: Phrase) -> Phrase | None:
    """The number after a sign for it, if the words before belong to no other label."""
    sign = _SIGN.search(phrase.text)
    code = _CODE.match(phrase.text, sign.end()) if sign else None
    if sign is None or code is None or sum(map(str.isdigit, code[0])) < _SIGNED:
        return None
    before, rest = phrase.text[: sign.start()].strip(), phrase.text[code.end() :]
    is_other = composed(phrase.text[: sign.end()]) not in ("", "number")
    if is_other or not _is_of_a_bill(before) or rest[:1] == ",":
        return None
    return None if is_moment(code[0]) else phrase.part(*code.span())


def _number_in(phrase: Phrase) -> Phrase | None:
    """The number at the start of a text, after a sign for it or with enough digits."""
    text = phrase.text
    sign = _SIGN.match(text)
    start = sign.end() if sign else 0
    code = _CODE.match(text, start)
    if code is None or is_moment(code[0]) or next(signs_of_dates(code[0]), None) is not None:
        return None
    if is_title(code[0].split()[0]):
        return None  # `INVOICE 77120` after `TAX`
    is_whole = code.end() == len(text) or start > 0 or _goes_on(text[code.end() :])
    is_whole |= sum(map(str.isdigit, code[0])) >= _MANY
    if not is_whole or (not sign and sum(map(str.isdigit, code[0])) < _DIGITS):
        return None
    return phrase.part(*code.span())


def _is_of_a_bill(before: str) -> bool:
    """Whether words before a sign are a bill's title, or its series: `Seria MSV`; or empty."""
    words = [plain(word) for word in before.split()]
    if ":" in before or len(words) > _WORDS:
        return False
    return not words or words[0] in _SERIES or is_title(before) or has_title(before)


def _goes_on(rest: str) -> bool:
    """Whether the rest starts in lowercase or with a full stop, or says which copy it is."""
    bare = rest.lstrip(" ,;·–-")
    return bare[:1].islower() or rest.lstrip()[:1] in "–-(,;·" or is_title(bare)


def _behind(phrase: Phrase) -> Iterator[Phrase]:
    """The text after each of a title's words."""
    at = 0
    for word in phrase.text.split(maxsplit=_WORDS)[:-1]:
        at = phrase.text.index(word, at) + len(word)
        yield phrase.part(at, len(phrase.text))
