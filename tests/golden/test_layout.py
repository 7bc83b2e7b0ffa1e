"""The layout model that this package carries, on the samples: the areas it has always found."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pagetide.engines.layout import Layout, open_layout
from pagetide.engines.layout.weights import bundled
from pagetide.geometry import area, box_of, intersection_area
from pagetide.settings import Settings

SAMPLES = Path(__file__).parents[2] / "samples"
SHA256 = "25b1f27ec56aa932a48f30cbd6293c358a156280f4b20b0a973bab210c39f62c"


@cache
def picture(name: str) -> NDArray[np.uint8]:
    return np.asarray(cv2.imread(str(SAMPLES / name)), np.uint8)


@pytest.fixture(scope="module", params=["openvino", "openvino from the cache", "onnxruntime"])
def layout(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Layout]:
    runtime, _, again = request.param.partition(" ")
    folder = tmp_path_factory.mktemp("compiled")
    settings = Settings(runtime=runtime, threads=2, cache_dir=str(folder))
    if again:
        first = open_layout(settings)
        first.find(np.full((64, 64, 3), 255, np.uint8))  # it is compiled and kept by then
        first.close()
        assert list(folder.iterdir())
    opened = open_layout(settings)
    yield opened
    opened.close()


def test_it_is_the_file_that_the_notice_names(layout: Layout) -> None:
    assert (layout.name, layout.sha256) == ("layout_cdla", SHA256)
    notice = (bundled().file.parent / "NOTICE").read_text()
    assert SHA256 in notice and "Apache" in notice


def test_columns_are_found_the_surest_first(layout: Layout) -> None:
    page = picture("two_columns.png")
    areas = layout.find(page)
    sureness = [area.confidence or 0.0 for area in areas]
    assert sureness == sorted(sureness, reverse=True)
    # It takes the second column for references; what its lines say corrects that later.
    columns = [box_of(area.polygon) for area in areas if area.label in ("text", "reference")]
    middle = page.shape[1] / 2
    assert any(box[2] < middle for box in columns)
    assert any(box[0] > middle for box in columns)
    assert areas[0].kind == "text" and "title" in {area.label for area in areas}


def test_a_table_is_found(layout: Layout) -> None:
    assert "table" in {area.label for area in layout.find(picture("table.png"))}


def test_areas_lie_on_the_page_whatever_its_size(layout: Layout) -> None:
    page = picture("two_columns.png")
    large = np.asarray(cv2.resize(page, None, fx=2.5, fy=2.5), np.uint8)
    for each in (page, large, page[:9, :7], page[:, :30]):
        for found in layout.find(np.ascontiguousarray(each)):
            x0, y0, x1, y1 = box_of(found.polygon)
            assert 0 <= x0 <= x1 <= each.shape[1] and 0 <= y0 <= y1 <= each.shape[0]


def test_a_page_twice_as_large_has_the_same_areas(layout: Layout) -> None:
    page = picture("two_columns.png")
    large = np.asarray(cv2.resize(page, None, fx=2, fy=2), np.uint8)
    halves = [tuple(edge / 2 for edge in box_of(found.polygon)) for found in layout.find(large)]
    sure = [found for found in layout.find(page) if (found.confidence or 0) > 0.8]
    assert sure
    for found in sure:
        box = box_of(found.polygon)
        assert any(
            intersection_area(box, half) > 0.8 * max(area(box), area(half))  # type: ignore[arg-type]
            for half in halves
        )


def test_a_blank_page_has_no_areas(layout: Layout) -> None:
    assert layout.find(np.full((1200, 900, 3), 255, np.uint8)) == ()


def test_it_can_be_asked_from_several_threads(layout: Layout) -> None:
    pages = [picture("two_columns.png"), picture("table.png")] * 4
    alone = [layout.find(page) for page in pages]
    with ThreadPoolExecutor(4) as lanes:
        together = list(lanes.map(layout.find, pages))
    for one, other in zip(alone, together, strict=True):
        assert [area.label for area in one] == [area.label for area in other]
