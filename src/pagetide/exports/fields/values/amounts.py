"""Numbers and sums of money as pages write them: 1,234.50, 1.234,50 €, (1 234.50), USD 12."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

CENT = Decimal("0.01")
_SIGNS = {
    "€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "￥": "CNY", "元": "CNY", "₹": "INR",
    "zł": "PLN", "kč": "CZK", "rm": "MYR", "r$": "BRL", "us$": "USD", "a$": "AUD", "c$": "CAD",
    "s$": "SGD", "hk$": "HKD", "₽": "RUB", "₺": "TRY", "₩": "KRW", "₪": "ILS", "฿": "THB",
    "tl": "TRY", "lei": "RON", "rs": "INR", "fr": "CHF", "sfr": "CHF", "円": "JPY",
    "ر.س": "SAR", "د.إ": "AED", "ج.م": "EGP", "د.م": "MAD", "د.ك": "KWD", "ر.ق": "QAR",
}  # fmt: skip
_CODES = [
    "EUR", "USD", "GBP", "JPY", "CNY", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON",
    "BGN", "TRY", "RUB", "UAH", "INR", "IDR", "MYR", "SGD", "THB", "PHP", "VND", "KRW", "TWD",
    "HKD", "AUD", "NZD", "CAD", "MXN", "BRL", "ARS", "CLP", "COP", "ZAR", "EGP", "MAD", "SAR",
    "AED", "QAR", "KWD", "ILS", "NGN", "KES",
]  # fmt: skip
CURRENCY_SIGNS = frozenset(sign for sign in _SIGNS if not sign.isalpha())
CURRENCIES = {**_SIGNS, **{code.lower(): code for code in _CODES}}
_SIGN = "|".join(sorted(map(re.escape, CURRENCIES), key=len, reverse=True))
CURRENCIES["ft"] = "HUF"
_SIGN += r"|(?-i:Ft)"  # of forints, but not of feet
_SIGN += r"|r(?=\s?\d[\d\s,]*[.,]\d{2}(?!\d))"  # of rand only before cents: `R12` is a code
# Most letters start none of them.
_SIGN = f"(?=[{''.join(sorted({re.escape(sign[0]) for sign in CURRENCIES}))}])(?:{_SIGN})"
# Groups of three, or of two after commas, as in India.
_NUMBER = r"\d{1,3}(?:[.'’\u00a0\u202f ]\d{3}|,\d{2,3})+(?:[.,]\d{1,4})?|\d+(?:[.,]\d{1,4})?"
_AMOUNT = re.compile(
    rf"(?P<open>\()?\s*(?P<minus>[-−–]|\([-−–]\))?\s*(?:(?P<before>{_SIGN})\.?\s*)?(?P<minus2>[-−–])?\s*"
    rf"(?P<number>{_NUMBER})(?!\d)(?:\s*(?P<after>{_SIGN})\b\.?|\s*(?P<after2>[€$£¥￥元₹₽₺₩₪฿円]))?"
    r"\s*(?P<minus3>[-−–])?\s*(?P<close>\))?",
    re.IGNORECASE,
)
# Without a currency or groups of figures.
_PLAIN = re.compile(r"(\d+)(?:[.,](\d\d))?", re.ASCII)
_MARKS = str.maketrans("٫٬", ".,")  # of decimals and groups in Arabic
_APART = re.compile(r"(?<=\d)\s?([.,])\s(?=\d{2}(?!\d))")  # cents that a till sets apart
_FIGURE, _OTHER, _POINT = re.compile(r"\d"), re.compile(r"\D"), re.compile("[.,]")
_TAX = 8  # characters of a note that taxes are included, at most
_LONGEST = 40  # characters of a sum with its currency
_TAXED = re.compile(
    r"\s*(?:TTC|HT|T\.T\.C\.|H\.T\.|netto|brutto|incl\.?|excl\.?|kr\.?)$", re.IGNORECASE
)
_PENCE = re.compile(r"(?P<number>\d+(?:[.,]\d{1,4})?)\s?(?:(?P<pence>p)|øre|öre|ct|cents?)")
_NAMED = re.compile(rf"(?:^|[\s(\[/])(?:in\s|en\s)?(?P<sign>{_SIGN})[)\]]?\.?$", re.IGNORECASE)
_BEHIND, _ENDS = re.compile(r"[\s(\[/]"), ")].\n"  # what a currency follows, and precedes
# A quantity with its unit, as `8,5 uur`, `12 m` and `2 Unit(s)`.
MEASURED = re.compile(
    r"(?P<number>\d[\d.,]*)\s?(?P<unit>[^\W\d_][^\W\d_./²³]{0,11}(?:\.|[²³]|\(\w{1,2}\))?)"
)
PERCENT = re.compile(r"[-−]?\d{1,3}(?:[.,]\d{1,3})?\s*%")


class Amount(NamedTuple):
    """A number, its currency, and whether it is written as money is."""

    number: Decimal
    currency: str | None
    is_money: bool


_each_text = lru_cache(maxsize=4096)  # a page's figures are tested four or more times


@_each_text
def amount_in(text: str) -> Amount | None:
    """The amount of a whole text; None if it is not one."""
    text = text.strip()
    if len(text) > _LONGEST or not _FIGURE.search(text):
        return None
    if plain := _PLAIN.fullmatch(text):  # as most are
        whole, cents = plain.groups()
        return Amount(Decimal(f"{whole}.{cents or 0}"), None, cents is not None)
    joined = text if text.isascii() else text.translate(_MARKS)
    if len(joined.split(maxsplit=1)) > 1:
        joined = _APART.sub(r"\1", joined)
    found = _AMOUNT.fullmatch(joined)
    if not found and not joined[-1].isdecimal():
        if pence := _PENCE.fullmatch(joined):
            currency = "GBP" if pence["pence"] else None
            return Amount(number_of(pence["number"])[0] / 100, currency, is_money=True)
        taxed = _TAXED.search(joined, max(0, len(joined) - _TAX))
        found = _AMOUNT.fullmatch(joined, 0, taxed.start()) if taxed else None
    if not found:
        return None
    number, cents = number_of(found["number"])
    signed = found["minus"] or found["minus2"] or found["minus3"]
    less = bool(signed or (found["open"] and found["close"]))
    sign = found["before"] or found["after"] or found["after2"]
    currency = CURRENCIES.get(sign.lower(), "ZAR") if sign else None
    return Amount(-number if less else number, currency, bool(currency) or cents)


def is_money(text: str) -> bool:
    """Whether a text is a sum of money: with a currency, or with cents."""
    found = amount_in(text)
    return found is not None and found.is_money


@_each_text
def measured_in(text: str) -> Decimal | None:
    """The number of a text, or at its start before a unit, as in `8,5 uur`."""
    if found := amount_in(text):
        return found.number
    measured = MEASURED.fullmatch(text.strip())
    return number_of(measured["number"])[0] if measured else None


def without_currency(label: str) -> tuple[str, str | None]:
    """A label such as `Total EUR` without its currency, and that currency."""
    last = _BEHIND.split(label.rstrip(_ENDS))[-1]
    found = _NAMED.search(label) if last.lower() in CURRENCIES else None
    return (
        (label[: found.start()], CURRENCIES.get(found["sign"].lower(), "ZAR"))
        if found
        else (label, None)
    )


def number_of(text: str) -> tuple[Decimal, bool]:
    """A number's value, and whether it is written with two decimals.

    The last mark is the decimal one if fewer or more than three digits follow it, if there is
    another kind of mark before it, or only a zero.
    """
    marks = _POINT.findall(text)
    head, last, tail = text, "", ""
    if marks:
        last = marks[-1]
        head, _, tail = text.rpartition(last)
        other = any(mark != last for mark in marks[:-1])
        repeated = marks.count(last) > 1
        if (len(tail) == 3 and not other and head != "0") or (repeated and not other):
            head, last, tail = text, "", ""
    whole = _OTHER.sub("", head)
    return Decimal(f"{whole or 0}.{tail or 0}"), bool(last) and len(tail) == 2


def is_percent(text: str) -> bool:
    """Whether a text is a rate in percent."""
    return text.endswith("%") and PERCENT.fullmatch(text) is not None


def is_item(figures: Sequence[str]) -> bool:
    """Whether figures of a row are a quantity, a price and their product."""
    numbers = [amount.number for text in figures if (amount := amount_in(text))]
    return len(numbers) > 2 and any(
        abs(a * b - c) <= CENT and a != 1
        for a, b, c in zip(numbers, numbers[1:], numbers[2:], strict=False)
    )


def written(number: Decimal) -> str:
    """A number as in `Value.normalised`: a point, no grouping."""
    return f"{number:f}"
