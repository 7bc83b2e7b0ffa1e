"""What is added up in a bill: several taxes, unknown charges, several sums, what was paid."""

from __future__ import annotations

import pytest

from pagetide.document.field import Bill
from tests.unit.test_bills_abroad import bill_of, table_of
from tests.unit.test_fields import at, read

ITEMS = [("Rope", "2", "15.00", "30.00"), ("Sail", "1", "70.00", "70.00")]
XS = (100, 400, 500, 600)


def bill(*sums: tuple[str, str], items: list[tuple[str, str, str, str]] = ITEMS) -> Bill:
    """A bill of items, then these labels with their amounts."""
    lines = [at(100, 20, "Invoice 1177")]
    for n, row in enumerate([("Description", "Qty", "Unit price", "Amount"), *items]):
        lines += [at(x, 100 + 30 * n, text) for x, text in zip(XS, row, strict=True)]
    for n, (label, amount) in enumerate(sums):
        lines += [at(400, 400 + 30 * n, label), at(600, 400 + 30 * n, amount)]
    found = read(*lines).fields().bill
    assert found
    return found


def broken(found: Bill) -> list[str]:
    return [check.name for check in found.checks if not check.holds]


def checked(found: Bill) -> set[str]:
    return {check.name for check in found.checks}


TAXED = [
    [("VAT 20%", "14.00"), ("VAT 5%", "1.50")],
    [("VAT 20% on 70.00", "14.00"), ("VAT 5% on 30.00", "1.50")],
    [("20% VAT", "14.00"), ("5% VAT", "1.50")],
    [("Sales tax 8.875%", "8.88"), ("Fuel surcharge", "6.62")],
    [("Voucher", "-4.50"), ("VAT", "20.00")],
    [("Net total", "100.00"), ("VAT", "15.50")],
]


@pytest.mark.parametrize(
    "between", [*TAXED, [("Discount (SPRING10)", "-10.00"), ("Gift wrap", "25.50")]]
)
def test_all_that_stands_between_the_sums_is_added(between: list[tuple[str, str]]) -> None:
    found = bill(("Subtotal", "100.00"), *between, ("Total", "115.50"))
    assert broken(found) == [] and "total" in checked(found)


@pytest.mark.parametrize("between", TAXED)
def test_a_total_that_they_do_not_come_to_is_said(between: list[tuple[str, str]]) -> None:
    assert "total" in broken(bill(("Subtotal", "100.00"), *between, ("Total", "151.50")))


def test_the_sum_of_the_items_may_have_any_name() -> None:
    found = bill(
        ("Honoraria", "100.00"), ("Subtotal", "104.00"), ("VAT", "20.80"), ("Total", "124.80")
    )
    assert broken(found) == []


def test_what_is_left_to_pay_is_checked() -> None:
    sums = [
        ("Subtotal", "100.00"),
        ("VAT", "20.00"),
        ("Total", "120.00"),
        ("Deposit received", "50.00"),
    ]
    assert broken(bill(*sums, ("Amount due", "70.00"))) == []
    assert broken(bill(*sums, ("Amount due", "7.00"))) == ["total"]


def test_who_gave_more_than_the_total_has_nothing_left_to_pay() -> None:
    sums = [("Subtotal", "100.00"), ("VAT", "20.00"), ("Total", "120.00"), ("Cash", "150.00")]
    assert broken(bill(*sums, ("Change", "30.00"), ("Balance due", "0.00"))) == []


def test_several_payments_are_taken_off_together() -> None:
    sums = [("Subtotal", "100.00"), ("VAT", "20.00"), ("Total", "120.00")]
    paid = [("Deposit received", "50.00"), ("Payment received", "30.00")]
    assert broken(bill(*sums, *paid, ("Amount due", "40.00"))) == []


def test_a_payment_may_be_told_twice() -> None:
    sums = [("Subtotal", "100.00"), ("VAT", "20.00"), ("Total", "120.00")]
    paid = [("Payment received", "50.00"), ("Deposit received", "50.00")]
    assert broken(bill(*sums, *paid, ("Amount due", "70.00"))) == []


@pytest.mark.parametrize(("amount", "off"), [("30.00", []), ("36.00", []), ("39.00", ["item"])])
def test_a_rows_amount_may_be_with_its_tax(amount: str, off: list[str]) -> None:
    heads = ("Description", "Qty", "Unit price", "VAT", "Amount")
    found = bill_of(table_of(heads, ("Rope", "2", "15.00", "20%", amount)))
    assert [c.name for c in found.checks if c.name == "item" and not c.holds] == off
    assert "item" in checked(found)


def test_below_the_sum_of_the_items_a_charge_is_none_of_them() -> None:
    head = ("Description", "Qty", "Unit price", "Amount")
    rows = [("Rope", "2", "15.00", "30.00"), ("", "", "Subtotal", "30.00")]
    found = bill_of(table_of(head, *rows, ("", "", "Gift wrap", "3.00")))
    assert [item.description.text for item in found.items if item.description] == ["Rope"]


def test_what_is_sold_has_the_most_words_where_no_head_names_it() -> None:
    head = ("Week", "Work", "Hours", "Rate", "Amount")
    (item,) = bill_of(table_of(head, ("3", "Wireframes", "2", "15.00", "30.00"))).items
    assert item.description and item.description.text == "Wireframes"
