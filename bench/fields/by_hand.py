"""`python -m bench.fields.by_hand`: written bills, no two alike, against their truth.

Beside this module is `written/developed`, which rules were developed on; unseen sets
go into `written/unseen`, and only their figures are printed. Each bill has a page
(`NAME.html`) and a truth (`NAME.json`) with a figure that is printed once more altered: the
mismatch must then be noticed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from playwright.sync_api import Browser

from bench.fields_quality import Score, compare, rows_of
from bench.processor_time import processor_time
from bench.rows import table
from pagetide import open_reader
from pagetide.reading import Reader
from tests.browser import chromium

FOLDER = Path(__file__).parent / "written"
SETS = ("developed", "unseen")


class Altered(msgspec.Struct, frozen=True):
    """A piece of a page that occurs there once, and its replacement."""

    was: str
    now: str


class Truth(msgspec.Struct, frozen=True):
    """A bill's content, by the names of `Bill.fields` and of an item's columns."""

    fields: dict[str, str]
    items: list[dict[str, str]]
    altered: Altered


def main() -> None:
    """Measure one set or both; for the developed one print what is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.fields.by_hand", description=__doc__)
    parser.add_argument("--set", choices=SETS, help="only this one")
    with open_reader("structure-lite") as reader, chromium() as browser:
        only = parser.parse_args().set
        for name in [only] if only else [each for each in SETS if (FOLDER / each).is_dir()]:
            score = measured(reader, browser, name)
            print("\n".join(score.told if name == "developed" else []))
            print(table(rows_of(f"{name}, by hand", score)), flush=True)


def bills(name: str) -> Iterator[tuple[str, str, Truth]]:
    """The name, the page as HTML and the truth of each bill of a set."""
    for path in sorted((FOLDER / name).glob("*.html")):
        truth = msgspec.json.decode(path.with_suffix(".json").read_bytes(), type=Truth)
        yield path.stem, path.read_text(encoding="utf-8"), truth


def measured(reader: Reader, browser: Browser, name: str) -> Score:
    """A set's bills, printed, read and compared; columns that no truth has are not checked."""
    score, told = Score(), list(bills(name))
    columns = {column for _, _, truth in told for item in truth.items for column in item}
    for bill, page, truth in told:
        started, alone = processor_time(), time.process_time()
        document = reader.read(printed(browser, page))
        score.reading_s += processor_time() - started
        score.reading_alone_s += time.process_time() - alone
        started = time.process_time()
        found = document.fields().bill
        score.fields_s += time.process_time() - started
        compare(bill, truth.fields, truth.items, found, score, columns)
        assert page.count(truth.altered.was) == 1, bill
        other = page.replace(truth.altered.was, truth.altered.now)
        wrong = reader.read(printed(browser, other)).fields().bill
        is_noticed = wrong is not None and any(not check.holds for check in wrong.checks)
        score.altered, score.noticed = score.altered + 1, score.noticed + is_noticed
        score.told += [] if is_noticed else [f"{bill} unnoticed: {truth.altered.now}"]
    return score


def printed(browser: Browser, html: str) -> bytes:
    """A page as a PDF."""
    page = browser.new_page()
    page.set_content(html)
    pdf = page.pdf(prefer_css_page_size=True, print_background=True)
    page.close()
    return pdf


if __name__ == "__main__":
    main()
