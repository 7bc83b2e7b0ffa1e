"""Where tables stand on a page: in frames, in areas a model named, and in columns of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from pagetide.document import Line, Table
from pagetide.geometry import Box, area, box_of, intersection_area, union
from pagetide.layout import Area, Drawn
from pagetide.structure.tables.build import built
from pagetide.structure.tables.combs import without_combs
from pagetide.structure.tables.field_boxes import field_boxes, has_names
from pagetide.structure.tables.frames import (
    MOST_RULES,
    Frame,
    Stroke,
    beside_text,
    clipped,
    frames_of,
    is_lattice,
    is_plain,
    row_pitch,
    shade_pitch,
    strokes_of,
)
from pagetide.structure.tables.headed import between_rows, footed, headed
from pagetide.structure.tables.items import ItemTable, has_more_above, item_tables
from pagetide.structure.tables.judge import density, is_form, is_table
from pagetide.structure.tables.labelled import labelled_boxes
from pagetide.structure.tables.model_cells import cells_filled
from pagetide.structure.tables.parted import parted
from pagetide.structure.tables.pieces import (
    Piece,
    Words,
    baselines,
    chunks_of,
    inside_of,
    line_height,
    words_of,
)
from pagetide.structure.tables.stacks import (
    begins_with_head,
    by_height,
    repeated_heads,
    stacked,
)
from pagetide.structure.tables.titles import without_titles
from pagetide.structure.tables.unruled import are_prose, below_caption, unruled_boxes
from pagetide.structure.tables.whole import has_no_margins, in_columns, is_all, is_page

MOST_LINES = 5000  # a page with more is not looked at: no person reads it
MOST_WORDS = 20_000
SHARED = 0.5  # of the smaller box: tables that share more are one table seen twice
LARGE_HINT = 0.4  # of the area of the page's text
SHEET = 0.7  # of the page: a frame as large, without rules in it, is its edges
FIELDS = 2  # rows of a form's fields, among which no columns of text are a table
RULES = 3  # across: of a table with a head
AS_DENSE = 0.75  # an outer table is kept if it is filled so well as those inside it
ROW_TEXT = 0.7  # line heights of a row that its text takes, less than all of it
HEAD_ROOM = 0.5, 1.5  # line heights between a head and the first rule: as in the rows below
NEXT_ROW = 5.0  # line heights to a rule that ends one more row: a page's foot is farther
FAINTEST = 0.25  # page pixels: programs draw the edges of shades thinner than any rule
BESIDE = 1.5  # line heights from a ruled head to the rows below it, at most


@dataclass(frozen=True)
class FoundTable:
    """A table, its box and the words that its cells hold.

    Its cells' polygons are upright, as the box and the words are.
    """

    box: Box
    table: Table
    held: Words = ()


def find_tables(
    lines: Sequence[Line],
    boxes: Sequence[Box],
    drawn: Drawn,
    areas: Sequence[Area],
    width: float,
    height: float,
) -> list[FoundTable]:
    """The tables on a page, from the top.

    What a table model saw (`Area.table`) is taken as it is and filled; an area of kind
    `table` where neither rules nor columns show one is laid out by its text. A page with
    more than 5000 lines, 20 000 words or 1000 rules is not looked at: it has no tables.

    Args:
        lines: The text, upright or as it stands on the page.
        boxes: The same lines, turned upright.
        drawn: Upright.
        areas: Upright, their tables' cells too.
        width: The page's, in pixels.
        height: Likewise.

    Returns:
        Tables whose cells' `line_indexes` are places in `lines`. A word is in one cell of one
        table at most; a line, of which each table has some words, in one cell of each.
    """
    if not lines or len(lines) > MOST_LINES:
        return []
    page = _Page(lines, boxes, drawn, sheet=width * height)
    if not page.looked_at:
        return []
    found: list[FoundTable] = []
    if not any(each.table for each in areas) and (whole := page.whole(width, height)):
        return [whole]
    for each in areas:
        if each.table is not None and each.table.cells:
            found.append(page.seen(box_of(each.polygon), each.table, found))
    found = page.with_ruled(found)
    hints = [box_of(each.polygon) for each in areas if each.kind == "table"]
    found = page.with_hinted(found, hints)
    found = page.with_items(page.with_unruled(found), ruled=found)
    found = page.with_labelled(found)
    return sorted(found, key=lambda each: (each.box[1], each.box[0]))


def are_searched(lines: Sequence[Line], drawn: Drawn) -> bool:
    """Whether a page has few enough lines, words and rules to be searched for tables."""
    return (
        len(lines) <= MOST_LINES
        and len(drawn.rules) <= MOST_RULES
        and sum(len(line.words) for line in lines) <= MOST_WORDS
        and not drawn.too_many
    )


def table_of_area(
    lines: Sequence[Line], boxes: Sequence[Box], drawn: Drawn, box: Box
) -> Table | None:
    """The table that fills a box, such as a picture of nothing else.

    Takes what `find_tables` takes.

    Returns:
        None where the box holds no text, or not two cells.
    """
    if not lines or len(lines) > MOST_LINES:
        return None
    page = _Page(lines, boxes, drawn)
    if not page.looked_at:
        return None
    found = page.build(box, page.words)
    return None if found is None else found.table


class _Page:
    """A page's words and rules, upright; `sheet` is its area, 0 where it does not matter."""

    def __init__(
        self, lines: Sequence[Line], boxes: Sequence[Box], drawn: Drawn, *, sheet: float = 0.0
    ) -> None:
        self.lines, self.sheet = lines, sheet
        self.line = line_height(boxes)
        self.words = words_of(lines, boxes)
        self.text_box = union(boxes)
        strokes = strokes_of(drawn.rules, self.line)
        self.looked_at = strokes is not None and sum(map(len, self.words)) <= MOST_WORDS
        across, down = strokes or ([], [])
        down = without_combs(down, self.words, self.line)
        across = beside_text(across, (w[1:5] for of in self.words for w in of))
        self.across, self.down = without_titles(
            across, down, drawn.fills, self.words, self.line
        )

    @cached_property
    def ordered(self) -> Words:
        """The lines that have words, from the top."""
        return by_height(self.words)

    @cached_property
    def frames(self) -> list[Frame]:
        """Rules that meet, and rules by themselves."""
        return frames_of(self.across, self.down, self.line)

    @cached_property
    def fields(self) -> list[float]:
        """The heights of a form's fields that stand level, each with its name."""
        across = [stroke for stroke in self.across if stroke.thickness > 0]
        down = [stroke for stroke in self.down if stroke.thickness > 0]
        boxes = [word[1:5] for of_line in self.words for word in of_line]
        rows = field_boxes(frames_of(across, down, self.line), boxes, self.line)
        return [row[0][3] for row in rows if has_names(row, self.words, self.line)]

    def build(self, box: Box, words: Words) -> FoundTable | None:
        """The table in a box, of the rules and words inside."""
        near = self.line / 2
        across = clipped(self.across, (box[1] - near, box[3] + near), (box[0], box[2]))
        down = clipped(self.down, (box[0] - near, box[2] + near), (box[1], box[3]))
        return self._built(box, across, down, words)

    def _built(
        self,
        box: Box,
        across: Sequence[Stroke],
        down: Sequence[Stroke],
        words: Words,
        *,
        has_rows: bool = False,
    ) -> FoundTable | None:
        inside = inside_of(box, words, self.line)
        table = built(box, across, down, inside, self.lines, self.line, has_rows=has_rows)
        return None if table is None else FoundTable(box, table, inside)

    def seen(self, box: Box, table: Table, found: Sequence[FoundTable]) -> FoundTable:
        """A table as a model saw it, with the words that no other has."""
        inside = inside_of(box, self._left(found), self.line)
        held = inside if any(cell.polygon for cell in table.cells) else []
        return FoundTable(box, cells_filled(table, held, self.lines), held)

    def whole(self, width: float, height: float) -> FoundTable | None:
        """The table of a picture of nothing else: its text reaches to all four edges."""
        if not has_no_margins(self.text_box, self.words, self.line, (width, height)):
            return None
        rows = baselines(chunk for of_line in self.words for chunk in chunks_of(of_line))
        grids = [f for f in self.frames if len(f.down) >= RULES and len(f.across) > RULES]
        closed = [each.box for frame in grids if (each := self._framed(frame, self.words))]
        ruled = [each.box for each in self.with_ruled([])]
        if is_page(closed, [] if self._go_on(ruled) else ruled, rows):
            return None
        x0, y0 = min(self.text_box[0], 0.0), min(self.text_box[1], 0.0)
        top, bottom = in_columns(rows)
        box = (x0, y0 if top is None else top, width, height if bottom is None else bottom)
        found = self.build(box, self.words)
        return found if found and is_all(found.table) else None

    def _go_on(self, boxes: Sequence[Box]) -> bool:
        """Whether a rule above or below a box is as wide as it: one more row of its table."""
        near = self.line
        return any(
            abs(rule.start - x0) < near
            and abs(rule.end - x1) < near
            and not any(top - near < rule.at < bottom + near for _, top, _, bottom in boxes)
            and max(y0 - rule.at, rule.at - y1) < NEXT_ROW * self.line
            for x0, y0, x1, y1 in boxes
            for rule in self.across
        )

    def with_ruled(self, found: list[FoundTable]) -> list[FoundTable]:
        """With tables in frames of rules; of frames in frames, the ones that are tables."""
        candidates = []
        left, whole = self._left(found), stacked(self.frames, self.words, self.line)
        for frame in (part for each in whole for part in parted(each, self.words, self.line)):
            is_large = area(frame.box) > SHEET * self.sheet
            if self.sheet and is_large and len(frame.across) < RULES:
                continue  # the sheet's own edges, on a photograph
            each = self._framed(frame, left)
            if each and not _shares(each.box, found):
                candidates.append((each, frame))
        candidates.sort(key=lambda each: -area(each[0].box))
        kept: list[FoundTable] = []
        for place, (each, frame) in enumerate(candidates):
            if _shares(each.box, kept):
                continue
            smaller = [o for o, _ in candidates[place + 1 :] if _shares(o.box, [each])]
            best = max((density(o.table) for o in smaller), default=0.0)
            plain = is_plain(frame, self.line)
            if not smaller or (not plain and density(each.table) >= AS_DENSE * best):
                if not _words_of([each]).isdisjoint(_words_of(kept)):
                    each = self._framed(frame, self._left([*found, *kept]))
                kept += [each] if each else []
        return [*found, *kept]

    def _framed(self, frame: Frame, words: Words) -> FoundTable | None:
        """The table in a frame, if it is one."""
        pitch, is_ruled = shade_pitch(frame), len(frame.down) > 2
        is_open = sum(stroke.thickness > 0 for stroke in frame.down) <= 2
        room = is_open * row_pitch(frame) / self.line - ROW_TEXT
        near = min(max(HEAD_ROOM[0], room), HEAD_ROOM[1])
        box, across = _within_rules(frame, self.line), list(frame.across)
        if pitch or not begins_with_head(frame, self.ordered):
            box = headed(box, words, self.line, near=near)
        if pitch or (across and across[-1].thickness == 0):
            box = footed(box, words, self.line, near=near)
        if pitch:
            above = (*box[:3], frame.box[1])
            places = between_rows(above, words, self.line)
            across = [*(Stroke(at, box[0], box[2], 0.0) for at in places), *across]
        found = self._built(box, across, frame.down, words)
        if found and is_lattice(frame) and is_form(found.table):
            return found
        if found is None or not is_table(found.table, ruled=is_ruled):
            return None
        is_closed = is_ruled and len(frame.across) > 2
        return None if not is_closed and are_prose(found.table, found.held) else found

    def with_hinted(self, found: list[FoundTable], hints: Iterable[Box]) -> list[FoundTable]:
        """With tables where a layout model saw one and no rules did."""
        for hint in hints:
            box = below_caption(hint, self.words, self.line)
            if _shares(box, found) or not self._bears_out(box):
                continue
            table = self.build(box, self._left(found))
            if (
                table
                and is_table(table.table, ruled=True)
                and not are_prose(table.table, table.held)
            ):
                found = [*found, table]
        return found

    def _bears_out(self, box: Box) -> bool:
        """Whether an area said to be a table is small, or rules or columns show one too.

        A layout model takes pages of an index or of formulas for one large table.
        """
        if area(box) < LARGE_HINT * area(self.text_box):
            return True
        across = clipped(self.across, (box[1], box[3]), (box[0], box[2]))
        columns = unruled_boxes(inside_of(box, self.words, self.line))
        return len(across) >= RULES or sum(map(area, columns)) > area(box) / 2

    def with_unruled(self, found: list[FoundTable]) -> list[FoundTable]:
        """With tables that stand in columns, and the rows below a ruled head."""
        for box in self._parted(unruled_boxes(self._left(found))):
            if sum(box[1] <= y <= box[3] for y in self.fields) >= FIELDS:
                continue
            above = next((each for each in found if self._goes_on(each.box, box)), None)
            if above is not None:
                both = union([above.box, box])
                others = [each for each in found if each is not above]
                apart = not _shares(both, others)
                whole = self.build(both, self._left(others)) if apart else None
                if whole and whole.table.columns <= above.table.columns + 1:
                    found = [whole if each is above else each for each in found]
                    continue
            left = self._left(found)
            table = self.build(headed(box, left, self.line, near=1.25), left)
            if table and is_table(table.table, ruled=False):
                found = [*found, table]
        return found

    def with_labelled(self, found: list[FoundTable]) -> list[FoundTable]:
        """With rows of names that have their values below them."""
        left = self._left(found)
        built = (self.build(box, left) for box in labelled_boxes(left, self.line))
        return [*found, *(each for each in built if each and not _shares(each.box, found))]

    def with_items(
        self, found: list[FoundTable], ruled: Sequence[FoundTable]
    ) -> list[FoundTable]:
        """With tables of items in the place of what was seen of them.

        Args:
            found: So far.
            ruled: Those of them that rules, or a model, showed.
        """
        rules = [stroke.at for stroke in self.across]
        for items in item_tables(self.words, self.line, rules):
            box = items.box
            parts = [each for each in found if _covered(each.box, box) > SHARED]
            others = [each for each in found if each not in parts]
            within = any(_covered(box, each.box) > 1 - SHARED for each in others)
            if within and not self._begin_anew(items):
                continue
            alone = len(parts) == 1
            seen = [
                each
                for each in parts
                if each in ruled and self._has_heads(each, items, alone=alone)
            ]
            if any(not _goes_on_in(parts, each) for each in seen):
                continue
            others = [
                cut
                for each in others
                if (cut := self._above(each, box, is_ruled=each in ruled))
            ]
            whole = self._of_items(items, self._left(others))
            if whole and is_table(whole.table, ruled=True):
                found = [*others, whole]
        return found

    def _begin_anew(self, items: ItemTable) -> bool:
        """Whether heads stand far below what is above them, on a rule of their own."""
        x0, top, x1, _ = items.box
        above = [
            word.y1
            for of_line in self.words
            for word in of_line
            if word.middle < top and x0 <= word.center <= x1
        ]
        far = top - max(above, default=top) > HEAD_ROOM[1] * self.line
        return far and self._is_ruled_off((x0, top, x1, items.rows[0]))

    def _above(self, found: FoundTable, items: Box, *, is_ruled: bool) -> FoundTable | None:
        """A table without the heads of the items below it; None where no table is left."""
        x0, y0, x1, y1 = found.box
        top, near = items[1], self.line / 2
        if not (y0 < top - near and top + near < y1 and x0 < items[2] and items[0] < x1):
            return found
        held = inside_of((x0, y0, x1, top), found.held, self.line)
        box = (x0, y0, x1, top) if is_ruled else next(iter(unruled_boxes(held)), None)
        cut = box and self.build(box, held)
        return cut if cut and is_table(cut.table, ruled=True) else None

    def _has_heads(self, seen: FoundTable, items: ItemTable, *, alone: bool) -> bool:
        """Whether a table has the heads of items, and nothing more to gain from these.

        Args:
            seen: As it was found by rules or columns.
            items: Around it.
            alone: Whether no other table was found in the place of these.
        """
        x0, y0, x1, y1 = seen.box
        if items.box[1] < y0 - self.line / 2:
            return False
        more = has_more_above((x0, y0, x1, items.box[1]), self.words)
        is_open = alone and x0 - self.line < items.box[0] and items.box[2] < x1 + self.line
        goes_on = is_open and y1 < items.last and not self._is_ruled_off(seen.box)
        parts_more = is_open and seen.table.columns < items.filled
        return not (more or y1 < items.rows[0] + self.line or goes_on or parts_more)

    def _is_ruled_off(self, box: Box) -> bool:
        """Whether a rule is drawn below a box; below a table's last shade a row may follow."""
        x0, _, x1, y1 = box
        near = self.line / 2
        rules = clipped(self.across, (y1 - near, y1 + near), (x0, x1))
        return any(rule.thickness > FAINTEST for rule in rules)

    def _of_items(self, items: ItemTable, words: Words) -> FoundTable | None:
        """The table of items; its heads part the columns where nothing else does."""
        x0, y0, x1, y1 = items.box
        across = [Stroke(at, x0, x1, 0.0) for at in items.rows]
        whole = self._built(items.box, across, [], words, has_rows=True)
        if whole and whole.table.columns > len(items.columns):
            return whole
        down = [Stroke(at, y0, y1, 0.0) for at in items.columns]
        return self._built(items.box, across, down, words, has_rows=True)

    def _parted(self, boxes: Iterable[Box]) -> Iterator[Box]:
        """The boxes, parted where one head stands again: what is above it names the next."""
        tops = repeated_heads(self.frames, self.ordered)
        for x0, y0, x1, y1 in boxes:
            within = [top for top in tops if y0 + self.line < top < y1]
            if not within:
                yield (x0, y0, x1, y1)
                continue
            for top, bottom in pairwise([y0, *within, y1]):
                rows = baselines(
                    chunk
                    for of_line in inside_of((x0, top, x1, bottom), self.words, self.line)
                    for chunk in chunks_of(of_line)
                )
                while bottom != y1 and rows and len(rows[-1]) == 1:
                    rows.pop()
                if rows:
                    low = bottom if bottom == y1 else max(piece.y1 for piece in rows[-1])
                    yield (x0, top, x1, low)

    def _goes_on(self, head: Box, box: Box) -> bool:
        """Whether a box stands right below a table, as wide as it."""
        gap = box[1] - head[3]
        shared = min(head[2], box[2]) - max(head[0], box[0])
        wide = max(head[2], box[2]) - min(head[0], box[0])
        return -self.line / 2 <= gap <= BESIDE * self.line and shared >= 0.8 * wide

    def _left(self, found: Sequence[FoundTable]) -> list[list[Piece]]:
        """The words that no table has yet."""
        taken = _words_of(found)
        if not taken:
            return self.words
        return [[w for w in of if (w.line, w.place) not in taken] for of in self.words]


