"""Fits the model for table rows, and how often it is right: `python -m bench.fitted_rows`.

Examples are two lines of a table, one directly below the other: drawn official
tables, as PDFs and as pictures, the tables of other drawn documents, and those used for
development: real ones, written ones, and those of written bills of several authors. They are
one row if the true table has their words in one. Every figure is for documents that had no
part in the fit.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from html import escape, unescape
from pathlib import Path
from unittest import mock

from bench.bills.__main__ import FOLDER as WRITTEN_BILLS
from bench.bills.markdown import tables_in
from bench.drawn import printing
from bench.drawn.measuring import pictures_of
from bench.drawn.official.judging import placed
from bench.drawn.official.pages import made
from bench.drawn.printing import documents
from bench.drawn.score import as_table
from bench.drawn.truth import DrawnPage
from bench.fields.by_hand import FOLDER as BILLS_BY_HAND
from bench.fitted_heads import Example
from bench.fitted_trees import fitted, told_right, written
from bench.table_halves import PDFS, PICTURES, documents_developed_on
from bench.tables.by_hand import FOLDER as WRITTEN_BY_HAND
from bench.tables.by_hand import printed
from bench.teds import table_html
from pagetide import open_reader
from pagetide.reading import Reader
from pagetide.structure.tables.baseline import Baseline, is_number
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.rows import joins as row_joins
from pagetide.structure.tables.rows import parting as rows
from pagetide.structure.tables.rows.features import Band
from tests.browser import chromium

BY_HAND, BILLS = 3.0, 2.0  # the weight of a line on a written page, and on a bill
COUNT, DEPTH = 200, 4  # of trees: 97.8 % right for bills, 97.1 % by 100 of depth 3
LEAST, FIGURES = 2, 2  # rows that make a bill's table an items table, and their content
OFFICIAL, OFFICIAL_PICTURES, OTHERS = range(360), range(60), range(144)
WRITTEN = Path(row_joins.__file__).with_name("row_trees.json")

_BOTH = {"upper_name", "upper_values", "lower_name", "lower_values"}
_CELL = re.compile("<td[^>]*>(.*?)</td>", re.DOTALL)
Told = list[tuple[Sequence[Baseline], Grid, float, bool]]


def main() -> None:
    """Fit the weights, print how often they are right, and write them."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.fitted_rows", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--write", action="store_true", help="write the fitted trees")
    arguments = parser.parse_args()
    with open_reader("structure-lite") as reader:
        known = [*_official(reader), *_others(reader), *_real(reader), *_by_hand(reader)]
        known += [*_bills(reader), *_written_bills(reader)]
    fit = partial(fitted, count=COUNT, depth=DEPTH)
    print(told_right(known, fit))
    if arguments.write:
        WRITTEN.write_bytes(written(fit(known)))


def _official(reader: Reader) -> Iterator[Example]:
    draw = partial(printing.printed, make=made)
    for drawn in documents(OFFICIAL, draw):
        with told() as bands:
            reader.read(drawn.pdf)
        yield from examples(
            "official", drawn.truth.name, bands, drawn_tables(drawn.truth.pages)
        )
    for drawn in documents(OFFICIAL_PICTURES, draw):
        with told() as bands:
            for picture in pictures_of(drawn):
                reader.read(picture.jpeg)
        tables = drawn_tables(drawn.truth.pages)
        yield from examples("official pictures", drawn.truth.name, bands, tables)


def _others(reader: Reader) -> Iterator[Example]:
    for drawn in documents(OTHERS):
        with told() as bands:
            reader.read(drawn.pdf)
        yield from examples(
            "other drawn", drawn.truth.name, bands, drawn_tables(drawn.truth.pages)
        )


def _real(reader: Reader) -> Iterator[Example]:
    for kind, sets in (("real PDFs", PDFS), ("real pictures", PICTURES)):
        for name, read, tables in documents_developed_on(reader, sets):
            with told() as bands:
                read()
            yield from examples(kind, name, bands, tables)


def _by_hand(reader: Reader) -> Iterator[Example]:
    with chromium() as browser:
        for path in sorted((WRITTEN_BY_HAND / "developed").glob("*.html")):
            pdf, tables = printed(browser, path.read_text(encoding="utf-8"))
            with told() as bands:
                reader.read(pdf)
            for each in examples("by hand", path.stem, bands, tables):
                yield replace(each, weight=BY_HAND)


