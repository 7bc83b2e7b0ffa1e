"""Joins lines of a table's text into rows; a fitted model decides which lines continue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product

from pagetide.structure.tables.baseline import UNIT, Baseline, columns_of, is_amount, is_number
from pagetide.structure.tables.grids.columns import BEFORE, SIGNS
from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.pieces import Piece
from pagetide.structure.tables.rows.features import Band, figure_columns
from pagetide.structure.tables.rows.gaps import bridges, lies_across, rows_by_room
from pagetide.structure.tables.rows.reads_on import reads_on
from pagetide.structure.trees import Trees

_ENDED_BY = {
    "figure": ("sign", "mark"),
    "number": ("sign", "mark"),
    "sign": ("figure", "number"),
    "code": ("number",),
}
_LINES = 64  # of a row that a line is compared with, or a page of one row takes minutes
_VALUED = {"upper_words", "upper_values"}
_BROKEN = ("code", "hyphen")
_NAMED_AMOUNT = re.compile(r"[^\W\d_]{2,}.*\s\S*\d[.,]\d\d")
_CODE = re.compile(r"[A-Z]{1,4}-")  # of articles
_WORD = re.compile(r"[^\W\d_]{2,}")


def joined(
    found: Sequence[Baseline], grid: Grid, line: float, *, items: bool = False
) -> list[list[Baseline]]:
    """Groups lines into rows, from the top.

    Args:
        found: Of a table's body.
        grid: With its columns known.
        line: The page's typical line height.
        items: Whether it is an item table below its headers, with figures in each item.
    """
    if len(found) < 2:
        return [list(found)]
    if between := bridges(found):
        others = [e for n, e in enumerate(found) if n not in between]
        rows = joined(others, grid, line, items=items)
        home = {id(each): row for row in rows for each in row}
        for place in sorted(between):
            home[id(found[place - 1])].append(found[place])
        return rows
    if by_room := rows_by_room(found, partial(columns_of, grid), line):
        return by_room
    wrapped = list(_wrapped(found, grid))[1:]
    bare = [found[0], *map(_without, found[1:], wrapped)]
    band = Band.of(bare, grid, line, items=items)
    rows, current, paid = [[found[0]]], [found[0]], _paid(found[0], grid)
    for place, (each, rest) in enumerate(zip(found[1:], wrapped, strict=True), 1):
        near, last = current[-_LINES:], rows[-1][-_LINES:]
        row = [*near, bare[place]]
        begins = has_two_values(row) or sum(own.is_labelled for own in row) > 1
        begins |= lies_across(bare[place], set[int]().union(*(own.columns for own in near)))
        begins |= any(_are_valued_alike(own, bare[place]) for own in near)
        also_paid = _paid(bare[place], grid)
        begins |= are_named_twice(row, grid) or bool(also_paid & paid)
        begins |= _begins_amount(last, bare[place], grid)
        begins |= _is_named_amount(last, bare[place], grid)
        if len(rest) == len(each.pieces) or (
            not begins and (goes_on(band.features(place)) > 0.5 or reads_on(band, place))
        ):
            rows[-1].append(each)
            current.append(bare[place])
            paid |= also_paid
        else:
            rows.append([each])
            current, paid = [bare[place]], also_paid
    return rows


def goes_on(features: Mapping[str, float]) -> float:
    """The probability, 0–1, that a line continues the row above it.

    A line that starts left of a name is not in its row, nor are a name and its values that
    start right of a lone name: of 900 such lines 17 are.
    """
    is_alone = "upper_name" in features and not _VALUED & features.keys()
    if "out" in features or (is_alone and "in" in features and "lower_values" in features):
        return 0.0
    return _trees().probability(features)


@cache
def _trees() -> Trees:
    return Trees.beside(__file__, "row_trees.json")


def _wrapped(lines: Sequence[Baseline], grid: Grid) -> Iterator[list[Piece]]:
    """For each line the pieces that only complete the text of their columns right above.

    A sign such as `€` or `%` below a figure without one, a figure below a sign that starts it,
    the number of a code below its letters and, if the line has nothing else, any continuation
    after a hyphen.
    """
    open_above: dict[tuple[int, int], str] = {}
    for line in lines:
        by_column = {columns_of(grid, piece): piece for piece in line.pieces}
        ends = [
            piece
            for column, piece in by_column.items()
            if _kind(piece.text) in _ENDED_BY.get(open_above.get(column, ""), ())
        ]
        others = [piece for piece in line.pieces if piece not in ends]
        broken = all(open_above.get(columns_of(grid, p)) in _BROKEN for p in others)
        yield [*ends, *others] if broken else ends
        open_above = {
            c: _kind(piece.text) for c, piece in by_column.items() if piece not in ends
        }


def _kind(text: str) -> str:
    """The kind of a piece, to decide what may complete it in the line below."""
    if text in SIGNS:
        return "sign" if text in BEFORE else "mark"
    if text.isdecimal():
        return "number"
    if text.endswith("-"):
        return "code" if _CODE.fullmatch(text) else "hyphen"
    return "figure" if is_number(text) and not any(sign in text for sign in BEFORE) else ""


def _begins_amount(row: Sequence[Baseline], line: Baseline, grid: Grid) -> bool:
    """Whether a column with a figure gets a currency sign, or one with both gets a figure.

    Args:
        row: So far.
        line: The next, without what completes something in the row.
        grid: With its columns known.
    """
    last = {columns_of(grid, piece): piece.text for each in row for piece in each.pieces}
    return any(
        above is not None
        and (piece.text in BEFORE or (above in SIGNS and is_number(piece.text)))
        for piece in line.pieces
        for above in [last.get(columns_of(grid, piece))]
    )


def _is_named_amount(row: Sequence[Baseline], line: Baseline, grid: Grid) -> bool:
    """Whether a line is an amount with its name before it, below another amount."""
    if not _NAMED_AMOUNT.fullmatch(" ".join(piece.text for piece in line.pieces)):
        return False
    above = (piece for each in row for piece in each.pieces if is_number(piece.text))
    ends = {columns_of(grid, figure)[1] for figure in above}
    return columns_of(grid, line.pieces[-1])[1] in ends


def _without(line: Baseline, pieces: Sequence[Piece]) -> Baseline:
    """A line without some of its pieces, as long as one is left."""
    left = tuple(piece for piece in line.pieces if piece not in pieces)
    return replace(line, pieces=left) if left else line


def has_two_values(row: Sequence[Baseline]) -> bool:
    """Whether lines have figures twice in two columns (a name counts as one), as no row has."""
    taken: set[int] = set()
    for each in row:
        own = set(each.columns) if _is_of_figures(each) else set[int]()
        if len(own & taken) > 1:
            return True
        taken |= own
    return False


def are_named_twice(lines: Sequence[Baseline], grid: Grid) -> bool:
    """Whether one of a table's lines has a name and an amount, below words with an amount.

    It is a separate row.
    """
    valued = [each for each in lines if _has_amount(each, grid)]
    return any(0 in each.columns for each in valued[1:])


def are_paid_alike(lines: Sequence[Baseline], grid: Grid) -> bool:
    """Whether two lines have amounts with cents in one column, and words in one: two rows."""
    known: set[tuple[int, int]] = set()
    for each in lines:
        own = _paid(each, grid)
        if own & known:
            return True
        known |= own
    return False


def are_named_and_paid(lines: Sequence[Baseline], grid: Grid) -> bool:
    """Whether each line has a name and an amount with cents, all amounts in one column.

    They are a row each also where one frame is drawn around them.
    """
    paid = [_amounts(each, grid) for each in lines if 0 in _words(each, grid)]
    return 1 < len(paid) == len(lines) and bool(set[int].intersection(*paid))


def _paid(baseline: Baseline, grid: Grid) -> set[tuple[int, int]]:
    """The columns of a line's amounts, each with every column of its words."""
    amounts = _amounts(baseline, grid)
    return set(product(amounts, _words(baseline, grid))) if amounts else set()


