"""Fields: nothing is invented, every value stands where it says, sums are added up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagetide.document import Block, Cell, Document, Line, Page, Table
from pagetide.document.field import Fields, Value
from pagetide.exports import export
from pagetide.exports.fields.values.amounts import amount_in
from pagetide.exports.fields.values.dates import DATE, Order, normalised, order_of
from pagetide.exports.fields.values.forms import iban
from pagetide.geometry import box_of, polygon_of
from tests.documents import document_of, page_of

GLYPH, HEIGHT = 8, 16  # pixels: of a letter and of a line


def at(x: float, y: float, text: str) -> Line:
    """A line whose letters are all as wide."""
    box = (x, y, x + GLYPH * len(text), y + HEIGHT)
    return Line(text=text, polygon=polygon_of(box), confidence=0.9)


def read(*lines: Line, blocks: tuple[Block, ...] = ()) -> Document:
    return document_of(page_of(list(lines), blocks=blocks))


def told(document: Document) -> list[tuple[str, str, str]]:
    """Name, label and value of each pair."""
    pairs = document.fields().pairs
    return [(pair.name, pair.label.text, pair.value.text) for pair in pairs]


def test_a_sum_below_its_currencys_sign_is_the_labels() -> None:
    document = read(
        at(100, 100, "Rope"),
        at(400, 100, "€"),
        at(368, 124, "30,00"),
        at(100, 160, "Subtotal"),
        at(400, 160, "€"),
        at(368, 184, "36,00"),
        at(100, 220, "Total"),
        at(400, 220, "€"),
        at(368, 244, "43,20"),
    )
    assert [(name, text) for name, _, text in told(document)] == [
        ("subtotal", "€\n36,00"),
        ("total", "€\n43,20"),
    ]


# Labels and values.


def test_a_value_stands_behind_a_colon() -> None:
    assert told(read(at(0, 0, "Vessel: Mary Ann"))) == [("", "Vessel", "Mary Ann")]


def test_or_beside_or_below_its_label() -> None:
    beside = read(at(0, 0, "Invoice no."), at(200, 0, "A-17"))
    below = read(at(0, 0, "Due date"), at(0, 20, "3 May 2024"))
    assert told(beside) == [("number", "Invoice no", "A-17")]
    assert told(below) == [("due_date", "Due date", "3 May 2024")]


def test_or_behind_a_known_one_in_the_same_words() -> None:
    assert told(read(at(0, 0, "Total EUR 12,50"))) == [("total", "Total", "EUR 12,50")]


@pytest.mark.parametrize(
    "says",
    [
        "From 4.2 m to 3.4 m the channel is dredged",
        "Date and place were not known to 3 of them",
        "It was no 17 that sank",
        "High water at 06:34",
        "See https://quay.example/tides",
        "As to the fees: for the ten weeks in which you cannot use the berth we credit you",
    ],
)
def test_a_sentence_is_no_pair(says: str) -> None:
    assert told(read(at(0, 0, says))) == []


def test_a_label_without_a_value_is_none() -> None:
    assert told(read(at(0, 0, "Due date"), at(0, 20, "not agreed"))) == []


def test_a_row_of_labels_has_its_values_below() -> None:
    lines = [at(0, 0, "Order no."), at(200, 0, "Date"), at(400, 0, "Customer no.")]
    below = [at(0, 20, "71"), at(200, 20, "02.03.2024"), at(400, 20, "K 40")]
    assert told(read(*lines, *below)) == [
        ("order_number", "Order no", "71"),
        ("date", "Date", "02.03.2024"),
        ("customer_number", "Customer no", "K 40"),
    ]


def test_an_address_has_its_lines() -> None:
    rows = ["Bill to:", "Quay Seven Ltd", "3 Mole Lane", "Northwick"]
    lines = [at(0, 20 * n, text) for n, text in enumerate(rows)]
    [pair] = read(*lines, at(0, 140, "Thank you")).fields().pairs
    assert (pair.name, pair.value.text) == (
        "customer",
        "Quay Seven Ltd\n3 Mole Lane\nNorthwick",
    )
    assert pair.value.lines == (1, 2, 3)


def test_text_that_runs_leftward_has_its_values_on_the_left() -> None:
    lines = [at(300, 0, "رقم الفاتورة"), at(100, 0, "A-17")]
    assert told(read(*lines)) == [("number", "رقم الفاتورة", "A-17")]


def test_every_value_stands_where_it_says() -> None:
    document = read(at(10, 30, "Invoice date: 18 March 2024"))
    [pair] = document.fields().pairs
    start = 10 + GLYPH * len("Invoice date: ")
    assert box_of(pair.value.polygon) == (start, 30, start + GLYPH * 13, 30 + HEIGHT)
    assert box_of(pair.label.polygon) == (10, 30, 10 + GLYPH * 12, 30 + HEIGHT)
    assert (pair.value.page, pair.value.lines, pair.value.confidence) == (1, (0,), 0.9)


TEXTS = st.text("aB1:. €%-/@é中\u0627", max_size=24).map(str.strip).filter(bool)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), TEXTS), max_size=12))
def test_nothing_is_told_that_does_not_stand_there(placed: list[tuple[int, int, str]]) -> None:
    lines = [at(90 * x, 20 * y, text) for x, y, text in placed]
    fields = read(*lines).fields()
    for value in [*fields.values, *(v for p in fields.pairs for v in (p.label, p.value))]:
        stands = "".join(lines[place].text for place in value.lines)
        assert value.lines
        for part in value.text.split("\n"):
            assert _bare(part) in _bare(stands)


def _bare(text: str) -> str:
    return "".join(text.split())


# What proves itself.


@pytest.mark.parametrize(
    ("text", "number", "currency"),
    [
        ("1,234.50", "1234.50", None),
        ("1.234,50 €", "1234.50", "EUR"),
        ("1 234,5", "1234.5", None),
        ("$ 12", "12", "USD"),
        ("USD 1,234", "1234", "USD"),
        ("(4.20)", "-4.20", None),
        ("-€0.99", "-0.99", "EUR"),
        ("12,50-", "-12.50", None),
        ("₹ 1,23,456.00", "123456.00", "INR"),
        ("29.99 € TTC", "29.99", "EUR"),
        ("3.50 zł", "3.50", "PLN"),
    ],
)
def test_amounts(text: str, number: str, currency: str | None) -> None:
    found = amount_in(text)
    assert found
    assert (found.number, found.currency) == (Decimal(number), currency)


@pytest.mark.parametrize("text", ["", "A-17", "12 items", "1.2.3", "06:34", "EUR", "1,,2"])
def test_what_is_no_amount(text: str) -> None:
    assert amount_in(text) is None


@given(
    st.decimals(min_value=0, max_value=10**9, places=2),
    st.sampled_from([("{:,.2f}", ""), ("{:,.2f}", ",.")]),
)
def test_an_amount_is_the_number_that_was_written(
    number: Decimal, how: tuple[str, str]
) -> None:
    text = how[0].format(number)
    if how[1]:
        text = text.translate(str.maketrans(",.", ".,"))
    found = amount_in(f"{text} €")
    assert found
    assert found.number == number


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["03/04/2024", "17/04/2024"], "day first"),
        (["03/04/2024", "04/17/2024"], "month first"),
        (["03.04.2024"], "day first"),
        (["03/04/2024"], None),
        (["03/04/2024", "Total £8.72"], "day first"),
        (["03/04/2024", "04/17/2024", "Total €8.72"], "month first"),
        (["17/04/2024", "04/17/2024"], None),
    ],
)
def test_a_documents_dates_tell_their_order(texts: Sequence[str], order: Order) -> None:
    assert order_of(texts) == order


@pytest.mark.parametrize(
    ("text", "order", "said"),
    [
        ("2024-03-18", None, "2024-03-18"),
        ("18.03.24", None, "2024-03-18"),
        ("18 March 2024", None, "2024-03-18"),
        ("March 18, 2024", None, "2024-03-18"),
        ("18. März 2024", None, "2024-03-18"),
        ("1er août 2024", None, "2024-08-01"),
        ("2024年3月18日", None, "2024-03-18"),
        ("03/04/2024", None, None),
        ("03/04/2024", "day first", "2024-04-03"),
        ("03/04/2024", "month first", "2024-03-04"),
        ("04/04/2024", None, "2024-04-04"),
        ("31/02/2024", None, None),
    ],
)
def test_dates(text: str, order: Order, said: str | None) -> None:
    found = DATE.fullmatch(text)
    assert found
    assert normalised(found, order) == said


def test_an_account_number_proves_itself() -> None:
    assert iban("DE02 1203 0000 0000 2020 51") == "DE02120300000000202051"
    assert iban("DE02 1203 0000 0000 2020 52") is None
    says = "IBAN DE02 1203 0000 0000 2020 51, BIC FODEDE21XXX"
    [pair] = read(at(0, 0, says)).fields().pairs
    assert (pair.name, pair.value.kind) == ("iban", "iban")
    assert pair.value.normalised == "DE02120300000000202051"


def test_values_are_found_wherever_they_stand() -> None:
    says = "Pay GBP 12.50 by 3 May 2024 or write to dues@quay.example, www.quay.example/pay"
    kinds = [(value.kind, value.text) for value in read(at(0, 0, says)).fields().values]
    assert kinds == [
        ("amount", "GBP 12.50"),
        ("date", "3 May 2024"),
        ("email", "dues@quay.example"),
        ("url", "www.quay.example/pay"),
    ]


@pytest.mark.parametrize(
    "says", ["1,234 people came", "12.345.678 Stück", "from 1,200 to 1,300"]
)
def test_a_number_in_thousands_is_no_sum_of_money(says: str) -> None:
    assert read(at(0, 0, says)).fields().values == ()


SAID = st.sampled_from(
    [
        "5", "12", "2024", "3 May 2024", "1.2.2003", "1.1.", "May", "2/3-", "1-2-", "10 de",
        "GBP 12.50", "VAT", "DE 136695976", "DE", "EUR", "7,25 €", "12 %", "+44 20 7946 0958",
        "a@quay.example", "www.quay.example", "GB82", "-", "1,", "50", "O0ctober", "31",
    ]
)  # fmt: skip


@given(st.lists(st.lists(SAID, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=6))
@example(["VAT", "DE 136695976"])
@example(["2/3-", "1.2.2003"])
def test_a_page_has_the_values_of_its_lines(texts: list[str]) -> None:
    page = read(*(at(0, 100 * n, text) for n, text in enumerate(texts)))
    alone = [read(at(0, 0, text)).fields().values for text in texts]
    found = [(value.kind, value.text) for value in page.fields().values]
    assert found == [(value.kind, value.text) for values in alone for value in values]


# Bills.


def table_block(*rows: Sequence[str]) -> Block:
    cells = tuple(
        Cell(
            row=r,
            column=c,
            text=text,
            polygon=polygon_of((100 * c, 20 * r, 100 * c + 90, 20 * r + 16)),
        )
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    table = Table(rows=len(rows), columns=len(rows[0]), cells=cells)
    return Block(kind="table", order=0, polygon=polygon_of((0, 0, 400, 200)), table=table)


def bill(items: Sequence[Sequence[str]], net: str, tax: str, total: str) -> Document:
    sums = [("Net amount", net), ("VAT 20 %", tax), ("Total", total)]
    lines = [at(0, 300, "Invoice")]
    for n, (label, amount) in enumerate(sums):
        lines += [at(0, 340 + 20 * n, label), at(300, 340 + 20 * n, amount)]
    head = ("Description", "Qty", "Unit price", "Amount")
    return read(*lines, blocks=(table_block(head, *items),))


GOODS = [("Rope", "2", "4.50", "9.00"), ("Paint", "3", "7.00", "21.00")]


def test_a_bill_has_its_items_and_sums() -> None:
    found = bill(GOODS, "30.00", "6.00", "36.00").fields().bill
    assert found
    assert found.kind == "invoice"
    said = {name: value.normalised for name, value in found.fields.items()}
    assert said == {"subtotal": "30.00", "tax": "6.00", "total": "36.00"}
    assert [
        (i.description and i.description.text, i.amount and i.amount.normalised)
        for i in found.items
    ] == [
        ("Rope", "9.00"),
        ("Paint", "21.00"),
    ]
    assert {(check.name, check.holds) for check in found.checks} == {
        *(("item", True), ("items", True), ("total", True)),
    }


@pytest.mark.parametrize(
    ("document", "name"),
    [
        (bill([*GOODS[:1], ("Paint", "3", "7.00", "22.00")], "31.00", "6.20", "37.20"), "item"),
        (bill(GOODS, "31.00", "6.20", "37.20"), "items"),
        (bill(GOODS, "30.00", "6.00", "37.00"), "total"),
    ],
)
def test_a_sum_that_does_not_come_out_is_said(document: Document, name: str) -> None:
    found = document.fields().bill
    assert found
    assert [check.name for check in found.checks if not check.holds] == [name]


def test_taxes_may_be_in_the_sum_already() -> None:
    found = bill([], "36.00", "6.00", "36.00").fields().bill
    assert found
    assert [(check.name, check.holds) for check in found.checks] == [("total", True)]


def test_a_letter_is_no_bill() -> None:
    assert read(at(0, 0, "Dear Ms Brack"), at(0, 20, "Total silence.")).fields().bill is None


def test_a_page_that_was_not_read_has_none() -> None:
    assert read().fields() == Fields(source=read().source.name)


def test_the_format_is_their_json() -> None:
    document = bill(GOODS, "30.00", "6.00", "36.00")
    [(ending, content)] = export(document, "fields")
    assert ending == ".fields.json"
    assert msgspec.json.decode(content, type=Fields) == document.fields()
    assert json.loads(content)["bill"]["fields"]["total"]["normalised"] == "36.00"


def test_a_page_says_its_own() -> None:
    page: Page = read(at(0, 0, "Vessel: Mary Ann")).pages[0]
    assert [pair.value.text for pair in page.fields().pairs] == ["Mary Ann"]
    assert isinstance(page.fields().pairs[0].value, Value)


def test_a_sum_of_things_is_no_bill() -> None:
    lines = [at(0, 0, "Date"), at(200, 0, "3 May 2024"), at(0, 20, "Total"), at(200, 20, "340")]
    assert read(*lines).fields().bill is None
    assert read(*lines[:3], at(200, 20, "340.00")).fields().bill is not None


def test_a_page_of_labels_alone_says_what_was_left_out() -> None:
    lines = [at(90 * (n % 50), 20 * (n // 50), "A: b") for n in range(1100)]
    fields = read(*lines).fields()
    assert len(fields.pairs) == 1000
    assert [notice.code for notice in fields.warnings] == ["labels_left_out"]


@pytest.mark.parametrize("unit", ["1", "1,", "a", "a.", "A1", "a ", ": ", "€1 ", "+1 ", "1.1."])
def test_a_line_without_an_end_is_no_amount_and_no_label(unit: str) -> None:
    fields = read(at(0, 0, unit * 20_000)).fields()
    assert fields.pairs == ()
    assert all(len(value.text) <= 64 for value in fields.values)


def test_a_number_higher_than_the_total_is_no_tax() -> None:
    items = [("Rope", "2", "3.00", "6.00"), ("Sail", "1", "4.00", "4.00")]
    found = bill(items, "10.00", "1943996", "11.90").fields().bill
    assert found is not None
    assert "tax" not in found.fields


def test_carriage_that_is_sold_is_no_sum_where_narrow_cells_wrap_its_figures() -> None:
    head = ("Description", "Qty", "Unit price", "Amount")
    lines = [at(0, 300, "Invoice"), *(at(110 * n, 340, each) for n, each in enumerate(head))]
    cells = [
        Cell(row=0, column=n, text=each, line_indexes=(1 + n,), polygon=lines[1 + n].polygon)
        for n, each in enumerate(head)
    ]
    said = ("Shipping", "38", "€\n1.00", "€\n38.00")
    for column, text in enumerate(said):
        first = len(lines)
        lines += [
            at(110 * column, 370 + 20 * n, part) for n, part in enumerate(text.split("\n"))
        ]
        indexes, polygon = tuple(range(first, len(lines))), lines[first].polygon
        cells.append(
            Cell(row=1, column=column, text=text, line_indexes=indexes, polygon=polygon)
        )
    lines += [at(0, 440, "Net amount"), at(330, 440, "38.00")]
    lines += [at(0, 460, "Total"), at(330, 460, "38.00")]
    table = Table(rows=2, columns=4, cells=tuple(cells))
    block = Block(kind="table", order=0, polygon=polygon_of((0, 330, 420, 420)), table=table)
    found = read(*lines, blocks=(block,)).fields().bill
    assert found is not None
    assert [item.amount.text for item in found.items if item.amount] == ["€\n38.00"]
    assert "shipping" not in found.fields


def test_an_item_may_be_called_as_a_sum_is() -> None:
    items = [("Rope", "2", "3.00", "6.00"), ("Shipping", "1", "4.00", "4.00")]
    found = bill(items, "10.00", "1.90", "11.90").fields().bill
    assert found is not None
    assert [item.description.text for item in found.items if item.description] == [
        "Rope",
        "Shipping",
    ]
    assert all(check.holds for check in found.checks)
