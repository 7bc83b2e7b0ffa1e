"""Digital, scanned, turned and blank pages are told apart, and their text stands in place."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagetide.geometry import box_of
from pagetide.inputs import PageContent, Sandbox, open_input


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


def _characters(lines: list[str]) -> Counter[str]:
    return Counter("".join("".join(lines).split()))


@pytest.mark.parametrize("name", ["rotflags_12p.pdf", "mixed_10k_48p.pdf"])
def test_every_character_of_a_digital_page_is_read(
    corpus: Path, sandbox: Sandbox, name: str
) -> None:
    for truth, page in _pages(corpus, name, sandbox):
        if truth["class"] == "scan":
            continue
        expected = _characters([line["text"] for line in truth["lines"]])
        assert page.text_layer.reason == "trusted"
        read = _characters([line.text for line in page.lines])
        assert not expected - read, truth["page"]
        # The truth of one page stops short of its last five cells.
        assert (read - expected).total() <= (20 if truth["page"] == 12 else 0), truth["page"]


def test_lines_stand_where_they_are_under_rotate(corpus: Path, sandbox: Sandbox) -> None:
    for truth, page in _pages(corpus, "rotflags_12p.pdf", sandbox):
        assert [page.width_pt, page.height_pt] == truth["size_pt"]
        assert page.rotation == int(
            truth["class"].removeprefix("rotflag").replace("digital", "0")
        )
        once = [
            text for text, n in Counter(t["text"] for t in truth["lines"]).items() if n == 1
        ]
        boxes = {line.text: box_of(line.polygon) for line in page.lines}
        found = 0
        for line in truth["lines"]:
            if line["text"] in once and line["text"] in boxes:
                expected = [2 * side for side in line["box"]]  # points to pixels at 144 dpi
                assert boxes[line["text"]] == pytest.approx(
                    expected, abs=6
                )  # some of its boxes hold a space
                found += 1
        assert found > 0.7 * len(once)


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
