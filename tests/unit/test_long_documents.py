"""Long documents: several children read and assemble their pages, which changes nothing."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from pagetide.document import Page
from pagetide.reading import assembled
from pagetide.reading.opening import open_reader
from pagetide.reading.options import ReadOptions
from pagetide.settings import Settings

MIXED = Path(__file__).parents[2] / "samples" / "mixed.pdf"
TWO_CORES = Settings(threads=2)
TEXT_ONLY = ReadOptions(text_layer="only")


def without_times(page: Page) -> Page:
    return changed(page, timings_ms={})


def test_pages_assembled_where_they_are_opened_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with open_reader("text-layer", settings=TWO_CORES) as reader:
        usual = reader.read(MIXED, TEXT_ONLY)
    monkeypatch.setattr(import_module("pagetide.reading.pages_ahead"), "PAGES_A_CHILD", 2)
    # Assembled in this process, all of them would fail.
    monkeypatch.setattr(assembled, "assembled", None)
    with open_reader("text-layer", settings=TWO_CORES) as reader:
        spread = reader.read(MIXED, TEXT_ONLY)
    assert any(page.blocks for page in usual.pages)
    assert list(map(without_times, spread.pages)) == list(map(without_times, usual.pages))
