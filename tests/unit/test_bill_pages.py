"""Documents of several papers: a bill's fields are those of its own pages, and that is said."""

from __future__ import annotations

from pagetide.document import Block, Cell, Document, Page, Table
from pagetide.geometry import polygon_of
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


def test_lines_of_items_are_those_of_their_own_page() -> None:
    rows = (("Description", "Qty", "Price", "Amount"), ("Rope", "2", "5.00", "10.00"))
    lines = [
        at(100 * c, 20 * r, text) for r, row in enumerate(rows) for c, text in enumerate(row)
    ]
    cells = tuple(
        Cell(row=n // 4, column=n % 4, text=line.text, line_indexes=(n,))
        for n, line in enumerate(lines)
    )
    block = Block(
        kind="table",
        order=0,
        polygon=polygon_of((0, 0, 400, 40)),
        line_indexes=tuple(range(8)),
        table=Table(rows=2, columns=4, cells=cells),
    )
    first = page_of([*lines, at(0, 200, "Invoice")], number=1, blocks=(block,))
    last = page(
        2, *("Rope" for _ in range(7)), "Total 10.00 EUR"
    )  # its line has the same place
    assert told(document_of(first, last))[0]["total"] == "10.00 EUR"
