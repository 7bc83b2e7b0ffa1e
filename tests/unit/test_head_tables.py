"""Items below rows of heads, from words alone: where a page's tables say less, or nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from pagetide.document import Document, Line
from pagetide.document.field import Bill
from pagetide.exports.fields.bills.items.head_tables import head_tables
from pagetide.exports.fields.phrases.sheet import sheets
from tests.unit.test_bills_abroad import said, table_of
from tests.unit.test_fields import at, read

HEAD = ("Code", "Description", "Qty", "Price", "Amount")
XS = (0, 120, 560, 640, 760)
ROWS = (
    ("A-10", "Rope", "2", "15.00", "30.00"),
    ("A-20", "Sand, washed", "12", "1.50", "18.00"),
    ("A-30", "Tar", "4", "5.25", "21.00"),
)
SUMS = (("Subtotal", "69.00"), ("VAT 20 %", "13.80"), ("Total", "82.80"))


def row_at(y: float, texts: Sequence[str], xs: Sequence[float] = XS) -> list[Line]:
    return [at(x, y, text) for x, text in zip(xs, texts, strict=True) if text]


def page(
    *rows: tuple[float, Sequence[str]], sums: Sequence[tuple[str, str]] = SUMS
) -> Document:
    """A bill without a table: a head, rows at their places, sums a little below."""
    lines = [at(0, 20, "Invoice 77"), *row_at(100, HEAD)]
    for y, texts in rows:
        lines += row_at(y, texts)
    below = max(y for y, _ in rows) + 60
    for n, (label, amount) in enumerate(sums):
        lines += [at(560, below + 24 * n, label), at(760, below + 24 * n, amount)]
    return read(*lines)


def bill_of(document: Document) -> Bill:
    bill = document.fields().bill
    assert bill
    return bill


def descriptions(document: Document) -> list[str]:
    return [said(item)["description"] for item in bill_of(document).items]


def test_items_are_told_where_no_table_is() -> None:
    bill = bill_of(page(*((140 + 40 * n, row) for n, row in enumerate(ROWS))))
    names = ("article", "description", "quantity", "price", "amount")
    assert [said(item) for item in bill.items] == [
        dict(zip(names, row, strict=True)) for row in ROWS
    ]
    assert all(check.holds for check in bill.checks)


def test_words_below_an_amount_are_its_row_s_as_far_as_they_are_near() -> None:
    words = ("", "green, for outside", "", "", "")
    near = page((140, ROWS[0]), (158, words), (220, ROWS[1]), (300, ROWS[2]))
    assert descriptions(near) == ["Rope\ngreen, for outside", "Sand, washed", "Tar"]
    far = page((140, ROWS[0]), (180, words), (220, ROWS[1]), (260, ROWS[2]))
    assert descriptions(far) == ["Rope", "Sand, washed", "Tar"]


def test_the_name_of_a_section_is_in_no_description() -> None:
    name = ("", "Goods from the yard", "", "", "")
    document = page((140, name), (170, ROWS[0]), (200, ROWS[1]), (230, ROWS[2]))
    assert descriptions(document) == ["Rope", "Sand, washed", "Tar"]


def test_a_text_that_is_full_goes_on_beside_its_amount() -> None:
    full = ("", "Rope of hemp and sisal, laid by hand in the yard,", "", "", "")
    rest = ("A-10", "tarred", "2", "15.00", "30.00")
    document = page((140, full), (158, rest), (200, ROWS[1]), (240, ROWS[2]))
    assert descriptions(document)[0] == f"{full[1]}\ntarred"


def test_a_page_s_foot_is_no_item() -> None:
    foot = (at(0, 900, "Yard Ltd"), at(120, 900, "Bank of Ostmoor"), at(760, 900, "1"))
    rows = [line for n, row in enumerate(ROWS) for line in row_at(140 + 40 * n, row)]
    total = [at(0, 980, "Total"), at(760, 980, "69.00")]
    document = read(at(0, 20, "Invoice 77"), *row_at(100, HEAD), *rows, *foot, *total)
    assert descriptions(document) == ["Rope", "Sand, washed", "Tar"]


def test_sums_of_sections_above_their_items_are_none() -> None:
    rows = [
        (140.0, ("", "Yard", "", "", "48.00")),
        (170.0, ROWS[0]),
        (200.0, ROWS[1]),
        (230.0, ("", "Store", "", "", "21.00")),
        (260.0, ROWS[2]),
    ]
    assert descriptions(page(*rows)) == ["Rope", "Sand, washed", "Tar"]


def test_where_words_stand_instead_of_figures_the_items_end() -> None:
    rows = [(140.0 + 40 * n, row) for n, row in enumerate(ROWS)]
    terms = (290.0, ("", "All work is guaranteed", "", "Handling", "9.00"))
    sums = (("Subtotal", "78.00"), ("Total", "78.00"))
    assert descriptions(page(*rows, terms, sums=sums)) == ["Rope", "Sand, washed", "Tar"]


def test_a_head_in_two_lines_and_two_heads_in_one_are_told_apart() -> None:
    upper = [at(640, 82, "Unit"), at(760, 82, "Net")]
    head = [at(0, 100, "Code"), at(120, 100, "Description"), at(540, 100, "Qty Unit")]
    head += [at(640, 100, "price"), at(760, 100, "amount")]
    rows: list[Line] = []
    for n, (code, name, count, price, amount) in enumerate(ROWS):
        rows += row_at(140 + 40 * n, (code, name, f"{count} kg", price, amount))
    total = [at(0, 300, "Total"), at(760, 300, "69.00")]
    items = bill_of(read(at(0, 20, "Invoice 77"), *upper, *head, *rows, *total)).items
    assert [said(item).get("unit") for item in items] == ["kg", "kg", "kg"]
    assert [said(item)["amount"] for item in items] == ["30.00", "18.00", "21.00"]


def test_bands_of_sums_below_their_names_are_the_bill_s() -> None:
    rows = [line for n, row in enumerate(ROWS) for line in row_at(140 + 40 * n, row)]
    names = row_at(300, ("Net", "VAT 20 %", "Rounding", "Total"), (0, 200, 400, 600))
    sums = row_at(320, ("69.00", "13.80", "0.20", "83.00"), (40, 240, 440, 640))
    fields = bill_of(
        read(at(0, 20, "Invoice 77"), *row_at(100, HEAD), *rows, *names, *sums)
    ).fields
    told = {name: fields[name].text for name in ("subtotal", "tax", "rounding", "total")}
    assert told == {"subtotal": "69.00", "tax": "13.80", "rounding": "0.20", "total": "83.00"}


@pytest.mark.parametrize("seed", range(40))
def test_whatever_the_order_and_edges_of_columns(seed: int) -> None:
    """Rows with the columns in any order, flush left or right, come back as they were put."""
    draw = random.Random(seed)  # noqa: S311
    names = ["Description", "Qty", "Price", "Amount"]
    order = [0, *draw.sample([1, 2], 2), 3] if draw.random() < 0.7 else [1, 0, 2, 3]
    rows = [_drawn(draw) for _ in range(draw.randint(2, 9))]
    widths = [
        max(len(text) for text in (names[n], *(row[n] for row in rows))) * 8 for n in order
    ]
    lines, x = [at(0, 20, "Invoice 77")], 20.0
    for n, width in zip(order, widths, strict=True):
        is_right = n > 0 and draw.random() < 0.7
        for place, text in enumerate([names[n], *(row[n] for row in rows)]):
            own = x + width - 8 * len(text) if is_right else x
            lines.append(at(own, 100 + 30 * place, text))
        x += width + draw.choice([16, 24, 60])
    total = f"{sum(int(row[1]) * float(row[2]) for row in rows):.2f}"
    lines += [at(20, 160 + 30 * len(rows), "Total"), at(x, 160 + 30 * len(rows), total)]
    items = [said(item) for item in bill_of(read(*lines)).items]
    keys = ("description", "quantity", "price", "amount")
    assert [tuple(item.get(key) for key in keys) for item in items] == rows


def _drawn(draw: random.Random) -> tuple[str, str, str, str]:
    words = ["Rope", "Sand", "Tar", "Oak plank", "Nails 40 mm", "Lime, washed", "Hoist hire"]
    count, price = draw.randint(2, 40), draw.randint(200, 9000) / 100
    return (draw.choice(words), str(count), f"{price:.2f}", f"{count * price:.2f}")


def test_a_hostile_page_of_heads_and_amounts_is_read_in_bounds() -> None:
    """Every row a head, or hundreds of amounts in each: the work grows with the page alone."""
    wide = [at(30 * n, 200, "1.00") for n in range(400)]
    heads = [line for n in range(60) for line in row_at(240 + 20 * n, HEAD)]
    document = read(*row_at(100, HEAD), *wide, *heads)
    found = [
        each for page in document.pages for sheet in sheets(page) for each in head_tables(sheet)
    ]
    assert all(table.columns <= 64 for _, _, table in found)


def test_what_is_counted_without_a_price_is_a_row_of_its_own() -> None:
    parts = [("", "Hook, in the set", "1", "", ""), ("", "Eye, in the set", "1", "", "")]
    rows = [(140.0, ROWS[0]), (180.0, parts[0]), (220.0, parts[1]), (260.0, ROWS[1])]
    assert descriptions(page(*rows, (300.0, ROWS[2]))) == [
        "Rope",
        "Hook, in the set",
        "Eye, in the set",
        "Sand, washed",
        "Tar",
    ]


PRICED = ("Description", "Qty", "Price", "Amount")


def test_the_pages_own_table_counts_where_it_proves_itself() -> None:
    rows = [("Rope", "2", "7.50", "15.00"), ("Phase 2, rigging", "", "", "")]
    document = table_of(
        PRICED, *rows, ("Tar", "1", "15.00", "15.00"), tops=[100, 140, 158, 220]
    )
    assert descriptions(document) == ["Rope", "Tar"]


def test_a_table_that_lacks_an_item_does_not_count() -> None:
    document = table_of(PRICED, ("Rope", "2", "7.50", "15.00"), sums=())
    below = [
        *row_at(180, ("Tar", "1", "15.00", "15.00"), (0, 250, 500, 750)),
        *row_at(300, ("Total", "30.00"), (0, 750)),
    ]
    [page] = document.pages
    whole = read(*page.lines, *below, blocks=page.blocks)
    assert descriptions(whole) == ["Rope", "Tar"]


def test_a_table_that_tears_a_description_in_a_script_without_case_does_not_count() -> None:
    rows = [("زيت زيتون", "2", "7.50", "15.00"), ("طقم من اربع", "", "", "")]
    document = table_of(
        PRICED, *rows, ("سكر", "1", "15.00", "15.00"), tops=[100, 140, 158, 220]
    )
    assert descriptions(document) == ["زيت زيتون\nطقم من اربع", "سكر"]
