"""A page as blocks: the page, its lines, their words; its layout; its tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any

from pagetide.document import Block as Area
from pagetide.document import BlockKind, Line, Page, Word
from pagetide.geometry import Polygon, box_of, polygon_of
from pagetide.server.compat.textract.wire import (
    Block,
    BoundingBox,
    Geometry,
    Point,
    Relationship,
)

TABLES, LAYOUT, FORMS = "TABLES", "LAYOUT", "FORMS"
CERTAIN = 100.0  # a document's own text was not recognised, and cannot be misread
_DIGITS = 7  # a tenth of a pixel on a page of 1,000,000
_LAYOUTS: dict[BlockKind, str] = {
    "title": "LAYOUT_TITLE",
    "heading": "LAYOUT_SECTION_HEADER",
    "list": "LAYOUT_LIST",
    "table": "LAYOUT_TABLE",
    "figure": "LAYOUT_FIGURE",
    "chart": "LAYOUT_FIGURE",
    "seal": "LAYOUT_FIGURE",
    "header": "LAYOUT_HEADER",
    "footer": "LAYOUT_FOOTER",
    "page_number": "LAYOUT_PAGE_NUMBER",
}
_TEXT = "LAYOUT_TEXT"


class PageBlocks:
    """The blocks of one page, made once.

    Attributes:
        made: The blocks so far, but for the page's own.
        words: For each line that was put, the ids of its words and the words.
        lines: For each area, by its order, the places of its lines in `words`.
    """

    def __init__(self, page: Page, job_id: str) -> None:
        self.made: list[Block] = []
        self.words: list[tuple[tuple[str, Word], ...]] = []
        self.lines: dict[int, tuple[int, ...]] = {}
        self._page, self._seed = page, f"{job_id} {page.number} "
        self._count = 0
        self._held: list[Block] = []

    def put(
        self,
        kind: str,
        polygon: Polygon,
        *,
        children: Iterable[str] = (),
        relationships: tuple[Relationship, ...] = (),
        **more: Any,
    ) -> str:
        """Add a block.

        Returns:
            Its id: the same in every answer about this page of this job.
        """
        block = Block(
            block_type=kind,
            id=self._new_id(),
            geometry=geometry_of(self._page, polygon),
            page=self._page.number,
            relationships=(*related("CHILD", children), *relationships),
            **more,
        )
        self.made.append(block)
        return block.id

    def line(self, line: Line) -> str:
        """Add a line, and hold its words until `end_lines`."""
        first = len(self.made)
        words = tuple(
            (self.word(word, percent_of(line, word.confidence)), word)
            for word in line.words or spaced_words(line.text, line.polygon, line.confidence)
        )
        self._held += self.made[first:]
        del self.made[first:]
        self.words.append(words)
        ids = tuple(id_ for id_, _ in words)
        certain = percent_of(line, line.confidence)
        return self.put("LINE", line.polygon, children=ids, text=line.text, confidence=certain)

    def end_lines(self) -> None:
        """Put the words of the lines behind them."""
        self.made += self._held
        self._held = []

    def word(self, word: Word, percent: float | None) -> str:
        """Add a word."""
        return self.put("WORD", word.polygon, text=word.text, confidence=percent)

    @property
    def whole(self) -> Polygon:
        """Around the whole page, in its pixels."""
        return polygon_of((0, 0, *_size(self._page)))

    def page(self, children: Iterable[str]) -> Block:
        """The page's own block."""
        self.put("PAGE", self.whole, children=children)
        return self.made.pop()

    def _new_id(self) -> str:
        """The next id, in the form of a UUID."""
        self._count += 1
        seed = f"{self._seed}{self._count}".encode()
        text = hashlib.blake2b(seed, digest_size=16).hexdigest()
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def geometry_of(page: Page, polygon: Polygon) -> Geometry:
    """Where a place of a page is, in shares of the page."""
    width, height = _size(page)
    points = tuple(
        Point(round(x / width, _DIGITS), round(y / height, _DIGITS)) for x, y in polygon
    )
    left, top, right, bottom = box_of([(point.x, point.y) for point in points])
    box = BoundingBox(
        left=left,
        top=top,
        width=round(right - left, _DIGITS),
        height=round(bottom - top, _DIGITS),
    )
    return Geometry(bounding_box=box, polygon=points)


def _size(page: Page) -> tuple[int, int]:
    """Width and height in pixels; of a page that could not be opened, one of each."""
    return max(page.width, 1), max(page.height, 1)


def related(kind: str, ids: Iterable[str]) -> tuple[Relationship, ...]:
    """A relationship; nothing where it would lead nowhere."""
    named = tuple(ids)
    return (Relationship(type=kind, ids=named),) if named else ()


def spaced_words(
    text: str, polygon: Polygon, confidence: float | None = None
) -> tuple[Word, ...]:
    """The words of a text whose place alone is known."""
    return tuple(
        Word(text=word, polygon=polygon, confidence=confidence) for word in text.split()
    )


def percent(confidence: float | None) -> float | None:
    """0–1 as 0–100."""
    return None if confidence is None else round(confidence * 100, 4)


def percent_of(line: Line, confidence: float | None) -> float | None:
    """A line's or its word's confidence, 0–100; None where there is none."""
    if confidence is None and line.source == "text_layer":
        return CERTAIN
    return percent(confidence)


def percent_within(page: Page, own: float | None, lines: Iterable[int]) -> float | None:
    """The confidence of what holds these lines: its own, else their mean, 0–100."""
    if own is not None:
        return percent(own)
    every = [percent_of(page.lines[i], page.lines[i].confidence) for i in lines]
    known = [each for each in every if each is not None]
    return round(fmean(known), 4) if known else None


def put_lines(blocks: PageBlocks, page: Page) -> dict[int, tuple[str, ...]]:
    """Add the lines, then their words.

    A model that finds areas alone has no lines: the rows of an area's text are lines
    then, each standing where the area does.

    Returns:
        The ids of the lines of each area, by its order, and of all lines under -1.
    """
    if page.lines:
        ids = [blocks.line(line) for line in page.lines]
        blocks.lines = {area.order: area.line_indexes for area in page.blocks}
    else:
        ids = []
        for area in in_order(page):
            first = len(ids)
            ids += map(blocks.line, _rows(area))
            blocks.lines[area.order] = tuple(range(first, len(ids)))
    found = {order: tuple(ids[i] for i in lines) for order, lines in blocks.lines.items()}
    blocks.end_lines()
    return found | {-1: tuple(ids)}


def put_layout(
    blocks: PageBlocks, page: Page, lines: dict[int, tuple[str, ...]]
) -> Iterator[str]:
    """Add what the page is laid out in, in reading order; the ids of these blocks."""
    for area in in_order(page):
        kind = _LAYOUTS.get(area.kind, _TEXT)
        children = lines[area.order]
        certain = percent_within(page, area.confidence, area.line_indexes)
        if kind == "LAYOUT_LIST" and children:
            text = blocks.put(_TEXT, area.polygon, children=children, confidence=certain)
            children = (text,)
        yield blocks.put(kind, area.polygon, children=children, confidence=certain)


def in_order(page: Page) -> list[Area]:
    """The page's areas in reading order."""
    return sorted(page.blocks, key=lambda area: area.order)


def _rows(area: Area) -> Iterator[Line]:
    for row in area.text.split("\n"):
        if text := " ".join(row.split()):
            yield Line(text=text, polygon=area.polygon, source="vl")
