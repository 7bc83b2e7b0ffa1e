"""Paragraphs as they were written: rows joined if only the column's width split them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from math import inf

from msgspec.structs import replace

from pagetide.document import Block, BlockKind, Document, LineBreaks, Page
from pagetide.exports.text.markup import runs_right_to_left
from pagetide.exports.text.reflow.cells import with_whole_cells
from pagetide.exports.text.reflow.joints import Joints
from pagetide.exports.text.reflow.row_breaks import FEW, FEW_NARROW, Rows, are_stacked
from pagetide.exports.text.row_boxes import line_boxes, lines_of_rows
from pagetide.geometry import Box, Polygon, box_of, direction, turned, union
from pagetide.layout.leads import leads
from pagetide.layout.words import first_width

_KINDS: frozenset[BlockKind] = frozenset(
    {"title", "heading", "text", "list", "footnote", "caption", "aside", "reference", "other"}
)
_ALWAYS_PROSE: frozenset[BlockKind] = frozenset({"caption", "footnote", "reference"})
_COUNTED: frozenset[BlockKind] = frozenset({"footnote", "reference"})
# Other blocks that end exactly where a block does; a wider one that starts at the same edge
# may be above the columns.
ALIKE, EVEN = 2, 0.25
_SAME_EDGE = 1.5  # in heights of a row: how near the starts of blocks of one column are


def reflowed(document: Document, line_breaks: LineBreaks = "join") -> Document:
    """The document with each paragraph of running text on one line.

    A line feed stays where the next row's first word would have fitted, between a list's items,
    where a row is indented more or less than most, and in everything that is not running text;
    also if a block does not list its lines, as after a model that joins rows itself. For
    joints, see `Joints`.
    """
    if line_breaks == "keep":
        return document
    joints = Joints(document)
    return replace(document, pages=tuple(_page(page, joints) for page in document.pages))


def _page(page: Page, joints: Joints) -> Page:
    columns = _Columns(page)
    blocks = [_block(page, block, columns, joints) for block in page.blocks]
    return replace(page, blocks=tuple(_over_columns(blocks, page.number, joints)))


def _over_columns(blocks: list[Block], page: int, joints: Joints) -> list[Block]:
    """Paragraphs written whole where they start; their further parts are left empty."""
    parts = [
        (place, block.continued_from.order)
        for place, block in enumerate(blocks)
        if block.kind == "text" and block.continued_from and block.continued_from.page == page
    ]
    place_of = {block.order: place for place, block in enumerate(blocks)}
    for place, before in sorted(parts, key=lambda part: blocks[part[0]].order):
        first = place_of.get(before, place)
        if first == place:
            continue
        block, whole = blocks[place], blocks[first]
        text = joints.joined(whole.text, block.text)
        indexes = whole.line_indexes + block.line_indexes
        blocks[first] = replace(whole, text=text, line_indexes=indexes)
        blocks[place] = replace(block, text="", line_indexes=())
        place_of[block.order] = first
    return blocks


def _block(page: Page, block: Block, columns: _Columns, joints: Joints) -> Block:
    if block.table and any("\n" in cell.text for cell in block.table.cells):
        return replace(block, table=with_whole_cells(page, block.table, joints.joined_in_cell))
    if block.kind not in _KINDS or "\n" not in block.text:
        return block
    lines = lines_of_rows(page, block)
    if not lines:
        return block
    rows = line_boxes(lines, block)
    view = _View.of(block)
    texts = block.text.split("\n")
    label, boxes = _label(texts, [[view.mirrored(box) for box in row] for row in rows])
    texts[0] = texts[0][len(label) :]
    right = _right(texts, boxes)
    height = boxes[0][3] - boxes[0][1]
    left = min(box[0] for box in boxes)
    beside = [] if len(boxes) >= FEW_NARROW else columns.beside(block, view, left, height)
    alike = [end for end in beside if abs(end - right) < EVEN * height]
    full = right
    if len(boxes) < FEW and len(alike) < ALIKE:
        limit = columns.limit(block, view) - height
        ends = columns.beside(block, view, boxes[0][0], height)
        full = min(max(right, _column_end(ends, right, EVEN * height)), limit)
        full = min(full, columns.set_in(view, boxes[0][0], right, height))
        right = min(max([right, *ends]), limit)
    flow = Rows(
        texts=texts,
        boxes=boxes,
        starts=[first_width(row[0]) for row in lines],
        right=right,
        full=full,
        leads=leads(lines),
        is_list=block.kind == "list",
        is_counted=block.kind in _COUNTED,
        is_known=(bool(beside) and not are_stacked(boxes)) or block.kind in _ALWAYS_PROSE,
        is_aligned=len(alike) >= ALIKE and boxes[-1][0] - left < EVEN * height,
    )
    parts = [texts[0]]
    for place, row in enumerate(texts[1:], 1):
        if flow.goes_on(place):
            parts[-1:] = _cut(joints.joined(parts[-1], row), len(row))
        else:
            parts += ["\n", row]
    return replace(block, text=label + "".join(parts))


def _right(texts: Sequence[str], boxes: Sequence[Box]) -> float:
    """Where the longest row ends; an address may be wider than the column that it is in."""
    ends = [box[2] for text, box in zip(texts, boxes, strict=True) if " " in text.strip()]
    return max(ends if len(ends) >= FEW else [box[2] for box in boxes])


def _column_end(ends: Sequence[float], right: float, near: float) -> float:
    """The first end from `right` on that several blocks share; else the last one."""
    shared = [
        end
        for end in ends
        if end > right - near and sum(abs(end - other) < near for other in ends) >= ALIKE
    ]
    return min(shared, default=max(ends, default=right))


def _label(texts: Sequence[str], rows: Sequence[Sequence[Box]]) -> tuple[str, list[Box]]:
    """What is beside the first row of a text, or nothing, and the boxes of the text's rows.

    The other rows start below what follows it.
    """
    whole = [union(row) for row in rows]
    end = texts[0].rfind("\t") + 1
    if not end or any("\t" in text for text in texts[1:]):
        return "", whole
    edges = [box[0] for box in whole[1:]]
    near = EVEN * (whole[1][3] - whole[1][1])
    text = [box for box in rows[0] if box[0] > min(edges) - near]
    if len(text) == len(rows[0]) or not text or union(text)[0] - min(edges) > near:
        return "", whole
    return texts[0][:end], [union(text), *whole[1:]]


def _cut(text: str, end: int) -> tuple[str, str]:
    """The text, and its end separately: a paragraph grows, and only its end matters."""
    return text[:-end], text[-end:]


@dataclass(frozen=True)
class _View:
    """A block's text as if it ran from left to right."""

    angle: float
    leftward: bool

    @classmethod
    def of(cls, block: Block) -> _View:
        return cls(direction(block.polygon), runs_right_to_left(block.text))

    def box(self, polygon: Polygon) -> Box:
        return self.mirrored(box_of(turned(polygon, -self.angle)))

    def mirrored(self, box: Box) -> Box:
        left, top, right, bottom = box
        return (-right, top, -left, bottom) if self.leftward else box


