"""The similarity of found tables to the true ones: TEDS, each true table with a found one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser
from statistics import mean

from pagetide.document import Table

Pair = tuple[str, str]
Teds = tuple[float, float]
"""With text, and of the structure alone; 0–1."""


@dataclass(frozen=True, kw_only=True)
class TablePage:
    """A page's true tables and those a program found, as HTML.

    Attributes:
        name: The document's; it decides the half of a set.
    """

    name: str
    truth: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Scores:
    """A program's scores on a set.

    Attributes:
        teds: For each true table, by its document; 0 for a missed one.
        missed: True tables without a found one.
        extra: Found tables beside the true ones.
    """

    teds: tuple[tuple[str, Teds], ...]
    missed: int
    extra: int

    @property
    def text(self) -> float:
        """The mean TEDS."""
        return mean(score for _, (score, _) in self.teds)

    @property
    def structure(self) -> float:
        """The mean TEDS of the structure alone."""
        return mean(score for _, (_, score) in self.teds)

    def part(self, names: set[str]) -> Scores:
        """For some documents only; what was missed and extra is not divided."""
        kept = tuple(each for each in self.teds if each[0] in names)
        return Scores(teds=kept, missed=self.missed, extra=self.extra)


def scored(
    pages: Sequence[TablePage], measure: Callable[[Sequence[Pair]], Sequence[Teds]]
) -> Scores:
    """The scores on a set: on a page the best pairs are matched first, each table once.

    Args:
        pages: Of one program.
        measure: Gives the TEDS of pairs of a found table and a true one.
    """
    clean = [
        TablePage(
            name=page.name,
            truth=tuple(map(normalised, page.truth)),
            found=tuple(map(normalised, page.found)),
        )
        for page in pages
    ]
    pairs = [(found, truth) for p in clean for found in p.found for truth in p.truth]
    known = dict(zip(pairs, measure(pairs), strict=True))
    teds: list[tuple[str, Teds]] = []
    missed = extra = 0
    for page in clean:
        matched = _matched(page, known)
        teds += [
            (page.name, matched.get(place, (0.0, 0.0))) for place in range(len(page.truth))
        ]
        missed += len(page.truth) - len(matched)
        extra += len(page.found) - len(matched)
    return Scores(teds=tuple(teds), missed=missed, extra=extra)


def _matched(page: TablePage, known: dict[Pair, Teds]) -> dict[int, Teds]:
    options = sorted(
        (
            (known[found, truth], i, j)
            for i, truth in enumerate(page.truth)
            for j, found in enumerate(page.found)
        ),
        key=lambda option: (-option[0][0], option[1], option[2]),
    )
    matched: dict[int, Teds] = {}
    used: set[int] = set()
    for score, i, j in options:
        if i not in matched and j not in used:
            matched[i] = score
            used.add(j)
    return matched


def table_html(table: Table) -> str:
    """Our table as HTML."""
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    for cell in sorted(table.cells, key=lambda each: (each.row, each.column)):
        rows[cell.row].append(_cell(cell.text, cell.row_span, cell.column_span))
    return _table(rows)


def normalised(html: str) -> str:
    """A table of rows and plain cells: no heads, no markup, single spaces."""
    return _table([[_cell(*cell) for cell in row] for row in rows_of(html)])


def rows_of(html: str) -> list[list[tuple[str, int, int]]]:
    """A table's cells, row by row: text, row span, column span."""
    reader = TableReader()
    reader.feed(html)
    return reader.rows


def _cell(text: str, rows: int, columns: int) -> str:
    spans = (f' colspan="{columns}"' if columns > 1 else "") + (
        f' rowspan="{rows}"' if rows > 1 else ""
    )
    return f"<td{spans}>{escape(' '.join(text.split()))}</td>"


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ("".join(row) for row in rows)
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


class TableReader(HTMLParser):
    """Reads a table's cells.

    Attributes:
        rows: Row by row: text, row span, column span.
        headers: For each cell, whether it is a `th` or in a `thead`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[tuple[str, int, int]]] = []
        self.headers: list[list[bool]] = []
        self._open: tuple[int, int] | None = None
        self._text: list[str] = []
        self._in_head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a row or a cell."""
        if tag == "tr":
            self.rows.append([])
            self.headers.append([])
        elif tag in ("td", "th"):
            given = dict(attrs)
            self._open = (_span(given.get("rowspan")), _span(given.get("colspan")))
            self._text = []
        elif tag == "br":
            self._text.append(" ")
        elif tag == "thead":
            self._in_head = True

    def handle_endtag(self, tag: str) -> None:
        """Close a cell."""
        if tag in ("td", "th") and self._open and self.rows:
            self.rows[-1].append(("".join(self._text), *self._open))
            self.headers[-1].append(tag == "th" or self._in_head)
            self._open = None
        elif tag == "thead":
            self._in_head = False

    def handle_data(self, data: str) -> None:
        """Take a cell's text."""
        self._text.append(data)


def _span(said: str | None) -> int:
    """A span as browsers read it: 1 if it is not a number of at least 1, at most 1000."""
    return min(max(int(said), 1), 1000) if said and said.strip().isdecimal() else 1
