"""What only a document's pages together tell: running heads, levels, tables that go on.

Pages are surveyed one by one, so that no more than a few lines of each are kept; what is to
change is then told by page, so that most pages need not be touched.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from msgspec.structs import replace

from pagetide.document import Block, BlockKind, BlockPlace, Line, Page
from pagetide.geometry import box_of
from pagetide.structure.headings.by_look import LARGE
from pagetide.structure.headings.levels import (
    MOST_LEVELS,
    number_kind,
    numbered_level,
    place_among,
    sizes_of,
)
from pagetide.structure.headings.outline import STATED
from pagetide.structure.margins.edges import is_page_number
from pagetide.structure.margins.repeated import EdgeLines
from pagetide.structure.over_pages.tables import TableParts
from pagetide.structure.paragraphs import type_size

EDGE = 0.15  # of the page's height: where running heads and feet stand
TOP = 0.08  # of the page's height: no section begins so high on page after page
ALIKE = 2  # pages that may begin alike with a section each
SAME_PLACE = 0.01  # of the page's height, up or down
MOST_ROWS = 8
FEW_PAGES = 4  # of so few, two pages that say the same will do; of more, three
MANY_PAGES = 5  # of so many, what runs along the edge of one alone does not

_RUNNING: frozenset[BlockKind] = frozenset(
    {"text", "heading", "header", "footer", "page_number", "other", "aside"}
)
_DIGITS = re.compile(r"\d+")


class Change(NamedTuple):
    """What a block is, now that all pages are known."""

    kind: BlockKind
    level: int | None
    continued_from: BlockPlace | None = None


Changes = Mapping[int, Mapping[int, Change]]
"""By page number and block order."""


class _Edge(NamedTuple):
    """A block at a page's edge: `middle` in the page's height."""

    page: int
    order: int
    kind: BlockKind
    text: str
    middle: float


class _Heading(NamedTuple):
    page: int
    order: int
    size: float
    bold: bool
    of_text: bool
    level: int | None
    stated: int | None
    named: bool
    text: str


class Survey:
    """Takes a document's pages, in order, and tells what is to change."""

    def __init__(self) -> None:
        self._pages = 0
        self._edges: list[_Edge] = []
        self._names: list[_Edge] = []  # headings at the top, of any size
        self._headings: list[_Heading] = []
        self._titles: dict[str, int] = {}  # the page of each, by its text
        self._tables = TableParts()
        self._lines = EdgeLines()

    def add(self, page: Page) -> None:
        """Note what stands at a page's edges, its headings, and its tables."""
        if page.error or not page.height:
            return
        self._pages += 1
        self._tables.add(page)
        usual = _height(page.lines) if page.lines else 0.0
        for block in page.blocks:
            _, top, _, bottom = box_of(block.polygon)
            at_edge = bottom < EDGE * page.height or top > (1 - EDGE) * page.height
            named = block.kind == "heading" and _plain(block.text) in self._titles
            if at_edge:
                middle = (top + bottom) / 2 / page.height
                edge = _Edge(page.number, block.order, block.kind, block.text, middle)
                if named or _may_run(page, block, usual):
                    self._edges.append(edge)
                    self._lines.add(page, block)
                if block.kind == "heading" and middle < 0.5:
                    self._names.append(edge)
            if block.kind == "title":
                self._titles.setdefault(_plain(block.text), page.number)
            if block.kind == "heading":
                self._headings.append(_heading(page, block))

    def changes(self) -> Changes:
        """What the pages' blocks are."""
        found: dict[int, dict[int, Change]] = defaultdict(dict)
        running = dict(self._running()) | dict(self._letterheads())
        places = self._places()
        for edge in dict.fromkeys([*self._edges, *running]):
            kind = running.get(edge) or ("text" if self._is_alone(edge, places) else edge.kind)
            if edge.kind != kind:
                found[edge.page][edge.order] = Change(kind, None)

        def kind_of(page: int, order: int, kind: BlockKind) -> BlockKind:
            return found[page][order].kind if order in found.get(page, ()) else kind

        kept = {(edge.page, edge.order) for edge, kind in running.items() if kind == edge.kind}
        for page, order, told in list(self._lines.repeated(kind_of)):
            if (page, order) not in kept:
                found[page][order] = Change(told, None)
        left = [h for h in self._headings if h.order not in found.get(h.page, ())]
        for heading, change in self._named(left):
            if change != ("heading", heading.level, None):
                found[heading.page][heading.order] = change
        for page, order, before in list(self._tables.found(kind_of)):
            found[page][order] = Change("table", None, before)
        return found

    def _named(self, headings: Sequence[_Heading]) -> Iterator[tuple[_Heading, Change]]:
        """The headings with their levels; as title, the only one of the first level.

        The sections of a document that states its headings, as HTML does, are the second
        level then, and the first is left to them.
        """
        levels = {heading: heading.level for heading in headings}
        # A line that was found on a picture is not as tall as its type.
        for of_text in (True, False):
            levels.update(_levelled([h for h in headings if h.of_text is of_text]))
        title = None if self._titles else _title(headings)
        for heading, level in levels.items():
            if heading is title:
                yield heading, Change("title", None)
            else:
                yield heading, Change("heading", max((level or 1) - bool(title), 1))

    def _places(self) -> dict[int, set[int]]:
        """The pages that have something at each place of their edges."""
        pages: dict[int, set[int]] = defaultdict(set)
        for edge in self._edges:
            pages[_place(edge)].add(edge.page)
        return pages

    def _is_alone(self, edge: _Edge, pages: Mapping[int, set[int]]) -> bool:
        """Whether no other page has anything where one has a head or a foot; not the first."""
        if edge.kind not in ("header", "footer") or edge.page == self._edges[0].page:
            return False
        at = _place(edge)
        near = [pages[place] for place in (at - 1, at, at + 1) if place in pages]
        return self._pages >= MANY_PAGES and all(of <= {edge.page} for of in near)

    def _running(self) -> Iterator[tuple[_Edge, BlockKind]]:
        """What runs along the pages' edges, and as what."""
        least = 2 if self._pages <= FEW_PAGES else 3
        alike: dict[tuple[bool, str], list[_Edge]] = defaultdict(list)
        for edge in self._edges:
            alike[edge.middle < 0.5, _pattern(edge.text)].append(edge)
        for (is_top, pattern), edges in alike.items():
            for run in _at_one_place(edges):
                # Sections may begin alike on two pages; the document's own name begins none.
                headed = any(edge.kind == "heading" for edge in run)
                pages = {edge.page for edge in run}
                [said, *others] = {_plain(edge.text) for edge in run}
                if is_top and not others and said in self._titles:
                    headed, pages = False, pages | {self._titles[said]}
                if len(pages) < max(least, 3 * headed):
                    continue
                if is_page_number(run[0].text):
                    yield from _counted(run, least)
                elif pattern.strip("#"):
                    kind: BlockKind = "header" if is_top else "footer"
                    yield from ((edge, kind) for edge in run)

    def _letterheads(self) -> Iterator[tuple[_Edge, BlockKind]]:
        """Names that every page begins with, which the first keeps.

        They stand at the very top of three pages or more, where the document has a title of
        its own, or beside another such line: several bills in one file begin alike, too.
        """
        told = dict.fromkeys([*self._names, *self._edges])
        alike: dict[tuple[str, int], list[_Edge]] = defaultdict(list)
        for edge in told:
            if edge.middle < 0.5 and not is_page_number(edge.text):
                place = 0 if edge.middle < TOP else _place(edge)
                said = _plain if edge.kind == "heading" else _pattern
                alike[said(edge.text), place].append(edge)
        on_all = [
            run
            for run in alike.values()
            if 1 < self._pages == len(run) == len({edge.page for edge in run})
        ]
        for run in on_all:
            first, *further = sorted(run)
            is_at_top = self._pages > ALIKE and self._titles and first.middle < TOP
            if len(on_all) < 2 and not is_at_top:
                continue
            if any(edge.kind == "heading" for edge in run) and first.page < further[0].page:
                if first.kind == "heading" or self._pages <= FEW_PAGES:
                    yield first, first.kind
                yield from ((edge, "header") for edge in further)


