"""Tables of both corpora, developed on and not, side by side: `python -m bench.table_halves`.

All of `corpus` was developed on, and the half of `corpus_more` that `bench.fidelity` names so;
no document of the other half is inspected.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from bench.corpus import CORPUS
from bench.drawn.tree_edits import measured
from bench.fidelity import HALVES, items
from bench.rows import Row, table
from bench.teds import Scores, TablePage, rows_of, scored, table_html
from pagetide import open_reader
from pagetide.reading import Reader, ReadOptions

PDFS, PICTURES = ("icdar2013pdf",), ("icdar2013", "pubtabnet")
LEAST_TEDS, LEAST_RIGHT = 0.92, (0.95, 0.85)


def main() -> None:
    """Print the table."""
    print(table(rows()))


def rows() -> list[Row]:
    """TEDS, and how many tables have the right rows and columns, of PDFs and of pictures."""
    with open_reader("structure-lite") as reader:
        found = [
            (name, _halves(reader, sets))
            for name, sets in (("PDFs", PDFS), ("pictures", PICTURES))
        ]
    return [
        row for name, halves in found for row in (_teds(name, halves), _right(name, halves))
    ]


def size_of(html: str) -> tuple[int, int]:
    """How many rows and columns a table in HTML has."""
    every = rows_of(html)
    taken: set[tuple[int, int]] = set()
    for row, cells in enumerate(every):
        column = 0
        for _, high, wide in cells:
            while (row, column) in taken:
                column += 1
            taken.update((row + y, column + x) for y in range(high) for x in range(wide))
            column += wide
    return len(every), 1 + max((column for _, column in taken), default=-1)


def right_of(page: TablePage) -> int:
    """How many of a page's true tables have the rows and columns of a found one."""
    truth, found = (Counter(map(size_of, each)) for each in (page.truth, page.found))
    return (truth & found).total()


def documents_developed_on(
    reader: Reader, sets: tuple[str, ...]
) -> Iterator[tuple[str, Callable[[], object], list[str]]]:
    """Names of the development documents, each one's reader, and its true tables."""
    for half, name in enumerate(HALVES):
        for item in items(name, pictures=sets is PICTURES):
            is_known = not half or item["at"].is_relative_to(CORPUS)
            if item["set"] in sets and item["truth_at"] and is_known:
                truth = json.loads(item["truth_at"].read_text())
                yield item["id"], partial(list, _read(reader, item, truth)), truth["tables"]


def _halves(reader: Reader, sets: tuple[str, ...]) -> list[list[TablePage]]:
    """The development pages, and the others."""
    known, unseen = ([*_pages(reader, half, sets)] for half in range(len(HALVES)))
    moved = [page for own, page in unseen if own]
    return [[page for _, page in known] + moved, [page for own, page in unseen if not own]]


def _pages(
    reader: Reader, half: int, sets: tuple[str, ...]
) -> Iterator[tuple[bool, TablePage]]:
    """The pages with tables of a half, and whether each is of the older corpus."""
    for item in items(HALVES[half], pictures=sets is PICTURES):
        if item["set"] in sets and item["truth_at"]:
            truth = json.loads(item["truth_at"].read_text())
            for page in _read(reader, item, truth):
                yield item["at"].is_relative_to(CORPUS), page


def _read(reader: Reader, item: dict[str, Any], truth: dict[str, Any]) -> Iterator[TablePage]:
    """The pages of a document that have tables."""
    numbers = truth.get("table_pages") or [1] * len(truth["tables"])
    asked = ",".join(map(str, sorted(set(numbers))))
    for page in reader.read(item["at"], ReadOptions(pages=asked)).pages:
        pairs = zip(truth["tables"], numbers, strict=True)
        yield TablePage(
            name=item["id"],
            truth=tuple(html for html, number in pairs if number == page.number),
            found=tuple(table_html(block.table) for block in page.blocks if block.table),
        )


def _teds(name: str, halves: list[list[TablePage]]) -> Row:
    known, unseen = (scored(pages, measured) for pages in halves)
    return Row(
        measure=f"tables of {name}, both corpora: TEDS, developed on; not",
        ours=f"{unseen.text:.3f}",
        peer="",
        value=f"{known.text:.3f}; {unseen.text:.3f}",
        bar=f"≥ {LEAST_TEDS}",
        holds=unseen.text >= LEAST_TEDS,
        note=f"{_said(known)}; {_said(unseen)}",
    )


def _right(name: str, halves: list[list[TablePage]]) -> Row:
    counts = [sum(map(right_of, pages)) for pages in halves]
    there = [sum(len(page.truth) for page in pages) for pages in halves]
    known, unseen = (f"{n} of {of}" for n, of in zip(counts, there, strict=True))
    pairs = zip(counts, there, LEAST_RIGHT, strict=True)
    return Row(
        measure=f"tables of {name}, both corpora: right rows and columns, developed on; not",
        ours=unseen,
        peer="",
        value=f"{known}; {unseen}",
        bar="≥ {:.0%}; ≥ {:.0%}".format(*LEAST_RIGHT),
        holds=all(n >= least * of for n, of, least in pairs),
    )


def _said(scores: Scores) -> str:
    return f"{len(scores.teds)} tables, {scores.missed} missed, {scores.extra} extra"


if __name__ == "__main__":
    main()
