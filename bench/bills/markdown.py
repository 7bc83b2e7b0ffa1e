"""Tables in Markdown, written with pipes or as HTML: rows of texts, without formatting."""

from __future__ import annotations

import re
from html import unescape
from itertools import groupby

Cells = tuple[str, ...]
Table = list[Cells]

_HTML = re.compile(r"<table.*?</table>", re.DOTALL)
_ROW, _CELL = (
    re.compile(r"<tr.*?</tr>", re.DOTALL),
    re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL),
)
_LINE = re.compile(r"[\s|:-]*")
_BAR = re.compile(r"(?<!\\)\|")
_LOOKS = re.compile(r"<[^<>]+>|[*\\_`\s]")


def tables_in(markdown: str) -> list[Table]:
    """The tables, each a list of rows of its cells' texts; empty ones left out.

    Texts have no spaces, tags or marks of emphasis.
    """
    found = [
        [tuple(_plain(text) for text in _CELL.findall(row)) for row in _ROW.findall(html)]
        for html in _HTML.findall(markdown)
    ]
    for is_row, lines in groupby(markdown.split("\n"), key=lambda line: line.startswith("|")):
        if is_row:
            rows = [line for line in lines if not _LINE.fullmatch(line)]
            found.append([tuple(map(_plain, _BAR.split(line.strip()[1:-1]))) for line in rows])
    return [[tuple(filter(None, row)) for row in rows if any(row)] for rows in found]


def _plain(text: str) -> str:
    return _LOOKS.sub("", unescape(text))
