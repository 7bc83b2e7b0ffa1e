"""Finds every number in a text, in each way that it may be read."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from pagetide.exports.fields.values.amounts import CURRENCIES
from pagetide.exports.fields.values.dates import DATE

_RUN = re.compile(r"\d+(?:[.,'\u00b7 ]\d+)*")
_POINT = re.compile(r"(?:\d+|\d{1,3}(?:[,' ]\d{3})+|\d{1,2}(?:,\d{2})*,\d{3})(?:\.\d+)?")
_COMMA = re.compile(r"(?:\d+|\d{1,3}(?:[.' ]\d{3})+)(?:,\d+)?")
_CENTS = re.compile(r"(?<![\d.,])\d+(?:[.,' ]\d{3})*([.,])\d\d(?![\d.,/-])")
_BEFORE = re.compile(r"([^\W\d_]+|[€$£¥₹₽₺₩₪฿])\.? ?([-+(]? ?)$")
_SIGN = re.compile(r"(?:^|[^\w)])([-(]) ?$")
_BEHIND = re.compile(r" ?([€$£¥₹₽₺₩₪฿%)-]|[^\W\d_]+)?")


class Figure(NamedTuple):
    """A number, where it stands, and the currency beside it.

    Attributes:
        certain: Whether nothing but sign and percent may be read in two ways; 1.234 may be.
    """

    readings: frozenset[Decimal]
    start: int
    end: int
    currency: str | None = None
    certain: bool = True


def decimal_mark_in(text: str) -> str:
    """The decimal mark of a document: a point or a comma, by its cents.

    Empty where there are none, or some of both.
    """
    marks = set(_CENTS.findall(text))
    return marks.pop() if len(marks) == 1 else ""


def figures_in(text: str, decimal_mark: str) -> Iterator[Figure]:
    """The numbers of a text in small letters, in order; longer ones before their parts.

    Of a date only the year is one: the 3 of 3 May is no quantity.

    Args:
        text: See `PageText.text`.
        decimal_mark: Of the document.
    """
    dates = [date.span() for date in DATE.finditer(text)]
    begins = [first for first, _ in dates]
    for run in _RUN.finditer(text):
        for start, end in _spans(run):
            before = bisect_left(begins, end)  # dates that begin before its end
            if before and dates[before - 1][1] > start:
                continue
            if (figure := _figure(text, start, end, decimal_mark)) is not None:
                yield figure
    for first, last in dates:
        for year in re.finditer(r"(?<!\d)\d{4}(?!\d)", text[first:last]):
            start, end = first + year.start(), first + year.end()
            yield Figure(frozenset({Decimal(year[0])}), start, end)


def _spans(run: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The run, and its parts between spaces."""
    yield run.span()
    if " " in run[0]:
        for part in re.finditer(r"[^ ]+", run[0]):
            yield run.start() + part.start(), run.start() + part.end()


def _readings(written: str, decimal_mark: str) -> set[Decimal]:
    """How a number may be read; by the document's own decimal mark, where it is known."""
    found: dict[str, Decimal] = {}
    if _POINT.fullmatch(written):
        found["."] = Decimal(re.sub(r"[,' ]", "", written))
    if _COMMA.fullmatch(written):
        found[","] = Decimal(re.sub(r"[.' ]", "", written).replace(",", "."))
    return {found[decimal_mark]} if decimal_mark in found else set(found.values())


def _figure(text: str, start: int, end: int, decimal_mark: str) -> Figure | None:
    readings = _readings(text[start:end].replace("\u00b7", "."), decimal_mark)
    before, behind = text[max(0, start - 24) : start], text[end : end + 24]
    known = _BEFORE.search(before)
    if before[-1:].isalpha() and not (known and known[1] in CURRENCIES):
        return None  # a part of a word, such as INV2024
    if re.match(r"[^\W\d_]+\d", behind):
        return None
    after = _BEHIND.match(behind)
    mark = after[1] if after and after[1] else ""
    currency = (known and CURRENCIES.get(known[1])) or CURRENCIES.get(mark)
    signed = _signed(readings, before, mark, behind)
    if mark == "%":
        signed = signed | {each / 100 for each in signed}
    certain = len(readings) == 1
    return Figure(frozenset(signed), start, end, currency, certain) if signed else None


def _signed(readings: set[Decimal], before: str, mark: str, behind: str) -> set[Decimal]:
    """The readings with their sign; both where brackets may be one."""
    sign = _SIGN.search(before) or _SIGN.search(_without_currency(before))
    less = {-each for each in readings}
    if sign and sign[1] == "-":
        return less
    if mark == "-" and not re.match(r" ?-\s?\w", behind):
        return less
    if sign and ")" in behind[:6]:
        return readings | less
    return readings


def _without_currency(before: str) -> str:
    found = _BEFORE.search(before)
    return before[: found.start()] if found and found[1] in CURRENCIES else before
