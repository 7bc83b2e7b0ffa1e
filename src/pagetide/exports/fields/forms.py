"""What was entered into a PDF's form, as pairs: the file itself says what belongs together."""

from __future__ import annotations

from collections.abc import Iterator

from pagetide.document import FormField, Page
from pagetide.document.field import Field, Value
from pagetide.exports.fields.dates import Order
from pagetide.exports.fields.known import kinds
from pagetide.exports.fields.labels import name_of
from pagetide.exports.fields.values import typed


def form_pairs(page: Page, order: Order) -> Iterator[Field]:
    """The fields of a page's form that hold something, in the file's order."""
    for field in page.form_fields:
        if field.value.strip():
            name = name_of(field.label) or name_of(field.name.rpartition(".")[2])
            value = typed(_value(page, field, field.value), order, kinds().get(name, ""))
            label = _value(page, field, field.label or field.name)
            yield Field(label=label, value=value, name=name, found_by="form")


def _value(page: Page, field: FormField, text: str) -> Value:
    return Value(text=text, page=page.number, polygon=field.polygon, lines=())
