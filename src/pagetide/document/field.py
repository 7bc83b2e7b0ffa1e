"""A document's fields: labels with their values, dates, sums, a bill's items."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from pagetide.document.how_read import Notice
from pagetide.document.kinds import SelectionKind
from pagetide.geometry import Polygon

ValueKind = Literal["date", "amount", "percent", "iban", "tax_id", "email", "url", "phone"]
FieldFrom = Literal["colon", "known_label", "place", "form"]


class Value(Struct, frozen=True, kw_only=True, gc=False):
    """A text on a page.

    Attributes:
        text: As on the page.
        page: The page's number.
        polygon: Its position, in that page's pixels.
        lines: Indexes in that page's `lines` that it is part of.
        kind: Its kind, if its form makes that certain.
        normalised: A date as `2024-03-18`, an amount as `-1234.50`, an IBAN without spaces.
            None if the text is ambiguous, such as 03/04/2024 in a document whose other dates do
            not decide it.
        currency: Of an amount, its ISO 4217 code; None if there is none.
        confidence: The lowest of the lines, 0–1; None for a text layer.
    """

    text: str
    page: int
    polygon: Polygon
    lines: tuple[int, ...]
    kind: ValueKind | None = None
    normalised: str | None = None
    currency: str | None = None
    confidence: float | None = None


class Field(Struct, frozen=True, kw_only=True, gc=False):
    """A label and its value.

    Attributes:
        label: As on the page, without its colon.
        value: The value that belongs to it.
        name: The label's known meaning, such as `due_date`; empty if unknown.
        found_by: What connects them: a colon, a known label, their positions in a table or
            beside each other, or a PDF's form. For a form's field the label is its name in the
            file, positioned at the value.
    """

    label: Value
    value: Value
    name: str = ""
    found_by: FieldFrom = "colon"


class Option(Struct, frozen=True, kw_only=True, gc=False):
    """A check box, or a button of which one can be chosen.

    Attributes:
        label: The text beside it; None if there is none.
        mark: The box itself; its text is U+2612 or U+2611 if it is selected, otherwise U+2610.
        value: The value of a form's field if this one is selected; empty for a drawn box.
    """

    label: Value | None
    mark: Value
    selected: bool
    value: str = ""


class Choice(Struct, frozen=True, kw_only=True, gc=False):
    """Boxes or buttons under one question or of one form field, or a single one.

    Attributes:
        label: The question, before the first of them or above; None if there is none.
        options: In reading order.
        name: The form field's name, as the file gives it; empty if they are several, or none.
    """

    kind: SelectionKind
    label: Value | None
    options: tuple[Option, ...]
    name: str = ""


class Item(Struct, frozen=True, kw_only=True, gc=False):
    """A row of a bill's items: the values of its known columns."""

    position: Value | None = None
    article: Value | None = None
    description: Value | None = None
    quantity: Value | None = None
    unit: Value | None = None
    price: Value | None = None
    tax: Value | None = None
    amount: Value | None = None


class Check(Struct, frozen=True, kw_only=True, gc=False):
    """An addition that a bill makes possible.

    Attributes:
        name: `items` (their amounts are the sum without taxes, or the total), `item` (a
            quantity times a price is an amount, with or without its tax), `total` (sum, taxes
            and the rest are it, or it less what was paid is what is left to pay, or given back)
            or `tax` (in a tax table a rate's net and its tax are its gross, or the rates add up
            to their sum).
        holds: Whether it adds up, to the cent for each rounding.
        expected: The sum of the parts.
        found: The stated amount.
        row: Of `item`, its index among the items, from 0.
    """

    name: Literal["items", "item", "total", "tax"]
    holds: bool
    expected: str
    found: str
    row: int | None = None


class Bill(Struct, frozen=True, kw_only=True, gc=False):
    """An invoice or a receipt.

    Attributes:
        fields: By name: `supplier`, `customer`, `number`, `date`, `due_date`, `subtotal`,
            `tax`, `total` and the like; of several with one name the best match.
        items: In the order of their rows, over all pages.
        checks: Those that could be made.
    """

    kind: Literal["invoice", "receipt"]
    fields: dict[str, Value]
    items: tuple[Item, ...] = ()
    checks: tuple[Check, ...] = ()


class Fields(Struct, frozen=True, kw_only=True, gc=False):
    """A document's fields; each value has a position.

    Attributes:
        pairs: In reading order.
        choices: Check boxes and radio buttons with their labels, page by page.
        values: Dates, amounts, numbers with valid check digits, web addresses; in order.
        bill: None if the document is not one.
        warnings: What was left out.
        source: The document's name.
    """

    pairs: tuple[Field, ...] = ()
    choices: tuple[Choice, ...] = ()
    values: tuple[Value, ...] = ()
    bill: Bill | None = None
    warnings: tuple[Notice, ...] = ()
    source: str = ""
