"""Whether read words are kept, and unread ones are reported: `python -m bench.fidelity`.

Documents of both corpora, in two halves by a hash of their names: rules were developed on
one half, and the other was measured.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from bench import exported_words, reflow_quality
from bench.corpus import CORPUS
from bench.rows import Row, table
from pagetide import open_reader
from pagetide.document import UNREAD_SCRIPT, Page
from pagetide.errors import PagetideError
from pagetide.inputs import Sandbox, open_input
from pagetide.reading.pages_in_work import Work, prepare
from pagetide.structure import amiss

Half = Literal["developed on", "measured"]
HALVES: tuple[Half, ...] = ("developed on", "measured")
FOLDERS = (CORPUS, CORPUS.with_name("corpus_more"))
PRINTED_PAGES = 30  # of a document, from which paragraphs are taken
EXPORTED_PAGES = 3  # of a document; exporting a page in every format takes 0.1 s
# Not read by any bundled network; the multi-script sets do not say which page has which.
UNREAD = frozenset({"ru", "ru/en", "sr", "ar", "fa", "he", "hi"})
SEVERAL = frozenset({"multi", "en/zh/ja/ko"})
_EASTERN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SPACED = re.compile(f"{_EASTERN.pattern} {_EASTERN.pattern}")


def main() -> None:
    """Run the requested measures and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.fidelity", description=__doc__)
    parser.add_argument("--only", action="append", choices=tuple(_PARTS))
    rows = [row for part in parser.parse_args().only or _PARTS for row in _PARTS[part]()]
    print(table(rows))


def words_kept() -> list[Row]:
    """Letters of text layers that blocks, exports and APIs lose or double."""
    rows = []
    for half in HALVES:
        found: Counter[str] = Counter()
        with Sandbox() as sandbox:
            for item in items(half, pictures=False):
                for page in _digital(item, sandbox):
                    _count_words(page, found)
        for where in ("blocks", "exports and APIs"):
            lost, doubled = found[f"{where} lost"], found[f"{where} doubled"]
            pages = found["pages" if where == "blocks" else "told"]
            rows.append(
                _none(
                    f"letters lost, doubled in {where}, {pages:,} pages {half}", lost, doubled
                )
            )
        cells, spaced = found["cells"], found["spaced"]
        rows.append(
            _none(f"Chinese and Japanese cells with added spaces, of {cells}, {half}", spaced)
        )
    return rows


def scripts_said() -> list[Row]:
    """Pictures in unread scripts that say so, and others that wrongly do."""
    rows = []
    with open_reader("structure-lite") as reader:
        for half in HALVES:
            said: Counter[tuple[bool, bool]] = Counter()
            told_amiss = 0
            for item in items(half, pictures=True):
                page = reader.read(item["at"]).pages[0]
                if item["lang"] not in SEVERAL:
                    said[
                        item["lang"] in UNREAD,
                        any(n.code == UNREAD_SCRIPT for n in page.warnings),
                    ] += 1
                told_amiss += bool(exported_words.amiss(page))
            silent, wrong = said[True, False], said[False, True]
            unread, readable = silent + said[True, True], wrong + said[False, False]
            rows += [
                _rate(f"pages in unread scripts that do not say so, {half}", silent, unread, 0),
                _rate(f"readable pages that wrongly do, {half}", wrong, readable, 1 / 500),
                _none(f"pictures with words lost or doubled in any export, {half}", told_amiss),
            ]
    return rows


def paragraphs_whole() -> list[Row]:
    """Running text of the PDFs, reprinted by a browser and read; see `reflow_quality`."""
    rows = []
    for half in HALVES:
        texts = []
        with Sandbox() as sandbox:
            for item in items(half, pictures=False):
                pages = islice(_digital(item, sandbox), PRINTED_PAGES)
                texts.append(reflow_quality.paragraphs_of(pages))
        rows += reflow_quality.measured(half, [some for some in texts if len(some) > 4])
    return rows


def _count_words(page: Page, found: Counter[str]) -> None:
    lost, doubled = amiss(page.lines, page.blocks)
    found["pages"] += 1
    found["blocks lost"] += lost
    found["blocks doubled"] += doubled
    if page.number <= EXPORTED_PAGES:
        found["told"] += 1
        for lost, doubled in exported_words.amiss(page).values():  # in one output format
            found["exports and APIs lost"] += lost
            found["exports and APIs doubled"] += doubled
    own = "\n".join(line.text for line in page.lines)  # "项 目" has its space
    for block in page.blocks:
        texts = [cell.text for cell in block.table.cells] if block.table else []
        eastern = [text for text in texts if _EASTERN.search(text)]
        found["cells"] += len(eastern)
        found["spaced"] += sum(
            any(pair not in own for pair in _SPACED.findall(text)) for text in eastern
        )


def _rate(measure: str, count: int, of: int, most: float) -> Row:
    return Row(
        measure=measure,
        ours=f"{count} of {of}",
        peer="",
        value=f"{count}",
        bar=f"≤ {most * 500:.0f} in 500",
        holds=count <= most * of,
    )


def _none(measure: str, *counts: int) -> Row:
    return Row(
        measure=measure,
        ours=", ".join(f"{count:,}" for count in counts),
        peer="",
        value=f"{sum(counts):,}",
        bar="0",
        holds=not any(counts),
    )


def items(half: Half, *, pictures: bool) -> Iterator[dict[str, Any]]:
    """The documents of a half of both corpora: pictures, or PDFs; `at` is their path."""
    for folder in FOLDERS:
        if not folder.is_dir():
            raise SystemExit(f"No corpus at {folder}.")
        for item in map(json.loads, (folder / "manifest.jsonl").read_text().splitlines()):
            digest = hashlib.sha256(item["id"].encode()).hexdigest()
            if item["set"] == "hostile" or HALVES[int(digest, 16) % 2] != half:
                continue
            if (item["kind"] != "pdf") == pictures:
                truth = item.get("truth_path")
                yield item | {
                    "at": folder / item["path"],
                    "lang": item.get("lang"),
                    "truth_at": folder / truth if truth else None,
                }


def _digital(item: dict[str, Any], sandbox: Sandbox) -> Iterator[Page]:
    """The pages of a PDF by their text layers only."""
    path: Path = item["at"]
    try:
        with open_input(path, sandbox=sandbox) as opened:
            for number in range(1, opened.info.page_count + 1):
                made = prepare(Work(), opened, number, dpi=144, text_layer="only").page()
                if made is not None and made.lines:
                    yield made
    except PagetideError as error:
        print(f"{item['id']}: {error.message}")


_PARTS: dict[str, Callable[[], list[Row]]] = {
    "words": words_kept,
    "scripts": scripts_said,
    "paragraphs": paragraphs_whole,
}

if __name__ == "__main__":
    main()
