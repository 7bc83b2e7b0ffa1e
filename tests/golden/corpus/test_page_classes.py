"""The corpus's scans, turned scans, blanks and digital pages: each right by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import pagetide
from pagetide.reading import Reader, ReadOptions
from tests.page_classes import faults

# Letters and digits; the detector does not see a lone dash in a table's cell.
MOST_MISSING = 0.012


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with pagetide.open_reader() as opened:
        yield opened


@pytest.mark.parametrize(
    ("name", "pages"),
    [
        pytest.param("rotscan_12p.pdf", "1-12", marks=pytest.mark.slow("reads twelve scans")),
        ("rotflags_12p.pdf", "1-12"),
        # The others' classes: test_text_layers.py
        pytest.param("mixed_10k_48p.pdf", "1-15", marks=pytest.mark.slow("reads five scans")),
        pytest.param(
            "blank_interleaved_20p.pdf", "1-6", marks=pytest.mark.slow("reads three scans")
        ),
    ],
)
def test_every_page_is_of_its_class_upright_and_read(
    corpus: Path, reader: Reader, name: str, pages: str
) -> None:
    truth = json.loads((corpus / "truth" / "derived" / f"{name}.json").read_text())["pages"]
    document = reader.read(corpus / "derived" / name, ReadOptions(pages=pages))
    assert len(document.pages) == int(pages.split("-")[1])
    for wanted, page in zip(truth, document.pages, strict=False):
        assert list(faults(wanted, page, MOST_MISSING)) == [], (wanted["page"], wanted["class"])
