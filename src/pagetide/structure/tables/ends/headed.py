"""Lines above a table's first row that are headers, and below its last that are rows."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from pagetide.geometry import Box
from pagetide.structure.tables.baseline import OVERLAP, is_number
from pagetide.structure.tables.ends.edge_lines import Edge, Features
from pagetide.structure.tables.ends.edge_weights import WEIGHTS
from pagetide.structure.tables.ends.flipped import flipped, flipped_box, flipped_rules
from pagetide.structure.tables.grids.columns import BEFORE
from pagetide.structure.tables.line_words import Words, inside_of
from pagetide.structure.tables.pieces import Piece, baselines, has_figures
from pagetide.structure.tables.ruled.frames import Stroke, clipped

Row = Sequence[Piece]

HEADS, FEET = 0, 1  # indexes into the weights
NONE = (0.0, 0.0)
TITLE = 1.5  # times the height of the table's letters
LARGER = 1.12  # times the height of headers: a title right above them
MOSTLY = 0.6  # of the pieces after a table's first column
MOST = 0.8  # of the columns have a name above them
LEVEL = 0.4  # line heights between the left edges of names and of values below
FAR = 1.5  # line heights: no header is higher above its table
FAR_ON_RULE = 2.2  # a header right on a rule with space below it
FAR_SUMS = 2.0  # the same with sums of several columns below it
AS_FAR = 1.2  # of the row distance: one more row is no farther below
AS_WIDE = 0.9  # of a table's width: a rule above that separates it from everything above
MOST_LINES = 40.0  # line heights beyond a table that are examined
HEADS_BEYOND = 3  # lines among which headers may be above a section name
SUM = 2  # texts of a sum: its name and its figure
BETWEEN = 1.5  # line heights between texts in separate columns
OF_CELL = 0.4  # line heights between the lines of a cell


def headed(box: Box, words: Words, line: float, across: Sequence[Stroke]) -> Box:
    """A table's box extended by its headers: lines right above that the fit accepts.

    Args:
        box: From its first rule, or its first row.
        words: Those that may be its headers or inside it.
        line: The page's typical line height.
        across: The page's horizontal rules.
    """
    return grown(box, words, line, across, HEADS)


def footed(box: Box, words: Words, line: float, across: Sequence[Stroke]) -> Box:
    """A table's box extended by rows right below, such as a sum below its last rule.

    Same arguments as `headed`.
    """
    across = flipped_rules(across)
    return flipped_box(grown(flipped_box(box), flipped(words), line, across, FEET))


def grown(box: Box, words: Words, line: float, across: Sequence[Stroke], kind: int) -> Box:
    """A box extended by lines above its upper edge that are headers (or rows) of its table."""
    edge = Edge.of(box, words, line, across)
    rows = lines_above(box, words, line) if edge else []
    outside = _heights_outside(box, words, line) if rows else []
    for place, row in enumerate(rows):
        if edge is None:
            break
        beyond = rows[place + 1 : place + 1 + HEADS_BEYOND]
        features = edge.features(row, next(iter(beyond), None))
        is_other = (_is_title, _is_other_row)[kind](edge, row, beyond, features)
        is_other |= _is_named_outside(edge, row, outside)
        is_row = "like_rows" in features or _fills_columns(features)
        is_row |= _names_columns(features) if kind == HEADS else _is_total(edge, row)
        are_heads = kind == HEADS and _are_heads(edge, row, features)
        is_row = (is_row and _is_near(edge, features)) or are_heads
        if kind == FEET and edge.goes_on_in(row):
            edge = edge.beyond(row)
            continue
        if kind == FEET and _are_sums(edge, row, beyond, features):
            is_other, is_row = False, True
        if is_other or not (is_row or is_of_table(features, kind)):
            break
        is_below_heads = kind == FEET and not edge.figures
        edge = (edge.with_pitch_to(row) if is_below_heads else edge).beyond(row)
    return edge.box if edge else box


def _fills_columns(features: Features) -> bool:
    """Whether a line has a text in each column, aligned with those of the rows."""
    return features.get("level", 0.0) == 1.0 and features.get("full", 0.0) >= 1.0


def _are_heads(edge: Edge, row: Row, features: Features) -> bool:
    """Whether a line names each of several columns, on a rule, near enough for headers."""
    named = not any(has_figures(piece.text) for piece in row)
    farthest = FAR_ON_RULE if "on_rule" in features else FAR
    on_rule = "ruled_below" in features and features.get("gap", 0.0) <= farthest
    several = max(len(edge.columns), len(row)) > 2
    return named and on_rule and several and _is_over_all(edge, row, features)


def _is_over_all(edge: Edge, row: Row, features: Features) -> bool:
    """Whether a line covers each column; some of its names may be set close together."""
    over = {column for piece in row for column in edge.met(piece)}
    ends = abs(row[-1].x1 - edge.columns[-1][1]) < LEVEL * edge.line
    close = len(row) > 1 and ends and len(over) == len(edge.columns)
    return close or (_fills_columns(features) and len(row) > 2)


def _heights_outside(box: Box, words: Words, line: float) -> list[float]:
    """The vertical positions of the words left of a box, in order."""
    left = box[0] - line / 2
    return sorted(word.middle for own in words for word in own if word.x1 < left)


def _is_named_outside(edge: Edge, row: Row, outside: Sequence[float]) -> bool:
    """Whether figures in the last column alone have their name left of the box."""
    if len(row) > 1 or edge.met(row[0]) != [len(edge.columns) - 1] or len(edge.columns) < 2:
        return False
    near, at = edge.line / 8, row[0].middle
    level = bisect_left(outside, at + near) > bisect_right(outside, at - near)
    return level and is_number(row[0].text)


def _is_total(edge: Edge, row: Row) -> bool:
    """Whether a line has a name where the rows' text starts, and a figure where it ends."""
    begins = abs(row[0].x0 - edge.columns[0][0]) < LEVEL * edge.line
    ends = edge.ends_level(row[-1])
    return len(row) == 2 and begins and ends and is_number(row[-1].text)


