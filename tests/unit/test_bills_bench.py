"""Tables in Markdown of both kinds, and which rows of items are where they should be."""

from __future__ import annotations

import pytest

from bench.bills.__main__ import wrong_rows
from bench.bills.markdown import tables_in

ITEMS: list[tuple[str, ...]] = [("Item", "Amount"), ("Rope,12mm", "12.50"), ("Tar", "4.00")]
SUM = ("Total", "16.50")


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
