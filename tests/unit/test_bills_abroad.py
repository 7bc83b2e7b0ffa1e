"""Bills as others lay them out: two heads in one, descriptions in two rows, credit notes."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest

from pagetide.document import Block, Cell, Document, Table
from pagetide.document.field import Bill, Item
from pagetide.exports.fields.heads import named
from pagetide.exports.fields.values.amounts import amount_in
from pagetide.geometry import box_of, polygon_of
from tests.unit.test_fields import at, read

TOTAL = [("Subtotal", "30.00"), ("VAT 20 %", "6.00"), ("Total", "36.00")]


def table_of(
    *rows: tuple[str, ...],
    tops: Sequence[float] = (),
    sums: Sequence[tuple[str, str]] = TOTAL,
) -> Document:
    """A bill with a table, its cells' lines on the page, and what it comes to.

    Args:
        rows: Texts of their cells.
        tops: Where the rows' lines stand; without them forty pixels below each other.
        sums: Below it.
    """
    tops = tops or [100 + 40 * row for row in range(len(rows))]
    lines, cells = [at(0, 0, "Invoice")], []
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            own = (len(lines),) if text else ()
            lines += [at(250 * column, tops[row], text)] if text else []
            cells.append(
                Cell(
                    row=row,
                    column=column,
                    text=text,
                    line_indexes=own,
                )
            )
    table = Table(rows=len(rows), columns=len(rows[0]), cells=tuple(cells))
    owned = tuple(n for cell in cells for n in cell.line_indexes)
    block = Block(
        kind="table",
        polygon=polygon_of((0, tops[0], 1000, tops[-1] + 20)),
        order=0,
        table=table,
        line_indexes=owned,
    )
    below = tops[-1] + 100
    for n, (label, amount) in enumerate(sums):
        lines += [at(0, below + 20 * n, label), at(300, below + 20 * n, amount)]
    return read(*lines, blocks=(block,))


def bill_of(document: Document) -> Bill:
    bill = document.fields().bill
    assert bill
    return bill


def said(item: Item) -> dict[str, str]:
    told = {name: getattr(item, name) for name in item.__struct_fields__}
    return {name: value.text for name, value in told.items() if value}


def test_two_heads_that_were_read_as_one_are_two_columns() -> None:
    head = ("Description", "Qty Unit", "Unit price VAT", "Amount")
    bill = bill_of(table_of(head, ("Rope", "2 m", "15.00 20 %", "30.00")))
    assert [said(item) for item in bill.items] == [
        {
            "description": "Rope",
            "quantity": "2",
            "unit": "m",
            "price": "15.00",
            "tax": "20 %",
            "amount": "30.00",
        }
    ]


def test_a_head_of_two_words_is_one() -> None:
    assert named("Unit price") == ("price",)
    assert named("Total price") == ("amount",)
    assert named("Colour Weight") == ()


def test_what_does_not_part_is_of_the_column_that_it_fits() -> None:
    head = ("Description", "Qty Unit", "Amount")
    rows = [("Rope", "2", "23.00"), ("Sand", "kg", "7.00")]
    assert [said(item) for item in bill_of(table_of(head, *rows)).items] == [
        {"description": "Rope", "quantity": "2", "amount": "23.00"},
        {"description": "Sand", "unit": "kg", "amount": "7.00"},
    ]


def test_what_may_be_of_two_columns_is_left_out_of_an_item() -> None:
    head = ("Description", "Qty Price", "Amount")
    [item] = bill_of(table_of(head, ("Rope", "2", "30.00"))).items
    assert said(item) == {"description": "Rope", "amount": "30.00"}


@pytest.mark.parametrize("read", ["1", "|", "I"])
def test_a_unit_that_is_no_letter_is_a_litre(read: str) -> None:
    head = ("Description", "Qty", "Unit", "Amount")
    [item] = bill_of(table_of(head, ("Oil", "2", read, "30.00"))).items
    assert item.unit is not None
    assert (item.unit.text, item.unit.normalised) == (read, "l")


def test_a_head_at_the_left_of_its_figures_is_over_them() -> None:
    rows = [("Description", "Qty", "", "Amount"), ("Rope", "", "2", "30.00")]
    [item] = bill_of(table_of(*rows)).items
    assert said(item) == {"description": "Rope", "quantity": "2", "amount": "30.00"}


def test_a_column_called_items_holds_what_is_sold_where_words_stand_in_it() -> None:
    words = table_of(("Item", "Rate", "Total"), ("Rope", "15.00", "30.00"))
    numbers = table_of(("Item", "Rate", "Total"), ("1", "15.00", "30.00"))
    assert [said(item)["description"] for item in bill_of(words).items] == ["Rope"]
    assert bill_of(numbers).items == ()


TWO_ROWS = [("Description", "Qty", "Amount"), ("Rope", "", ""), ("red", "2", "30.00")]


def test_a_description_begins_in_the_row_above_where_that_is_near() -> None:
    [item] = bill_of(table_of(*TWO_ROWS, tops=[100, 140, 160])).items
    assert said(item) == {"description": "Rope\nred", "quantity": "2", "amount": "30.00"}
    assert item.description and len(item.description.lines) == 2
    assert box_of(item.description.polygon) == (0, 140, 32, 176)


def test_a_heading_over_items_is_no_part_of_them() -> None:
    [item] = bill_of(table_of(*TWO_ROWS)).items
    assert said(item)["description"] == "red"


def test_behind_the_total_only_what_multiplies_is_an_item() -> None:
    head = ("Description", "Qty", "Unit price", "Amount")
    rows = [("Rope", "2", "15.00", "30.00"), ("Total", "", "", "30.00")]
    later = [("Paid before", "", "", "5.00"), ("Tar", "3", "2.00", "6.00")]
    items = bill_of(table_of(head, *rows, *later)).items
    assert [said(item)["description"] for item in items] == ["Rope", "Tar"]


def test_what_stands_above_a_tables_head_has_labels() -> None:
    party = ("Seller: Ropewalk Ltd", "", "")
    document = table_of(party, ("Description", "Qty", "Amount"), ("Rope", "2", "30.00"))
    assert bill_of(document).fields["supplier"].text == "Ropewalk Ltd"


def test_a_credit_note_is_a_bill() -> None:
    lines = [
        at(0, 0, "Gutschrift"),
        at(0, 40, "Zwischensumme (netto)"),
        at(300, 40, "-30,00 €"),
    ]
    lines += [at(0, 60, "zzgl. 19 % MwSt."), at(300, 60, "-5,70 €")]
    lines += [at(0, 80, "Gutschriftbetrag"), at(300, 80, "-35,70 €")]
    bill = bill_of(read(*lines))
    said = {name: value.normalised for name, value in bill.fields.items()}
    assert said == {"subtotal": "-30.00", "tax": "-5.70", "total": "-35.70"}
    assert [check.holds for check in bill.checks] == [True]


def test_days_to_pay_are_no_sum() -> None:
    assert read(at(0, 0, "Net 30")).fields().pairs == ()
    assert read(at(0, 0, "Net 30.00")).fields().pairs[0].name == "subtotal"


@pytest.mark.parametrize(
    ("text", "label", "value"),
    [
        ("合计¥1510.00", "合计", "¥1510.00"),
        ("（小写）¥1706.30", "（小写）", "¥1706.30"),
        ("Subtotal$1,737.50", "Subtotal", "$1,737.50"),
    ],
)
def test_an_amount_may_be_written_to_its_label(text: str, label: str, value: str) -> None:
    [pair] = read(at(0, 0, text)).fields().pairs
    assert (pair.label.text, pair.value.text) == (label, value)


def test_the_sign_of_two_currencies_is_that_of_the_documents_writing() -> None:
    def currency(*texts: str) -> str | None:
        lines = [at(0, 40 * n, text) for n, text in enumerate(texts)]
        return read(*lines).fields().pairs[0].value.currency

    assert currency("合计 ¥1510.00") == "CNY"
    assert currency("Total ¥1510", "合計ありがとう") == "JPY"
    assert currency("Total ¥1510.00") == "JPY"


@pytest.mark.parametrize(
    ("text", "number", "currency"),
    [("1092.50 ر.س", "1092.50", "SAR"), ("١٬٠٩٢٫٥٠ د.إ", "1092.50", "AED")],
)
def test_arabic_amounts(text: str, number: str, currency: str) -> None:
    found = amount_in(text)
    assert found and (found.number, found.currency) == (Decimal(number), currency)


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("VAT GB 123 4567 82", "GB123456782"),
        ("FR 40 303 265 045", "FR40303265045"),
        ("DE 136 695 976", "DE136695976"),
    ],
)
def test_a_tax_number_may_be_parted(text: str, normalised: str) -> None:
    [value] = [each for each in read(at(0, 0, text)).fields().values if each.kind == "tax_id"]
    assert value.normalised == normalised


def test_the_title_of_a_fapiao_is_no_name() -> None:
    lines = [at(0, 0, "电子发票（普通发票）"), at(0, 40, "晨光办公"), at(0, 80, "总计 ¥20.00")]
    assert bill_of(read(*lines)).fields["supplier"].text == "晨光办公"


def test_ordinal_signs_are_one() -> None:
    assert read(at(0, 0, "Nº 0042-118")).fields().pairs[0].name == "number"


RECEIPT = [("LECHE ENTERA", "1.15"), ("PAN", "28.85"), ("TOTAL", "30.00"), ("CARD", "30.00")]


def test_rows_of_a_table_without_a_head_are_items_where_they_come_to_the_sum() -> None:
    bill = bill_of(table_of(*RECEIPT))
    assert [said(item) for item in bill.items] == [
        {"description": "LECHE ENTERA", "amount": "1.15"},
        {"description": "PAN", "amount": "28.85"},
    ]
    assert {(check.name, check.holds) for check in bill.checks} >= {("items", True)}


def test_rows_above_a_sum_that_they_do_not_come_to_are_items_and_told_to_be_wrong() -> None:
    bill = bill_of(table_of(("LECHE", "1.51"), *RECEIPT[1:]))
    assert [said(item)["description"] for item in bill.items] == ["LECHE", "PAN"]
    assert ("items", False, "30.36") in {(c.name, c.holds, c.expected) for c in bill.checks}


def test_rows_that_no_sum_ends_and_none_proves_are_no_items() -> None:
    assert bill_of(table_of(("LECHE", "1.16"), ("PAN", "28.85"))).items == ()


def test_a_till_tells_below_a_name_how_much_at_which_price() -> None:
    rows = [
        ("BANANAS LOOSE", ""),
        ("0.842kg @ 1.15/kg", "0.97 A"),
        ("WATER", ""),
        ("4 x 7.2575", "29.03 B"),
        ("CHEESE", "0.00"),
        ("TOTAL", "30.00"),
    ]
    first, *_ = bill_of(table_of(*rows)).items
    assert said(first) == {
        "description": "BANANAS LOOSE",
        "quantity": "0.842",
        "unit": "kg",
        "price": "1.15",
        "amount": "0.97",
    }


def test_all_names_may_begin_with_how_many() -> None:
    rows = [("2 Margherita", "28.00"), ("1 Tiramisu", "2.00"), ("Total", "30.00")]
    assert [said(item) for item in bill_of(table_of(*rows)).items] == [
        {"quantity": "2", "description": "Margherita", "amount": "28.00"},
        {"quantity": "1", "description": "Tiramisu", "amount": "2.00"},
    ]


def test_items_with_their_taxes_come_to_the_total() -> None:
    head = ("Description", "Qty", "Amount")
    bill = bill_of(table_of(head, ("Rope", "1", "30.00"), ("Tar", "1", "6.00")))
    assert {(check.name, check.holds) for check in bill.checks} == {
        *(("items", True), ("total", True)),
    }


def test_of_net_and_gross_the_last_is_an_items_amount() -> None:
    head = ("Nazwa", "Ilość", "Wartość netto", "Wartość brutto")
    [item] = bill_of(table_of(head, ("Lina", "2", "30.00", "36.00"))).items
    assert said(item) == {"description": "Lina", "quantity": "2", "amount": "36.00"}


def test_a_head_may_name_a_currency() -> None:
    assert named("Amount (AUD)") == named("Amount in EUR") == ("amount",)


def test_several_labels_in_one_phrase_each_have_their_value() -> None:
    text = "Data sprzedaży: 2025-01-30 Termin płatności: 2025-02-14"
    pairs = read(at(0, 0, text)).fields().pairs
    assert [(pair.name, pair.value.text) for pair in pairs] == [
        ("delivery_date", "2025-01-30"),
        ("due_date", "2025-02-14"),
    ]


def test_a_table_whose_columns_are_labels_is_none_of_items() -> None:
    rows = [("Numero", "Data", "Scadenza"), ("115/A", "21/02/2025", "23/03/2025")]
    document = table_of(*rows, ("Cliente", "", ""), tops=[100, 120, 160])
    pairs = {pair.name: pair.value.text for pair in document.fields().pairs}
    assert pairs["number"] == "115/A"
    assert (pairs["date"], pairs["due_date"]) == ("21/02/2025", "23/03/2025")


def test_a_label_says_which_dollars_they_are() -> None:
    [pair] = read(at(0, 0, "TOTAL AUD"), at(200, 0, "$469.30")).fields().pairs
    assert pair.value.currency == "AUD"


def test_a_sum_beside_its_currencys_sign_is_no_item() -> None:
    head = ("Description", "Qty", "Unit price", "Amount")
    rows = [("Rope", "2", "€ 15.00", "€ 30.00"), ("", "Subtotal", "€", "30.00")]
    assert [said(item)["amount"] for item in bill_of(table_of(head, *rows)).items] == [
        "€ 30.00"
    ]


def test_a_head_that_a_line_above_went_into_is_known_by_its_last() -> None:
    head = ("as it was told.\nDescription", "Qty", "Unit price", "Amount")
    (item,) = bill_of(table_of(head, ("Rope", "2", "15.00", "30.00"))).items
    assert said(item)["description"] == "Rope"


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("34/2025 del 28/04/2025", "34/2025"),
        ("F-2025/0147 17/02/2025 19/03/2025", "F-2025/0147"),
        ("RE-25-1178", "RE-25-1178"),
        ("CG 420002", "CG 420002"),
    ],
)
def test_a_number_ends_before_its_date(value: str, number: str) -> None:
    document = read(at(0, 0, "Invoice no: " + value))
    [pair] = document.fields().pairs
    assert (pair.name, pair.value.text) == ("number", number)


def test_a_shortened_head_is_known_with_a_currency_behind_it() -> None:
    assert named("Prec.Unit. €") == named("U.Price ($)") == ("price",)
    assert named("art.no. EUR") == ("article",)
    assert named("GBP)") == ("amount",)  # the second line of a head
