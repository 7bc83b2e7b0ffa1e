"""Fits which edge rows do not belong to a table: `python -m bench.fitted_edge_rows`.

Examples are the first and last rows of found tables: of drawn official tables,
of other drawn documents, of real ones and of written pages used for development. A row is a
table's if the true table has most of its words. Figures are for documents that had no part
in the fit.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from unittest import mock

from bench.drawn.official.judging import _shared
from bench.fitted_edges import Source, sources
from bench.fitted_heads import Example
from bench.fitted_trees import fitted, told_right, written
from bench.tables.by_hand import FOLDER as WRITTEN_BY_HAND
from bench.tables.by_hand import printed
from bench.teds import rows_of, table_html
from pagetide import open_reader
from pagetide.reading import Reader
from pagetide.structure.tables import find
from pagetide.structure.tables.ends import edge_rows
from pagetide.structure.tables.ends.edge_row_features import EdgeRows
from pagetide.structure.tables.found import FoundTable
from pagetide.structure.tables.sheet import Sheet
from tests.browser import chromium

OFFICIAL = range(240)
OURS, THEIRS = 0.8, 0.35  # of a row's letters: at least, at most this share is the true table's
WRITTEN = Path(edge_rows.__file__).with_name("edge_row_trees.json")
_WORD = re.compile(r"[^\W_]+")


def main() -> None:
    """Fit the trees, print how often they are right, and write them."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.fitted_edge_rows", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--write", action="store_true", help="write the fitted trees")
    arguments = parser.parse_args()
    with open_reader("structure-lite") as reader:
        known = list(chain.from_iterable(map(_examples, _sources(reader))))
    print(told_right(known))
    if arguments.write:
        WRITTEN.write_bytes(written(fitted(known)))


def _sources(reader: Reader) -> Iterator[Source]:
    yield from sources(reader, OFFICIAL)
    with chromium() as browser:
        for path in sorted((WRITTEN_BY_HAND / "developed").glob("*.html")):
            pdf, by_hand = printed(browser, path.read_text(encoding="utf-8"))
            yield "by hand", path.stem, partial(reader.read, pdf), by_hand


def _examples(source: Source) -> Iterator[Example]:
    kind, document, read, tables = source
    with _told() as found:
        read()
    for sheet, table in found:
        html = table_html(table.table)
        best = max(tables, key=partial(_shared, html), default=None)
        if best is None or not _shared(html, best):
            continue
        known = {word for row in rows_of(best) for text, *_ in row for word in _words(text)}
        for last in (False, True):
            for is_other, features in _rows(sheet, table, known, last=last):
                yield Example(kind, document, False, is_other, features)


@contextmanager
def _told() -> Iterator[list[tuple[Sheet, FoundTable]]]:
    """Records the tables whose edges are examined."""
    noted: list[tuple[Sheet, FoundTable]] = []

    def noting(sheet: Sheet, table: FoundTable) -> FoundTable:
        noted.append((sheet, table))
        return table

    with mock.patch.object(find, "without_edge_rows", noting):
        yield noted


def _rows(
    sheet: Sheet, table: FoundTable, known: set[str], *, last: bool
) -> Iterator[tuple[bool, dict[str, float]]]:
    """Whether each row, up to the first that is the table's, is foreign, and its features."""
    for _ in range(edge_rows.MOST):
        if table.table.rows < edge_rows.LEAST_ROWS:
            return
        features = EdgeRows(sheet, table).features(last=last)
        own = _share(table, known, last=last)
        if not features or own is None or THEIRS < own < OURS:
            return
        yield own <= THEIRS, features
        if own >= OURS or not edge_rows.may_end(table.table, last=last):
            return
        table = edge_rows.without_row(table, last=last)


def _share(table: FoundTable, known: set[str], *, last: bool) -> float | None:
    """The share (0–1) of a row's letters that are in known words."""
    place = table.table.rows - 1 if last else 0
    words = [w for cell in table.table.cells if cell.row == place for w in _words(cell.text)]
    letters = sum(map(len, words))
    return sum(len(word) for word in words if word in known) / letters if letters else None


def _words(text: str) -> Sequence[str]:
    return _WORD.findall(text)


if __name__ == "__main__":
    main()
