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
    number = [at(500, 340, "Rechnungsnr."), at(640, 340, "RE-71")]
    bill = read(*SELLER, *lines, at(0, 300, title), *number, *SUMS).fields().bill
    assert bill
    return bill


def _window(*texts: str) -> list[Line]:
    return [at(40, 180 + 20 * n, text) for n, text in enumerate(texts)]


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
    sender = at(40, 160, "Papierhaus Seidel OHG · Brühl 17 · 04109 Leipzig")
    fields = _bill(sender, *_window("Ann Ross", "Ring 2", "06108 Halle")).fields
    assert fields["customer"].text == "Ann Ross"


def test_of_two_addresses_the_one_that_is_not_delivered_to_is_billed() -> None:
    texts = ("Lieferadresse", "Bo Lund", "Allee 4", "06109 Halle")
    other = [at(300, 180 + 20 * n, text) for n, text in enumerate(texts)]
    lines = [*_window("Ann Ross", "Ring 2", "06108 Halle"), *other]
    assert _bill(*lines).fields["customer"].text == "Ann Ross"


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


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("Fatura FT 2025/388 Original", "FT 2025/388"),
        ("Honorarrechnung Nr. 250418", "250418"),
        ("NOTA DI CREDITO n. 38/NC del 22 maggio 2025", "38/NC"),
    ],
)
def test_a_bills_number_stands_behind_its_title(title: str, number: str) -> None:
    bill = read(*SELLER, at(0, 300, title), *SUMS).fields().bill
    assert bill and bill.fields["number"].text == number


def test_the_name_is_the_legal_one_that_the_foot_has() -> None:
    lines = [at(0, 0, "fietstrapper"), at(0, 300, "Factuur"), *SUMS]
    foot = at(0, 1300, "Fietstrapper B.V. | KvK Brabant 18077352")
    bill = read(*lines, foot).fields().bill
    assert bill and bill.fields["supplier"].text == "Fietstrapper B.V."


def test_who_is_addressed_is_not_who_bills() -> None:
    lines = _window("Mrs Hilary Penrose", "Rose Cottage", "PL12 5NR Saltash")
    bill = read(at(0, 0, "Tamar Motors"), *lines, at(0, 300, "Invoice"), *SUMS).fields().bill
    assert bill and bill.fields["supplier"].text == "Tamar Motors"


@pytest.mark.parametrize("line", ["Attn: Accounts", "z. Hd. Frau Loidl", "Herrn Uwe Kröger"])
def test_who_is_to_have_it_is_the_contact_and_not_in_the_address(line: str) -> None:
    """As EN 16931 has them: the buyer's contact (BG-9), the buyer's postal address (BG-8)."""
    fields = _bill(*_window("Ross Ltd", line, "Leeds LS6 3QT")).fields
    assert fields["customer"].text == "Ross Ltd"
    assert fields["customer_address"].text == "Leeds LS6 3QT"
    assert fields["customer_contact"].text == line


def test_at_whose_it_is_is_of_the_address() -> None:
    fields = _bill(*_window("Ross Ltd", "c/o Harland Group", "Leeds LS6 3QT")).fields
    assert fields["customer_address"].text == "c/o Harland Group\nLeeds LS6 3QT"
    assert "customer_contact" not in fields


def test_a_salutation_above_a_name_is_not_the_name() -> None:
    fields = _bill(*_window("Eheleute", "Petra Wiede", "06108 Halle")).fields
    assert fields["customer"].text == "Petra Wiede"


def test_the_sellers_tax_number_may_stand_in_a_line_and_the_customers_is_not_it() -> None:
    theirs = _window("Ann Ross", "Ring 2", "06108 Halle", "P. IVA 03418820165")
    ours = at(600, 60, "Via Roma 3 – P. IVA IT01844290163 – Tel. 035 555")
    assert _bill(ours, *theirs).fields["tax_number"].text == "IT01844290163"


def test_a_sentence_says_when_to_pay() -> None:
    line = at(0, 500, "Bitte überweisen Sie den Betrag bis zum 25.04.2025 ohne Abzug.")
    assert _bill(line).fields["due_date"].normalised == "2025-04-25"
    assert "due_date" not in _bill(at(0, 500, "Es regnete bis zum 25.04.2025 im Tal.")).fields


def test_what_is_paid_or_taken_off_is_named_among_other_words() -> None:
    lines = [at(0, 0, "Total Charges"), at(300, 0, "200.00")]
    lines += [at(0, 20, "Courtesy Discount 5%"), at(300, 20, "-10.00")]
    lines += [at(0, 40, "Payment – Visa 03/18/2025"), at(300, 40, "-50.00")]
    found = _said(read(*lines))
    assert (found["discount"], found["paid"]) == ("-10.00", "-50.00")


def test_what_has_a_sum_is_nobodys_name() -> None:
    lines = [
        at(0, 0, "MOBILIA"),
        at(0, 20, "SAS au capital de 40 000 €"),
        at(0, 40, "69007 Lyon"),
    ]
    bill = read(*lines, at(0, 300, "Facture"), *SUMS).fields().bill
    assert bill and bill.fields["supplier"].text == "MOBILIA"