def _within_rules(frame: Frame, line: float) -> Box:
    """A frame's box; rules down that stick out less than a line's height do not make it larger.

    On a picture they run into letters above and below.
    """
    x0, y0, x1, y1 = frame.box
    if frame.across:
        top, bottom = frame.across[0].at, frame.across[-1].at
        y0 = top if top - y0 < line else y0
        y1 = bottom if y1 - bottom < line else y1
    return (x0, y0, x1, y1)


def _goes_on_in(parts: Iterable[FoundTable], head: FoundTable) -> bool:
    """Whether a part has the columns of the one with the head, or all but one, and no head."""
    return any(
        head.table.columns - 1 <= part.table.columns <= head.table.columns
        and not any(cell.header for cell in part.table.cells)
        for part in parts
        if part is not head
    )


def _words_of(found: Iterable[FoundTable]) -> set[tuple[int, int]]:
    """The words that tables have: their lines, and their places in these."""
    return {(w.line, w.place) for each in found for of in each.held for w in of}


def _covered(box: Box, by: Box) -> float:
    """The share of a box that another covers, 0–1."""
    return intersection_area(box, by) / max(area(box), 1e-6)


def _shares(box: Box, found: Iterable[FoundTable]) -> bool:
    return any(
        intersection_area(box, each.box) > SHARED * min(area(box), area(each.box))
        for each in found
    )