def changed(page: Page, changes: Mapping[int, Change]) -> Page:
    """The page with its blocks as they are told.

    Args:
        page: Surveyed.
        changes: By block order.
    """
    return replace(
        page,
        blocks=tuple(
            replace(block, kind=told.kind, level=told.level, continued_from=told.continued_from)
            if (told := changes.get(block.order))
            else block
            for block in page.blocks
        ),
    )


def settled(pages: Sequence[Page]) -> tuple[Page, ...]:
    """All pages of a document, each as the others tell of it."""
    survey = Survey()
    for page in pages:
        survey.add(page)
    changes = survey.changes()
    return tuple(
        changed(page, changes[page.number]) if page.number in changes else page
        for page in pages
    )


def _may_run(page: Page, block: Block, usual: float) -> bool:
    """Whether a block may be a running head or foot: a few rows, no larger than the text's."""
    if block.kind not in _RUNNING or not block.line_indexes or not block.text:
        return False
    few = block.text.count("\n") < MOST_ROWS
    return few and _height(page.lines_of(block)) <= LARGE * usual


def _height(lines: Sequence[Line]) -> float:
    return median(box[3] - box[1] for box in (box_of(line.polygon) for line in lines))


def _size(lines: Sequence[Line]) -> float:
    return median(type_size(line, box_of(line.polygon)) for line in lines)


