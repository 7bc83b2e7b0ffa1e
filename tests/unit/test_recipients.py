"""Who is billed where no label says so: the address that a letter's window shows."""

from __future__ import annotations

import pytest

from pagetide.document import Document, Line
from pagetide.document.field import Bill
from tests.unit.test_fields import at, read, told

SELLER = [
    at(600, 0, "Papierhaus Seidel OHG"),
    at(600, 20, "Brühl 17"),
    at(600, 40, "04109 Leipzig"),
]
SUMS = [at(0, 400, "Summe"), at(300, 400, "30,00 €")]


def _bill(*lines: Line, title: str = "Rechnung") -> Bill:
    bill = read(*SELLER, *lines, at(0, 300, title), *SUMS).fields().bill
    assert bill
    return bill


def _window(*texts: str) -> list[Line]:
    return [at(40, 120 + 20 * n, text) for n, text in enumerate(texts)]


@pytest.mark.parametrize(
    "place",
    ["06108 Halle", "3581 GH Utrecht", "54-202 Wrocław", "3880-212 Ovar", "114 55 Stockholm"],
)
def test_a_name_above_an_address_is_the_customer(place: str) -> None:
    fields = _bill(*_window("Stadtbibliothek Halle", "Salzgrafenstraße 2", place)).fields
    assert fields["customer"].text == "Stadtbibliothek Halle"
    assert fields["customer_address"].text == f"Salzgrafenstraße 2\n{place}"
    assert fields["supplier"].text == "Papierhaus Seidel OHG"


def test_the_country_below_it_is_of_it() -> None:
    fields = _bill(*_window("Ann Ross", "27 Alder Close", "Leeds LS6 3QT", "Ireland")).fields
    assert fields["customer_address"].text.endswith("Ireland")


def test_the_line_with_the_sender_above_it_is_not() -> None:
    sender = at(40, 100, "Papierhaus Seidel OHG · Brühl 17 · 04109 Leipzig")
    fields = _bill(sender, *_window("Ann Ross", "Ring 2", "06108 Halle")).fields
    assert fields["customer"].text == "Ann Ross"


def test_of_two_addresses_neither_is_taken() -> None:
    other = [at(300, 120 + 20 * n, text) for n, text in enumerate(("Bo Lund", "06109 Halle"))]
    lines = [*_window("Ann Ross", "Ring 2", "06108 Halle"), *other]
    assert "customer" not in _bill(*lines).fields


def test_a_receipt_is_sent_to_nobody() -> None:
    lines = _window("Ann Ross", "Ring 2", "06108 Halle")
    bill = read(*SELLER, *lines, at(0, 300, "Quittung"), *SUMS).fields().bill
    assert bill and "customer" not in bill.fields


def _said(document: Document) -> dict[str, str]:
    return {name: text for name, _, text in told(document)}


def test_what_stands_beside_a_sums_label_is_no_currency() -> None:
    lines = [at(0, 0, "Amount due"), at(300, 0, "1 Jan - 31 Jan"), at(0, 20, "£123.31")]
    assert _said(read(*lines))["total"] == "£123.31"


def test_a_number_goes_on_behind_the_hyphen_that_ends_its_line() -> None:
    lines = [at(0, 0, "Invoice number"), at(0, 20, "IR250311-"), at(0, 38, "88204")]
    assert _said(read(*lines))["number"] == "IR250311-\n88204"


@pytest.mark.parametrize(
    "title", ["Your electricity bill", "Stromrechnung", "Proforma Invoice"]
)
def test_a_title_may_say_what_is_billed(title: str) -> None:
    assert _bill(title=title).kind == "invoice"


def test_a_bills_number_stands_between_its_title_and_which_copy_it_is() -> None:
    assert (
        _bill(at(0, 200, "Fatura FT 2025/388 Original")).fields["number"].text == "FT 2025/388"
    )


def test_what_has_a_sum_is_nobodys_name() -> None:
    lines = [
        at(0, 0, "MOBILIA"),
        at(0, 20, "SAS au capital de 40 000 €"),
        at(0, 40, "69007 Lyon"),
    ]
    bill = read(*lines, at(0, 300, "Facture"), *SUMS).fields().bill
    assert bill and bill.fields["supplier"].text == "MOBILIA"
