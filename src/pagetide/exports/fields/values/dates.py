"""Dates as documents write them, and a document's order of day and month."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Literal

from pagetide.languages.labels import months
from pagetide.languages.patterns import any_of

Order = Literal["day first", "month first"] | None


def _written(letter: str) -> str:
    """OCR reads a zero for a capital O."""
    return "[o0]" if letter == "o" else letter


_NAME = any_of(months(), _written)
_NUMERIC = (
    r"(?P<a>[0-2]?\d|3[01])\s?(?P<s>[./–-])\s?(?P<b>[0-2]?\d|3[01])\s?"
    r"(?:(?P=s)|[–-])\s?(?P<y>\d{4}(?!:)|\d{2})"
)
_ISO = r"(?P<iy>(?:19|20)\d{2})\s?[./-]\s?(?P<im>\d{1,2})\s?[./-]\s?(?P<id>\d{1,2})"
_HAN = r"(?P<hy>(?:19|20)\d{2})\s?年\s?(?P<hm>\d{1,2})\s?月\s?(?P<hd>\d{1,2})\s?日"
# The day is before or after the name. The names are in the pattern once: they take most of its
# compile time.
_NAMED_MONTH = (
    r"(?:(?P<nd>\d{1,2})(?:\.|st|nd|rd|th|er|º)?[\s-]*(?:de\s+)?)?"
    rf"(?P<name>{_NAME})"
    r"(?(nd)\.?,?[\s-]*(?:de\s+|del\s+)?(?P<ny>(?:19|20)\d{2}|\d{2})"
    r"|\.?\s*(?P<md>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<my>(?:19|20)\d{2}))"
)
DATE = re.compile(
    # Words and a time may be attached.
    r"(?:(?<![\w./-])|(?<=[^\W\d_]{3}))"
    rf"(?:(?=\d)(?:{_ISO}|{_HAN}|{_NUMERIC})|{_NAMED_MONTH})"
    r"(?:(?=T?\d{1,2}:\d{2}|[^\W\d_]{3})|(?![\w/-]|[.,]\d))",
    re.IGNORECASE,
)
# What all dates in figures have, searched by the sign after the first, since pages have fewer
# signs than digits; and what others have: a month's name before a number, searched backwards
# from that number, since pages have fewer digits than letters.
_FIGURED = re.compile(
    r"[./–年-](?:(?<=\d.)|(?<=\d[^\S\n].))"
    r"(?:(?<=年)|[^\S\n]?\d{1,2}[^\S\n]?[./–-][^\S\n]?\d)"
)
_NAMED = re.compile(
    r"\d(?!\d)(?:\s+l?ed)?[\s-]*,?\.?(?=[^\W\d_]|0[^\W\d_])"
    + any_of((n[::-1] for n in months()), _written),
    re.IGNORECASE,
)
# Not the day and month before a year that follows later: `vom 22.04. bis 06.05.2025`.
TIME = re.compile(
    r"\d{1,2}\s?[:.]\s?\d{2}(?:\s?[:.]\s?\d{2})?(?!\d|[./-]\d|\.\s[^\W\d_]{1,4}\s)"
)


def signs_of_dates(text: str) -> Iterator[int]:
    """Positions in a text at which a date may be; no line feed is in one."""
    yield from (found.start() for found in _FIGURED.finditer(text))
    last = len(text) - 1
    yield from (last - found.start() for found in _NAMED.finditer(text[::-1]))


def has_date(text: str) -> bool:
    """Whether a text has a date."""
    return next(signs_of_dates(text), None) is not None and DATE.search(text) is not None


def is_moment(text: str) -> bool:
    """Whether a text is only a date or a time, or both."""
    rest = DATE.sub(" ", text)
    return not any(map(str.isalnum, TIME.sub(" ", rest)))


def order_of(texts: Iterable[str]) -> Order:
    """The order of day and month in a document's dates; None if none of them shows it.

    A number above 12 is a day. If both occur in first place, the order is unknown. With full
    stops the day is always first, and if amounts are in pounds or euros.
    """
    firsts = seconds = stops = False
    whole = "\n".join(texts)
    for text in _figured_lines(whole):
        for found in DATE.finditer(text):
            if found["a"]:
                firsts |= int(found["a"]) > 12
                seconds |= int(found["b"]) > 12
                stops |= found["s"] == "."
    if firsts != seconds:
        return "day first" if firsts else "month first"
    abroad = "£" in whole or "€" in whole
    return "day first" if (stops or abroad) and not seconds else None


def _figured_lines(text: str) -> Iterator[str]:
    """The lines of a text that may contain a date in figures."""
    end = 0
    for found in _FIGURED.finditer(text):
        if found.start() >= end:
            first, end = text.rfind("\n", 0, found.start()) + 1, text.find("\n", found.end())
            yield text[first : end if end >= 0 else len(text)]
        if end < 0:
            return  # it was the last line


def normalised(found: re.Match[str], order: Order) -> str | None:
    """A date in ISO 8601; None if it is not one, or is ambiguous."""
    for form in "ih":
        if year := found[f"{form}y"]:
            return _iso(year, int(found[f"{form}m"]), int(found[f"{form}d"]))
    if name := found["name"]:
        return _iso(found["ny"] or found["my"], _month(name), int(found["nd"] or found["md"]))
    a, b = int(found["a"]), int(found["b"])
    if found["s"] == "." or a > 12:
        order = "day first"
    elif b > 12:
        order = "month first"
    if order is None and a != b:
        return None
    day, month = (a, b) if order != "month first" else (b, a)
    return _iso(found["y"], month, day)


def _month(name: str) -> int:
    return months()[name.lower().replace("0", "o")]


def _iso(year: str, month: int, day: int) -> str | None:
    full = int(year) if len(year) == 4 else 2000 + int(year) - (100 if int(year) > 68 else 0)
    try:
        return date(full, month, day).isoformat()
    except ValueError:
        return None
