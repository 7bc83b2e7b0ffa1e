"""Levels of a document's headings: equal type has one level."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from pagetide.document import Block, Line, Page
from pagetide.geometry import box_of
from pagetide.structure.headings.levels import (
    MOST_LEVELS,
    number_kind,
    numbered_level,
    place_among,
    sizes_of,
)
from pagetide.structure.headings.outline import STATED
from pagetide.structure.rows import type_size

MANY_PAGES = 5  # with this many pages, text at the edge of only one is not running text


class Heading(NamedTuple):
    """A heading: its position in the document, its type, and its stated level."""

    page: int
    order: int
    size: float
    bold: bool
    of_text: bool
    level: int | None
    stated: int | None
    named: bool
    text: str


def line_height(lines: Sequence[Line]) -> float:
    """The typical height of lines, in pixels of their page."""
    return median(box[3] - box[1] for box in (box_of(line.polygon) for line in lines))


def _size(lines: Sequence[Line]) -> float:
    return median(type_size(line, box_of(line.polygon)) for line in lines)


def heading_of(page: Page, block: Block) -> Heading:
    """The level features of a block that is a heading."""
    lines = page.lines_of(block)
    _, top, _, bottom = box_of(block.polygon)
    stated = block.level if block.label == STATED else numbered_level(block.text)
    return Heading(
        page=page.number,
        order=block.order,
        size=(_size(lines) if lines else bottom - top) / page.dpi,
        bold=bool(lines) and all(line.bold for line in lines),
        of_text=page.text_layer.used,
        level=block.level,
        stated=stated,
        named=block.label == STATED,
        text=block.text,
    )


def title_of(headings: Sequence[Heading]) -> Heading | None:
    """The only heading stated as first-level in the document, on its first page.

    It comes before all others, or is the largest: a column may be beside it.
    """
    highest = [heading for heading in headings if heading.named and heading.level == 1]
    if len(highest) != 1 or highest[0].page != 1 or numbered_level(highest[0].text):
        return None
    [title] = highest
    is_first = title is min(headings, key=lambda heading: heading[:2])
    is_largest = all(title.size > heading.size for heading in headings if heading is not title)
    return title if is_first or is_largest else None


def without_spaces(text: str) -> str:
    """A text prepared for comparison: without case and spaces."""
    return "".join(text.casefold().split())


def levelled(headings: Sequence[Heading]) -> Iterator[tuple[Heading, int]]:
    """Headings with their levels, if more than one page has any.

    A heading keeps the level stated by its number or outline. Another gets the level of most of
    those in its type; if none has one, the level below the larger type, if that is not only a
    cover's.
    """
    pages = {heading.page for heading in headings}
    if len(pages) < 2:
        return
    sizes = sizes_of(heading.size for heading in headings)
    of_type: dict[tuple[int, bool], list[Heading]] = defaultdict(list)
    for heading in headings:
        of_type[place_among(sizes, heading.size), not heading.bold].append(heading)
    level, first, on_cover = 0, min(pages), False
    for kind in sorted(of_type):
        alike = of_type[kind]
        stated = Counter(h.stated for h in alike if h.stated)
        if stated:
            level = stated.most_common(1)[0][0] or level
        elif level == 0 or not on_cover:
            level += 1
        on_cover = {heading.page for heading in alike} == {first} and len(pages) >= MANY_PAGES
        below = _depths(alike)
        for heading, depth in zip(alike, below, strict=True):
            yield heading, min(heading.stated or max(level, 1) + depth, MOST_LEVELS)
        level += max(below) if not stated else 0


def _depths(alike: Sequence[Heading]) -> list[int]:
    """The nesting depth of headings of one type, by their kinds of numbers.

    `A.` is below `I.` if it comes after it; a heading without a number is as high as the
    highest.
    """
    kinds = [
        number_kind(heading.text, before.text if before else "")
        for before, heading in zip([None, *alike], alike, strict=False)
    ]
    order = list(dict.fromkeys(kind for kind in kinds if kind))
    return [order.index(kind) if kind else 0 for kind in kinds]
