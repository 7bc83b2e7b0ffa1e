"""Whether a bill's rows, items and sums come out where it says little of how they ought to."""

from __future__ import annotations

from decimal import Decimal

import pytest
from msgspec.structs import replace

from pagetide.document import Document
from pagetide.exports.fields.heads import named
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.values.amounts import amount_in
from tests.unit.test_bills_abroad import TOTAL, bill_of, said, table_of
from tests.unit.test_fields import at

HEAD = ("Item", "Qty", "Price", "Rebate", "Amount")
ROWS = (
    ("Rope", "10", "2.00", "5", "19.00"),
    ("Tar", "2", "4.00", "0", "8.00"),
    ("Nails", "1", "4.00", "25", "3.00"),
)


def _checks(document: Document, name: str) -> list[tuple[bool, str, str]]:
    return [(c.holds, c.expected, c.found) for c in bill_of(document).checks if c.name == name]


def test_rows_come_out_as_most_of_them_do() -> None:
    assert _checks(table_of(HEAD, *ROWS), "item") == [
        (True, "19.00", "19.00"),
        (True, "8.00", "8.00"),
        (True, "3.00", "3.00"),
    ]


def test_a_row_that_comes_out_otherwise_than_the_others_is_told() -> None:
    altered = ("Rope", "10", "2.00", "5", "91.00")
    assert _checks(table_of(HEAD, altered, *ROWS[1:]), "item")[0] == (False, "19.00", "91.00")


def test_where_no_way_is_usual_figures_in_unknown_columns_prove_nothing() -> None:
    rows = [("Rope", "10", "2.00", "7", "19.00"), ("Tar", "2", "4.00", "3", "9.50")]
    assert _checks(table_of(HEAD, *rows), "item") == []


def test_net_and_tax_are_the_gross_amount() -> None:
    head = ("Nazwa", "Ilość", "Cena netto", "Razem bez", "Stawka VAT", "Wartość brutto")
    rows = [
        ("Lina", "2", "10.00", "20.00", "23%", "24.60"),
        ("Smoła", "1", "5.00", "5.00", "5%", "5.25"),
    ]
    assert [held for held, *_ in _checks(table_of(head, *rows), "item")] == [True, True]


def test_a_quantity_may_have_its_unit_with_it() -> None:
    head = ("Omschrijving", "Aantal", "Prijs", "Bedrag")
    bill = bill_of(table_of(head, ("Arbeid", "8,5 uur", "52,50", "446,25")))
    [item] = bill.items
    assert item.quantity and (item.quantity.text, item.quantity.normalised) == ("8,5", "8.5")
    assert item.unit and item.unit.text == "uur"
    assert ("item", True) in {(check.name, check.holds) for check in bill.checks}


def test_what_is_brought_forward_is_no_item() -> None:
    head = ("Code", "Description", "Qty", "Price", "Amount")
    rows = [
        ("104", "Rope", "10", "2.00", "20.00"),
        ("Brought forward", "", "", "", "20.00"),
        ("105", "Tar", "2", "5.00", "10.00"),
    ]
    bill = bill_of(table_of(head, *rows))
    assert [said(item)["description"] for item in bill.items] == ["Rope", "Tar"]
    assert ("items", True) in {(check.name, check.holds) for check in bill.checks}


def test_the_only_column_of_money_has_the_amounts() -> None:
    rows = [("12-Mar", "Room", "26.00"), ("13-Mar", "Minibar", "4.00")]
    bill = bill_of(table_of(("When", "Description", "Posted"), *rows))
    assert [said(item) for item in bill.items] == [
        {"description": "Room", "amount": "26.00"},
        {"description": "Minibar", "amount": "4.00"},
    ]


RATED = ("Concepto", "Cant.", "Precio", "% IVA", "Importe")


@pytest.mark.parametrize(("total", "holds"), [("34.50", True), ("43.50", False)])
def test_without_a_net_sum_items_come_to_the_total_by_their_rates(
    total: str, holds: bool
) -> None:
    rows = [("Aceite", "2", "10.00", "10", "20.00"), ("Jabón", "2", "5.00", "25", "10.00")]
    document = table_of(RATED, *rows, sums=[("Total", total)])
    assert _checks(document, "items") == [(holds, "34.50", total)]


@pytest.mark.parametrize(("tax", "holds"), [("4.50", True), ("5.40", False)])
def test_the_rates_come_to_the_taxes_that_are_told(tax: str, holds: bool) -> None:
    rows = [("Aceite", "2", "10.00", "10", "20.00"), ("Jabón", "2", "5.00", "25", "10.00")]
    document = table_of(RATED, *rows, sums=[("IVA", tax), ("Total", "34.50")])
    assert [held for held, *_ in _checks(document, "items")] == [holds]


@pytest.mark.parametrize(("total", "holds"), [("31.50", True), ("35.00", False)])
def test_without_a_net_sum_lines_below_the_items_are_addends(total: str, holds: bool) -> None:
    head = ("Description", "Qty", "Price", "Amount")
    rows = [("Rope", "10", "2.00", "20.00"), ("Tar", "2", "5.00", "10.00")]
    lines = [("Handling", "2.50"), ("Loyalty", "1.00")]
    document = table_of(head, *rows, sums=[*lines, ("Total", total)])
    assert [held for held, *_ in _checks(document, "items")] == [holds]


PAID = [
    ("Net", "30.00"),
    ("VAT 20 %", "6.00"),
    ("Total", "36.00"),
    ("Payment – Visa", "-10.00"),
]


