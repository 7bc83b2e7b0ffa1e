"""Fills cells with words: a table of spans and text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter

from msgspec.structs import replace

from pagetide.document import Cell, Line, Table
from pagetide.geometry import polygon_of
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.grids.spans import Span
from pagetide.structure.tables.pieces import Piece, baselines, joined_text, phrase

_LEFT = attrgetter("x0")


def text_of(words: Iterable[Piece]) -> str:
    """A cell's words, with a line feed between baselines."""
    return "\n".join(map(joined_text, _rows(words)))


def _rows(words: Iterable[Piece]) -> list[list[Piece]]:
    """Words grouped by baseline; those of one line are on one, with superscripts among them."""
    lines: dict[int, list[Piece]] = defaultdict(list)
    for word in words:
        lines[word.line].append(word)
    rows = baselines(map(phrase, lines.values()))
    return [sorted((word for each in row for word in each.words), key=_LEFT) for row in rows]


def filled(
    grid: Grid,
    spans: Sequence[Span],
    units: Mapping[tuple[int, int], Sequence[Piece]],
    lines: Sequence[Line],
    head: int,
) -> Table:
    """The table.

    Args:
        grid: Its borders.
        spans: Its cells.
        units: The phrases in each unit of the grid.
        lines: The page's, for their confidences.
        head: The number of header rows.
    """
    held = [
        [
            word
            for row in range(span.row, span.row + span.rows)
            for column in range(span.column, span.column + span.columns)
            for piece in units.get((row, column), ())
            for word in piece.words or (piece,)
        ]
        for span in spans
    ]
    owners = owners_of(held)
    return Table(
        rows=grid.rows,
        columns=grid.columns,
        cells=tuple(
            Cell(
                row=span.row,
                column=span.column,
                row_span=span.rows,
                column_span=span.columns,
                text=text_of(inside),
                polygon=polygon_of(grid.box(span.row, span.column, span.rows, span.columns)),
                confidence=confidence_of(inside, lines),
                header=span.row < head,
                line_indexes=tuple(owners.get(place, ())),
            )
            for place, (span, inside) in enumerate(zip(spans, held, strict=True))
        ),
    )


def without_idle(table: Table) -> Table:
    """A table without rows in which no cell starts, or header rows without text."""
    begin = {cell.row for cell in table.cells if cell.text or not cell.header}
    rows = sorted(begin)
    if len(rows) == table.rows or not rows:
        return table
    cells = (
        replace(
            cell,
            row=rows.index(cell.row),
            row_span=sum(cell.row <= row < cell.row + cell.row_span for row in rows),
        )
        for cell in table.cells
        if cell.row in begin
    )
    return replace(table, rows=len(rows), cells=tuple(cells))


def owners_of(held: Sequence[Sequence[Piece]]) -> dict[int, list[int]]:
    """For each cell the lines whose largest part it holds, in reading order.

    Args:
        held: Each cell's words.
    """
    shares: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for place, words in enumerate(held):
        for word in words:
            shares[word.line][place] += max(word.x1 - word.x0, 1e-6)
    owners = {line: max(own, key=lambda c: own[c]) for line, own in shares.items()}
    found: dict[int, list[int]] = defaultdict(list)
    for place, words in enumerate(held):
        for row in _rows(words):
            for word in row:
                if owners[word.line] == place and word.line not in found[place]:
                    found[place].append(word.line)
    return found


def confidence_of(words: Iterable[Piece], lines: Sequence[Line]) -> float | None:
    """The mean confidence of the words' lines, if they have one."""
    known = [
        confidence
        for index in {word.line for word in words}
        if (confidence := lines[index].confidence) is not None
    ]
    return sum(known) / len(known) if known else None
