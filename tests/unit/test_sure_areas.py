"""Whether a layout model's areas describe a page, and which of its figures remain if not."""

import pytest

from pagetide.document import BlockKind, Line
from pagetide.geometry import Box, polygon_of
from pagetide.layout import Area
from pagetide.layout.sure_areas import describe, figures

PAGE = (0.0, 0.0, 600.0, 800.0)


def _lines(top: float, count: int) -> list[Line]:
    """So many lines of twenty letters, 20 pixels apart."""
    boxes = [(50.0, top + 20 * n, 400.0, top + 20 * n + 15) for n in range(count)]
    return [Line(text="x" * 20, polygon=polygon_of(box)) for box in boxes]


def _area(kind: BlockKind, box: Box, confidence: float | None = 0.9) -> Area:
    return Area(label=kind, kind=kind, polygon=polygon_of(box), confidence=confidence)


@pytest.mark.parametrize(
    ("kind", "confidence", "sure"),
    [
        ("text", 0.95, True),
        ("heading", 0.85, True),
        ("text", None, True),
        ("text", 0.6, False),
        ("figure", 0.95, False),
    ],
)
def test_all_text_is_in_areas_that_the_model_is_sure_of(
    kind: BlockKind, confidence: float | None, sure: bool
) -> None:
    assert describe([_area(kind, PAGE, confidence)], _lines(100, 20)) is sure


@pytest.mark.parametrize("outside", range(11))
def test_text_in_no_area_counts_against_them(outside: int) -> None:
    lines = [*_lines(100, 10 - outside), *_lines(500, outside)]
    area = _area("text", (0.0, 0.0, 600.0, 400.0), confidence=1.0)
    assert describe([area], lines) is (outside < 2)


def test_text_in_tables_counts_neither_way() -> None:
    table = _area("table", (0.0, 0.0, 600.0, 400.0), confidence=0.6)
    text = _area("text", (0.0, 400.0, 600.0, 800.0))
    lines = [*_lines(100, 10), *_lines(500, 5)]
    assert describe([table, text], lines)
    assert not describe([table], lines)
    assert not describe([table], lines[:10])  # a bill: nothing says that it is known


def test_a_page_without_text_is_what_the_model_says() -> None:
    assert describe([_area("figure", PAGE)], [])


def test_a_figure_with_much_of_the_text_is_none() -> None:
    form = _area("figure", (0.0, 0.0, 600.0, 400.0))
    photo = _area("figure", (0.0, 600.0, 600.0, 800.0))
    text = _area("text", (0.0, 400.0, 600.0, 600.0))
    lines = [*_lines(100, 10), *_lines(420, 8), *_lines(700, 1)]
    assert figures([form, text, photo], lines) == [(0.0, 600.0, 600.0, 800.0)]