class _Columns:
    """The left and right ends of a page's blocks of running text, and what limits them."""

    def __init__(self, page: Page) -> None:
        self._blocks = [
            block for block in page.blocks if block.kind in _KINDS and "\n" in block.text
        ]
        self._edges: dict[_View, list[tuple[float, float, int]]] = {}
        self._page, self._boxes = page, dict[_View, list[Box]]()
        self._paragraphs = dict[_View, list[Box]]()

    def limit(self, block: Block, view: _View) -> float:
        """Where the next block to the right of one starts, such as a box in the text."""
        if view not in self._boxes:
            self._boxes[view] = [view.box(each.polygon) for each in self._page.blocks]
        _, top, right, low = view.box(block.polygon)
        level = (box for box in self._boxes[view] if box[1] < low and box[3] > top)
        return min((box[0] for box in level if box[0] > right), default=inf)

    def set_in(self, view: _View, left: float, right: float, height: float) -> float:
        """Where rows end at least that are as far in on both sides as a quotation; or `inf`."""
        if view not in self._paragraphs:
            self._paragraphs[view] = [
                view.box(block.polygon)
                for block in self._blocks
                if block.kind == "text" and block.text.count("\n") + 1 >= FEW
            ]
        near, boxes = EVEN * height, self._paragraphs[view]
        ends = (box[2] - (left - box[0]) for box in boxes if left - box[0] > height)
        return min((end for end in ends if end > right - near), default=inf)

    def beside(self, block: Block, view: _View, left: float, height: float) -> list[float]:
        """The right ends of the other blocks that start at the same edge."""
        if view not in self._edges:
            boxes = ((view.box(each.polygon), each.order) for each in self._blocks)
            self._edges[view] = sorted((box[0], box[2], order) for box, order in boxes)
        edges, near = self._edges[view], _SAME_EDGE * height
        start = bisect_left(edges, (left - near,))
        found = takewhile(lambda edge: edge[0] < left + near, islice(edges, start, None))
        return [right for _, right, order in found if order != block.order]
