"""Shared by HTML and similar formats: escaped text, and tables."""

from __future__ import annotations

import re
from html import escape
from unicodedata import bidirectional

from pagetide.document import Cell, Table
from pagetide.exports.tables.cells import cells_by_row, header_rows, tidy

_LEFTWARD = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_DOTS = ". …·\t"
_LEADER = 5  # dots: an ellipsis after an abbreviation has fewer
_AFTER_STOP = re.compile(r"\.\s+[.…·]{2}")


def plain(text: str) -> str:
    """Text with U+FFFD in place of every character that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)


def escaped(text: str) -> str:
    """Text that HTML and XML show unchanged, between tags and inside quotes.

    A character that XML cannot hold becomes U+FFFD.
    """
    return escape(plain(text))


def comment(text: str) -> str:
    """A one-line comment that no text can end prematurely."""
    line = re.sub("-(?=-)", "- ", " ".join(plain(text).split()))
    return f"<!-- {line} -->"


def broken_lines(text: str) -> str:
    """Text that keeps its lines; blank ones, which would end HTML in Markdown, are left out."""
    return "<br>\n".join(escaped(line) for line in re.split(r"[\r\n]+", text) if line.strip())


def without_leader(line: str) -> str:
    """A line of a cell without the dots that lead from it to the next cell.

    A full stop before them stays: `Co. ......`, but not the first dot of `Rope. . . . .`.
    """
    bare = line.rstrip(_DOTS)
    dots = line[len(bare) :]
    if not bare or sum(not letter.isspace() for letter in dots) < _LEADER:
        return line
    return bare + "." * bool(_AFTER_STOP.match(dots))


def runs_right_to_left(text: str) -> bool:
    """Whether most of its letters are written from right to left."""
    if not _LEFTWARD.search(text):
        return False
    ways = [bidirectional(letter) for letter in text]
    return sum(way in ("R", "AL") for way in ways) > ways.count("L")


def table(grid: Table, caption: str = "") -> str:
    """A table as an HTML element, a line for each row, without blank lines.

    Args:
        grid: The table; rows at its top whose cells are all headers become its head.
        caption: The content of its caption, as HTML.
    """
    grid = tidy(grid)
    rows = [f"<tr>{''.join(cells)}</tr>" for cells in _rows(grid)]
    head = header_rows(grid)
    lines = ["<table>"]
    if caption:
        lines.append(f"<caption>{caption}</caption>")
    if head:
        lines += ["<thead>", *rows[:head], "</thead>"]
        rows = ["<tbody>", *rows[head:], "</tbody>"] if rows[head:] else []
    return "\n".join([*lines, *rows, "</table>"])


def _rows(grid: Table) -> list[list[str]]:
    """Each row's cells as HTML; places without a cell are empty ones."""
    head = header_rows(grid)
    return [
        [_cell(cell, row < head) if cell else "<td></td>" for cell in cells]
        for row, cells in enumerate(cells_by_row(grid))
    ]


def _cell(cell: Cell, in_head: bool) -> str:
    tag = "th" if cell.header else "td"
    attributes = f' scope="{"col" if in_head else "row"}"' if cell.header else ""
    attributes += "".join(
        f' {name}="{count}"'
        for name, count in (("colspan", cell.column_span), ("rowspan", cell.row_span))
        if count > 1
    )
    lines = map(without_leader, cell.text.split("\n"))
    text = broken_lines("\n".join(lines)).replace("\n", "")
    return f"<{tag}{attributes}>{text}</{tag}>"
