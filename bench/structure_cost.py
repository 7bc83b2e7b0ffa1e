"""The cost of structure: `python -m bench.structure_cost`."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from bench.corpus import CORPUS, pages
from bench.rows import Row, table
from pagetide import Document, Reader, ReadOptions, open_reader

MOST = 1.25  # times the lines alone
LEAST = 20  # digital pages a second
CHUNK = 3
PICTURES = ReadOptions(text_layer="never")


def over_lines(runs: int = 2) -> list[Row]:
    """Seconds a page with layout, tables and order against those of its lines alone.

    Both read the same few pages, alternating which is first.
    """
    chosen = [page.path for page in pages("digital")]
    chosen += sorted((CORPUS / "publaynet").glob("*.jpg"))
    chosen = chosen[:: max(1, len(chosen) // 12)]
    ratios, ours, theirs = [], [], []
    with open_reader("structure-lite") as lite, open_reader("pp-ocrv6") as plain:
        for reader in (lite, plain):  # every page size is met once
            _read(reader, chosen, PICTURES)
        for number, start in enumerate([*range(0, len(chosen), CHUNK)] * runs):
            chunk = chosen[start : start + CHUNK]
            order = (lite, plain) if number % 2 else (plain, lite)
            taken = {reader: _timed(reader, chunk) for reader in order}
            ours.append(taken[lite] / len(chunk))
            theirs.append(taken[plain] / len(chunk))
            ratios.append(taken[lite] / taken[plain])
    ratio = statistics.median(ratios)
    return [
        Row(
            measure="structure-lite over pp-ocrv6, seconds a page",
            ours=f"{statistics.median(ours):.2f} s",
            peer=f"{statistics.median(theirs):.2f} s",
            value=f"{ratio:.2f}× ({min(ratios):.2f}–{max(ratios):.2f})",
            bar=f"≤ {MOST}×",
            holds=ratio <= MOST,
            note=f"Medians over {len(ratios)} chunks of {CHUNK} pages, alternating.",
        )
    ]


def digital_pages(runs: int = 3) -> list[Row]:
    """Digital pages a second with layout and tables, through the library."""
    tables = sorted((CORPUS / "icdar2013pdf").glob("*.pdf"))
    invoices = sorted((CORPUS / "invoice").glob("*.pdf"))
    rates, read = [], 0
    with open_reader("text-layer") as reader:
        for _ in range(runs + 1):  # the first fills the disk's cache and is left out
            started = time.perf_counter()
            read = _read(reader, [*tables, *invoices], ReadOptions())
            read += _read(
                reader, [CORPUS / "pdf" / "sec10k_lyft-2021.pdf"], ReadOptions(pages="1-60")
            )
            rates.append(read / (time.perf_counter() - started))
    rate = statistics.median(rates[1:])
    return [
        Row(
            measure="digital pages with layout and tables, pages/s",
            ours=f"{rate:.1f}",
            peer="",
            value=f"{rate:.1f} ({min(rates[1:]):.1f}–{max(rates[1:]):.1f})",
            bar=f"≥ {LEAST}",
            holds=rate >= LEAST,
            note=f"{read} pages with a text layer: table pages, a 10-K, invoices; the "
            "others are not counted, but their time is.",
        )
    ]


def _timed(reader: Reader, chosen: Sequence[Path]) -> float:
    started = time.perf_counter()
    _read(reader, chosen, PICTURES)
    return time.perf_counter() - started


def _read(reader: Reader, chosen: Sequence[Path], options: ReadOptions) -> int:
    """Read the documents; returns the number of pages."""
    read = 0
    for path, result in reader.read_many(chosen, options):
        if isinstance(result, Document):
            read += sum(page.error is None for page in result.pages)
        else:
            print(f"{path!r}: {result}")
    return read


if __name__ == "__main__":
    print(table([*over_lines(), *digital_pages()]))
