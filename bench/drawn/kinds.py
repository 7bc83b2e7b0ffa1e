"""The twelve kinds of documents, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bench.drawn import bills
from bench.drawn.markup import Maker, Sheets

KINDS: Mapping[str, Callable[[Maker], Sheets]] = {
    "invoice": bills.invoice,
    "receipt": bills.receipt,
    "price-list": bills.price_list,
}
