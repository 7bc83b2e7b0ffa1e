"""Tables in Markdown of both kinds, and which rows of items are where they should be."""

from __future__ import annotations

import pytest

from bench.bills.__main__ import wrong_rows
from bench.bills.markdown import tables_in
from bench.bills.marked_up import Bill
from bench.bills.marked_up import wrong_rows as unlike_markup
from bench.fields.by_hand import Altered, Truth

ITEMS: list[tuple[str, ...]] = [("Item", "Amount"), ("Rope,12mm", "12.50"), ("Tar", "4.00")]
SUM = ("Total", "16.50")
SUM_AS_MARKED_UP = ("total", "16.50")
ITEMS_BELOW_TITLE = [("item", "amount"), ("rope,12mm", "12.50"), ("tar", "4.00")]
MARKED_UP: list[tuple[str, ...]] = [("forships",), *ITEMS_BELOW_TITLE, SUM_AS_MARKED_UP]


def test_tables_with_bars_and_of_html_are_rows_of_plain_texts() -> None:
    rows = (
        "| Item | | Amount |",
        "| --- | --- | ---: |",
        "| **Rope**, 12&nbsp;mm<br>new | | 1.50 |",
    )
    bars = "\n".join(("text", "", *rows, ""))
    cells = ("<th scope='col'>Item</th><td></td>", "<td><em>A \\| B</em></td>")
    html = "<table>" + "\n".join(f"<tr>{each}</tr>" for each in cells) + "</table>"
    assert tables_in(bars) == [[("Item", "Amount"), ("Rope,12mmnew", "1.50")]]
    assert tables_in(html) == [[("Item",), ("A|B",)]]
    assert tables_in("none | at all") == []


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        ([ITEMS, [SUM]], []),
        ([[*ITEMS, SUM]], []),
        ([ITEMS[:2], ITEMS[2:]], []),
        ([ITEMS[:2]], ["not found: Tar | 4.00"]),
        ([[*ITEMS, ("VAT20%", "2.75")]], ["not of it: VAT20% | 2.75"]),
        ([], [f"not found: {' | '.join(row)}" for row in ITEMS]),
    ],
)
def test_rows_of_items_are_all_in_one_table_and_nothing_else(
    found: list[list[tuple[str, ...]]], wrong: list[str]
) -> None:
    assert wrong_rows([[("No", "7")], ITEMS, [SUM]], found) == wrong


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        ([MARKED_UP], []),
        ([[*ITEMS_BELOW_TITLE, SUM_AS_MARKED_UP]], []),
        ([MARKED_UP[:-1]], ["not found: total | 16.50"]),
        ([MARKED_UP[:-1], [SUM_AS_MARKED_UP]], []),
        ([MARKED_UP[:3], [SUM_AS_MARKED_UP]], ["not found: tar | 4.00"]),
        ([[*MARKED_UP, ("thankyou",)]], ["not of it: thankyou"]),
    ],
)
def test_items_are_as_the_page_marks_them_up(
    found: list[list[tuple[str, ...]]], wrong: list[str]
) -> None:
    amounts = [{"amount": row[-1]} for row in MARKED_UP[2:4]]
    truth = Truth(fields={"total": "16.50"}, items=amounts, altered=Altered("16.50", "61.50"))
    bill = Bill("rope", b"", [MARKED_UP], MARKED_UP, truth)
    assert unlike_markup(bill, found) == wrong
