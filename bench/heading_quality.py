"""Headings of text-layer PDFs against the documents' own outlines, with and without them.

`python -m bench.heading_quality [FOLDER ...]`: every PDF with eight or more outline items that
are lines of their own. Headings missing from an outline count as wrongly found.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from bench.corpus import CORPUS
from bench.rows import Row
from pagetide.document import Page
from pagetide.errors import PagetideError
from pagetide.geometry import box_of
from pagetide.inputs import Sandbox, open_input
from pagetide.reading.pages_in_work import Prepared, Work, prepare
from pagetide.structure import settled
from pagetide.structure.headings.outline import headlines

LEAST_ITEMS = 8
MOST_PAGES = 40
FOLDERS = (CORPUS, CORPUS.parent / "corpus_more")

Headings = Counter[tuple[int, str, int]]
"""Page, letters and level: 0 of a title, else the heading's."""


class Scores(NamedTuple):
    """F1 of a document's headings, and of those with level; with the outline, and without."""

    told: float
    told_levels: float
    hidden: float
    hidden_levels: float

    def __str__(self) -> str:
        told = f"{self.told:.3f}, {self.told_levels:.3f}"
        return f"{told} | {self.hidden:.3f}, {self.hidden_levels:.3f}"


def measured(folders: Sequence[Path]) -> Iterator[tuple[str, int, Scores]]:
    """Each document with an outline: its name, its items and the scores."""
    with Sandbox() as sandbox:
        for path in (path for folder in folders for path in sorted(folder.rglob("*.pdf"))):
            if scored := _scored(path, sandbox):
                yield path.stem, *scored


def rows() -> list[Row]:
    """The row of the table, over the PDFs of the corpus and the one beside it."""
    scores = [scored for _, _, scored in measured(FOLDERS)]
    means = Scores(*map(fmean, zip(*scores, strict=True)))
    return [
        Row(
            measure="headings of PDFs with level against their outlines: F1",
            ours=f"{means.told_levels:.3f}",
            peer="",
            value=f"{means.told_levels:.3f}",
            bar="≥ 0.85",
            holds=means.told_levels >= 0.85,
            note=f"{len(scores)} documents. Without level {means.told:.3f}; the outline "
            f"hidden {means.hidden:.3f}, with level {means.hidden_levels:.3f}. "
            "Headings missing from an outline count as wrongly found.",
        )
    ]


def main() -> None:
    """Print every document's scores, and the means."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.heading_quality", description=__doc__
    )
    parser.add_argument("folders", nargs="*", type=Path, default=FOLDERS)
    print("| document | items | found, with level: outline told | not told |")
    print("| --- | --- | --- | --- |")
    found = []
    for name, items, scores in measured(parser.parse_args().folders):
        found.append(scores)
        print(f"| {name} | {items} | {scores} |", flush=True)
    print(f"| mean of {len(found)} | | {Scores(*map(fmean, zip(*found, strict=True)))} |")


def hidden_outlines(
    folders: Sequence[Path],
) -> Iterator[tuple[str, Headings, list[Prepared[Work]]]]:
    """Each document with an outline: its name, the outline's items, the pages without it."""
    with Sandbox() as sandbox:
        for path in (path for folder in folders for path in sorted(folder.rglob("*.pdf"))):
            if opened := _opened(path, sandbox):
                truth, prepared = opened
                yield path.stem, truth, _hidden(prepared)


def _scored(path: Path, sandbox: Sandbox) -> tuple[int, Scores] | None:
    opened = _opened(path, sandbox)
    if not opened:
        return None
    truth, prepared = opened
    told, untold = _found(prepared), _found(_hidden(prepared))
    scores = [_f1(truth, found, levels) for found in (told, untold) for levels in (False, True)]
    return truth.total(), Scores(*scores)


def _opened(path: Path, sandbox: Sandbox) -> tuple[Headings, list[Prepared[Work]]] | None:
    try:
        prepared = list(prepared_pages(path, sandbox))
    except PagetideError:
        return None
    truth: Headings = sum((_items(each) for each in prepared), Counter())
    return (truth, prepared) if truth.total() >= LEAST_ITEMS else None


def _hidden(prepared: Sequence[Prepared[Work]]) -> list[Prepared[Work]]:
    return [
        replace(each, content=each.content and replace(each.content, outline=()))
        for each in prepared
    ]


def prepared_pages(source: Path | bytes, sandbox: Sandbox) -> Iterator[Prepared[Work]]:
    """The first pages of a PDF, with their own text."""
    with open_input(source, sandbox=sandbox) as opened:
        for number in range(1, min(opened.info.page_count, MOST_PAGES) + 1):
            yield prepare(Work(), opened, number, dpi=144, text_layer="only")


def _items(prepared: Prepared[Work]) -> Headings:
    """The outline's items that are on a page."""
    if not prepared.content or not prepared.content.outline:
        return Counter()
    lines = prepared.content.lines
    found = headlines(lines, [box_of(line.polygon) for line in lines], prepared.content.outline)
    return Counter(
        (prepared.content.number, _letters(" ".join(lines[p].text for p in places)), level)
        for places, level in found
    )


def _found(prepared: list[Prepared[Work]]) -> Headings:
    pages: list[Page] = [page for each in prepared if (page := each.page())]
    return Counter(
        (page.number, _letters(block.text), block.level or 0)
        for page in settled(pages)
        for block in page.blocks
        if block.kind in ("title", "heading")
    )


def _f1(truth: Headings, found: Headings, levels: bool) -> float:
    if not levels:
        truth, found = _without_levels(truth), _without_levels(found)
    return 2 * (truth & found).total() / (truth.total() + found.total())


def _without_levels(headings: Headings) -> Headings:
    plain: Headings = Counter()
    for (page, text, _), count in headings.items():
        plain[page, text, 0] += count
    return plain


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


if __name__ == "__main__":
    main()