@pytest.mark.parametrize(("left", "holds"), [("26.00", True), ("22.00", False)])
def test_the_row_below_what_was_paid_is_what_is_left(left: str, holds: bool) -> None:
    document = table_of(HEAD, *ROWS, sums=[*PAID, ("Noch offen", left)])
    assert all(held for held, *_ in _checks(document, "total")) == holds


@pytest.mark.parametrize(("change", "holds"), [("4.00", True), ("5.00", False)])
def test_change_is_what_was_given_too_much(change: str, holds: bool) -> None:
    sums = [*TOTAL, ("Cash", "40.00"), ("Change", change)]
    assert all(held for held, *_ in _checks(table_of(HEAD, *ROWS, sums=sums), "total")) == holds


SECTIONS = ("Item", "Qty", "Price", "Amount")


@pytest.mark.parametrize(("said", "holds"), [("20.00", True), ("22.00", False)])
def test_the_sum_of_a_section_is_no_item_and_is_checked(said: str, holds: bool) -> None:
    rows = [
        ("Rope", "5", "2.00", "10.00"),
        ("Tar", "2", "5.00", "10.00"),
        ("Subtotal", "", "", said),
        ("Nails", "2", "5.00", "10.00"),
    ]
    document = table_of(SECTIONS, *rows)
    assert len(bill_of(document).items) == 3
    assert all(held for held, *_ in _checks(document, "items")) == holds


TAXED = ("Rate", "Net", "VAT", "Gross")


@pytest.mark.parametrize(("tax", "holds"), [("2.00", True), ("3.00", False)])
def test_a_table_of_taxes_is_no_items_and_is_checked(tax: str, holds: bool) -> None:
    rows = [("20 %", "10.00", tax, "12.00"), ("0 %", "20.00", "0.00", "20.00")]
    document = table_of(TAXED, *rows)
    assert bill_of(document).items == ()
    assert all(held for held, *_ in _checks(document, "tax")) == holds


def test_a_price_may_be_for_a_hundred() -> None:
    rows = [("Rope", "500", "4.00", "20.00"), ("Tar", "2", "5.00", "10.00")]
    assert [held for held, *_ in _checks(table_of(SECTIONS, *rows), "item")] == [True, True]


def test_columns_are_known_by_their_products() -> None:
    head = ("Vara", "Mängd", "Styck", "Summering")
    rows = [("Rep", "10", "2.00", "20.00"), ("Tjära", "2", "5.00", "10.00")]
    bill = bill_of(table_of(("Description", *head[1:]), *rows))
    assert [said(item) for item in bill.items] == [
        {"description": "Rep", "quantity": "10", "price": "2.00", "amount": "20.00"},
        {"description": "Tjära", "quantity": "2", "price": "5.00", "amount": "10.00"},
    ]


@pytest.mark.parametrize(
    ("head", "column"),
    [
        ("Prezzo unit.", "price"),
        ("Prix TTC", "price"),
        ("Stückpreis\n(inkl. USt.)", "price"),
        ("Description of Service", "description"),
        ("Beløp kr", "amount"),
    ],
)
def test_a_head_may_be_shortened_or_say_more(head: str, column: str) -> None:
    assert named(head) == (column,)


def test_codes_before_the_descriptions_are_the_articles() -> None:
    rows = [("EX-017", "Rope", "10", "2.00", "20.00"), ("EX-018", "Tar", "2", "5.00", "10.00")]
    bill = bill_of(table_of(("Plant", "Description", "Qty", "Price", "Amount"), *rows))
    assert [item.article.text for item in bill.items if item.article] == ["EX-017", "EX-018"]


def test_the_letter_of_a_tax_is_no_part_of_an_amount() -> None:
    bill = bill_of(table_of(SECTIONS, ("Rope", "15", "2.00", "30.00 T")))
    assert [item.amount.text for item in bill.items if item.amount] == ["30.00"]


def test_what_was_paid_before_what_is_billed_is_not_paid_on_it() -> None:
    lines = [at(0, 20, "Payment received"), at(300, 20, "-98.20")]
    document = table_of(SECTIONS, ("Rope", "15", "2.00", "30.00"))
    page = document.pages[0]
    below = replace(page, lines=(*page.lines, *lines))
    assert "paid" not in bill_of(replace(document, pages=(below,))).fields


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        ("GST Rate", ("tax",)),
        ("Goods £", ("amount",)),
        ("Menge / Quantity", ("quantity",)),
        ("Preis/EUR", ("price",)),
        ("Birim Fiyat", ("price",)),
        ("Yhteensä", ("amount",)),
    ],
)
def test_heads_of_taxes_of_money_and_in_two_languages(
    head: str, columns: tuple[str, ...]
) -> None:
    assert named(head) == columns


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Fecha / Date", "date"),
        ("Pedido / Order", "order_number"),
        ("Rope / Sail", ""),
        ("ALICI", "customer"),
        ("Yhteensä", "total"),
        ("Ukupno za platiti", "total"),
        ("Total de plată", "total"),
        ("Genel Toplam", "total"),
    ],
)
def test_labels_in_two_languages_and_in_more(label: str, name: str) -> None:
    assert name_of(label) == name


@pytest.mark.parametrize(
    ("text", "number"),
    [("(-)0.13", "-0.13"), ("1.800,00 TL", "1800.00"), ("(12.00)", "-12.00")],
)
def test_amounts_as_others_write_them(text: str, number: str) -> None:
    found = amount_in(text)
    assert found and found.number == Decimal(number)
