"""Values entered in a PDF's form, as pairs: the file itself gives the labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pagetide.document import FormField, Page
from pagetide.document.field import Field, Value
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.values.dates import Order
from pagetide.exports.fields.values.forms import typed
from pagetide.geometry import box_of
from pagetide.languages.labels import kinds


def form_pairs(page: Page, order: Order) -> Iterator[Field]:
    """The filled fields of a page's form, in the file's order."""
    for field in page.form_fields:
        if field.value.strip():
            name = name_of(field.label) or name_of(field.name.rpartition(".")[2])
            value = typed(_value(page, field, field.value), order, kinds().get(name, ""))
            label = _value(page, field, field.label or field.name)
            yield Field(label=label, value=value, name=name, found_by="form")


def is_entered(value: Value, entered: Iterable[Field]) -> bool:
    """Whether a value found on a page is one entered there, known from its file."""
    x0, y0, x1, y1 = box_of(value.polygon)
    return any(
        (value.page, value.text) == (field.value.page, field.value.text)
        and left <= (x0 + x1) / 2 <= right
        and top <= (y0 + y1) / 2 <= bottom
        for field in entered
        for left, top, right, bottom in [box_of(field.value.polygon)]
    )


def _value(page: Page, field: FormField, text: str) -> Value:
    return Value(text=text, page=page.number, polygon=field.polygon, lines=())
