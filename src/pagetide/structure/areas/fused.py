"""Fuses lines and a layout model's areas into blocks.

The model locates columns, figures and headings, but its boxes are rough, it takes several
paragraphs for one and confuses some kinds. So each line goes to the area that covers it, lines
that a box just missed are added, area kinds are checked against their lines, and running text
is split into paragraphs as it is without a model.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import median

from pagetide.document import Line
from pagetide.geometry import Box, area, covering, intersection_area, union
from pagetide.layout import PICTURED, Area, Drawn
from pagetide.structure.areas.columns import columns, loose
from pagetide.structure.areas.insets import homes, with_lists
from pagetide.structure.areas.kinds import AreaInWork, Page, corrected, is_picture
from pagetide.structure.areas.places import placed
from pagetide.structure.areas.rows import in_rows
from pagetide.structure.draft import Draft
from pagetide.structure.figures.around import labels_of
from pagetide.structure.figures.caption_names import CAPTION
from pagetide.structure.order.gutters import gutters_of, parts
from pagetide.structure.order.reading_order import segments
from pagetide.structure.rows import Row

INSIDE = 0.6  # of an area: with this much of it in a table or figure, it is part of that
SAME = 0.5  # intersection over union of two areas that are one
INNER = 0.8  # of the best area's coverage of a line
ASTRIDE = 0.2  # of a line: with this much in a figure, it is a label of it
TABLES = 0.3  # of an area: a figure contains no such tables
LABEL = 0.4  # of a figure's width: the longest of its labels outside the model's box
SIDE_BY_SIDE = 3  # rows of several pieces with space between them: columns
STROKE = 8.0  # typical line heights: no letter of a page with other text is this tall
PICTURE = 0.005, 0.6  # of the page's area: drawn pictures of this size are figures


def drafts_of(
    lines: Sequence[Line],
    indexes: Sequence[int],
    boxes: Sequence[Box],
    areas: Sequence[tuple[Box, Area]],
    taken: Sequence[Box],
    drawn: Drawn,
    width: float,
    height: float,
    frames: Sequence[Box] = (),
) -> list[Draft]:
    """Blocks of everything outside the tables, in no particular order.

    Args:
        lines: All lines of the page.
        indexes: Those that are in no table.
        boxes: Theirs, upright, page pixels.
        areas: The layout model's, with upright boxes.
        taken: Boxes of the tables found.
        drawn: What is drawn on the page, upright.
        width: The upright page's, in pixels.
        height: Likewise.
        frames: Around text that is read separately.

    Returns:
        Drafts that hold each of the given lines once, and figures without lines.
    """
    fusion = _Fusion(lines, indexes, boxes, (width, height))
    figures = fusion.figures(areas, taken, drawn)
    texts = fusion.texts(areas, [*taken, *(figure.box for figure in figures)])
    return fusion.drafts(figures, texts, taken, frames)


class _Fusion:
    """The lines outside tables, and the area of each."""

    def __init__(
        self,
        lines: Sequence[Line],
        indexes: Sequence[int],
        boxes: Sequence[Box],
        size: tuple[float, float],
    ) -> None:
        self.lines, self.indexes, self.boxes = lines, indexes, boxes
        self.size = size

    def figures(
        self, areas: Sequence[tuple[Box, Area]], taken: Sequence[Box], drawn: Drawn
    ) -> list[AreaInWork]:
        """The areas that are pictures, and drawn pictures where there is no area."""
        found = [
            AreaInWork(box, each, each.kind)
            for box, each in areas
            if each.kind in PICTURED
            and not _is_inside(box, taken)
            and sum(intersection_area(box, table) for table in taken) < TABLES * area(box)
            and self._is_picture(box)
        ]
        found = _without_doubles(found)
        page = self.size[0] * self.size[1]
        for box in drawn.pictures:
            seen = [*taken, *(each.box for each in found)]
            fits = PICTURE[0] * page < area(box) < PICTURE[1] * page
            alone = all(intersection_area(box, each) < SAME * area(box) for each in seen)
            if fits and alone and self._is_picture(box):
                found.append(AreaInWork(box, _DRAWN, "figure"))
        return found

    def texts(
        self, areas: Sequence[tuple[Box, Area]], solids: Sequence[Box]
    ) -> list[AreaInWork]:
        """The areas of text: neither part of a table or figure nor of one another.

        A table area in which no table was found is text.
        """
        found = [
            AreaInWork(box, each, "text" if each.kind == "table" else each.kind)
            for box, each in areas
            if each.kind not in PICTURED
            and (each.kind == "caption" or not _is_inside(box, solids))
        ]
        return _without_doubles(found)

    def drafts(
        self,
        figures: list[AreaInWork],
        texts: list[AreaInWork],
        taken: Sequence[Box],
        frames: Sequence[Box],
    ) -> list[Draft]:
        """The blocks, once each line has its area."""
        every = [*figures, *texts]
        members: list[list[int]] = [[] for _ in every]
        outers = [found.box for found in every]
        free: list[int] = []
        line = median([box[3] - box[1] for box in self.boxes] or [1.0])
        gutters = gutters_of(self.boxes, line)
        for place, box in enumerate(self.boxes):
            owner = _owner(box, outers)
            if owner is None and not CAPTION.match(self.lines[self.indexes[place]].text):
                owner = _straddled(box, outers[: len(figures)])
            (free if owner is None else members[owner]).append(place)
        for found, places in zip(every, members, strict=True):
            found.rows = self.rows(places)
            if found.runs and _spans_columns(found.rows, gutters):
                free += places
                found.rows = []
        free.sort()
        page = Page(
            height=self.size[1],
            line=line,
            size=median([row.size for row in self.rows(range(len(self.boxes)))] or [0.0]),
            pictured=(*taken, *(figure.box for figure in figures)),
            gutters=tuple(gutters),
        )
        for found in texts:
            found.kind = corrected(found, page)
        unowned = _with_labels(figures, self.rows(free), page)
        running, rest = columns(texts, unowned, page)
        edges = homes([column.rows for column in running], page)
        parted = [draft for column in running for draft in column.drafts()]
        drafts = [
            *(_whole(found) for found in figures),
            *(_whole(found) for found in texts if found.rows and not found.runs),
            *with_lists(parted, edges, page),
        ]
        solids = [*page.pictured, *(draft.box for draft in drafts)]
        return placed(drafts, loose(rest, solids, frames), [*taken, *frames], page)

    def row(self, places: Sequence[int]) -> Row:
        """The row made of the lines at these places."""
        return Row.of(
            tuple(self.indexes[place] for place in places),
            tuple(self.lines[self.indexes[place]] for place in places),
            tuple(self.boxes[place] for place in places),
        )

    def rows(self, places: Sequence[int]) -> list[Row]:
        """The lines at these places, row by row."""
        return [self.row([place]) for place in places]

    def _is_picture(self, box: Box) -> bool:
        inside = [
            place
            for place, b in enumerate(self.boxes)
            if b[1] <= box[3] and b[3] >= box[1] and intersection_area(b, box) >= area(b) / 2
        ]
        # A curve read as a letter is not one.
        drawn = STROKE * median([box[3] - box[1] for box in self.boxes] or [0.0])
        inside = [
            place for place in inside if self.boxes[place][3] - self.boxes[place][1] < drawn
        ]
        letters = sum(len(self.lines[self.indexes[place]].text) for place in inside)
        every = max(1, sum(len(line.text) for line in self.lines))
        return is_picture(box, [self.boxes[p] for p in inside], self.size, letters / every)


_DRAWN = Area(label="", kind="figure", polygon=())


def _spans_columns(rows: Sequence[Row], gutters: Sequence[Box]) -> bool:
    """Whether an area's rows are in columns: then the area does not describe them."""
    if any(parts(gutter, [row.box for row in rows]) for gutter in gutters):
        return True
    cut = segments([row.box for row in rows])
    beside = sum(len(row) > 1 for segment in cut for row in segment.rows if segment.gutters)
    turns = sum(
        rows[after.rows[0][0]].box[1] < rows[before.rows[-1][0]].box[1]
        for before, after in itertools.pairwise(cut)
    )
    return beside >= SIDE_BY_SIDE or turns > 0


