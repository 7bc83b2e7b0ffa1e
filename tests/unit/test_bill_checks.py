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
        ("Honoraria", "100.00"),
        ("Pension fund 4 %", "4.00"),
        ("Subtotal", "104.00"),
        ("VAT", "20.80"),
        ("Total", "124.80"),
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


@pytest.mark.parametrize(("net", "holds"), [("90.00", True), ("99.00", False)])
def test_each_sum_between_the_items_and_the_total_is_checked(net: str, *, holds: bool) -> None:
    """The total may come out past a sum that does not."""
    found = bill(
        ("Goods", "100.00"),
        ("Discount", "-10.00"),
        ("Net total", net),
        ("VAT", "18.00"),
        ("Total", "108.00"),
    )
    assert (broken(found) == []) is holds


def test_a_sum_before_what_the_items_have_taken_off_is_right() -> None:
    found = bill(
        ("Subtotal", "105.00"), ("Discount", "-5.00"), ("Net", "100.00"), ("Total", "100.00")
    )
    assert broken(found) == []


def test_a_total_is_rounded_by_what_is_told() -> None:
    sums = [("Subtotal", "100.00"), ("VAT", "20.49"), ("Round off", "(-)0.49")]
    assert broken(bill(*sums, ("Total", "120.00"))) == []
    assert "total" in broken(bill(*sums, ("Total", "121.00")))


def test_two_halves_of_a_tax_are_neither_of_them_the_tax() -> None:
    halves = [("Subtotal", "100.00"), ("CGST", "9.00"), ("SGST", "9.00"), ("Total", "118.00")]
    assert "tax" not in bill(*halves).fields


def test_an_item_by_a_mark_of_its_tax_is_checked_by_its_price() -> None:
    wrong = bill_of(
        table_of(
            ("Description", "Qty", "Price", "VAT", "Amount"),
            ("Rope", "2", "15.00", "S", "31.00"),
        )
    )
    assert "item" in broken(wrong)


@pytest.mark.parametrize(("amount", "holds"), [("63.00", True), ("66.00", False)])
def test_a_row_with_something_taken_off_may_come_out_otherwise(
    amount: str, *, holds: bool
) -> None:
    head = ("Description", "Qty", "Price", "Off", "Amount")
    rows = [("Rope", "2", "15.00", "", "30.00"), ("Sail", "3", "20.00", "", "60.00")]
    last = ("Tar", "1", "70.00", "10.00", amount)
    total = f"{90 + float(amount):.2f}"
    found = bill_of(table_of(head, *rows, last, sums=[("Total", total)]))
    assert ("item" not in broken(found)) is holds
