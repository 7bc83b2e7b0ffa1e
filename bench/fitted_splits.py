"""Fits the model that separates tables found as one: `python -m bench.fitted_splits`.

Examples are the places in found tables, and in pairs of neighbours taken together,
where another table may begin: of drawn official tables, of other drawn documents, and of the
real and written ones used for development. Another begins where the rows above and
below belong to two true tables. Weights are a logistic regression's; every figure is for
documents that had no part in the fit.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import permutations
from pathlib import Path
from unittest import mock

from bench.drawn import printing
from bench.drawn.official.judging import placed
from bench.drawn.official.pages import made
from bench.drawn.printing import documents
from bench.fitted_heads import Example, as_module, fitted, folds
from bench.fitted_rows import drawn_tables
from bench.table_halves import PDFS, PICTURES, documents_developed_on
from bench.tables.by_hand import FOLDER as WRITTEN_BY_HAND
from bench.tables.by_hand import printed
from pagetide import open_reader
from pagetide.geometry import Box, union
from pagetide.reading import Reader
from pagetide.structure.tables import find
from pagetide.structure.tables.ends import split
from pagetide.structure.tables.ends.split_features import Places
from pagetide.structure.tables.found import FoundTable
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.sheet import Sheet
from tests.browser import chromium

OFFICIAL, OTHERS = range(180), range(144)
WRITTEN = Path(split.__file__).with_name("split_weights.py")
NEAR = 9.0  # line heights between two tables that are taken together
SAME_WIDTH = 0.6
ASKED = 3  # rows on either side of a place that decide its table

Told = list[tuple[Sheet, Sequence[FoundTable]]]
Texts = Counter[str]


def main() -> None:
    """Fit the weights, print how often they are right, and write them."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.fitted_splits", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--write", action="store_true", help="write the fitted weights")
    arguments = parser.parse_args()
    with open_reader("structure-lite") as reader:
        known = [*_by_hand(reader), *_real(reader), *_drawn(reader)]
    print(gains(known))
    if arguments.write:
        WRITTEN.write_text(as_module(fitted(known), "another table begins", "splits"))


def _by_hand(reader: Reader) -> Iterator[Example]:
    with chromium() as browser:
        for path in sorted((WRITTEN_BY_HAND / "developed").glob("*.html")):
            pdf, tables = printed(browser, path.read_text(encoding="utf-8"))
            with told() as found:
                reader.read(pdf)
            yield from examples("by hand", path.stem, found, tables)


def _real(reader: Reader) -> Iterator[Example]:
    for kind, sets in (("real PDFs", PDFS), ("real pictures", PICTURES)):
        for name, read, tables in documents_developed_on(reader, sets):
            with told() as found:
                read()
            yield from examples(kind, name, found, tables)


def _drawn(reader: Reader) -> Iterator[Example]:
    official = documents(OFFICIAL, partial(printing.printed, make=made))
    for kind, drawn in (("official", official), ("other drawn", documents(OTHERS))):
        for each in drawn:
            with told() as found:
                reader.read(each.pdf)
            tables = drawn_tables(each.truth.pages)
            yield from examples(kind, each.truth.name, found, tables)


@contextmanager
def told() -> Iterator[Told]:
    """Records the tables that are found before any is split."""
    noted: Told = []

    def noting(
        sheet: Sheet, found: Sequence[FoundTable], look: split.Look
    ) -> Sequence[FoundTable]:
        noted.append((sheet, found))
        return found

    with mock.patch.object(find, "split_tables", noting):
        yield noted


def examples(kind: str, document: str, found: Told, tables: Iterable[str]) -> Iterator[Example]:
    """The examples from a document's tables, and pairs of them."""
    texts = [Counter(text for text, _ in placed(html)) for html in tables]
    for sheet, own in found:
        for each in own:
            yield from _places(kind, document, sheet, each.box, texts)
        for pair in permutations(own, 2):
            if _are_neighbours(*pair, sheet.line):
                box = union([each.box for each in pair])
                for one in _places(kind, document, sheet, box, texts):
                    if one.true or "title" in one.features:
                        yield replace(one, kind=f"{kind}, pairs")


def _are_neighbours(upper: FoundTable, lower: FoundTable, line: float) -> bool:
    (a, _, b, bottom), (c, top, d, _) = upper.box, lower.box
    as_wide = min(b, d) - max(a, c) > SAME_WIDTH * max(b - a, d - c)
    return as_wide and -1 < top - bottom < NEAR * line


def _places(
    kind: str, document: str, sheet: Sheet, box: Box, tables: Sequence[Texts]
) -> Iterator[Example]:
    rows = split.rows_in(sheet, box)
    if len(rows) > split.MOST_ROWS:
        return
    of = [_table_of(row, tables) if len(row) > 1 else None for row in rows]
    places = Places(sheet, rows, box)
    for place, titles in places:
        above = {n for n in [n for n in of[:place] if n is not None][-ASKED:]}
        below = {n for n in [n for n in of[place + titles :] if n is not None][:ASKED]}
        features = places.features(0, place, titles)
        if len(above) == len(below) == 1 and features:
            yield Example(kind, document, False, above != below, features)


def _table_of(row: Sequence[Piece], tables: Sequence[Texts]) -> int | None:
    """The true table with most of a row's letters; None if two have as many."""
    votes: Counter[int] = Counter()
    for piece in row:
        text = "".join(piece.text.split())
        for number, texts in enumerate(tables):
            if text in texts:
                votes[number] += 2 * len(text)
            elif len(text) > 2 and any(text in cell for cell in texts):
                votes[number] += len(text)
    most = votes.most_common(2)
    return most[0][0] if most and (len(most) < 2 or most[1][1] < most[0][1]) else None


def gains(every: Sequence[Example]) -> str:
    """A table: how many places where another table begins are found, by kind."""
    said: dict[int, bool] = {}
    for weights, held_out in folds(every):
        with mock.patch.object(split, "WEIGHTS", weights):
            for place, each in held_out:
                said[place] = split.begins(each.features) > split.SURE
    rows = ["| examples | documents | places | another begins | told | told wrongly |"]
    rows.append("| --- | --- | --- | --- | --- | --- |")
    for kind in dict.fromkeys(each.kind for each in every):
        own = [(n, each) for n, each in enumerate(every) if each.kind == kind]
        many = len({each.document for _, each in own})
        there = sum(each.true for _, each in own)
        right = sum(said[n] and each.true for n, each in own)
        wrong = sum(said[n] and not each.true for n, each in own)
        rows.append(f"| {kind} | {many} | {len(own)} | {there} | {right} | {wrong} |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
