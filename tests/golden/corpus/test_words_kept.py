"""Every word of the corpus's text layers is told once, in every export and every API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import exported_words
from pagetide.document import Page
from pagetide.errors import PagetideError
from pagetide.inputs import Sandbox, open_input
from pagetide.reading.pages_in_work import Work, prepare

MOST_PAGES = 3  # of a document; later ones look like these
FOLDERS = ("corpus", "corpus_more")


def _pages(folder: Path, sandbox: Sandbox) -> Iterator[tuple[str, Page]]:
    for row in map(json.loads, (folder / "manifest.jsonl").read_text().splitlines()):
        if row["kind"] != "pdf" or row["set"] == "hostile":
            continue
        try:
            with open_input(folder / row["path"], sandbox=sandbox) as opened:
                for number in range(1, min(opened.info.page_count, MOST_PAGES) + 1):
                    prepared = prepare(Work(), opened, number, dpi=144, text_layer="only")
                    if page := prepared.page():
                        yield f"{row['id']}, page {number}", page
        except PagetideError:
            continue  # a document that cannot be opened holds no words


@pytest.mark.slow("tells some hundred pages in thirteen ways")
@pytest.mark.parametrize("name", FOLDERS)
def test_each_word_is_told_once(corpus: Path, name: str) -> None:
    if not (corpus.parent / name).is_dir():
        pytest.skip(f"{name} is not beside this checkout")
    told = 0
    with Sandbox() as sandbox:
        for place, page in _pages(corpus.parent / name, sandbox):
            assert [n.code for n in page.warnings if n.code == "blocks_incomplete"] == [], place
            assert exported_words.amiss(page) == {}, place
            told += bool(page.lines)
    assert told > 50