def _amounts(baseline: Baseline, grid: Grid) -> set[int]:
    """The columns in which amounts with cents end."""
    return {columns_of(grid, p)[1] for p in baseline.pieces if is_amount(p.text)}


def _words(baseline: Baseline, grid: Grid) -> set[int]:
    """The columns in which texts with words begin."""
    return {columns_of(grid, p)[0] for p in baseline.pieces if _WORD.search(p.text)}


def _has_amount(baseline: Baseline, grid: Grid) -> bool:
    *others, end = sorted(baseline.pieces, key=lambda piece: piece.x1)
    is_last = grid.column_at(end.center) == grid.columns - 1
    named = any(char.isalpha() for piece in others for char in piece.text)
    return named and is_last and is_number(end.text) and not UNIT.fullmatch(end.text)


def _are_valued_alike(one: Baseline, other: Baseline) -> bool:
    """Whether two lines both have a name, and figures in two columns that they share."""
    named = 0 in one.columns and 0 in other.columns
    return named and len(figure_columns(one) & figure_columns(other)) > 1


def _is_of_figures(baseline: Baseline) -> bool:
    """Whether the pieces after a line's first are figures, not units of them."""
    texts = [piece.text for piece in baseline.pieces[1:]]
    return bool(texts) and all(is_number(t) and not UNIT.fullmatch(t) for t in texts)
