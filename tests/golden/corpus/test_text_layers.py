"""The corpus's pages are told apart, and their text stands in place."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagetide.inputs import PageContent, Sandbox, open_input
from tests.page_classes import characters_off, places


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as box:
        yield box


def _pages(
    corpus: Path, name: str, sandbox: Sandbox
) -> Iterator[tuple[dict[str, Any], PageContent]]:
    truth = json.loads((corpus / "truth" / "derived" / f"{name}.json").read_text())
    with open_input(corpus / "derived" / name, sandbox=sandbox) as document:
        for page in truth["pages"]:
            yield page, document.page(page["page"])


@pytest.mark.parametrize("name", ["rotflags_12p.pdf", "mixed_10k_48p.pdf"])
def test_every_character_of_a_digital_page_is_read(
    corpus: Path, sandbox: Sandbox, name: str
) -> None:
    for truth, page in _pages(corpus, name, sandbox):
        if truth["class"] == "scan":
            continue
        assert page.text_layer.reason == "trusted"
        missing, more = characters_off(truth, page)
        # The truth of one page stops short of its last five cells.
        assert missing == 0 and more <= (20 if truth["page"] == 12 else 0), truth["page"]


def test_lines_stand_where_they_are_under_rotate(corpus: Path, sandbox: Sandbox) -> None:
    for truth, page in _pages(corpus, "rotflags_12p.pdf", sandbox):
        assert [page.width_pt, page.height_pt] == truth["size_pt"]
        assert page.rotation == int(
            truth["class"].removeprefix("rotflag").replace("digital", "0")
        )
        times = Counter(line["text"] for line in truth["lines"])
        found = list(places(truth, page))
        for box, expected in found:
            assert box == pytest.approx(expected, abs=6)  # some of its boxes hold a space
        assert len(found) > 0.7 * sum(count == 1 for count in times.values())


def test_scanned_pages_are_left_to_be_read(corpus: Path, sandbox: Sandbox) -> None:
    for truth, page in _pages(corpus, "mixed_10k_48p.pdf", sandbox):
        is_scan = truth["class"] == "scan"
        assert page.text_layer.used is not is_scan
        assert (page.image is not None) is is_scan


def test_sideways_scans_are_pictures_as_displayed(corpus: Path, sandbox: Sandbox) -> None:
    for truth, page in _pages(corpus, "rotscan_12p.pdf", sandbox):
        width, height = truth["size_pt"]
        assert page.image is not None
        assert page.image.pixels.shape == (2 * height, 2 * width, 3)


def test_blank_pages_need_no_reading(corpus: Path, sandbox: Sandbox) -> None:
    for truth, page in _pages(corpus, "blank_interleaved_20p.pdf", sandbox):
        expected = "blank" if truth["class"] == "blank" else "no_text"
        assert page.text_layer.reason == expected
