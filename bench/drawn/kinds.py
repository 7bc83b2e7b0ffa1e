"""The twelve kinds of documents, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bench.drawn import bills, forms, letters, papers, reports, slides
from bench.drawn.markup import Maker, Sheets

KINDS: Mapping[str, Callable[[Maker], Sheets]] = {
    "invoice": bills.invoice,
    "receipt": bills.receipt,
    "letter": letters.letter,
    "form": forms.form,
    "statement": forms.statement,
    "report": reports.report,
    "paper": papers.paper,
    "manual": reports.manual,
    "slide": slides.slide,
    "newspaper": papers.newspaper,
    "contract": letters.contract,
    "price-list": bills.price_list,
}
