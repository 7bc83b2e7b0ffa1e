"""Lines by one engine and areas by a layout model, put together; engines chosen by language."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from pagetide.document import Failure, Line, ModelInfo
from pagetide.engine import PageImage, PageReading
from pagetide.engines.routed import RoutedEngine
from pagetide.engines.structured import StructuredEngine
from pagetide.errors import EngineFailed
from pagetide.geometry import polygon_of, turn_back
from pagetide.layout import Area, Drawn, Rule

Pixels = NDArray[np.uint8]
WIDTH, HEIGHT = 60, 100  # of the pages as displayed


class _Lines:
    """Gives readings that were made beforehand."""

    def __init__(self, readings: list[PageReading], name: str = "lines") -> None:
        self.readings, self.name, self.closed = readings, name, False

    def describe(self, language: str) -> ModelInfo:
        return ModelInfo(
            name=self.name,
            engine="made",
            version="1",
            runtime="none",
            language=language,
            parts={"recognition": "eye"},
        )

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        for _, reading in zip(images, self.readings, strict=False):
            yield reading

    def close(self) -> None:
        self.closed = True


class _Layout:
    """Sees one area in the upper left quarter of whatever it is shown."""

    name, sha256, runtime = "quarter", "ab" * 32, "none"

    def __init__(self) -> None:
        self.shown: list[tuple[int, ...]] = []
        self.closed = False

    def find(self, pixels: Pixels) -> tuple[Area, ...]:
        self.shown.append(pixels.shape)
        height, width = pixels.shape[:2]
        box = (0.0, 0.0, width / 2, height / 2)
        return (Area(label="text", kind="text", polygon=polygon_of(box), confidence=0.9),)

    def close(self) -> None:
        self.closed = True


def _images(count: int = 1) -> Iterator[PageImage]:
    for _ in range(count):
        yield PageImage(pixels=np.zeros((HEIGHT, WIDTH, 3), np.uint8), dpi=144)


def _no_rules(pixels: Pixels, angle: float) -> Drawn:
    return Drawn()


def test_areas_and_rules_come_with_the_lines() -> None:
    rule = Rule(start=(0, 5), end=(50, 5))
    line = Line(text="x", polygon=((0, 0), (40, 2), (40, 12), (0, 10)))
    angles = []

    def rules(pixels: Pixels, angle: float) -> Drawn:
        angles.append(angle)
        return Drawn(rules=(rule,))

    engine = StructuredEngine("lite", _Lines([PageReading(lines=(line,))]), _Layout(), rules)
    (reading,) = engine.read(_images(), "en")
    assert reading.lines == (line,) and reading.drawn.rules == (rule,)
    assert [area.label for area in reading.areas] == ["text"]
    assert angles == [pytest.approx(0.05, abs=1e-3)]
    assert engine.describe("en").parts == {"recognition": "eye", "layout": "quarter"}
    assert engine.describe("en").weights["layout"] == "ab" * 32
    engine.close()


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_turned_page_is_looked_at_upright_and_mapped_back(degrees: int) -> None:
    layout = _Layout()
    upright_size = (WIDTH, HEIGHT) if degrees == 180 else (HEIGHT, WIDTH)
    rule = Rule(start=(0, 5), end=(30, 5))

    def rules(pixels: Pixels, angle: float) -> Drawn:
        assert pixels.shape[:2] == upright_size[::-1]
        return Drawn(rules=(rule,), fills=((0, 0, 10, 20),))

    readings = [PageReading(lines=(), orientation=degrees)]
    engine = StructuredEngine("lite", _Lines(readings), layout, rules)
    (reading,) = engine.read(_images(), "en")
    assert layout.shown[-1][:2] == upright_size[::-1]
    box = (0.0, 0.0, upright_size[0] / 2, upright_size[1] / 2)
    expected = turn_back(polygon_of(box), degrees, WIDTH, HEIGHT)
    assert reading.areas[0].polygon == expected
    ends = turn_back((rule.start, rule.end), degrees, WIDTH, HEIGHT)
    assert {reading.drawn.rules[0].start, reading.drawn.rules[0].end} == set(ends)
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in ends)
    engine.close()


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_of_a_page_that_the_model_does_not_know_only_figures_remain(confidence: float) -> None:
    lines = tuple(
        Line(text="some words", polygon=polygon_of((5, y, 55, y + 6))) for y in (50, 60, 70)
    )
    figure, text = (0.0, 0.0, 60.0, 40.0), (0.0, 45.0, 60.0, 100.0)
    layout = _Layout()
    areas = (
        Area(label="figure", kind="figure", polygon=polygon_of(figure), confidence=0.9),
        Area(label="text", kind="text", polygon=polygon_of(text), confidence=confidence),
    )
    layout.find = lambda pixels: areas  # type: ignore[method-assign]
    engine = StructuredEngine("lite", _Lines([PageReading(lines=lines)]), layout, _no_rules)
    (reading,) = engine.read(_images(), "en")
    assert reading.areas == (areas if confidence > 0.8 else ())
    assert reading.drawn.pictures == (() if confidence > 0.8 else (figure,))
    engine.close()


def test_a_page_that_failed_stays_as_it_is() -> None:
    failed = PageReading(lines=(), error=Failure(code="engine_failed", message="It broke."))
    engine = StructuredEngine("lite", _Lines([failed]), _Layout(), _no_rules)
    assert list(engine.read(_images(), "en")) == [failed]
    engine.close()


def test_a_page_that_the_layout_model_fails_on_fails_alone() -> None:
    layout = _Layout()
    find, shown = layout.find, []

    def failing(pixels: Pixels) -> tuple[Area, ...]:
        shown.append(pixels)
        if len(shown) == 1:
            raise EngineFailed("It broke.")
        return find(pixels)

    layout.find = failing  # type: ignore[method-assign]
    engine = StructuredEngine("lite", _Lines([PageReading(lines=())] * 2), layout, _no_rules)
    first, second = engine.read(_images(2), "en")
    assert first.error and first.error.code == "engine_failed"
    assert second.error is None and len(second.areas) == 1
    engine.close()


def test_closing_closes_both() -> None:
    lines, layout = _Lines([]), _Layout()
    StructuredEngine("lite", lines, layout, _no_rules).close()
    assert lines.closed and layout.closed


def test_a_language_read_badly_goes_to_the_better_engine() -> None:
    opened = []

    def opener(name: str) -> _Lines:
        opened.append(name)
        return _Lines([], name)

    engine = RoutedEngine(lambda: opener("usual"), lambda: opener("better"))
    assert engine.describe("en").name == "usual"
    assert engine.describe("vi").name == "better"
    assert engine.describe("vi").name == "better" and opened == ["usual", "better"]
    engine.close()
    only = RoutedEngine(lambda: opener("usual"), None)
    assert only.describe("vi").name == "usual"
    only.close()


def test_what_is_closed_opens_nothing_any_more() -> None:
    opened: list[str] = []

    def opener() -> _Lines:
        opened.append("usual")
        return _Lines([])

    engine = RoutedEngine(opener, None)
    engine.close()
    with pytest.raises(EngineFailed, match="closed"):
        engine.describe("en")
    assert not opened
