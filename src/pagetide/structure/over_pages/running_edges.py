"""Lines at the edges of several pages at one place: running headers, page numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pagetide.document import BlockKind
from pagetide.structure.over_pages.heading_levels import without_spaces

SAME_PLACE = 0.01  # of the page's height, up or down
_DIGITS = re.compile(r"\d+")


class Edge(NamedTuple):
    """A block at a page's edge: `middle` in the page's height."""

    page: int
    order: int
    kind: BlockKind
    text: str
    middle: float


def numberless(text: str) -> str:
    """The common text of pages that differ only in numbers."""
    return _DIGITS.sub("#", without_spaces(text))


def place_of(edge: Edge) -> int:
    """Its vertical position on the page, in steps of a hundredth."""
    return round(edge.middle / SAME_PLACE)


def at_one_place(edges: Iterable[Edge]) -> Iterator[list[Edge]]:
    """The blocks in runs of equal height on the page."""
    run: list[Edge] = []
    for edge in sorted(edges, key=lambda edge: (edge.middle, edge.page)):
        if run and edge.middle - run[-1].middle > SAME_PLACE:
            yield run
            run = []
        run.append(edge)
    if run:
        yield run


def counted(run: Sequence[Edge], least: int) -> Iterator[tuple[Edge, BlockKind]]:
    """Those whose numbers increase with the pages."""
    ahead = Counter(_first_number(edge) - edge.page for edge in run)
    for edge in run:
        if ahead[_first_number(edge) - edge.page] >= least:
            yield edge, "page_number"


def _first_number(edge: Edge) -> int:
    found = _DIGITS.search(edge.text)
    return int(found[0]) if found else -edge.page
