"""Parts of a section: a block's text, or a table, with where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pagetide.document import ChunkPlace, Table
from pagetide.exports.chunks.counting import Counting
from pagetide.exports.chunks.cutting import Rows, cut
from pagetide.exports.tables.cells import header_rows, named_rows, tidy
from pagetide.exports.text import markdown


@dataclass(frozen=True, kw_only=True)
class Part:
    """What goes into chunks together, where it fits.

    Attributes:
        text: What it says; of a table, what is said of all of it: its captions.
        places: Where it stands; of a table, each part of it.
        captions: Where a table's captions stand.
        table: The table.
        rows: The first row of each part of the table, one for each place; of a text the
            letter with which each place begins, if there are several.
        piece: Whether it is a part of what had to be cut.
        by_line: Whether its pieces stand on lines of their own.
    """

    text: str
    places: tuple[ChunkPlace, ...]
    table: Table | None = None
    rows: tuple[int, ...] = ()
    captions: tuple[ChunkPlace, ...] = ()
    piece: bool = False
    by_line: bool = False

    @property
    def whole(self) -> str:
        """All of it as text."""
        return self.with_rows(self.table) if self.table else self.text

    def with_rows(self, table: Table) -> str:
        """What is said of the table, and these rows of it."""
        return "\n\n".join(filter(None, (self.text, markdown.table(table))))


def pieces(part: Part, counting: Counting) -> Iterator[Part]:
    """The part, or where it does not fit what it is cut into.

    A caption that leaves no room for a table's head and a row comes before the table, by
    itself; a row that does not fit with the head is text with the columns' names.
    """
    if counting.fits(part.whole):
        yield part
    elif part.table is None:
        yield from _texts(part, part.text, counting)
    else:
        yield from _of_table(part, tidy(part.table), counting)


def _texts(part: Part, text: str, counting: Counting) -> Iterator[Part]:
    end = 0
    for piece in cut(text, counting.fits_behind_overlap):
        start, end = end, end + letters(piece)
        is_parted = part.table is None and len(part.rows) > 1
        places = _standing(part, start, end) if is_parted else part.places
        yield Part(text=piece, places=places, piece=True, by_line=part.by_line)


def letters(text: str) -> int:
    """How many signs a text has besides white space."""
    return len("".join(text.split()))


def _of_table(part: Part, table: Table, counting: Counting) -> Iterator[Part]:
    head = header_rows(table)
    ranges = [*Rows(table, head).ranges(lambda rows: counting.fits(part.with_rows(rows)))]
    if part.text and not all(counting.fits(part.with_rows(rows)) for *_, rows in ranges):
        yield from _texts(replace(part, places=part.captions), part.text, counting)
        yield from pieces(replace(part, text="", captions=()), counting)
        return
    for start, end, rows in ranges:
        fitting = replace(part, places=_standing(part, start, end), table=rows, piece=True)
        if counting.fits(fitting.whole):
            yield fitting
        else:
            yield from _texts(replace(fitting, by_line=True), _rows_text(rows), counting)
    if not ranges:  # it has nothing but its head
        yield from _texts(part, markdown.table(table), counting)


def _rows_text(table: Table) -> str:
    """A line for each row, with the columns' names: `Berth: 1; Dues: 4.60`."""
    names, rows = named_rows(table)
    names = [f"{name}: " if name else "" for name in names or [""] * table.columns]
    texts = (
        [name + text for name, text in zip(names, row, strict=True) if text] for row in rows
    )
    return "\n".join("; ".join(" ".join(each.split()) for each in row) for row in texts)


def _standing(part: Part, start: int, end: int) -> tuple[ChunkPlace, ...]:
    """Where these rows of its table, or these letters, stand."""
    ends = (*part.rows[1:], end)
    return tuple(
        place
        for place, first, last in zip(part.places, part.rows, ends, strict=True)
        if first < end and start < last
    )
