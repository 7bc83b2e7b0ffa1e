"""Receipts: who sells and where, when, and what has to be paid."""

from __future__ import annotations

import pytest

from pagetide.document import Block, Cell, Document, Line, Table
from pagetide.document.field import Bill
from pagetide.exports.fields.pairs.sums import sum_of
from pagetide.geometry import polygon_of
from tests.unit.test_fields import at, read

SHOP = ("SIN LIANHAP ENTERPRISE", "NO 12, JALAN DEDAP 4,", "81100 JOHOR BAHRU,", "JOHOR.")
PAID = ("Total Sales (Inclusive of GST)", "9.40"), ("CASH", "10.00"), ("CHANGE", "0.60")


def till(*head: str, sums: tuple[tuple[str, str], ...] = PAID) -> Document:
    """A receipt: lines of its head, then names and amounts."""
    lines = [at(0, 20 * n, text) for n, text in enumerate(head)]
    for n, (name, amount) in enumerate(sums, len(head) + 2):
        lines += [at(0, 20 * n, name), at(400, 20 * n, amount)]
    return read(*lines)


def bill_of(document: Document) -> Bill:
    bill = document.fields().bill
    assert bill is not None
    return bill


def told(document: Document, name: str) -> str | None:
    value = bill_of(document).fields.get(name)
    return value.text.replace("\n", " ") if value else None


# Who sells, and where.


@pytest.mark.parametrize(
    "head",
    [
        SHOP,
        ("tan chay", *SHOP),
        (SHOP[0], "(CO. NO. 123456-X)", *SHOP[1:]),
        (f"{SHOP[0]} (123456-X)", *SHOP[1:]),
        (SHOP[0], "JM0517726", "TAX INVOICE", *SHOP[1:]),
        (SHOP[0], "Tel: 07-3523888", *SHOP[1:], "GST ID : 000849813504"),
        (*SHOP, "SIMPLIFIED TAX INVOICE", "CASHIER: SITI"),
    ],
)
def test_a_receipt_says_who_sells_and_where(head: tuple[str, ...]) -> None:
    document = till(*head)
    assert told(document, "supplier") == SHOP[0]
    assert told(document, "supplier_address") == " ".join(SHOP[1:])


def test_a_name_goes_on_where_the_next_line_is_nothing_but_a_form() -> None:
    assert (
        told(till("GERBANG ALAF", "SDN BHD", *SHOP[1:]), "supplier") == "GERBANG ALAF SDN BHD"
    )


@pytest.mark.parametrize(
    "address",
    [
        ("43 N MAIN ST", "SPRINGFIELD, IL 62701"),
        ("Bahnhofstr. 71", "20095 Hamburg"),
        ("118 rue de la Gare", "69002 LYON"),
    ],
)
def test_an_address_is_one_in_other_countries(address: tuple[str, ...]) -> None:
    assert told(till("OLD MILL", *address, "Tisch 4"), "supplier_address") == " ".join(address)


def test_goods_are_no_name_and_no_address() -> None:
    document = till("HARPER'S", sums=(("2x4 LUMBER 8FT", "9.40"), *PAID))
    assert told(document, "supplier") == "HARPER'S"
    assert told(document, "supplier_address") is None


def test_a_line_may_hold_the_name_and_the_address() -> None:
    sender = "Lindfurt Bedarf AG - Uferweg 40 - 63571 Gelnhausen"
    document = till("Rechnung", sender, "Minton Works", "Mill Lane 3")
    assert told(document, "supplier") == "Lindfurt Bedarf AG"
    assert told(document, "supplier_address") == "Uferweg 40 - 63571 Gelnhausen"


def test_a_title_in_the_same_line_is_no_part_of_the_name() -> None:
    document = till("Harbeck GmbH Rechnung", "RE-2024-0017")
    assert told(document, "supplier") == "Harbeck GmbH"
    assert told(document, "number") == "RE-2024-0017"


# When.


@pytest.mark.parametrize(
    ("line", "date", "normalised"),
    [
        ("25/12/2018 8:13:39 PM", "25/12/2018", "2018-12-25"),
        ("25/12/201810:23:11", "25/12/2018", "2018-12-25"),
        ("25/12/1810:23", "25/12/18", "2018-12-25"),
        ("Date:25-12-18Time:10:00", "25-12-18", "2018-12-25"),
        ("18:20 7837463 2018-12-25", "2018-12-25", "2018-12-25"),
        ("25 DEC 2018", "25 DEC 2018", "2018-12-25"),
        ("25 0CT 2018", "25 0CT 2018", "2018-10-25"),
    ],
)
def test_a_date_needs_no_label(line: str, date: str, normalised: str) -> None:
    value = bill_of(till(*SHOP, line)).fields["date"]
    assert (value.text, value.normalised) == (date, normalised)


def test_a_labelled_date_goes_before_others() -> None:
    assert told(till(*SHOP, "01/02/2018 10:00", "Date: 25/12/2018"), "date") == "25/12/2018"


