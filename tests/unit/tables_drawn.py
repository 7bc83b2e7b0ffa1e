"""Pages with tables for the tests: text at places, rules between."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pagetide.document import Line, Table, Word
from pagetide.geometry import Box, box_of, polygon_of
from pagetide.layout import Area, Drawn, Rule
from pagetide.structure.tables import FoundTable, find_tables
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.pieces import Piece, baselines, chunks_of

WIDTH, HEIGHT = 1000.0, 1400.0
SIZE = 20.0
LETTER = 10.0
XS = (100.0, 300.0, 620.0, 760.0)
"""Where four columns begin."""

BILL_XS = (100.0, 420.0, 620.0, 760.0)
"""Where the columns of a bill begin."""
BILL_HEADS = ("Article", "Count", "Price", "Amount")
BILL_ITEMS = [
    ("Rope", "12", "3.10", "37.20"),
    ("Sail", "1", "210.00", "210.00"),
    ("Tar", "4", "8.25", "33.00"),
]


def text(words: str, x: float, y: float, *, gap: float = 6.0) -> Line:
    """A line of words, ten pixels a letter, twenty high."""
    placed: list[Word] = []
    for word in words.split():
        end = x + LETTER * len(word)
        placed.append(Word(text=word, polygon=polygon_of((x, y, end, y + SIZE))))
        x = end + gap
    return joined(placed)


def joined(words: Sequence[Word]) -> Line:
    """Words as one line."""
    box = box_of([point for word in words for point in word.polygon])
    return Line(
        text=" ".join(word.text for word in words),
        polygon=polygon_of(box),
        words=tuple(words),
        source="text_layer",
    )


def row(texts: Sequence[str], xs: Sequence[float], y: float) -> list[Line]:
    """A line in each column that has text."""
    return [text(words, x, y) for words, x in zip(texts, xs, strict=True) if words]


def prose(top: float) -> list[Line]:
    """Four lines of running text."""
    said = "the boats that came in with the tide were unloaded and then went on to the north"
    return [text(said, 80, top + 26 * n) for n in range(4)]


def rows_from(
    rows: Sequence[Sequence[str]], top: float, xs: Sequence[float] = XS
) -> list[Line]:
    """Rows forty pixels apart."""
    return [line for n, each in enumerate(rows) for line in row(each, xs, top + 40 * n)]


def baselined(words: Iterable[Sequence[Piece]]) -> list[list[Piece]]:
    """Words' phrases by the baselines that they share."""
    return baselines(chunk for of_line in words for chunk in chunks_of(of_line))


def rows_of(lines: Sequence[Line]) -> list[list[Piece]]:
    """Lines' phrases by the baselines that they share."""
    return baselined(words_of(lines, [box_of(line.polygon) for line in lines]))


def across(y: float, x0: float, x1: float) -> Rule:
    """A rule from left to right."""
    return Rule(start=(x0, y), end=(x1, y))


def down(x: float, y0: float, y1: float) -> Rule:
    """A rule from top to bottom."""
    return Rule(start=(x, y0), end=(x, y1))


def shade(top: float, bottom: float) -> list[Rule]:
    """The edges of a shade from 90 to 850."""
    edges = [across(y, 90, 850) for y in (top, bottom)]
    edges += [down(x, top, bottom) for x in (90, 850)]
    return [Rule(start=edge.start, end=edge.end, thickness=0) for edge in edges]


def found(
    lines: Sequence[Line], rules: Sequence[Rule] = (), areas: Sequence[Area] = ()
) -> list[FoundTable]:
    """The tables on such a page."""
    boxes = [box_of(line.polygon) for line in lines]
    return find_tables(lines, boxes, Drawn(rules=tuple(rules)), areas, WIDTH, HEIGHT)


def texts(table: Table) -> list[list[str]]:
    """The text at each place of the grid; a span's stands at its first."""
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = cell.text
    return grid


def spans(table: Table) -> dict[str, tuple[int, int]]:
    """Rows and columns that a cell spans, by its text, where that is more than one."""
    return {
        cell.text: (cell.row_span, cell.column_span)
        for cell in table.cells
        if (cell.row_span, cell.column_span) != (1, 1)
    }


def area(kind: str, box: Box, table: Table | None = None) -> Area:
    """What a layout model says of a box."""
    return Area(label=kind, kind="table", polygon=polygon_of(box), confidence=0.9, table=table)


def tables_between(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> list[list[list[str]]]:
    """The texts of the tables on a page with text above and below."""
    return [texts(each.table) for each in found([*prose(40), *lines, *prose(1200)], rules)]
