"""What `prebuilt-invoice` and `prebuilt-receipt` say of a document, in the protocol's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from pagetide.document import Document, Page
from pagetide.document.field import Bill, Item, Value
from pagetide.server.compat.azure.page_answer import Answering
from pagetide.server.compat.azure.wire import BoundingRegion, PairPart, Span, Warned

INVOICE, RECEIPT = "prebuilt-invoice", "prebuilt-receipt"
BILLS = {INVOICE: "invoice", RECEIPT: "receipt"}

MOST_PAGES = 50  # of a bill: they are in memory at once
_Type = Literal["string", "date", "currency", "number", "phoneNumber"]
_FIELDS: dict[str, Mapping[str, tuple[str, _Type]]] = {
    INVOICE: {
        "supplier": ("VendorName", "string"),
        "supplier_address": ("VendorAddress", "string"),
        "customer": ("CustomerName", "string"),
        "customer_address": ("CustomerAddress", "string"),
        "customer_contact": ("CustomerAddressRecipient", "string"),
        "number": ("InvoiceId", "string"),
        "date": ("InvoiceDate", "date"),
        "due_date": ("DueDate", "date"),
        "order_number": ("PurchaseOrder", "string"),
        "customer_number": ("CustomerId", "string"),
        "tax_number": ("VendorTaxId", "string"),
        "subtotal": ("SubTotal", "currency"),
        "discount": ("TotalDiscount", "currency"),
        "tax": ("TotalTax", "currency"),
        "total": ("InvoiceTotal", "currency"),
    },
    RECEIPT: {
        "supplier": ("MerchantName", "string"),
        "supplier_address": ("MerchantAddress", "string"),
        "phone": ("MerchantPhoneNumber", "phoneNumber"),
        "date": ("TransactionDate", "date"),
        "subtotal": ("Subtotal", "currency"),
        "tax": ("TotalTax", "currency"),
        "total": ("Total", "currency"),
    },
}
_COLUMNS: dict[str, Mapping[str, tuple[str, _Type]]] = {
    INVOICE: {
        "article": ("ProductCode", "string"),
        "description": ("Description", "string"),
        "quantity": ("Quantity", "number"),
        "unit": ("Unit", "string"),
        "price": ("UnitPrice", "currency"),
        "tax": ("TaxRate", "string"),
        "amount": ("Amount", "currency"),
    },
    RECEIPT: {
        "article": ("ProductCode", "string"),
        "description": ("Description", "string"),
        "quantity": ("Quantity", "number"),
        "price": ("Price", "currency"),
        "amount": ("TotalPrice", "currency"),
    },
}
_TOO_LONG = Warned(
    code="bill_cut",
    message=f"The document has more than {MOST_PAGES} pages: fields are those of the first.",
)


class Billing:
    """The pages of what may be a bill, until all of them are there."""

    def __init__(self, model_id: str) -> None:
        self._model_id = model_id
        self._pages: list[Page] = []
        self._answering: dict[int, Answering] = {}
        self.warnings: list[Warned] = []

    def add(self, page: Page, answering: Answering) -> None:
        """The next page, and who answers about it."""
        if len(self._pages) < MOST_PAGES:
            self._pages.append(page)
            self._answering[page.number] = answering
        elif not self.warnings:
            self.warnings.append(_TOO_LONG)

    def documents(self, head: Document) -> list[dict[str, Any]]:
        """The one document; none where it is no bill.

        Args:
            head: The document's, without pages.
        """
        document = msgspec.structs.replace(head, pages=tuple(self._pages))
        bill = document.fields().bill
        if bill is None:
            return []
        fields = dict(self._fields(bill))
        spans = [span for field in fields.values() for span in field.get("spans", ())]
        pages = sorted({value.page for value in bill.fields.values()})
        return [
            {
                "docType": BILLS[self._model_id],
                "boundingRegions": [self._answering[number].whole() for number in pages],
                "spans": spans,
                "fields": fields,
                "confidence": min(
                    (field["confidence"] for field in fields.values()), default=1
                ),
            }
        ]

    def _fields(self, bill: Bill) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, (their_name, kind) in _FIELDS[self._model_id].items():
            if name in bill.fields:
                yield their_name, self._field(bill.fields[name], kind)
        if bill.items:
            items = [self._item(item) for item in bill.items]
            sure = min(item["confidence"] for item in items)
            yield "Items", {"type": "array", "valueArray": items, "confidence": sure}

    def _item(self, item: Item) -> dict[str, Any]:
        found: dict[str, dict[str, Any]] = {}
        for name, (their_name, kind) in _COLUMNS[self._model_id].items():
            value: Value | None = getattr(item, name)
            if value is not None:
                found[their_name] = self._field(value, kind)
        sure = min(field["confidence"] for field in found.values())
        return {"type": "object", "valueObject": found, "confidence": sure}

    def _field(self, value: Value, kind: _Type) -> dict[str, Any]:
        part = self._answering[value.page].pair_part(value)
        return {
            **_typed(value, kind),
            **_place(part),
            "confidence": 1.0 if value.confidence is None else value.confidence,
        }


def _typed(value: Value, kind: _Type) -> dict[str, Any]:
    """A value by its type; as text where what it says is not certain."""
    normalised = value.normalised
    if kind == "date" and normalised:
        return {"type": "date", "valueDate": normalised}
    if kind == "phoneNumber" and normalised:
        return {"type": "phoneNumber", "valuePhoneNumber": normalised}
    if kind == "number" and normalised:
        return {"type": "number", "valueNumber": float(normalised)}
    if kind == "currency" and normalised:
        code = {"currencyCode": value.currency} if value.currency else {}
        return {"type": "currency", "valueCurrency": {"amount": float(normalised), **code}}
    return {"type": "string", "valueString": value.text.replace("\n", " ")}


def _place(part: PairPart) -> dict[str, str | list[BoundingRegion] | list[Span]]:
    return {
        "content": part.content,
        "boundingRegions": part.bounding_regions,
        "spans": part.spans,
    }
