"""`python -m bench.bills.marked_up`: bills whose own markup says what their items' table is.

The bills of `bench/fields/written` were written for fields. Those whose items stand in a
`<table>` are printed and read, and the items' table is compared with the page's own rows, as
the browser shows them. They are split by a hash of their names: rules are developed on one
half, and of the other half only figures are printed, as of the unseen ones.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench.bills.__main__ import rows_of
from bench.bills.markdown import Cells, Table, tables_in
from bench.fields.by_hand import Truth, bills, printed
from bench.rows import Row, table
from pagetide import open_reader
from tests.browser import chromium

_HALVES = ("developed", "other half", "unseen")
_TABLES = """() => [...document.querySelectorAll("table")].map(
    table => [...table.rows].map(row => [...row.cells].map(cell => cell.innerText)))"""
_LOOKS = re.compile(r"[*\\_`\s\xad]")
LEAST = 0.9


class Bill(msgspec.Struct, frozen=True):
    """A bill as its author marked it up."""

    name: str
    half: str
    pdf: bytes
    tables: list[Table]
    """The page's tables, texts without spaces and in lower case."""
    items: Table
    """The one with most items."""
    truth: Truth


def main() -> None:
    """Measure all; print the wrong rows of the half that is developed on."""
    parser = argparse.ArgumentParser("python -m bench.bills.marked_up", description=__doc__)
    parser.add_argument("--half", choices=_HALVES, help="only this one")
    parser.add_argument("--save", type=Path, help="a folder for the printed PDFs and Markdown")
    arguments = parser.parse_args()
    told: dict[str, list[bool]] = {half: [] for half in _HALVES}
    with open_reader("structure-lite") as reader:
        for bill in marked_up(arguments.half):
            markdown = reader.read(bill.pdf).to_markdown()
            wrong = wrong_rows(bill, [_folded(rows) for rows in tables_in(markdown)])
            told[bill.half].append(not wrong)
            if bill.half == "developed" and wrong:
                print(f"{bill.name}: {'; '.join(wrong)}")
            if bill.half == "developed" and arguments.save:
                _save(arguments.save, bill, markdown)
    print(table([_row(half, right) for half, right in told.items() if right]))


def marked_up(only: str | None = None) -> Iterator[Bill]:
    """The bills whose items stand in a table, or only those of one half."""
    with chromium() as browser:
        page = browser.new_page()
        page.emulate_media(media="print")
        for folder in ("developed", "unseen"):
            for name, html, truth in bills(folder):
                half = _half(folder, name)
                page.set_content(html)
                tables = [_plain(rows) for rows in page.evaluate(_TABLES)]
                items = max(tables, key=lambda rows: _items_in(rows, truth), default=[])
                if only in (None, half) and _items_in(items, truth):
                    yield Bill(name, half, printed(browser, html), tables, items, truth)


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


def _half(folder: str, name: str) -> str:
    even = hashlib.sha256(name.encode()).digest()[0] % 2 == 0
    return folder if folder == "unseen" or even else "other half"


def _items_in(rows: Table, truth: Truth) -> int:
    amounts = [_text(item.get("amount", "")) for item in truth.items]
    return sum(any(amount and amount in row for row in rows) for amount in amounts)


def _plain(rows: list[list[str]]) -> Table:
    return [row for row in (tuple(filter(None, map(_text, cells))) for cells in rows) if row]


def _folded(rows: Table) -> Table:
    return [_cells(row) for row in rows]


def _cells(row: Cells) -> Cells:
    return tuple(map(_text, row))


def _text(text: str) -> str:
    return _LOOKS.sub("", text).casefold()


def _save(folder: Path, bill: Bill, markdown: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{bill.name}.pdf").write_bytes(bill.pdf)
    (folder / f"{bill.name}.md").write_text(markdown, encoding="utf-8")


def _row(half: str, right: list[bool]) -> Row:
    return Row(
        measure=f"{half}: bills whose items are as marked up, and nothing else in their table",
        ours=f"{sum(right)} of {len(right)}",
        peer="",
        value=f"{sum(right) / len(right):.1%}",
        bar=f"≥ {LEAST:.0%}",
        holds=sum(right) >= LEAST * len(right),
    )


if __name__ == "__main__":
    main()
