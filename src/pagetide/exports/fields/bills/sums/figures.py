"""The figures of a bill, and whether a computed amount equals the stated one."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pagetide.document.field import Check, Value
from pagetide.exports.fields.values.amounts import CENT, amount_in, written

NONE = Decimal()


def number_in(text: str) -> Decimal | None:
    """The number of a text, with or without a currency."""
    found = amount_in(text)
    return found.number if found else None


def number_of(value: Value | None) -> Decimal | None:
    """A value's number, if it is an amount."""
    found = amount_in(value.text) if value else None
    return found.number if found else None


def amount_of(value: Value | None) -> Decimal:
    """A value's number; 0 if it is not an amount."""
    return number_of(value) or NONE


def checked(
    name: Literal["items", "item", "total", "tax"],
    expected: Decimal,
    found: Decimal,
    off: Decimal,
    row: int | None = None,
) -> Check:
    """Whether two numbers are equal, apart from rounding."""
    return Check(
        name=name,
        holds=abs(expected - found) <= off,
        expected=written(expected.quantize(CENT)),
        found=written(found),
        row=row,
    )
