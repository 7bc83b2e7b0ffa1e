"""Read one page: find its lines, find which way up it stands, have the lines read.

A page is read by a generator that yields crops and is sent what they say. It thus reads
straight on, while the engine gathers the crops of many pages into batches.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide import geometry
from pagetide.document import Line, Notice, Word
from pagetide.engine import PageReading
from pagetide.engines.ppocr.detection import (
    MOST_BOXES,
    Quads,
    closer_side,
    find_boxes,
    input_size,
    low_line,
)
from pagetide.engines.ppocr.lines import ink, orientation, script_shape, strokes, unread
from pagetide.engines.ppocr.lines.crops import Crop, cut, is_tall, turned
from pagetide.engines.ppocr.lines.decode import ReadLine

Detector = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
PageSteps = Generator[list[Crop], list[ReadLine], PageReading]
"""Yields one or more crops, is sent a `ReadLine` for each, returns the page's reading."""

# A line alone on a large empty page is not found, at whatever size. So where a page has few
# lines, what else there is ink on is looked at by itself.
FEW_LINES = 6
LOWEST_LINE = 11.0  # pixels of the map: at 10.4 half of the words were found
BADLY = 0.88  # of a page's mean confidence: 160 pages that are read well have 0.93 and more
SHOWN = 20  # lines of a page that show what its script looks like
FEW_LETTERS = 12  # of less text nothing is said
SINGLE_LETTER = 3.0  # a box less tall than this, times its width, may hold one upright letter


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """How pages are read.

    Attributes:
        long_side: The longest side, in pixels, at which text is searched for.
        min_confidence: Lines read with less (0–1) are left out and counted.
    """

    long_side: int
    min_confidence: float


@dataclass(frozen=True, kw_only=True)
class _Detected:
    """A page turned upright by `degrees`, and the text boxes found on it.

    Attributes:
        dropped: How many there were beside, too many to be read.
        scale: Pixels of the map by pixel of the page.
    """

    pixels: NDArray[np.uint8]
    degrees: int
    quads: Quads
    dropped: int
    scale: float

    @property
    def line(self) -> float:
        """How high the lower lines were where text was searched for, in pixels."""
        return low_line(self.quads) * self.scale


@dataclass(frozen=True)
class _Placed:
    """A line that was read, and the box as it was read."""

    quad: NDArray[np.float32]
    line: ReadLine

    def top_left(self) -> tuple[float, float]:
        """Where it begins: first down the page, then across."""
        return float(self.quad[0, 1]), float(self.quad[0, 0])

    @property
    def length(self) -> float:
        """Its width in its own heights."""
        width, height = np.linalg.norm(self.quad[[1, 3]] - self.quad[0], axis=1)
        return float(width / max(height, 1.0))

    def is_cut(self, pixels: NDArray[np.uint8]) -> bool:
        """Whether it reaches to the edge of the picture."""
        height, width = pixels.shape[:2]
        least, most = self.quad.min(axis=0), self.quad.max(axis=0)
        return bool(least.min() < 1 or most[0] > width - 1 or most[1] > height - 1)


def read_page(pixels: NDArray[np.uint8], detect: Detector, options: PageOptions) -> PageSteps:
    """Read a page.

    Args:
        pixels: Height × width × 3, as displayed.
        detect: The detector: from bytes of a suitable size to a probability map.
        options: How.
    """
    started = time.perf_counter()

    def search(degrees: int) -> _Detected:
        turned_back = orientation.upright(pixels, degrees)
        first = _find(turned_back, degrees, detect, options.long_side)
        own = max(pixels.shape[:2])
        closer = closer_side(low_line(first.quads), own, options.long_side)
        found = first if closer is None else _find(turned_back, degrees, detect, closer)
        few = len(found.quads) <= FEW_LINES
        return _with_ink(found, detect, closer or options.long_side) if few else found

    page = search(0)
    if len(page.quads) and orientation.stands_sideways(page.quads):
        page = search(90)
        if (yield from _reads_better_upside_down(page)):
            page = search(270)
    detect_ms = (time.perf_counter() - started) * 1000
    placed = yield from _read(page)
    if (
        page.degrees == 0
        and _is_doubtful(placed)
        and (yield from _reads_better_upside_down(page))
    ):
        page = search(180)
        placed = yield from _read(page)
    height, width = pixels.shape[:2]
    # Letters that the picture's edge cuts are no letters of any script.
    whole = [item for item in placed if not item.is_cut(page.pixels)] or placed
    foreign = unread.is_unread([(item.length, item.line) for item in whole])
    known, strange = _parted(placed, page_is_unread=foreign)
    found = [item for item in known if item.line.text]
    kept = [item for item in found if item.line.confidence >= options.min_confidence]
    return PageReading(
        lines=tuple(_as_line(item, page.degrees, width, height) for item in kept),
        orientation=page.degrees,
        lines_below_confidence=len(found) - len(kept),
        lines_unread=len(strange),
        warnings=tuple(_warnings(page, found, strange if foreign else None)),
        timings_ms={"detect": detect_ms},
    )


def _with_ink(page: _Detected, detect: Detector, long_side: int) -> _Detected:
    """A page of few lines, with what is found where there is other ink."""
    there = ink.elsewhere(page.pixels, page.quads)
    height, width = page.pixels.shape[:2]
    if there is None or there == (0, 0, width, height):  # the whole page has been looked at
        return page
    x0, y0, x1, y1 = there
    found = _find(page.pixels[y0:y1, x0:x1], page.degrees, detect, long_side)
    moved = [quad + np.array([x0, y0], np.float32) for quad in found.quads]
    new = [quad for quad in moved if not ink.is_within(quad, page.quads)]
    if not new:
        return page
    return replace(page, quads=np.array([*page.quads, *new]), scale=found.scale)