def _heading(page: Page, block: Block) -> _Heading:
    lines = page.lines_of(block)
    _, top, _, bottom = box_of(block.polygon)
    stated = block.level if block.label == STATED else numbered_level(block.text)
    return _Heading(
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


def _title(headings: Sequence[_Heading]) -> _Heading | None:
    """The only heading that the document states to be of the first level, on its first page.

    It comes before all others, or is the largest: a column may stand beside it.
    """
    highest = [heading for heading in headings if heading.named and heading.level == 1]
    if len(highest) != 1 or highest[0].page != 1 or numbered_level(highest[0].text):
        return None
    [title] = highest
    is_first = title is min(headings, key=lambda heading: heading[:2])
    is_largest = all(title.size > heading.size for heading in headings if heading is not title)
    return title if is_first or is_largest else None


def _plain(text: str) -> str:
    return "".join(text.casefold().split())


def _pattern(text: str) -> str:
    """What pages that differ in numbers only have in common."""
    return _DIGITS.sub("#", _plain(text))


def _place(edge: _Edge) -> int:
    return round(edge.middle / SAME_PLACE)


def _at_one_place(edges: Iterable[_Edge]) -> Iterator[list[_Edge]]:
    """The blocks in runs that stand as high as each other."""
    run: list[_Edge] = []
    for edge in sorted(edges, key=lambda edge: (edge.middle, edge.page)):
        if run and edge.middle - run[-1].middle > SAME_PLACE:
            yield run
            run = []
        run.append(edge)
    if run:
        yield run


def _counted(run: Sequence[_Edge], least: int) -> Iterator[tuple[_Edge, BlockKind]]:
    """Those of the numbers that count on with the pages."""
    ahead = Counter(_first_number(edge) - edge.page for edge in run)
    for edge in run:
        if ahead[_first_number(edge) - edge.page] >= least:
            yield edge, "page_number"


def _first_number(edge: _Edge) -> int:
    found = _DIGITS.search(edge.text)
    return int(found[0]) if found else -edge.page


def _levelled(headings: Sequence[_Heading]) -> Iterator[tuple[_Heading, int]]:
    """Headings with their levels, where more than one page has any.

    A heading whose number or outline states its level has that. Another has the level that
    most of those in its type have; where none has one, the level below the larger type, if
    that is not a cover's alone.
    """
    pages = {heading.page for heading in headings}
    if len(pages) < 2:
        return
    sizes = sizes_of(heading.size for heading in headings)
    of_type: dict[tuple[int, bool], list[_Heading]] = defaultdict(list)
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


def _depths(alike: Sequence[_Heading]) -> list[int]:
    """How deep headings of one type stand below each other, by what their numbers are.

    `A.` is below `I.` where it comes after it; what has no number is as high as the highest.
    """
    kinds = [
        number_kind(heading.text, before.text if before else "")
        for before, heading in zip([None, *alike], alike, strict=False)
    ]
    order = list(dict.fromkeys(kind for kind in kinds if kind))
    return [order.index(kind) if kind else 0 for kind in kinds]
