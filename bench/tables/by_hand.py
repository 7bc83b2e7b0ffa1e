"""`python -m bench.tables.by_hand`: tables of written pages, no two alike.

Beside this module is `written/developed`, which rules were developed on; unseen sets
go into `written/unseen`, and only their figures are printed. Each page is HTML, to
be printed; its truth is the content of its own `table` elements.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser

from bench.drawn.official.judging import exact_of, faults
from bench.drawn.tree_edits import measured
from bench.rows import Row, table
from bench.table_halves import LEAST_RIGHT, LEAST_TEDS, right_of
from bench.teds import TablePage, scored, table_html
from pagetide import open_reader
from pagetide.reading import Reader
from tests.browser import chromium

FOLDER = Path(__file__).parent / "written"
SETS = dict(zip(("developed", "unseen"), LEAST_RIGHT, strict=True))
_TABLES = """(every) => [...document.querySelectorAll("table")].filter(
  (table) => every || !table.querySelector("table")).map((table) => "<table>" +
  [...table.rows].map((row) => "<tr>" + [...row.cells].map((cell) => {
    const text = document.createElement("p");
    text.textContent = cell.innerText;
    return `<td rowspan="${cell.rowSpan}" colspan="${cell.colSpan}">${text.innerHTML}</td>`;
  }).join("") + "</tr>").join("") + "</table>")"""


def main() -> None:
    """Measure one set or both; for the developed one print the errors."""
    parser = argparse.ArgumentParser(prog="python -m bench.tables.by_hand", description=__doc__)
    parser.add_argument("--set", choices=SETS, help="only this one")
    only = parser.parse_args().set
    with open_reader("structure-lite") as reader, chromium() as browser:
        for name in [only] if only else [each for each in SETS if (FOLDER / each).is_dir()]:
            pages = list(read(reader, browser, FOLDER / name))
            told = [
                f"{page.name}: {'; '.join(said)}" for page in pages if (said := faults(page))
            ]
            print("\n".join(told if name == "developed" else []))
            print(table(rows_of(name, pages)), flush=True)


def read(reader: Reader, browser: Browser, folder: Path) -> Iterator[TablePage]:
    """The true tables of each page of a folder, and the found ones."""
    for path in sorted(folder.glob("*.html")):
        pdf, truth = printed(browser, path.read_text(encoding="utf-8"))
        blocks = [block for page in reader.read(pdf).pages for block in page.blocks]
        found = tuple(table_html(block.table) for block in blocks if block.table)
        yield TablePage(name=path.stem, truth=truth, found=found)


def printed(
    browser: Browser, html: str, *, innermost: bool = False
) -> tuple[bytes, tuple[str, ...]]:
    """A page as a PDF, and its tables, or those without nested ones, as rows of plain cells."""
    page = browser.new_page()
    page.emulate_media(media="print")
    page.set_content(html)
    truth = tuple(page.evaluate(_TABLES, not innermost))
    pdf = page.pdf(prefer_css_page_size=True, print_background=True)
    page.close()
    return pdf, truth


def rows_of(name: str, pages: list[TablePage]) -> list[Row]:
    """TEDS, how many tables have the right rows and columns, and how many are exact."""
    there = sum(len(page.truth) for page in pages)
    scores = scored(pages, measured)
    right, exact = sum(map(right_of, pages)), sum(map(exact_of, pages))
    least = SETS[name]
    return [
        Row(
            measure=f"{name}: TEDS of {there} tables on {len(pages)} pages",
            ours=f"{scores.text:.3f}",
            peer="",
            value=f"{scores.missed} missed, {scores.extra} extra",
            bar=f"≥ {LEAST_TEDS}",
            holds=scores.text >= LEAST_TEDS,
        ),
        Row(
            measure=f"{name}: right rows and columns",
            ours=f"{right} of {there}",
            peer="",
            value=f"{right / there:.1%}; every text in its place {exact / there:.1%}",
            bar=f"≥ {least:.0%}",
            holds=right >= least * there,
        ),
    ]


if __name__ == "__main__":
    main()
