"""`python -m bench.bills.marked_up`: bills whose own markup says what their items' table is.

The bills of `bench/fields/written` were written for fields. Those whose items stand in a
`<table>` are printed and read, and the items' table is compared with the page's own rows, as
the browser shows them. Of the unseen ones only figures are printed.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from bench.bills.__main__ import row_of, rows_of
from bench.bills.markdown import Table, tables_in
from bench.fields.by_hand import SETS, Truth, bills, printed
from bench.rows import table
from pagetide import open_reader
from tests.browser import chromium

_TABLES = """() => [...document.querySelectorAll("table")].map(
    table => [...table.rows].map(row => [...row.cells].map(cell => cell.innerText)))"""
_MEASURE = "bills whose items are as marked up, and nothing else in their table"
_LOOKS = re.compile(r"[*\\_`\s\xad]")


class Bill(msgspec.Struct, frozen=True):
    """A bill as its author marked it up."""

    name: str
    pdf: bytes
    tables: list[Table]
    """The page's tables, texts without spaces and in lower case."""
    items: Table
    """The one with most items."""
    truth: Truth


def main() -> None:
    """Measure one set or both; for the developed one print the wrong rows."""
    parser = argparse.ArgumentParser("python -m bench.bills.marked_up", description=__doc__)
    parser.add_argument("--set", choices=SETS, help="only this one")
    parser.add_argument(
        "--save", type=Path, help="a folder for the PDFs and Markdown developed on"
    )
    arguments = parser.parse_args()
    told: dict[str, list[bool]] = {}
    with open_reader("structure-lite") as reader:
        for name in [arguments.set] if arguments.set else SETS:
            told[name] = []
            for bill in marked_up(name):
                markdown = reader.read(bill.pdf).to_markdown()
                wrong = wrong_rows(bill, list(map(_plain, tables_in(markdown))))
                told[name].append(not wrong)
                if name == "developed":
                    _tell(bill, wrong, markdown, arguments.save)
    print(table([row_of(f"{name}: {_MEASURE}", right) for name, right in told.items()]))


def marked_up(name: str) -> Iterator[Bill]:
    """The bills of a set whose items stand in a table."""
    with chromium() as browser:
        page = browser.new_page()
        page.emulate_media(media="print")
        for bill, html, truth in bills(name):
            page.set_content(html)
            tables = [_plain(rows) for rows in page.evaluate(_TABLES)]
            items = max(tables, key=lambda rows: _items_in(rows, truth), default=[])
            if _items_in(items, truth):
                yield Bill(bill, printed(browser, html), tables, items, truth)


def wrong_rows(bill: Bill, found: list[Table]) -> list[str]:
    """Rows of items that are not in their table, sums that are in none, and rows of neither.

    A row that fills a table's width, such as a section's name, may be missing. The items' table
    may continue as another on the next page, and the sums may be in it.
    """
    own = rows_of(bill.items, found)
    anywhere = {row for rows in found for row in rows}
    known = {row for rows in bill.tables for row in rows}
    sums = {_text(value) for value in bill.truth.fields.values()}
    amounts = {_text(item.get("amount", "")) for item in bill.truth.items}
    missing = [
        f"not found: {' | '.join(row)}"
        for row in bill.items
        if len(row) > 1 and row not in (own if amounts & {*row} else anywhere)
    ]
    others = [row for row in own if row not in known and not (len(row) == 2 and row[1] in sums)]
    return missing + [f"not of it: {' | '.join(row)}" for row in others]


def _items_in(rows: Table, truth: Truth) -> int:
    amounts = [_text(item.get("amount", "")) for item in truth.items]
    return sum(any(amount and amount in row for row in rows) for amount in amounts)


def _plain(rows: Iterable[Iterable[str]]) -> Table:
    return [row for row in (tuple(filter(None, map(_text, cells))) for cells in rows) if row]


def _text(text: str) -> str:
    return _LOOKS.sub("", text).casefold()


def _tell(bill: Bill, wrong: list[str], markdown: str, folder: Path | None) -> None:
    if wrong:
        print(f"{bill.name}: {'; '.join(wrong)}")
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{bill.name}.pdf").write_bytes(bill.pdf)
        (folder / f"{bill.name}.md").write_text(markdown, encoding="utf-8")


if __name__ == "__main__":
    main()