def _bills(reader: Reader) -> Iterator[Example]:
    with chromium() as browser:
        for path in sorted((BILLS_BY_HAND / "developed").glob("*.html")):
            pdf, tables = printed(browser, path.read_text(encoding="utf-8"), innermost=True)
            with told() as bands:
                reader.read(pdf)
            tables = tuple(html for html in tables if _is_of_rows(html))
            yield from _of_bill(examples("bills", path.stem, bands, tables))


def _written_bills(reader: Reader) -> Iterator[Example]:
    for path in sorted((WRITTEN_BILLS / "developed").glob("*.pdf")):
        markdown = path.with_suffix(".md").read_text(encoding="utf-8")
        tables = tuple(filter(_is_of_rows, map(_html, tables_in(markdown))))
        with told() as bands:
            reader.read(path)
        yield from _of_bill(examples("written bills", path.stem, bands, tables))


def _of_bill(found: Iterable[Example]) -> Iterator[Example]:
    """Without two lines with a name and a value each that are marked as one row.

    They are several items that their author set in one, or another table's texts.
    """
    for each in found:
        if not (each.true and each.features.keys() >= _BOTH):
            yield replace(each, weight=BILLS)


def _html(rows: Iterable[Iterable[str]]) -> str:
    cells = ("".join(f"<td>{escape(text)}</td>" for text in row) for row in rows)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


def _is_of_rows(html: str) -> bool:
    """Whether a table has rows of figures: others may only lay out a page."""
    rows = (_CELL.findall(row) for row in html.split("<tr>"))
    valued = (sum(is_number(unescape(text)) for text in cells) for cells in rows)
    return sum(figures >= FIGURES for figures in valued) >= LEAST


def drawn_tables(pages: Iterable[DrawnPage]) -> list[str]:
    """The true tables of drawn pages, as HTML."""
    return [
        table_html(as_table(block.table))
        for page in pages
        for block in page.blocks
        if block.table is not None
    ]


@contextmanager
def told() -> Iterator[Told]:
    """Records the lines that are joined to rows."""
    noted: Told = []
    join = row_joins.joined

    def noting(
        found: Sequence[Baseline], grid: Grid, line: float, *, items: bool
    ) -> list[list[Baseline]]:
        noted.append((found, grid, line, items))
        return join(found, grid, line, items=items)

    with mock.patch.object(rows, "joined", noting):
        yield noted


def examples(kind: str, document: str, bands: Told, tables: Sequence[str]) -> Iterator[Example]:
    """The examples from a document's tables; a table is often built twice."""
    known = set()
    for found, grid, line, items in bands:
        seen = tuple((round(p.x0), round(p.y0)) for each in found for p in each.pieces)
        if len(found) < 2 or (seen, grid.columns, items) in known:
            continue
        known.add((seen, grid.columns, items))
        band = Band.of(found, grid, line, items=items)
        places = rows_of_lines(found, tables)
        for place in range(1, len(found)):
            upper, lower = places[place - 1 : place + 1]
            if upper is not None and lower is not None:
                said = band.features(place)
                yield Example(kind, document, False, upper == lower, said)


def rows_of_lines(found: Sequence[Baseline], tables: Sequence[str]) -> list[int | None]:
    """The row of the true table for each line; None if none has its words.

    Lines come from the top, and so do rows: of all assignments, the one that finds
    most letters.
    """
    none: list[int | None] = [None] * len(found)
    ways = [_rows_in_table(found, html) for html in tables]
    return max(ways, key=lambda way: way[0], default=(0, none))[1]


def _rows_in_table(found: Sequence[Baseline], html: str) -> tuple[int, list[int | None]]:
    texts: dict[int, list[str]] = {}
    for text, units in placed(html):
        texts.setdefault(min(row for row, _ in units), []).append(text)
    numbers = sorted(texts)
    letters = [[_shared(each, texts[row]) for row in numbers] for each in found]
    best = [[0] * (len(numbers) + 1) for _ in range(len(found) + 1)]
    for line, own in enumerate(letters, 1):
        for place, count in enumerate(own, 1):
            best[line][place] = max(best[line - 1][place] + count, best[line][place - 1])
    way: list[int | None] = []
    place = len(numbers)
    for line in range(len(found), 0, -1):
        while place > 1 and best[line][place] == best[line][place - 1]:
            place -= 1
        has = place > 0 and letters[line - 1][place - 1] > 0
        way.append(numbers[place - 1] if has else None)
    return best[-1][-1], way[::-1]


def _shared(each: Baseline, texts: Sequence[str]) -> int:
    """How many letters of a line are in a row's cells."""
    own = ("".join(piece.text.split()) for piece in each.pieces)
    return sum(len(text) for text in own if any(text in cell for cell in texts))


if __name__ == "__main__":
    main()
