"""`python -m bench.fields.cost FOLDER`: the time that fields add to a page with a text layer.

The folder's PDFs are read one after the other, and the fields of each are extracted, several
times over: no document follows itself, as its texts would then be known already. Prints the
medians of processor time in one process, including that of the sandbox's process.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import TypeVar

from bench.processor_time import processor_time
from bench.rows import Row, table
from pagetide import open_reader
from pagetide.errors import PagetideError

T = TypeVar("T")
BAR = 0.1
ROUNDS = 5


def main() -> None:
    """Measure a folder's PDFs, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.fields.cost", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=20, help="number of files")
    arguments = parser.parse_args()
    files = sorted(arguments.folder.rglob("*.pdf"))[: arguments.limit]
    reading: dict[Path, list[float]] = defaultdict(list)
    adding: dict[Path, list[float]] = defaultdict(list)
    pages: dict[Path, int] = {}
    with open_reader("structure-lite") as reader:
        for file in files * (ROUNDS + 1):
            try:
                document, read_in = _timed(partial(reader.read, file))
            except PagetideError as error:
                print(f"{file.name}: {error}")
                continue
            pages[file] = len(document.pages)
            reading[file].append(read_in)
            adding[file].append(_timed(document.fields)[1])
    whole = sum(pages.values())
    print(table([_row(_a_page(reading, whole), _a_page(adding, whole), whole)]))


def _a_page(seconds: dict[Path, list[float]], pages: int) -> float:
    """Milliseconds a page: the medians without the first round, which loads word lists."""
    return 1000 * sum(median(own[1:]) for own in seconds.values()) / pages


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    began = processor_time()
    found = work()
    return found, processor_time() - began


def _row(reading: float, adding: float, pages: int) -> Row:
    return Row(
        measure=f"fields of {pages} pages with a text layer: processor time added",
        ours=f"{adding:.2f} ms a page",
        peer=f"reading: {reading:.1f} ms",
        value=f"{100 * adding / reading:.1f} %",
        bar=f"≤ {100 * BAR:.0f} %",
        holds=adding <= BAR * reading,
    )


if __name__ == "__main__":
    main()
