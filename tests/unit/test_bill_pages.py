"""Documents of several papers: a bill's fields are those of its own pages, and that is said."""

from __future__ import annotations

from pagetide.document import Document, Page
from tests.documents import document_of, page_of
from tests.unit.test_fields import at


def page(number: int, *texts: str) -> Page:
    lines = [at(0, 40 * n, text) for n, text in enumerate(texts)]
    return page_of(lines, number=number)


def bill(number: int, code: str, total: str) -> Page:
    return page(number, "Invoice", f"Invoice no. {code}", f"Total {total} EUR")


def told(document: Document) -> tuple[dict[str, str], list[str]]:
    fields = document.fields()
    assert fields.bill is not None
    values = {name: value.text for name, value in fields.bill.fields.items()}
    return values, [notice.code for notice in fields.warnings]


def test_of_several_bills_the_first_is_told_and_that_there_are_more() -> None:
    values, codes = told(document_of(bill(1, "A-101", "10.00"), bill(2, "A-102", "99.00")))
    assert (values["number"], values["total"]) == ("A-101", "10.00 EUR")
    assert codes == ["several_bills"]


def test_a_note_behind_a_bill_gives_it_no_fields() -> None:
    note = page(2, "Delivery note", "Ship to: Harbour Office")
    letter = page(3, "Dear Ruth", "All is well")
    values, codes = told(document_of(bill(1, "A-101", "10.00"), note, letter))
    assert "ship_to" not in values
    assert codes == ["bill_on_some_pages"]


def test_a_bill_that_goes_on_is_one() -> None:
    first = page(1, "Invoice", "Invoice no. A-101", "Rope 10.00")
    last = page(2, "Invoice A-101", "Total 10.00 EUR")
    values, codes = told(document_of(first, last))
    assert values["total"] == "10.00 EUR"
    assert codes == []
