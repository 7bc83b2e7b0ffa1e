"""Tables as CSV (RFC 4180, UTF-8 without a byte order mark): a file for each table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from pagetide.document import Document, Page, Table
from pagetide.exports.tables.cells import grid
from pagetide.exports.tables.joined_tables import joined
from pagetide.exports.text.markup import plain

# Prefixes that make a cell a formula in spreadsheet programs, including East Asian forms.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")
# A plus or a minus before digits, or alone: no function can be called without a letter.
_AMOUNT = re.compile(r"\s*[+\-＋－][\d\s.,:/%()€$£¥+\-－–]*")


def write(document: Document) -> Iterator[tuple[str, bytes]]:
    """A file for each table, as its ending and content: `-p3-t1.csv` is the first of page 3."""
    for page, number, table in tables_of(document):
        yield f"-p{page.number}-t{number}.csv", text_of(table).encode()


def tables_of(document: Document) -> Iterator[tuple[Page, int, Table]]:
    """Every table with its page, and its number among that page's tables, from 1.

    A chart that was read as a table counts as one. A table over several pages belongs to its
    first page.
    """
    for page in joined(document).pages:
        blocks = sorted(page.blocks, key=lambda block: block.order)
        tables = [block.table for block in blocks if block.table and block.table.cells]
        for number, table in enumerate(tables, 1):
            yield page, number, table


def text_of(table: Table) -> str:
    """A table as CSV; see `cells.grid` for the positions of texts.

    A text that a spreadsheet program would run as a formula gets an apostrophe before it.
    Amounts such as `-5`, `+3.2 %` and a lone dash do not: they are harmless.
    """
    out = io.StringIO(newline="")
    csv.writer(out).writerows([_guarded(plain(text)) for text in row] for row in grid(table))
    return out.getvalue()


def _guarded(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if _FORMULA.match(text) and not _AMOUNT.fullmatch(text):
        return f"'{text}"
    return text
