"""What a document says of itself: labels with their values, dates, sums, a bill's items."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from pagetide.document.how_read import Notice
from pagetide.document.kinds import SelectionKind
from pagetide.geometry import Polygon

ValueKind = Literal["date", "amount", "percent", "iban", "tax_id", "email", "url", "phone"]
FieldFrom = Literal["colon", "known_label", "place", "form"]


class Value(Struct, frozen=True, kw_only=True, gc=False):
    """Something that stands on a page.

    Attributes:
        text: As the page has it.
        page: The page's number.
        polygon: Where, in that page's pixels.
        lines: Places in that page's `lines` that it is part of.
        kind: What it is, where that is certain by its form.
        normalised: A date as `2024-03-18`, an amount as `-1234.50`, an IBAN without spaces.
            None where the text can be understood in more than one way, as 03/04/2024 can in
            a document whose other dates do not tell.
        currency: Of an amount, as ISO 4217 has it; None where none stands there.
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
        label: As the page has it, without its colon.
        value: What belongs to it.
        name: What the label is known to mean, such as `due_date`; empty where it is not.
        found_by: What tied them: a colon, the label's being known, their places in a table or
            beside each other, or a PDF's form. Of a form's field the label is what the file
            calls it, and stands where the value does.
    """

    label: Value
    value: Value
    name: str = ""
    found_by: FieldFrom = "colon"


class Option(Struct, frozen=True, kw_only=True, gc=False):
    """A box to tick, or a button of which one can be chosen.

    Attributes:
        label: What stands beside it; None where nothing does.
        mark: The box itself; its text is U+2612 or U+2611 where it is selected, else U+2610.
        value: What a form's field has where this one is selected; empty of a drawn box.
    """

    label: Value | None
    mark: Value
    selected: bool
    value: str = ""


class Choice(Struct, frozen=True, kw_only=True, gc=False):
    """Boxes or buttons under one question or of one form's field, or one that stands alone.

    Attributes:
        label: What is asked, before the first of them or above; None where nothing is.
        options: In reading order.
        name: The form's field, as the file gives it; empty where they are several, or none.
    """

    kind: SelectionKind
    label: Value | None
    options: tuple[Option, ...]
    name: str = ""


class Item(Struct, frozen=True, kw_only=True, gc=False):
    """A row of a bill's items: what stands in the columns that are known."""

    position: Value | None = None
    article: Value | None = None
    description: Value | None = None
    quantity: Value | None = None
    unit: Value | None = None
    price: Value | None = None
    tax: Value | None = None
    amount: Value | None = None


class Check(Struct, frozen=True, kw_only=True, gc=False):
    """An addition that a bill lets one do.

    Attributes:
        name: `items` (their amounts are the sum without taxes, or the total), `item` (a
            quantity times a price is an amount, its tax in it or not) or `total` (sum, taxes
            and the rest are it, or it less what was paid is what is left to pay, or given
            back) or `tax` (in a table of taxes a rate's net and its tax are its gross, or the
            rates come to their sum).
        holds: Whether it comes out, to the cent for each rounding.
        expected: What the parts come to.
        found: What stands there.
        row: Of `item`, its place among the items, from 0.
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
            `tax`, `total` and the like; of several of one name the one that fits best.
        items: In the order of their rows, over all pages.
        checks: Those that could be made.
    """

    kind: Literal["invoice", "receipt"]
    fields: dict[str, Value]
    items: tuple[Item, ...] = ()
    checks: tuple[Check, ...] = ()


class Fields(Struct, frozen=True, kw_only=True, gc=False):
    """A document's fields; each value says where it stands.

    Attributes:
        pairs: In reading order.
        choices: Check boxes and radio buttons with their labels, page by page.
        values: Dates, amounts, numbers that prove themselves, addresses of the net; in order.
        bill: None where the document is none.
        warnings: What was left out.
        source: The document's name.
    """

    pairs: tuple[Field, ...] = ()
    choices: tuple[Choice, ...] = ()
    values: tuple[Value, ...] = ()
    bill: Bill | None = None
    warnings: tuple[Notice, ...] = ()
    source: str = ""
