"""Tables that were found as one, split where a title, a header or space starts another.

The split classifier is fitted (`bench.fitted_splits`); the part between two splits is searched
again, as if it were the only text of the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median

from pagetide.geometry import Box, intersection_area, union
from pagetide.structure.tables.ends.headed import headed
from pagetide.structure.tables.ends.split_features import MOST_RULES, Places
from pagetide.structure.tables.ends.split_weights import WEIGHTS
from pagetide.structure.tables.found import FoundTable, words_in
from pagetide.structure.tables.line_words import Words, inside_of
from pagetide.structure.tables.pieces import Piece, baselines
from pagetide.structure.tables.sheet import Sheet

Look = Callable[[Sheet], list[FoundTable]]
Row = Sequence[Piece]

SURE = 0.7
MOST_ROWS = 400  # tables with more are not examined: few pages have as many
HELD = 0.6  # of a part's words: if its tables hold fewer, the part is one table
LEAST_FIRST = 3  # phrases in the first row of a part: its headers
GAP = 0.6  # line heights between two tables side by side
NEAREST = 3.0  # line heights from side-by-side titles to their tables
LARGER = 1.15  # times the height of the rows
ENDS = 0.5  # line heights that a rule may extend into that gap
LEAST_HEADS = 2  # different names side by side, the same on both sides


def split_tables(sheet: Sheet, found: Sequence[FoundTable], look: Look) -> list[FoundTable]:
    """The tables, those that are several split.

    Args:
        sheet: The page.
        found: Its tables.
        look: Finds the tables on a part of the page.
    """
    if len(sheet.across) + len(sheet.down) > MOST_RULES:
        return list(found)
    parts: list[FoundTable] = []
    for place, table in enumerate(found, 1):
        others = [o for o in (*parts, *found[place:]) if intersection_area(o.box, table.box)]
        free = sheet.left([*parts, *found[place - 1 :]])
        parts += _split(sheet.without(others) if others else sheet, table, look, free)
    return parts


def _split(sheet: Sheet, table: FoundTable, look: Look, free: Words) -> list[FoundTable]:
    """The parts of a table.

    Headers of the first part may be among the free words: they were not recognised while the
    columns of two tables were mixed.
    """
    rows = rows_in(sheet, table.box)
    if len(rows) > MOST_ROWS:
        return [table]
    sides = [_box_of(rows, table.box, side) for side in _side_by_side(sheet, rows, table.box)]
    whole = len(sides) < 2
    boxes = [
        part
        for side in sides
        for part in _boxes(sheet, rows if whole else rows_in(sheet, side), side)
    ]
    if len(boxes) < 2:
        return [table]
    boxes[0] = headed(boxes[0], [*free, *table.held], sheet.line, sheet.across)
    tables = [_tables_in(sheet.part(box), box, look) for box in boxes]
    parts = [each for part in tables for each in part]
    held = sum(len(own) for each in parts for own in each.held)
    return parts if all(tables) and held == len(words_in(parts)) else [table]


def rows_in(sheet: Sheet, box: Box) -> list[list[Piece]]:
    """The phrases in a box by baseline, from the top."""
    return baselines(c for own in inside_of(box, sheet.words, sheet.line) for c in own.phrases)


def begins(features: Mapping[str, float]) -> float:
    """The probability, 0–1, that another table starts at a place.

    It is certain where the header of the table above is repeated below a title, and where a
    title with space above it looks like the title of that table.
    """
    if features.get("named alike") and features["apart"]:
        return 1.0
    if features.get("same head") and features.get("title"):
        return 1.0
    total = sum(WEIGHTS.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-min(max(total, -40.0), 40.0)))


def _tables_in(part: Sheet, box: Box, look: Look) -> list[FoundTable]:
    """The tables found in a part searched alone, or the part as one table.

    The latter if most words would be in no table, or if the part's first row would be in none:
    headers that the whole table had.
    """
    tables = look(part)
    held = sum(len(own) for each in tables for own in each.held)
    first = next(iter(part.rows), [])
    has_first = len(first) < LEAST_FIRST or any(t.box[1] < first[0].middle for t in tables)
    if has_first and held >= HELD * sum(map(len, part.words)):
        return tables
    whole = part.build(box, part.words)
    return [whole] if whole else []


def _boxes(sheet: Sheet, rows: Sequence[Row], box: Box) -> list[Box]:
    """The boxes of the parts that the rows are split into, without titles between them."""
    places, parts, begin = Places(sheet, rows, box), list[Box](), 0
    for place, titles in places:
        features = places.features(begin, place, titles)
        if features and begins(features) > SURE:
            parts.append(_box_of(rows[begin:place], box))
            begin = places.titles_end(place, titles)
    return [*parts, _box_of(rows[begin:], box)]


def _box_of(rows: Sequence[Row], box: Box, side: tuple[float, float] | None = None) -> Box:
    """Around rows, as wide as a box or as one side of it."""
    left, right = side or (box[0], box[2])
    own = [piece[1:5] for row in rows for piece in row if left <= piece.center <= right]
    x0, y0, x1, y1 = union(own)
    return (min(x0, left), y0, max(x1, right), y1) if side is None else (x0, y0, x1, y1)


def _side_by_side(
    sheet: Sheet, rows: Sequence[Row], box: Box
) -> Sequence[tuple[float, float] | None]:
    """The horizontal extents of side-by-side tables: a single one if there is only one table.

    Rows of both end at the gap between them, none crosses it, and they have the same headers,
    or each has its title above.
    """
    x0, y0, x1, y1 = box
    near = ENDS * sheet.line
    rules = [s for s in sheet.across if y0 - near < s.at < y1 + near]
    edges = [x0]
    for left, right in _gaps(rows, GAP * sheet.line):
        middle = (left + right) / 2
        ends = any(left - near <= s.end <= middle + near and s.start < left for s in rules)
        begin = any(middle - near <= s.start <= right + near and s.end > right for s in rules)
        crosses = any(s.start < left - near and s.end > right + near for s in rules)
        if not (ends or begin) or crosses:
            continue
        titles = _titles(sheet, rows, box)
        own = [piece.x0 for piece in titles if edges[-1] <= piece.center < middle]
        named = len(own) == 1 and any(abs(piece.x0 - right) < near for piece in titles)
        both = ends and begin
        above = named and titles[0].y1 < y0  # if the first row may be headers, rules decide
        if above or (both and (named or _same_heads(rows, edges[-1], middle))):
            edges.append(middle)
    return [None] if len(edges) < 2 else list(zip(edges, [*edges[1:], x1], strict=True))


def _titles(sheet: Sheet, rows: Sequence[Row], box: Box) -> Row:
    """The line right above rows, or the first of them, if it is bold or in larger letters.

    Each of its phrases covers several columns: headers have more phrases.
    """
    x0, y0, x1, _ = box
    most = max(map(len, rows), default=0) / 2
    usual = median([piece.y1 - piece.y0 for row in rows for piece in row] or [0.0])
    above = [
        inside
        for row in sheet.rows
        if y0 - NEAREST * sheet.line < row[0].middle < y0
        and (inside := [p for p in row if p.x1 > x0 and p.x0 < x1])
    ]
    for row in (*above[-1:], *rows[:1]):
        if len(row) <= most and all(
            sheet.lines[p.line].bold or p.y1 - p.y0 > LARGER * usual for p in row
        ):
            return row
    return ()


def _gaps(rows: Sequence[Row], least: float) -> Iterator[tuple[float, float]]:
    """Gaps that no row of several pieces has text in, from left to right."""
    spans = sorted((p.x0, p.x1) for row in rows if len(row) > 1 for p in row)
    reached = spans[0][1] if spans else 0.0
    for start, end in spans:
        if start - reached > least:
            yield reached, start
        reached = max(reached, end)


def _same_heads(rows: Sequence[Row], left: float, middle: float) -> bool:
    """Whether the same names are left and right of a gap."""
    for row in rows:
        names = [piece.text for piece in row if left <= piece.center < middle]
        others = [piece.text for piece in row if piece.center >= middle][: len(names)]
        lettered = sum(any(map(str.isalpha, name)) for name in names)
        if len(set(names)) >= LEAST_HEADS and len(names) == lettered and names == others:
            return True
    return False