def _are_sums(edge: Edge, row: Row, beyond: Sequence[Row], features: Features) -> bool:
    """Whether a line below is a name and figures up to the table's end, each in a column.

    A single figure must be right below a rule, or aligned with a column as its name is, with
    nothing near below: several such lines may be a separate table. Below a sum from side to
    side there may be a text.
    """
    name, *figures = row
    if not figures or is_number(name.text) or features.get("gap", 0.0) > FAR_SUMS:
        return False
    near, end = LEVEL * edge.line, edge.columns[-1][1]
    ends = edge.ends_level(row[-1]) or end < row[-1].x0 < row[-1].x1 < edge.box[2] + near
    within = all(is_number(piece.text) and len(edge.met(piece)) < 2 for piece in figures)
    if len(figures) > 1:
        return ends and within
    rest = max((piece.y1 for piece in beyond[0]), default=-math.inf) if beyond else -math.inf
    alone = row[0].y0 - rest > FAR * edge.line or (  # everything describes the upper edge
        "ruled_first" in features and len(beyond[0]) == 1 and _is_total(edge, row)
    )
    is_ruled = ends and "ruled_below" in features
    in_line = features.get("level", 0.0) == 1.0 and is_number(row[-1].text)
    return within and alone and (is_ruled or in_line)


def _names_columns(features: Features) -> bool:
    """Whether a line has names over most figure columns, aligned with them."""
    filled = min(features.get("level", 0.0), features.get("full", 0.0)) >= MOST
    return filled and features.get("amounts", 0.0) >= MOSTLY and "figures" not in features


def _is_title(edge: Edge, row: Row, beyond: Sequence[Row], features: Features) -> bool:
    """Whether a line above is a title, a page header, or names beside their values.

    A lone piece over the first column, set apart, is a title, or below headers a section name.
    """
    large = max(piece.y1 - piece.y0 for piece in row) > TITLE * edge.height
    far = features.get("gap", 0.0) > FAR and not _are_heads(edge, row, features)
    if large or far or "page" in features or "pairs" in features:
        return True
    met = edge.met(row[0])
    runs_on = 0 in met and len(met) > 1
    is_apart = "tight" not in features and not _has_heads(row, beyond, edge.line)
    is_other = runs_on or is_apart or _stands_otherwise(edge, row[0])
    return len(row) == 1 and 0 in met and is_other


def _stands_otherwise(edge: Edge, name: Piece) -> bool:
    """Whether a name above headers is larger than the first, or not aligned with it.

    One that overlaps them in height is beside them: a line of a header with more lines.
    """
    first = min(edge.last, key=lambda piece: piece.x0)
    is_beside = name.y1 - edge.top > OVERLAP * (name.y1 - name.y0)
    figures = any(has_figures(piece.text) for piece in edge.last)
    if len(edge.last) < 2 or figures or is_beside:
        return False
    off = (first.x0 - name.x0, first.x1 - name.x1, first.center - name.center)
    is_level = min(map(abs, off)) < LEVEL * edge.line
    return not is_level or name.y1 - name.y0 > LARGER * (first.y1 - first.y0)