def _parted(
    placed: Sequence[_Placed], *, page_is_unread: bool
) -> tuple[list[_Placed], list[_Placed]]:
    """The lines that say what stands there, and the others."""
    parts: tuple[list[_Placed], list[_Placed]] = ([], [])
    for item in placed:
        is_kept = unread.is_kept(item.length, item.line, page_is_unread=page_is_unread)
        parts[not is_kept].append(item)
    return parts


def _find(
    pixels: NDArray[np.uint8], degrees: int, detect: Detector, long_side: int
) -> _Detected:
    height, width = pixels.shape[:2]
    rows, columns = input_size(height, width, long_side=long_side)
    how = cv2.INTER_AREA if rows < height else cv2.INTER_LINEAR
    probability = detect(np.asarray(cv2.resize(pixels, (columns, rows), interpolation=how)))
    quads, dropped = find_boxes(probability, height, width)
    return _Detected(
        pixels=pixels, degrees=degrees, quads=quads, dropped=dropped, scale=rows / height
    )


def _read(page: _Detected) -> Generator[list[Crop], list[ReadLine], list[_Placed]]:
    """Every box's line, each read in every direction its shape allows and the best kept.

    And the strokes that are in no box, as far as they are letters.
    """
    if not len(page.quads):
        return []
    ways = [_ways(quad) for quad in page.quads]
    lone = strokes.lone_strokes(page.pixels, page.quads)
    tried = [*itertools.chain.from_iterable(ways), *lone]
    readings = yield [cut(page.pixels, quad) for quad in tried]
    read = iter(map(_Placed, tried, readings))
    placed = [max(itertools.islice(read, len(quads)), key=_confidence) for quads in ways]
    letters = [item for item in read if strokes.is_sure(item.line)]
    return sorted([*placed, *letters], key=_Placed.top_left) if letters else placed


def _confidence(placed: _Placed) -> float:
    return placed.line.confidence


def _ways(quad: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    if not is_tall(quad):
        return [quad]
    sideways = [turned(quad, 1), turned(quad, 3)]
    height = np.linalg.norm(quad[3] - quad[0])
    width = np.linalg.norm(quad[1] - quad[0])
    return [quad, *sideways] if height < SINGLE_LETTER * width else sideways


def _is_doubtful(placed: list[_Placed]) -> bool:
    lines = [item.line for item in placed]
    return bool(lines) and orientation.mean_confidence(lines) < orientation.DOUBTFUL


def _reads_better_upside_down(page: _Detected) -> Generator[list[Crop], list[ReadLine], bool]:
    chosen = [page.quads[i] for i in orientation.sample(page.quads)]
    lines = yield [cut(page.pixels, turned(quad, way)) for way in (0, 2) for quad in chosen]
    straight, flipped = lines[: len(chosen)], lines[len(chosen) :]
    return orientation.reads_better_turned(straight, flipped)


def _as_line(item: _Placed, degrees: int, width: int, height: int) -> Line:
    quad = tuple((float(x), float(y)) for x, y in item.quad)
    polygon = _rounded(geometry.turn_back(quad, degrees, width, height))
    return Line(
        text=item.line.text,
        polygon=polygon,
        confidence=round(item.line.confidence, 4),
        words=tuple(
            Word(
                text=word.text,
                polygon=_rounded(geometry.part_of(polygon, word.start, word.end)),
                confidence=round(word.confidence, 4),
            )
            for word in item.line.words
        ),
    )


def _rounded(polygon: geometry.Polygon) -> geometry.Polygon:
    return tuple((round(x, 1), round(y, 1)) for x, y in polygon)


def _warnings(
    page: _Detected, found: Sequence[_Placed], strange: Sequence[_Placed] | None
) -> Iterator[Notice]:
    """What is to be said; `strange` lines, where the page is in a script that is not read."""
    lines = [item.line for item in found]
    if strange is not None:
        longest = sorted(strange, key=lambda item: -item.length)[:SHOWN]
        shown = (cut(page.pixels, item.quad) for item in longest)
        yield unread.notice(len(strange), script_shape.looks_like(shown))
    elif (
        sum(len(line.text) for line in lines) >= FEW_LETTERS
        and orientation.mean_confidence(lines) < BADLY
    ):
        message = (
            "This page was read poorly, as is typical for handwriting, formulas and"
            f" blurred pictures: the mean confidence is below {BADLY:g}. Check its"
            " text."
        )
        yield Notice(code="read_badly", message=message)
    if not len(page.quads) and ink.elsewhere(page.pixels, page.quads):
        message = "No text was found on this page, although it is not empty."
        yield Notice(code="no_text_found", message=message)
    if page.dropped and len(page.quads):  # on an empty page it is noise of the network
        message = (
            f"The page has more than {MOST_BOXES} text areas; {page.dropped} were not read."
        )
        yield Notice(code="too_many_lines", message=message)
    if 0 < page.line < LOWEST_LINE:
        message = (
            f"Much of the text is only {page.line:.0f} pixels high in the searched"
            " image; some of it may be missing. Use a part of the page, or a picture"
            " with more pixels."
        )
        yield Notice(code="text_too_small", message=message)
