"""What a document says of itself: pairs of labels and values, dates, sums, a bill's items."""

from __future__ import annotations

import msgspec

from pagetide.document import Document
from pagetide.document.field import Fields
from pagetide.exports.fields.bills import bill_of
from pagetide.exports.fields.dates import order_of
from pagetide.exports.fields.forms import form_pairs
from pagetide.exports.fields.pairs import pairs_on
from pagetide.exports.fields.phrases import sheets
from pagetide.exports.fields.values import values_on

__all__ = ["fields_of", "write"]


def fields_of(document: Document) -> Fields:
    """The document's fields, from its words and tables alone; see `Document.fields`."""
    order = order_of(line.text for page in document.pages for line in page.lines)
    found = [sheet for page in document.pages for sheet in sheets(page)]
    pairs = tuple(pair for sheet in found for pair in pairs_on(sheet, order))
    pairs += tuple(pair for page in document.pages for pair in form_pairs(page, order))
    values = tuple(value for sheet in found for value in values_on(sheet, order))
    return Fields(
        pairs=pairs,
        values=values,
        bill=bill_of(document, found, pairs, values, order),
        source=document.source.name,
    )


def write(document: Document) -> str:
    """The fields as JSON."""
    return msgspec.json.encode(fields_of(document)).decode() + "\n"
