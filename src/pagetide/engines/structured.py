"""The `structure-lite` engine: lines by one engine, areas and rules seen beside them."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from pagetide import geometry
from pagetide.document import Failure, Line, ModelInfo
from pagetide.engine import Engine, PageImage, PageReading
from pagetide.engines.pixels.bullets import with_bullets
from pagetide.engines.pixels.code_lines import with_code_lines
from pagetide.engines.pixels.ink import darkest
from pagetide.engines.pixels.pictures import pictures_on
from pagetide.engines.pixels.skew import skew_of
from pagetide.engines.pixels.type_weight import with_bold
from pagetide.errors import EngineFailed
from pagetide.layout import Area, Drawn, Rule
from pagetide.layout.sure_areas import describe, figures

if TYPE_CHECKING:
    from pagetide.engines.layout import Layout
    from pagetide.engines.table_structure import TableStructure

Pixels = NDArray[np.uint8]

LONG = 3.0  # times its height: a shorter line shows little of the page's skew
MOST_SKEW = math.radians(20)
LITTLE_SKEW = math.radians(3)  # the ink shows it better than lines, which are drawn level


@dataclass(frozen=True)
class _PageInWork:
    """A page on its way: its pixels, and the areas that are being looked for."""

    pixels: Pixels
    areas: Future[tuple[Area, ...]]


class StructuredEngine:
    """An engine that reads lines, and a layout model that looks at the same pages.

    The layout model runs beside the lines' engine; rules are looked for once the lines have
    said how far the page stands askew. See `ports.Engine`.
    """

    def __init__(
        self,
        name: str,
        lines: Engine,
        layout: Layout,
        rules: Callable[[Pixels, float], Drawn],
        *,
        tables: TableStructure | None = None,
    ) -> None:
        """Put the parts together.

        Args:
            name: The model's.
            lines: Reads lines; owned from now on, as is `layout`.
            layout: Finds areas.
            rules: Finds what is drawn on an upright page, given how far it stands askew.
            tables: Looks at every table area, if there is such a model.
        """
        self._name, self._lines, self._layout, self._rules = name, lines, layout, rules
        self._tables = tables
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="pagetide-layout")

    def describe(self, language: str) -> ModelInfo:
        """What reads pages of this language here: the lines' parts, and the layout's."""
        lines = self._lines.describe(language)
        seeing = {"layout": self._layout, "tables": self._tables}
        parts = {use: part.name for use, part in seeing.items() if part}
        weights = {use: part.sha256 for use, part in seeing.items() if part}
        return msgspec.structs.replace(
            lines,
            name=self._name,
            parts={**lines.parts, **parts},
            weights={**lines.weights, **weights},
        )

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        """See `ports.Engine`."""
        looked: deque[_PageInWork] = deque()

        def seen() -> Iterator[PageImage]:
            for image in images:
                areas = self._beside.submit(self._layout.find, image.pixels)
                looked.append(_PageInWork(image.pixels, areas))
                yield image

        try:
            for reading in self._lines.read(seen(), language):
                yield self._with_layout(reading, looked.popleft())
        finally:
            for page in looked:
                page.areas.cancel()

    def close(self) -> None:
        """Stop all threads and free the memory of both."""
        self._beside.shutdown(cancel_futures=True)
        self._lines.close()
        self._layout.close()

    def _with_layout(self, reading: PageReading, page: _PageInWork) -> PageReading:
        if reading.error:
            return reading
        try:
            return self._seen(reading, page)
        except EngineFailed as error:
            return PageReading(lines=(), error=Failure.of(error))

    def _seen(self, reading: PageReading, page: _PageInWork) -> PageReading:
        started = time.perf_counter()
        areas, pixels = page.areas.result(), page.pixels
        turn = _Turn(reading.orientation, pixels.shape[1], pixels.shape[0])
        if turn.degrees:  # the areas were looked for on a page that stands turned
            pixels = np.ascontiguousarray(np.rot90(pixels, turn.degrees // 90))
            areas = self._layout.find(pixels)
        areas = tuple(self._with_cells(area, pixels) for area in areas)
        skew = _skew(reading.lines, turn.degrees)
        grey = darkest(page.pixels)
        upright = np.ascontiguousarray(np.rot90(grey, turn.degrees // 90))
        seen = skew_of(upright) if abs(skew) < LITTLE_SKEW else None
        drawn = self._rules(upright, skew if seen is None else seen)
        drawn = turn.drawn_back(drawn)
        pictures = (*drawn.pictures, *pictures_on(page.pixels, reading.lines))
        found = tuple(turn.area_back(area) for area in areas)
        if self._tables is None and not describe(found, reading.lines):
            found, pictures = (), (*pictures, *figures(found, reading.lines))
        drawn = msgspec.structs.replace(drawn, pictures=pictures, skew=seen)
        lines = with_code_lines(with_bold(with_bullets(reading.lines, grey), grey))
        elapsed = round((time.perf_counter() - started) * 1000, 1)
        return replace(
            reading,
            lines=lines,
            areas=found,
            drawn=drawn,
            timings_ms={**reading.timings_ms, "layout": elapsed},
        )

    def _with_cells(self, area: Area, pixels: Pixels) -> Area:
        """A table's area with the cells that the table model sees in it."""
        if self._tables is None or area.kind != "table":
            return area
        height, width = pixels.shape[:2]
        x0, y0, x1, y1 = geometry.box_of(area.polygon)
        left, top = max(0, math.floor(x0)), max(0, math.floor(y0))
        crop = pixels[top : min(height, math.ceil(y1)), left : min(width, math.ceil(x1))]
        if not crop.size:
            return area
        table = self._tables.cells(np.ascontiguousarray(crop))
        moved = tuple(
            msgspec.structs.replace(
                cell,
                polygon=cell.polygon and tuple((x + left, y + top) for x, y in cell.polygon),
            )
            for cell in table.cells
        )
        return msgspec.structs.replace(
            area, table=msgspec.structs.replace(table, cells=moved) if moved else None
        )


