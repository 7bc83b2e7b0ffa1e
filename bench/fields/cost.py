"""`python -m bench.fields.cost FOLDER`: the time that fields add to a page with a text layer.

Each PDF of the folder is read, and then its fields are extracted, in one process and several
times over; prints the medians of processor time, including that of the sandbox's process.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from bench.processor_time import processor_time
from bench.rows import Row, table
from pagetide import open_reader
from pagetide.document import Document
from pagetide.errors import PagetideError

BAR = 0.1
ROUNDS = 5


def main() -> None:
    """Measure a folder's PDFs, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.fields.cost", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int, default=20, help="number of files")
    arguments = parser.parse_args()
    files = sorted(arguments.folder.rglob("*.pdf"))[: arguments.limit]
    reading, adding, pages = [], [], 0
    with open_reader("structure-lite") as reader:
        for file in files:
            try:
                document = reader.read(file)
            except PagetideError as error:
                print(f"{file.name}: {error}")
                continue
            pages += len(document.pages)
            reading.append(_median(partial(reader.read, file)))
            adding.append(_median(document.fields))
    print(table([_row(1000 * sum(reading) / pages, 1000 * sum(adding) / pages, pages)]))


def _median(work: Callable[[], Document | object]) -> float:
    return median(_seconds(work) for _ in range(ROUNDS))


def _seconds(work: Callable[[], object]) -> float:
    began = processor_time()
    work()
    return processor_time() - began


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