def _has_heads(row: Row, beyond: Sequence[Row], line: float) -> bool:
    """Whether a row of several pieces is above a row, no farther than headers are."""
    for above in beyond:
        if min(piece.y0 for piece in row) - max(piece.y1 for piece in above) > FAR * line:
            return False
        if len(above) > 1:
            return True
        row = above
    return False


def _is_other_row(edge: Edge, row: Row, beyond: Sequence[Row], features: Features) -> bool:
    """Whether a line below is not part of the table.

    It is far below, has more pieces, or only names below figures, or is alone below a rule.
    """
    gap = features.get("gap", 0.0)
    near = _is_near(edge, features) or ("ruled_below" in features and gap <= FAR)
    texts = [piece for piece in row if piece.text not in BEFORE]
    if (
        not near
        or len(texts) > len(edge.columns) + 1
        or (beyond and _are_over_values(row, beyond[0], edge.line))
        or any(_has_columns_within(edge, each) for each in (row, *beyond[: len(row) > SUM]))
    ):
        return True
    names = len(row) > 1 and not any(is_number(piece.text) for piece in row)
    if names and edge.figures > MOSTLY:
        return True
    ends = len(edge.columns) - 1 in edge.met(row[-1]) or _is_sum(row, features)
    return "ruled_first" in features and (len(row) == 1 or not ends)


def _has_columns_within(edge: Edge, row: Row) -> bool:
    """Whether texts are set apart inside one column of the rows, beside a sum at most.

    They belong to another table.
    """
    for left, right in pairwise(row):
        met = edge.met(left)
        if len(met) == 1 and met == edge.met(right) and edge.columns[met[0] + 1 :]:
            others = sum(piece.x0 >= edge.columns[met[0] + 1][0] for piece in row)
            if right.x0 - left.x1 > BETWEEN * edge.line and others <= SUM:
                return True
    return False


def _is_sum(row: Row, features: Features) -> bool:
    """Whether a line has a name and a figure right-aligned with those of a column above."""
    return len(row) > 1 and is_number(row[-1].text) and features.get("level", 0.0) == 1.0


def _is_near(edge: Edge, features: Features) -> bool:
    """Whether a line is no farther away than rows are from one another."""
    gap = features.get("gap", 0.0)
    as_rules_leave = gap <= FAR and gap * edge.line <= AS_FAR * edge.room
    return as_rules_leave or features.get("in_pitches", 0.0) <= AS_FAR


def _are_over_values(names: Row, row: Row, line: float) -> bool:
    """Whether names start where figures right below them do."""
    named = not any(has_figures(piece.text) for piece in names)
    named = named and all(has_figures(piece.text) for piece in row)
    level = all(abs(a.x0 - b.x0) < LEVEL * line for a, b in zip(names, row, strict=False))
    near = max(p.y0 for p in names) - min(p.y1 for p in row) <= line
    return len(names) == len(row) > 1 and named and level and near


def is_of_table(features: Features, kind: int) -> bool:
    """Whether a line right above a table is a header, or right below one of its rows."""
    return sum(WEIGHTS.get(name, NONE)[kind] * value for name, value in features.items()) > 0


def below_rule(box: Box, words: Words, line: float, across: Sequence[Stroke]) -> Words:
    """The words not separated from a box by an equally wide rule high above its first."""
    x0, y0, x1, _ = box
    wide = clipped(across, (-math.inf, y0 - line / 2), (x0, x1))
    ends = [rule.at for rule in wide if rule.end - rule.start >= AS_WIDE * (x1 - x0)]
    ceiling = max(ends, default=-math.inf)
    return [of_line.between(ceiling, math.inf) for of_line in words]


def lines_above(box: Box, words: Words, line: float) -> list[list[Piece]]:
    """The lines above a box, within its sides, from the lowest."""
    x0, y0, x1, _ = box
    rows = baselines(
        chunk
        for of_line in words
        for chunk in of_line.between(y0 - MOST_LINES * line, y0).phrases
        if chunk.x1 > x0 - line / 2 and chunk.x0 < x1 + line / 2
    )
    return rows[::-1]


def between_rows(box: Box, words: Words, line: float) -> list[float]:
    """Where space is left between rows of a box whose cells may have several lines."""
    rows = baselines(c for of in inside_of(box, words, line) for c in of.phrases)
    edges = [(min(p.y0 for p in row), max(p.y1 for p in row)) for row in rows]
    return [
        (bottom + top) / 2
        for (_, bottom), (top, _) in pairwise(edges)
        if top - bottom > OF_CELL * line
    ]
