"""Labels of numbers by what they are made of, numbers at titles, sums by what they come to."""

from __future__ import annotations

import pytest

from pagetide.document.field import Bill
from pagetide.exports.fields.pairs.names import name_of
from tests.unit.test_bills_abroad import table_of
from tests.unit.test_fields import at, read, told

HEAD = ("Article", "Quantity", "Price", "Amount")


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Your purchase order no.", "order_number"),
        ("Ihre Bestellnummer", "order_number"),
        ("CUSTOMER REF. / PO", "order_number"),
        ("Nº de bon de commande", "order_number"),
        ("Uw referentie", "order_number"),
        ("Núm. cliente", "customer_number"),
        ("Cód. Cliente", "customer_number"),
        ("Debiteurnr.", "customer_number"),
        ("Creditnotanr.", "number"),
        ("Comp. Nro", "number"),
        ("HST Registration No.", "tax_number"),
        ("Order date", ""),
        ("Customer VAT No.", ""),
        ("Our reference", ""),
        ("Delivery note no.", ""),
    ],
)
def test_a_label_says_by_its_words_what_it_numbers(label: str, name: str) -> None:
    assert name_of(label) == name


def test_a_number_follows_such_a_label_in_its_line() -> None:
    line = at(0, 0, "HST Registration No. 83417 2206 RT0001")
    assert told(read(line)) == [("tax_number", "HST Registration No", "83417 2206 RT0001")]


@pytest.mark.parametrize("bank", ["Sort code 20-44-16", "IFSC HDFC0000421"])
def test_an_account_at_a_bank_is_no_customers(bank: str) -> None:
    lines = [at(0, 0, "Account no"), at(200, 0, "42610937"), at(0, 20, bank)]
    assert [name for name, label, _ in told(read(*lines)) if "Account" in label] == [""]


def _bill(*sums: tuple[str, str], rows: tuple[tuple[str, ...], ...] = ()) -> Bill:
    own = rows or (HEAD, ("Rope", "2", "15.00", "30.00"))
    bill = table_of(*own, sums=sums).fields().bill
    assert bill
    return bill


def test_net_and_tax_are_proven_by_a_rate_and_the_total() -> None:
    fields = _bill(("Whatever 20 %", "6.00"), ("Something", "30.00"), ("Total", "36.00")).fields
    assert (fields["subtotal"].text, fields["tax"].text) == ("30.00", "6.00")


def test_what_no_rate_makes_of_the_net_sum_is_no_tax() -> None:
    fields = _bill(("Something", "30.00"), ("Carriage", "5.00"), ("Total", "35.00")).fields
    assert "tax" not in fields


def test_a_total_that_nothing_names_is_what_net_and_tax_come_to() -> None:
    fields = _bill(("Subtotal", "30.00"), ("VAT 20 %", "6.00"), ("Pagandum", "36.00")).fields
    assert fields["total"].text == "36.00"


def test_columns_are_known_by_what_stands_in_them() -> None:
    head = ("Code", "Wording", "Quantity", "", "Price", "", "Amount", "K")
    rows = (
        head,
        ("RP-10", "Rope of good hemp", "2", "pcs", "10.00", "10 %", "18.00", "A"),
        ("TR-22", "Tar for the ropes", "1", "kg", "12.00", "0 %", "12.00", "A"),
    )
    [rope, _] = _bill(("Subtotal", "30.00"), ("Total", "30.00"), rows=rows).items
    assert rope.unit and rope.tax and rope.article and rope.description
    assert (rope.article.text, rope.description.text) == ("RP-10", "Rope of good hemp")
    assert (rope.unit.text, rope.tax.text) == ("pcs", "A")


def test_an_amount_is_the_one_that_the_price_comes_to() -> None:
    head = ("Description", "Quantity", "Unit price", "Net", "Amount")
    rows = (
        head,
        ("Rope", "2", "15.00", "30.00", "36.00"),
        ("Tar", "3", "4.00", "12.00", "14.40"),
    )
    items = _bill(("Total", "50.40"), rows=rows).items
    assert [item.amount and item.amount.text for item in items] == ["30.00", "12.00"]


def test_a_head_may_stand_below_boxes_of_the_same_table() -> None:
    boxes = [("Order no.\nPO-771", "", "", ""), ("a", "", "", ""), ("b", "", "", "")]
    rows = (*boxes, HEAD, ("Rope", "2", "15.00", "30.00"))
    bill = _bill(("Total", "30.00"), rows=rows)
    assert [item.amount and item.amount.text for item in bill.items] == ["30.00"]


def test_a_description_ends_in_the_row_below_where_that_is_near() -> None:
    rows = (HEAD, ("Rope", "2", "15.00", "30.00"), ("of hemp", "", "", ""), HEAD)
    bill = table_of(*rows[:3], tops=[100, 140, 158], sums=[("Total", "30.00")]).fields().bill
    assert bill and bill.items[0].description
    assert bill.items[0].description.text == "Rope\nof hemp"


def test_of_two_days_to_pay_the_last_is_the_due_date() -> None:
    text = "Zahlbar bis 20.04.2025 mit 2 % Skonto, bis 10.05.2025 netto."
    bill = read(
        at(0, 0, "Rechnung"), at(0, 40, text), at(0, 80, "Summe"), at(300, 80, "3,00 €")
    )
    found = bill.fields().bill
    assert found and found.fields["due_date"].normalised == "2025-05-10"


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("Fatura FT A/3172", "FT A/3172"),
        ("Fattura 214/E del 16/04/2025 – copia", "214/E"),
        ("Factura #F250031", "F250031"),
        ("Nota de Crédito NC 2025/37", "NC 2025/37"),
    ],
)
def test_a_number_stands_behind_a_title(title: str, number: str) -> None:
    bill = read(at(0, 0, title), at(0, 80, "Total"), at(300, 80, "3,00 €")).fields().bill
    assert bill and bill.fields["number"].text == number


def test_a_hungarian_bill_is_read() -> None:
    lines = [at(0, 0, "Számla"), at(0, 20, "Számlaszám: E-318")]
    lines += [at(0, 60, "Fizetendő végösszeg"), at(300, 60, "302 477 Ft")]
    bill = read(*lines).fields().bill
    assert bill and bill.fields["number"].text == "E-318"
    assert (bill.fields["total"].normalised, bill.fields["total"].currency) == (
        "302477.0",
        "HUF",
    )
