"""Finds a value in a text: as it is written, or by its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NamedTuple

from pagetide.exports.fields.values.amounts import CURRENCIES, amount_in
from pagetide.exports.fields.values.dates import DATE, Order, normalised
from pagetide.exports.fields.values.forms import iban
from pagetide.layout.words import is_unspaced
from pagetide.reading.extraction.grounding.page_text import PageText, folded

LONGEST = 4000  # letters of a value
_INNER = ".,-_@/'"  # what stands within a number, a name or an address
_MONEY = re.compile(r".*\d[.,]\d\d")
_IBAN = re.compile(r"[a-z]{2}\d{2}(?: ?[0-9a-z]){10,30}")
_PHONE = re.compile(r"\+?\(?\d[\d ()/.-]{5,20}\d")
_ISO_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})[t ](\d{2}:\d{2})(?::00(?:\.0+)?)?(?:z|\+00:00)?")


class TextMatch(NamedTuple):
    """Where a value stands, and whether it can be read there in this way alone."""

    start: int
    end: int
    certain: bool = True


def found_in(text: PageText, value: Any, order: Order) -> TextMatch | None:
    """Where a text or number stands in pages' text; None where it does not.

    Args:
        text: The pages'.
        value: A text or a number.
        order: Of the document's dates.
    """
    if isinstance(value, str):
        return _of_text(text, folded(value).strip()[: LONGEST + 1], order)
    return _of_number(text, Decimal(str(value)), None)


def _of_text(text: PageText, value: str, order: Order) -> TextMatch | None:
    if not any(letter.isalnum() for letter in value) or len(value) > LONGEST:
        return None
    return (
        _as_written(text.text, value)
        or _as_date(text, value, order)
        or _as_amount(text, value)
        or _as_code(text, value)
    )


def _as_written(text: str, value: str) -> TextMatch | None:
    pattern = re.compile(_pattern(value))
    at = pattern.search(text)
    while at is not None:
        if not (
            _goes_on(text, at.start()) or _goes_on(text, at.end()) or _is_less(text, *at.span())
        ):
            return TextMatch(*at.span())
        at = pattern.search(text, at.start() + 1)
    return None


def _pattern(value: str) -> str:
    """A pattern that matches it with other spaces, line ends, and hyphens at line ends.

    Figures beside each other stay so: 2 50.00 is not 250.00.
    """
    parts, last, spaced = [], "", False
    for place, letter in enumerate(value):
        if letter == " ":
            spaced = True
            continue
        figures = last.isdigit() and letter.isdigit()
        if last:
            parts.append((r"\s+" if spaced else "") if figures else r"(?:-\n|\s*)")
        inner = last.isdigit() and value[place + 1 : place + 2].isdigit()
        # Rows of an address are often joined with commas.
        parts.append(r"(?:[,;]|\n)" if letter in ",;" and not inner else re.escape(letter))
        last, spaced = letter, False
    return "".join(parts)


def _goes_on(text: str, place: int) -> bool:
    """Whether a word or a number goes on over a place in a text."""
    left, right = text[place - 1 : place], text[place : place + 1]
    if not left or not right or is_unspaced(left) or is_unspaced(right):
        return False
    if left.isalnum() and right.isalnum():
        return True
    # What stands within: 1,234.50, a-b, x@y.org.
    if right in _INNER and left.isalnum():
        return _joins(left, right, text[place + 1 : place + 2])
    if left in _INNER and right.isalnum():
        return _joins(text[place - 2 : place - 1], left, right)
    return False


def _joins(left: str, sign: str, right: str) -> bool:
    if left.isdigit() and right.isdigit():
        return True
    return sign in "-_@." and left.isalnum() and right.isalnum()


def _is_less(text: str, start: int, end: int) -> bool:
    """Whether a sign makes a number of what stands there that is less than nothing."""
    if not text[start].isdigit():
        return False
    before = re.search(r"(?:^|[^\w)])- ?$", text[max(0, start - 4) : start])
    behind = text[end : end + 1] == "-" and not text[end + 1 : end + 2].isalnum()
    return bool(before) or (behind and bool(_MONEY.fullmatch(text[start:end])))


def _as_date(text: PageText, value: str, order: Order) -> TextMatch | None:
    timed = _ISO_TIME.fullmatch(value)
    written = DATE.fullmatch(timed[1] if timed else value)
    wanted = normalised(written, order) if written else None
    if wanted is None:
        return None
    if timed and timed[2] != "00:00" and not _as_written(text.text, timed[2]):
        return None
    doubtful = None
    for at in text.dates:
        date = normalised(at, order)
        if date == wanted:
            return TextMatch(*at.span())
        if date is None and wanted in (normalised(at, each) for each in _ORDERS):
            doubtful = doubtful or TextMatch(*at.span(), certain=False)
    return doubtful


_ORDERS: tuple[Order, Order] = ("day first", "month first")


def _as_amount(text: PageText, value: str) -> TextMatch | None:
    amount = amount_in(value)
    if amount is None or value.isdigit():  # 7 is not 007, where it may be a name
        return None
    plain = re.fullmatch(r"-?\d+\.\d+", value)  # as programs write it: 1.234 is no thousand
    return _of_number(text, Decimal(value) if plain else amount.number, amount.currency)


def _of_number(text: PageText, wanted: Decimal, currency: str | None) -> TextMatch | None:
    doubtful = None
    for figure in text.figures:
        if wanted in figure.readings and currency in (None, figure.currency):
            if figure.certain:
                return TextMatch(figure.start, figure.end)
            doubtful = doubtful or TextMatch(figure.start, figure.end, certain=False)
    return doubtful


def _as_code(text: PageText, value: str) -> TextMatch | None:
    """The figures of an account or telephone number, however parted; a currency's sign."""
    packed = _packed(value)
    if _IBAN.fullmatch(value) and iban(packed.upper()):
        return _first(text.text, _IBAN, packed)
    if _PHONE.fullmatch(value):
        return _first(text.text, _PHONE, packed)
    code = CURRENCIES.get(value)
    for figure in text.figures if code else ():
        if figure.currency == code:
            return TextMatch(figure.start, figure.end)
    return None


def _first(text: str, looks: re.Pattern[str], packed: str) -> TextMatch | None:
    spans = (at.span() for at in _all(looks, text))
    return next(
        (TextMatch(*span) for span in spans if _packed(text[slice(*span)]) == packed), None
    )


def _all(looks: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    at = looks.search(text)
    while at is not None:
        yield at
        at = looks.search(text, at.start() + 1)


def _packed(text: str) -> str:
    return re.sub(r"[^0-9a-z+]", "", text.replace("(0)", ""))