def test_a_number_is_no_date() -> None:
    document = read(at(0, 0, "-INVOICE-"), at(0, 20, "20/05/2022"), at(0, 60, "Total 9.40"))
    assert told(document, "number") is None
    assert told(document, "date") == "20/05/2022"


# What has to be paid.


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Total Sales (Inclusive of GST)", "total"),
        ("Total Amt Incl. GST @6%", "total"),
        ("Total (Excl. GST)", "subtotal"),
        ("Total Amount Excl. GST", "subtotal"),
        ("Rounding Adj", "rounding"),
        ("Total Rounded", "total"),
        ("Amount Due", "total"),
        ("Service Tax 6%", "tax"),
        ("inkl. 19% MwSt", "tax"),
        ("Net à payer", "total"),
        ("Amount", ""),
        ("Tax Invoice", ""),
        ("Total Qty", ""),
        ("Total $1,737.50", ""),
    ],
)
def test_the_words_of_a_label_say_which_sum_it_is(label: str, name: str) -> None:
    assert sum_of(label) == name


@pytest.mark.parametrize(
    "sums",
    [
        (("TOTAL", "9.41"), ("Rounding Adj", "-0.01"), ("NET TOTAL", "9.40")),
        (("TOTAL", "9.41"), ("Rounding Adj", "0.01"), ("NET TOTAL", "9.40")),
        (("TOTAL", "9.38"), ("Total Rounded", "9.40")),
        (("Total (Excl. GST)", "8.87"), ("TOTAL (RM)", "9.40"), ("Total GST", "0.53")),
        (("SUBTOTAL", "8.87"), ("TOTAL 5", "9.40"), ("Total Qty", "5")),
        (("TOTAL", "9.42"), ("NET TOTAL", "9.40"), ("CASH", "10.00"), ("CHANGE", "0.60")),
        (("TOTAL", "9.40"), ("GST 6%", "0.53"), ("Total", "0.53")),
        (("JUMLAH", "RM9. 40"), ("TUNAI", "10.00")),
    ],
)
def test_the_total_is_what_has_to_be_paid(sums: tuple[tuple[str, str], ...]) -> None:
    total = bill_of(till(*SHOP, "25/12/2018 10:00", "RECEIPT", sums=sums)).fields["total"]
    assert total.normalised == "9.40"


def test_a_titled_receipt_whose_total_cannot_be_read_is_a_bill_without_one() -> None:
    document = till(*SHOP, "TAX INVOICE", sums=(("Subtotal", "9.40"),))
    assert told(document, "supplier") == SHOP[0]
    assert told(document, "total") is None
    assert till(*SHOP, sums=(("Subtotal", "9.40"),)).fields().bill is None


def test_what_is_left_after_a_payment_is_not_the_total() -> None:
    sums = (("Total", "60.00"), ("Amount paid", "50.00"), ("Balance due", "10.00"))
    assert told(till("Invoice", *SHOP, sums=sums), "total") == "60.00"


# Whose pages they are.


def test_a_name_and_its_address_are_apart() -> None:
    lines = ("Bill to", "Minton Works Ltd", "Mill Lane 3", "12345 Tarnside")
    document = till("Invoice", *lines)
    assert told(document, "customer") == "Minton Works Ltd"
    assert told(document, "customer_address") == "Mill Lane 3 12345 Tarnside"


# What was bought.


def goods(*rows: tuple[str, ...]) -> Document:
    """A receipt whose goods are a table without a head, its total below."""
    lines: list[Line] = []
    cells: list[Cell] = []
    for r, row in enumerate((*rows, ("Total", *[""] * (len(rows[0]) - 2), "12.00"))):
        for c, text in enumerate(row):
            cells.append(
                Cell(row=r, column=c, text=text, line_indexes=(len(lines),) * bool(text))
            )
            lines += [at(150 * c, 20 * r, text)] if text else []
    made = Table(rows=len(rows) + 1, columns=len(rows[0]), cells=tuple(cells))
    polygon, places = polygon_of((0, 0, 600, 200)), tuple(range(len(lines)))
    whole = Block(kind="table", polygon=polygon, line_indexes=places, order=0, table=made)
    return read(*lines, at(0, 300, "25/12/2018"), at(0, 330, "RECEIPT"), blocks=(whole,))


@pytest.mark.parametrize(
    "rows",
    [
        (("3 x Tea", "9.00"), ("1 x Milk", "3.00")),
        (("Tea", "3", "9.00"), ("Milk", "1", "3.00")),
        (("Tea", "3", "3.00", "9.00"), ("Milk", "1", "3.00", "3.00")),
    ],
)
def test_a_receipts_row_says_how_many(rows: tuple[tuple[str, ...], ...]) -> None:
    items = bill_of(goods(*rows)).items
    assert [item.description.text for item in items if item.description] == ["Tea", "Milk"]
    assert [item.quantity.text for item in items if item.quantity] == ["3", "1"]