@dataclass(frozen=True)
class _Turn:
    """How far a page's content stands turned clockwise, and the page's size in pixels."""

    degrees: int
    width: int
    height: int

    def back(self, polygon: geometry.Polygon) -> geometry.Polygon:
        """A polygon of the upright copy, on the page."""
        return geometry.turn_back(polygon, self.degrees, self.width, self.height)

    def area_back(self, area: Area) -> Area:
        """An area of the upright copy, on the page, and its table with it."""
        table = area.table and msgspec.structs.replace(
            area.table,
            cells=tuple(
                msgspec.structs.replace(cell, polygon=cell.polygon and self.back(cell.polygon))
                for cell in area.table.cells
            ),
        )
        return msgspec.structs.replace(area, polygon=self.back(area.polygon), table=table)

    def drawn_back(self, drawn: Drawn) -> Drawn:
        """What is drawn on the upright copy, on the page."""
        if not self.degrees:
            return drawn
        return Drawn(
            rules=tuple(self._rule(rule) for rule in drawn.rules),
            fills=tuple(self._box(box) for box in drawn.fills),
            pictures=tuple(self._box(box) for box in drawn.pictures),
            charts=tuple(self._box(box) for box in drawn.charts),
            check_boxes=tuple(
                msgspec.structs.replace(each, box=self._box(each.box))
                for each in drawn.check_boxes
            ),
            too_many=drawn.too_many,
        )

    def _rule(self, rule: Rule) -> Rule:
        start, end = sorted(self.back((rule.start, rule.end)))
        return Rule(start=start, end=end, thickness=rule.thickness)

    def _box(self, box: geometry.Box) -> geometry.Box:
        return geometry.box_of(self.back(geometry.polygon_of(box)))


def _skew(lines: Sequence[Line], degrees: int) -> float:
    """How far the text of a page's upright copy stands askew: radians clockwise."""
    skews = [
        math.remainder(geometry.direction(line.polygon) - math.radians(degrees), math.tau)
        for line in lines
        if math.dist(*line.polygon[:2]) > LONG * math.dist(*line.polygon[1:3])
    ]
    return median([skew for skew in skews if abs(skew) < MOST_SKEW] or [0.0])
