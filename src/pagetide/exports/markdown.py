"""A document as Markdown (CommonMark with pipe tables)."""

from __future__ import annotations

import re

from pagetide.document import Block, Document, Page, Table
from pagetide.exports import markup

_SPECIAL = re.compile(r"([\\`*_\[\]<|~$]|&(?=#?\w+;))")
# What makes a heading, a list, a quote or a rule, but only where a line begins.
_AT_START = re.compile(r"^(#|\+|-|=|>|:|\d+(?=[.)]))")
# What stands before an item of a list, however the page draws it.
BULLET = re.compile(r"^\s*[•◦▪‣●○■□▶➢✓·*–—-]\s*")


def write(document: Document) -> str:
    """The text with headings, lists and tables; a comment names each page as it begins.

    Lines stay lines, and a hyphen at a line's end stays, since nothing tells whether the
    word has it. A page that could not be read says so in its place.
    """
    return "\n\n".join(_page(page) for page in document.pages) + "\n"


def escape(text: str) -> str:
    r"""Text that Markdown shows as it is.

    A backslash stands before whatever would be read as markup; white space is made plain,
    since some of it would be markup that no backslash undoes.
    """
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(_escape_line(line) for line in lines if line)


def _escape_line(line: str) -> str:
    line = _SPECIAL.sub(r"\\\1", line)
    found = _AT_START.match(line)
    if not found:
        return line
    end = found.end()
    return line[:end] + "\\" + line[end:] if line[0].isdecimal() else "\\" + line


def _page(page: Page) -> str:
    parts = [f"<!-- page {page.number} -->"]
    if page.error:
        parts.append(
            f"> **Page {page.number} could not be read:** {escape(page.error.message)}"
        )
    parts += [part for block in page.blocks if (part := _block(block))]
    owned = {index for block in page.blocks for index in block.line_indexes}
    loose = (line.text for i, line in enumerate(page.lines) if i not in owned)
    parts += [part for text in loose if (part := escape(text))]
    return "\n\n".join(parts)


def _block(block: Block) -> str:
    if block.table:
        return _table(block.table)
    if block.kind in ("title", "heading"):
        mark = "#" if block.kind == "title" else "##"
        text = escape(" ".join(block.text.split()))
        return f"{mark} {text}" if text else ""
    if block.kind == "list":
        return _list(block.text)
    return escape(block.text)


def _list(text: str) -> str:
    """Lines that begin with a bullet as items, the others as lines of the item before."""
    lines: list[str] = []
    for line in text.split("\n"):
        bullet = BULLET.match(line)
        content = escape(line[bullet.end() :] if bullet else line)
        if content or bullet:
            lines.append(("- " if bullet or not lines else "  ") + content)
    return "\n".join(lines)


def _table(table: Table) -> str:
    if any(cell.row_span > 1 or cell.column_span > 1 for cell in table.cells):
        # Pipes cannot say spans. Markdown lets HTML through, up to the first blank line.
        return markup.table(table)
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = "<br>".join(escape(cell.text).split("\n"))
    rows = [f"| {' | '.join(row)} |" for row in grid]
    return "\n".join([rows[0], "|" + " --- |" * table.columns, *rows[1:]])
