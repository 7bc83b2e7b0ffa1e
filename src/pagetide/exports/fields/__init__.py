"""A document's fields: pairs of labels and values, dates, sums, a bill's items."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from pagetide.document import Block, Document, Notice, Page, Table
from pagetide.document.field import Fields
from pagetide.exports.fields.bills.bill import bill_of
from pagetide.exports.fields.bills.items.chosen import tabled_items
from pagetide.exports.fields.bills.items.head_tables import head_tables
from pagetide.exports.fields.bills.pages import bill_pages
from pagetide.exports.fields.heads import heads_of
from pagetide.exports.fields.pairs.choices import choices_on, holds_marks
from pagetide.exports.fields.pairs.entered import form_pairs, is_entered
from pagetide.exports.fields.pairs.labelled import MOST_LABELS, pairs_on
from pagetide.exports.fields.phrases.sheet import Sheet, sheets
from pagetide.exports.fields.values.currencies import with_yuan
from pagetide.exports.fields.values.dates import order_of
from pagetide.exports.fields.values.found import values_on

__all__ = ["fields_of", "write"]


def fields_of(document: Document) -> Fields:
    """The document's fields, from its words and tables alone; see `Document.fields`."""
    texts = [line.text for page in document.pages for line in page.lines]
    order = order_of(texts)
    found = [sheet for page in document.pages for sheet in sheets(page)]
    tabled = tabled_items(document, order)
    by_words = [[] if tabled.is_right else list(head_tables(sheet)) for sheet in found]
    by_sheet = [
        pairs_on(sheet, order, _heads_of(tables))
        for sheet, tables in zip(found, by_words, strict=True)
    ]
    entered = [pair for page in document.pages for pair in form_pairs(page, order)]
    pairs = tuple(
        pair
        for of_sheet, _ in by_sheet
        for pair in of_sheet
        if not holds_marks(pair.value.text)
        and not (pair.found_by == "place" and is_entered(pair.value, entered))
    )
    cut = [
        sheet.page.number for sheet, (_, is_cut) in zip(found, by_sheet, strict=True) if is_cut
    ]
    pairs += tuple(entered)
    values = tuple(value for sheet in found for value in values_on(sheet, order))
    by_page: dict[int, list[Sheet]] = {}
    for sheet in found:
        by_page.setdefault(sheet.page.number, []).append(sheet)
    own = bill_pages(document.pages, pairs)
    its = replace(document, pages=tuple(p for p in document.pages if p.number in own.own))
    bill = bill_of(
        its,
        [sheet for sheet in found if sheet.page.number in own.own],
        tabled if len(its.pages) == len(document.pages) else tabled_items(its, order),
        [each for tables in by_words for each in tables if each[0].number in own.own],
        [pair for pair in pairs if pair.value.page in own.own],
        [value for value in values if value.page in own.own],
        order,
    )
    fields = Fields(
        pairs=pairs,
        choices=tuple(
            choice
            for page in document.pages
            for choice in choices_on(page, by_page.get(page.number, ()))
        ),
        values=values,
        bill=bill,
        warnings=(*map(_left_out, dict.fromkeys(cut)), *(own.notices() if bill else ())),
        source=document.source.name,
    )
    return with_yuan(fields, texts)


def _heads_of(tables: Sequence[tuple[Page, Block, Table]]) -> dict[int, float]:
    """The header lines of a page's items, and where each header's row starts."""
    return {
        line: block.polygon[0][1]
        for _, block, table in tables
        if heads_of(table)[0]
        for cell in table.cells
        if cell.row == 0
        for line in cell.line_indexes
    }


def _left_out(number: int) -> Notice:
    message = f"Page {number} has more than {MOST_LABELS} labels; the others were left out."
    return Notice(code="labels_left_out", message=message)


def write(document: Document) -> str:
    """The fields as JSON."""
    return msgspec.json.encode(fields_of(document)).decode() + "\n"
