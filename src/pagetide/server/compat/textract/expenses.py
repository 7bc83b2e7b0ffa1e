"""What `AnalyzeExpense` says of a bill: its fields and items, by Textract's names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

from pagetide.document import Document
from pagetide.document.field import Fields, Item, Value
from pagetide.geometry import box_of, polygon_of, union
from pagetide.server.compat import outcome
from pagetide.server.compat.textract import answers
from pagetide.server.compat.textract.blocks import geometry_of
from pagetide.server.compat.textract.forms import percent_of_value
from pagetide.server.jobs.job import Job
from pagetide.server.service.service import Service

MOST_PAGES = 50  # of a bill: they are in memory at once
_CUT = "bill_cut"
_OTHER = "OTHER"
_TYPES = {
    "supplier": "VENDOR_NAME",
    "supplier_address": "VENDOR_ADDRESS",
    "customer": "RECEIVER_NAME",
    "customer_address": "RECEIVER_ADDRESS",
    "number": "INVOICE_RECEIPT_ID",
    "date": "INVOICE_RECEIPT_DATE",
    "due_date": "DUE_DATE",
    "delivery_date": "DELIVERY_DATE",
    "order_number": "PO_NUMBER",
    "customer_number": "CUSTOMER_NUMBER",
    "tax_number": "VENDOR_VAT_NUMBER",
    "subtotal": "SUBTOTAL",
    "discount": "DISCOUNT",
    "shipping": "SHIPPING_HANDLING_CHARGE",
    "tax": "TAX",
    "total": "TOTAL",
    "phone": "VENDOR_PHONE",
    "email": "VENDOR_EMAIL",
    "web": "VENDOR_URL",
}
_COLUMNS = {
    "description": "ITEM",
    "quantity": "QUANTITY",
    "price": "UNIT_PRICE",
    "amount": "PRICE",
    "article": "PRODUCT_CODE",
}
Node = dict[str, Any]


def whole(service: Service, job: Job, features: Collection[str]) -> Node:
    """The answer of the operation that waits."""
    return {
        "DocumentMetadata": {"Pages": job.source.page_count},
        "ExpenseDocuments": [_expense(service, job)],
    }


def part(
    service: Service, job: Job, features: Collection[str], start: answers.Place, most: int
) -> Node:
    """What became of a job, as far as it is done; all of it comes at once."""
    answer = answers.standing(job)
    if "json" not in job.results or not job.ended:
        return answer
    warnings = answers.warnings_of(outcome.pages(service, job))
    if cut := [page.number for page in outcome.pages(service, job, skip=MOST_PAGES)]:
        warnings.append({"ErrorCode": _CUT, "Pages": cut})
    return answer | whole(service, job, features) | ({"Warnings": warnings} if warnings else {})


def _expense(service: Service, job: Job) -> Node:
    pages = tuple(islice(outcome.pages(service, job), MOST_PAGES))
    return expense_of(msgspec.structs.replace(outcome.head(service, job), pages=pages), job.id)


def expense_of(document: Document, job_id: str) -> Node:
    """A document as an `ExpenseDocument`; of one that is no bill, its labels and values.

    Args:
        document: As read.
        job_id: What the ids of its blocks are made from.
    """
    fields = document.fields()
    expense = _Expense(document)
    return {
        "ExpenseIndex": 1,
        "SummaryFields": list(expense.summary(fields)),
        "LineItemGroups": list(expense.groups(fields.bill.items if fields.bill else ())),
        "Blocks": [
            block for page in document.pages for block in answers.blocks_of(page, job_id, ())
        ],
    }


class _Expense:
    """Values as Textract writes them, each on its page."""

    def __init__(self, document: Document) -> None:
        self._pages = {page.number: page for page in document.pages}

    def summary(self, fields: Fields) -> Iterator[Node]:
        """A bill's fields, then all other labels with their values."""
        named = fields.bill.fields if fields.bill else {}
        labels = {pair.value: pair for pair in fields.pairs}
        for name, value in named.items():
            pair = labels.pop(value, None)
            yield self._field(_TYPES.get(name, _OTHER), value, pair.label if pair else None)
        for pair in labels.values():
            yield self._field(_OTHER, pair.value, pair.label)

    def groups(self, items: Sequence[Item]) -> Iterator[Node]:
        """The items, as one group."""
        if items:
            rows = [{"LineItemExpenseFields": list(self._item(item))} for item in items]
            yield {"LineItemGroupIndex": 1, "LineItems": rows}

    def _item(self, item: Item) -> Iterator[Node]:
        values: list[Value] = []
        for name in item.__struct_fields__:
            value: Value | None = getattr(item, name)
            if value is not None:
                values.append(value)
                yield self._field(_COLUMNS.get(name, _OTHER), value)
        yield self._field("EXPENSE_ROW", _row(values))

    def _field(self, kind: str, value: Value, label: Value | None = None) -> Node:
        sure = percent_of_value(self._pages[value.page], value)
        field: Node = {
            "Type": _confident({"Text": kind}, sure),
            "ValueDetection": self._detection(value),
            "PageNumber": value.page,
        }
        if label is not None:
            field["LabelDetection"] = self._detection(label)
        if value.currency:
            field["Currency"] = _confident({"Code": value.currency}, sure)
        return field

    def _detection(self, value: Value) -> Node:
        page = self._pages[value.page]
        geometry = geometry_of(page, value.polygon)
        detection = {"Text": value.text, "Geometry": geometry}
        return _confident(detection, percent_of_value(page, value))


def _confident(node: Node, percent: float | None) -> Node:
    return node if percent is None else node | {"Confidence": percent}


def _row(values: Sequence[Value]) -> Value:
    """An item's values as one text that stands where they do."""
    sure = [value.confidence for value in values if value.confidence is not None]
    return Value(
        text=" ".join(value.text for value in values),
        page=values[0].page,
        polygon=polygon_of(union(box_of(value.polygon) for value in values)),
        lines=tuple(dict.fromkeys(line for value in values for line in value.lines)),
        confidence=min(sure, default=None),
    )
