"""What needs all pages of a document: running headers, levels, what goes on over pages.

Pages are surveyed one by one, so that only a few lines of each are kept; the changes are then
listed by page, so that most pages need not be touched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from pagetide.document import Block, BlockKind, BlockPlace, Page
from pagetide.geometry import box_of
from pagetide.structure.headings.by_look import LARGE
from pagetide.structure.margins.edges import is_page_number
from pagetide.structure.margins.repeated import EdgeLines
from pagetide.structure.over_pages.heading_levels import (
    MANY_PAGES,
    Heading,
    heading_of,
    levelled,
    line_height,
    title_of,
    without_spaces,
)
from pagetide.structure.over_pages.paragraphs import ParagraphParts
from pagetide.structure.over_pages.running_edges import (
    Edge,
    at_one_place,
    counted,
    numberless,
    place_of,
)
from pagetide.structure.over_pages.tables import TableParts

EDGE = 0.15  # of the page's height: where running headers and footers are
SIDE = 0.06  # of its width: where vertical imprints and thumb tabs are
SLIM = 2.0  # how much higher than wide those are
TOP = 0.08  # of the page's height: no section starts this high on page after page
ALIKE = 2  # pages that may each start a section alike
MOST_ROWS = 8
FEW_PAGES = 4  # up to this many, two pages with the same text suffice; with more, three

_RUNNING: frozenset[BlockKind] = frozenset(
    {"text", "heading", "header", "footer", "page_number", "other", "aside"}
)


class Change(NamedTuple):
    """The new kind of a block, once all pages are known."""

    kind: BlockKind
    level: int | None
    continued_from: BlockPlace | None = None


Changes = Mapping[int, Mapping[int, Change]]
"""By page number and block order."""


class Survey:
    """Collects a document's pages, in order, and determines the changes."""

    def __init__(self) -> None:
        self._pages = 0
        self._edges: list[Edge] = []
        self._names: list[Edge] = []  # headings at the top, of any size
        self._headings: list[Heading] = []
        self._titles: dict[str, int] = {}  # the page of each, by its text
        self._tables, self._paragraphs = TableParts(), ParagraphParts()
        self._lines = EdgeLines()

    def add(self, page: Page) -> None:
        """Records a page's edges, headings, and what may go on from it or to it."""
        if page.error or not page.height:
            return
        self._pages += 1
        self._tables.add(page)
        self._paragraphs.add(page)
        usual = line_height(page.lines) if page.lines else 0.0
        for block in page.blocks:
            _, top, _, bottom = box_of(block.polygon)
            at_edge = bottom < EDGE * page.height or top > (1 - EDGE) * page.height
            at_edge |= _is_up_the_side(page, block)
            named = block.kind == "heading" and without_spaces(block.text) in self._titles
            if at_edge:
                middle = (top + bottom) / 2 / page.height
                edge = Edge(page.number, block.order, block.kind, block.text, middle)
                if named or _may_run(page, block, usual):
                    self._edges.append(edge)
                    self._lines.add(page, block)
                if block.kind == "heading" and middle < 0.5:
                    self._names.append(edge)
            if block.kind == "title":
                self._titles.setdefault(without_spaces(block.text), page.number)
            if block.kind == "heading":
                self._headings.append(heading_of(page, block))

    def changes(self) -> Changes:
        """The changes to the pages' blocks."""
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
        for page, order, new_kind in list(self._lines.repeated(kind_of)):
            if (page, order) not in kept:
                found[page][order] = Change(new_kind, None)
        left = [h for h in self._headings if h.order not in found.get(h.page, ())]
        for heading, change in self._named(left):
            if change != ("heading", heading.level, None):
                found[heading.page][heading.order] = change
        for page, order, before in list(self._tables.found(kind_of)):
            found[page][order] = Change("table", None, before)
        for page, order, before in list(self._paragraphs.found(kind_of)):
            found[page][order] = Change("text", None, before)
        return found

    def _named(self, headings: Sequence[Heading]) -> Iterator[tuple[Heading, Change]]:
        """The headings with their levels; the only first-level one becomes the title.

        In a document that states its headings, such as HTML, its sections are then the second
        level, and the first is left to them.
        """
        levels = {heading: heading.level for heading in headings}
        # A line found in an image is not as tall as its type.
        for of_text in (True, False):
            levels.update(levelled([h for h in headings if h.of_text is of_text]))
        title = None if self._titles else title_of(headings)
        for heading, level in levels.items():
            if heading is title:
                yield heading, Change("title", None)
            else:
                yield heading, Change("heading", max((level or 1) - bool(title), 1))

    def _places(self) -> dict[int, set[int]]:
        """The pages that have something at each place of their edges."""
        pages: dict[int, set[int]] = defaultdict(set)
        for edge in self._edges:
            pages[place_of(edge)].add(edge.page)
        return pages

    def _is_alone(self, edge: Edge, pages: Mapping[int, set[int]]) -> bool:
        """Whether no other page has anything at one's header or footer; never page one."""
        if edge.kind not in ("header", "footer") or edge.page == self._edges[0].page:
            return False
        at = place_of(edge)
        near = [pages[place] for place in (at - 1, at, at + 1) if place in pages]
        return self._pages >= MANY_PAGES and all(of <= {edge.page} for of in near)

    def _running(self) -> Iterator[tuple[Edge, BlockKind]]:
        """The running text of the pages' edges, with its kind."""
        least = 2 if self._pages <= FEW_PAGES else 3
        alike: dict[tuple[bool, str], list[Edge]] = defaultdict(list)
        for edge in self._edges:
            alike[edge.middle < 0.5, numberless(edge.text)].append(edge)
        for (is_top, pattern), edges in alike.items():
            for run in at_one_place(edges):
                # Sections may start alike on two pages; the document's own name starts none.
                headed = any(edge.kind == "heading" for edge in run)
                pages = {edge.page for edge in run}
                [text, *others] = {without_spaces(edge.text) for edge in run}
                if is_top and not others and text in self._titles:
                    headed, pages = False, pages | {self._titles[text]}
                if len(pages) < max(least, 3 * headed):
                    continue
                if is_page_number(run[0].text):
                    yield from counted(run, least)
                elif pattern.strip("#"):
                    kind: BlockKind = "header" if is_top else "footer"
                    yield from ((edge, kind) for edge in run)

    def _letterheads(self) -> Iterator[tuple[Edge, BlockKind]]:
        """Names at the start of every page, which the first page keeps.

        They are at the very top of three pages or more, if the document has a separate title,
        or beside another such line: several bills in one file start alike, too.
        """
        every = dict.fromkeys([*self._names, *self._edges])
        alike: dict[tuple[str, int], list[Edge]] = defaultdict(list)
        for edge in every:
            if edge.middle < 0.5 and not is_page_number(edge.text):
                place = 0 if edge.middle < TOP else place_of(edge)
                key_of = without_spaces if edge.kind == "heading" else numberless
                alike[key_of(edge.text), place].append(edge)
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
    """The page with its blocks changed.

    Args:
        page: Surveyed.
        changes: By block order.
    """
    return replace(
        page,
        blocks=tuple(
            replace(
                block,
                kind=change.kind,
                level=change.level,
                continued_from=change.continued_from,
            )
            if (change := changes.get(block.order))
            else block
            for block in page.blocks
        ),
    )


def settled(pages: Sequence[Page]) -> tuple[Page, ...]:
    """All pages of a document, each changed by what the others show."""
    survey = Survey()
    for page in pages:
        survey.add(page)
    changes = survey.changes()
    return tuple(
        changed(page, changes[page.number]) if page.number in changes else page
        for page in pages
    )


def _may_run(page: Page, block: Block, usual: float) -> bool:
    """Whether a block may be a running header or footer: few rows, no larger than text."""
    if block.kind not in _RUNNING or not block.line_indexes or not block.text:
        return False
    few = block.text.count("\n") < MOST_ROWS
    is_small = line_height(page.lines_of(block)) <= LARGE * usual
    return few and (is_small or _is_up_the_side(page, block))


def _is_up_the_side(page: Page, block: Block) -> bool:
    """Whether a block is vertical text in the left or right margin."""
    left, top, right, bottom = box_of(block.polygon)
    at_side = right < SIDE * page.width or left > (1 - SIDE) * page.width
    return at_side and bottom - top > SLIM * (right - left) and not block.table
