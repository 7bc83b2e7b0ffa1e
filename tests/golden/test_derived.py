"""Scans, turned scans, blanks and digital pages in one file: each page right by itself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pagetide
from pagetide.reading import Reader, ReadOptions

TURNS = {"rotscan90": 90, "rotscan180": 180, "rotscan270": 270}
# Letters and digits; the detector does not see a lone dash in a table's cell.
MOST_MISSING = 0.012


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with pagetide.open_reader() as opened:
        yield opened


def signs(texts: list[str]) -> Counter[str]:
    return Counter(sign for sign in "".join(texts) if sign.isalnum())


def missing_share(truth: dict[str, Any], page: pagetide.Page) -> float:
    wanted = signs([line["text"] for line in truth["lines"]])
    missing = wanted - signs([line.text for line in page.lines])
    return missing.total() / max(wanted.total(), 1)


@pytest.mark.parametrize(
    ("name", "pages"),
    [
        ("rotscan_12p.pdf", "1-12"),
        ("rotflags_12p.pdf", "1-12"),
        ("mixed_10k_48p.pdf", "1-15"),  # the others' classes: test_derived_text_layer.py
        ("blank_interleaved_20p.pdf", "1-6"),
    ],
)
def test_every_page_is_of_its_class_upright_and_read(
    corpus: Path, reader: Reader, name: str, pages: str
) -> None:
    truth = json.loads((corpus / "truth" / "derived" / f"{name}.json").read_text())["pages"]
    document = reader.read(corpus / "derived" / name, ReadOptions(pages=pages))
    assert len(document.pages) == int(pages.split("-")[1])
    for wanted, page in zip(truth, document.pages, strict=False):
        where = (wanted["page"], wanted["class"])
        digital = wanted["class"] == "digital" or wanted["class"].startswith("rotflag")
        assert page.text_layer.used == (digital or wanted["class"] == "blank"), where
        assert page.orientation == TURNS.get(wanted["class"], 0), where
        assert missing_share(wanted, page) <= MOST_MISSING, where
        assert page.error is None, where
