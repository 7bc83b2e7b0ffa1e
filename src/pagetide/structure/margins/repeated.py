"""Lines at a page's edge that are in another page's header or footer, in any blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Set
from typing import NamedTuple

from pagetide.document import Block, BlockKind, Page
from pagetide.geometry import box_of
from pagetide.structure.areas.kinds import MARGINAL

_SAME_PLACE = 0.01  # of the page's height, or width

KindOf = Callable[[int, int, BlockKind], BlockKind]
"""The current kind of a page's block, from its order and its earlier kind."""


_Place = tuple[str, int, int]
"""A line's text, and its middle and left edge, in steps of `_SAME_PLACE`."""


class _Line(NamedTuple):
    text: str
    middle: float
    left: float

    @property
    def place(self) -> _Place:
        return self.text, round(self.middle / _SAME_PLACE), round(self.left / _SAME_PLACE)


class _Own(NamedTuple):
    page: int
    order: int
    kind: BlockKind
    lines: tuple[_Line, ...]


class EdgeLines:
    """Collects the blocks at pages' edges, and finds those made of other pages' lines."""

    def __init__(self) -> None:
        self._blocks: list[_Own] = []

    def add(self, page: Page, block: Block) -> None:
        """Records a block's lines and their places."""
        boxes = [(line.text, box_of(line.polygon)) for line in page.lines_of(block)]
        lines = tuple(
            _Line(text, (y0 + y1) / 2 / page.height, x0 / page.width)
            for text, (x0, y0, _, y1) in boxes
        )
        self._blocks.append(_Own(page.number, block.order, block.kind, lines))

    def repeated(self, kind_of: KindOf) -> Iterator[tuple[int, int, BlockKind]]:
        """Pages and orders of blocks whose lines are all in another page's header or footer."""
        known: dict[_Place, set[int]] = defaultdict(set)
        others: list[_Own] = []
        for own in self._blocks:
            if kind_of(own.page, own.order, own.kind) not in MARGINAL:
                others.append(own)
                continue
            for line in own.lines:
                known[line.place].add(own.page)
        for own in others:
            if own.lines and all(_is_known(own.page, line, known) for line in own.lines):
                yield own.page, own.order, "header" if own.lines[0].middle < 0.5 else "footer"


def _is_known(page: int, line: _Line, known: Mapping[_Place, Set[int]]) -> bool:
    """Whether another page has a line at its place, or right beside it."""
    text, middle, left = line.place
    return any(
        known.get((text, middle + down, left + across), frozenset()) - {page}
        for down in (-1, 0, 1)
        for across in (-1, 0, 1)
    )
