"""Numbers as tables write them, if there is only one way to read them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

_MOST_DIGITS = 15  # a spreadsheet's numbers hold no more
_SHAPE = re.compile(r"([+\-−–]?)([0-9][0-9.,]*)(\s?%)?")
_SIGNS = {"": "", "+": "", "-": "-", "−": "-", "–": "-"}  # including a dash used as a minus
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:([.,])[0-9]{3})(?:\1[0-9]{3})*")


@dataclass(frozen=True, kw_only=True)
class Numeral:
    """A number and how it was written.

    Attributes:
        value: A percentage as its hundredth.
        decimals: Digits after the decimal mark.
        grouped: Whether its thousands were grouped.
        signed: Whether it had a plus sign.
        percent: Whether it had a percent sign.
    """

    value: float
    decimals: int = 0
    grouped: bool = False
    signed: bool = False
    percent: bool = False


def read(text: str, decimal_mark: str | None = None) -> Numeral | None:
    """The number of a text; None if it is not one, or is ambiguous.

    `1.234` and `1,234` may be thousands or decimals, so they count only if the decimal mark is
    known; `1,234.5`, `1.234,5`, `12,5`, `0.125` and `1.234.567` always do. Text with a leading
    zero (`007`), a currency, a space or more than 15 digits stays text too.

    Args:
        text: For example a cell's.
        decimal_mark: A point or a comma, if the surrounding numbers show it; see
            `decimal_mark_of`.
    """
    found = _SHAPE.fullmatch(text.strip())
    parts = _parts(found[2], decimal_mark) if found else None
    if not found or not parts or len(parts.whole + parts.fraction) > _MOST_DIGITS:
        return None
    if len(parts.whole) > 1 and parts.whole[0] == "0":
        return None
    sign, percent = found[1], found[3] is not None
    # With the hundredth in the exponent it is not rounded twice.
    places = "e-2" if percent else ""
    return Numeral(
        value=float(f"{_SIGNS[sign]}{parts.whole}.{parts.fraction or '0'}{places}"),
        decimals=len(parts.fraction),
        grouped=parts.grouped,
        signed=sign == "+",
        percent=percent,
    )


def decimal_mark_of(texts: Iterable[str]) -> str | None:
    """The decimal mark of the numbers in these texts; None if none shows it or they differ.

    `12,5` and `1.234.567` show a comma; `1,234` shows nothing.
    """
    shapes = (_SHAPE.fullmatch(text.strip()) for text in texts)
    parts = (_parts(shape[2], None) for shape in shapes if shape)
    marks = {part.mark for part in parts if part and part.mark}
    return marks.pop() if len(marks) == 1 else None


class _Parts(NamedTuple):
    """Digits before and after the decimal mark, and what that mark must be."""

    whole: str
    fraction: str = ""
    grouped: bool = False
    mark: str = ""


def _parts(digits: str, decimal_mark: str | None) -> _Parts | None:
    marks = [mark for mark in digits if mark in ".,"]
    if not marks:
        return _Parts(digits)
    last = marks[-1]
    whole, _, fraction = digits.rpartition(last)
    if len(set(marks)) == 2:
        fits = last not in whole and fraction and _GROUPED.fullmatch(whole)
        return _Parts(re.sub("[.,]", "", whole), fraction, True, last) if fits else None
    other = "," if last == "." else "."
    grouped = _Parts(digits.replace(last, ""), grouped=True, mark=other)
    if len(marks) > 1 or decimal_mark == other:
        return grouped if _GROUPED.fullmatch(digits) else None
    is_sure = len(fraction) != 3 or whole == "0" or decimal_mark == last
    return _Parts(whole, fraction, mark=last) if whole and fraction and is_sure else None