def _whole(found: AreaInWork) -> Draft:
    """An area as one block; a figure's box is the area's, a text's is its rows'."""
    solid = found.kind in PICTURED
    return Draft(
        kind=found.kind,
        rows=tuple(in_rows(found.rows)),
        area=found.box if solid else None,
        label=found.area.label or None,
        confidence=found.area.confidence,
        model_order=found.area.order,
    )


def _is_inside(box: Box, others: Sequence[Box]) -> bool:
    return any(intersection_area(box, each) > INSIDE * area(box) for each in others)


def _with_labels(figures: Sequence[AreaInWork], free: list[Row], page: Page) -> list[Row]:
    """Gives figures the short rows right above and below them; returns the other rows.

    The model leaves out legends and axis names.
    """
    left = sorted(free, key=lambda row: row.box[1])
    for found in (figure for figure in figures if figure.area is _DRAWN):
        named = set(labels_of(found.box, left))
        found.rows += [row for place, row in enumerate(left) if place in named]
        found.box = union([found.box, *(row.box for row in found.rows)])
        left = [row for place, row in enumerate(left) if place not in named]
    for found in figures:
        for _ in ("down", "up"):
            kept = []
            for row in left:
                if _labels(row, found, page):
                    found.rows.append(row)
                    found.box = union([found.box, row.box])
                else:
                    kept.append(row)
            left = kept[::-1]
    return left


def _labels(row: Row, found: AreaInWork, page: Page) -> bool:
    x0, y0, x1, y1 = found.box
    gap = max(row.box[1] - y1, y0 - row.box[3])
    within = row.box[0] > x0 - page.line and row.box[2] < x1 + page.line
    short = row.box[2] - row.box[0] < LABEL * (x1 - x0)
    return within and short and gap < page.line / 2 and not CAPTION.match(row.text)


def _owner(line: Box, outers: Sequence[Box]) -> int | None:
    """The area a line belongs to: of nested areas, the inner.

    The model's boxes are rough, so an inner one that covers nearly as much is preferred.
    """
    owner = covering(line, outers)
    if owner is None:
        return None
    least = max(INNER * intersection_area(line, outers[owner]), area(line) / 2)
    near = [n for n, each in enumerate(outers) if intersection_area(line, each) > least]
    return min(near, key=lambda n: area(outers[n]), default=owner)


def _straddled(box: Box, figures: Sequence[Box]) -> int | None:
    """The figure whose edge is crossed by a line that no area covers."""
    shares = [intersection_area(box, each) for each in figures]
    best = max(range(len(shares)), key=shares.__getitem__, default=None)
    return best if best is not None and shares[best] > ASTRIDE * area(box) else None


def _without_doubles(areas: Sequence[AreaInWork]) -> list[AreaInWork]:
    """The areas, by decreasing confidence; of two in one place the more confident."""
    kept: list[AreaInWork] = []
    for found in sorted(areas, key=lambda each: -(each.area.confidence or 0.0)):
        if not any(_same(found.box, each.box) for each in kept):
            kept.append(found)
    return kept


def _same(a: Box, b: Box) -> bool:
    shared = intersection_area(a, b)
    return shared > SAME * (area(a) + area(b) - shared)
