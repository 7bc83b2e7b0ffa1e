"""Where rows part: baselines that begin a row, and ones that go on in it."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pagetide.structure.tables.grid import Grid
from pagetide.structure.tables.pieces import Piece, baselines, has_figures

OVERLAP = 0.35  # of a line's height: rows of text that overlap more stand side by side
CLOSE = 0.6  # line heights between the lines of one cell, at most
WIDE_CELL = 0.7  # of its column: a line so wide may go on in the next
BELOW = 1.5  # line heights: a head stands no higher over its columns
LOOSE = 0.4  # line heights between a head and one below: lines of one cell are closer
LARGER = 1.2  # times as high: lines of one cell are of one size
ONE_PITCH = 0.15  # line heights: rows whose distances differ less are equally far apart
LEADING = 1.3  # line heights: lines of one cell are closer
MOST_HEAD_LINES = 6
LEAST_FULL = 3  # baselines with most columns, which tell what a row begins with
ROOM = 1.15  # of the lines of one cell: rows stand farther apart
LEAST_FIGURES = 3  # of a row that is one though no rule parts it from the next
MOST_HEADS = 500  # pieces: more are no head, and each is held against each

_SIGN = re.compile(r"[-–—−*.:‡†…$€£¥%]+|\([Xx]\)|[Nn]\.?/?[Aa]\.?")
_YEAR = re.compile(r"(1[89]|20)\d\d(\s?[-–/]\s?\d\d(\d\d)?)?\*?(?!\d)")
# A word, which no currency is, and then a number: the name of what it counts.
_NAMED = re.compile(r"(?![A-Z]{1,3}\b|(?:Rs|kr|Kč|zł|Fr)\b)[^\W\d_]{2,}\s+\S*\d")
_UNIT = re.compile(r"[$€£¥%]|[A-Z]{3}")  # below the figure that it was wrapped from
_GOES_ON = re.compile(r"[a-zà-öø-ÿ(&]")
_OPEN_END = re.compile(r".*([-,(/&–]|\b(of|and|the|for|in|to|with|or|by|a))$", re.DOTALL)


def is_number(text: str) -> bool:
    """Whether a cell's text is a figure, or a sign that stands for one."""
    text = text.strip()
    if _SIGN.fullmatch(text):
        return True
    if _NAMED.match(text):
        return False
    return sum(map(str.isdigit, text)) > sum(map(str.isalpha, text))


def is_year(text: str) -> bool:
    """Whether the figures in a text are years, as those in heads of columns are."""
    left, years = _YEAR.subn("", text)
    return bool(years) and not has_figures(left)


@dataclass(frozen=True)
class Baseline:
    """Pieces that stand beside one another, and which column each is in."""

    pieces: tuple[Piece, ...]
    columns: frozenset[int]

    @property
    def top(self) -> float:
        """Where it begins."""
        return min(piece.y0 for piece in self.pieces)

    @property
    def bottom(self) -> float:
        """Where it ends."""
        return max(piece.y1 for piece in self.pieces)

    @property
    def middle(self) -> float:
        """The typical height of its pieces' middles."""
        return median(piece.middle for piece in self.pieces)

    @property
    def has_figures(self) -> bool:
        """Whether something beside its first column is a figure."""
        return any(
            is_number(piece.text) and not _UNIT.fullmatch(piece.text)
            for piece in self.pieces[1:]
        )

    @property
    def is_years(self) -> bool:
        """Whether it is a head of years."""
        return all(is_year(piece.text) for piece in self.pieces)

    @property
    def has_digits(self) -> bool:
        """Whether most of what stands beside its first piece holds digits."""
        texts = [piece.text for piece in self.pieces[1:]]
        return sum(has_figures(text) for text in texts) > 0.5 * len(texts)

    @property
    def is_body(self) -> bool:
        """Whether most of what stands beside its first piece are figures, years aside."""
        texts = [piece.text for piece in self.pieces[1:]]
        figures = sum(is_number(text) and not is_year(text) for text in texts)
        return figures > 0.5 * len(texts)


def columns_of(grid: Grid, piece: Piece) -> tuple[int, int]:
    """The first and the last column that a piece reaches into."""
    inset = (piece.y1 - piece.y0) / 16
    return grid.column_at(piece.x0 + inset), grid.column_at(piece.x1 - inset)


def baselines_in(grid: Grid, pieces: Sequence[Piece]) -> list[Baseline]:
    """The pieces' baselines; ones that overlap in other columns are one."""
    found: list[Baseline] = []
    for row in baselines(pieces):
        columns = frozenset(
            column
            for piece in row
            for first, last in [columns_of(grid, piece)]
            for column in range(first, last + 1)
        )
        last = found[-1] if found else None
        height = min(piece.y1 - piece.y0 for piece in row)
        top = min(piece.y0 for piece in row)
        if last and last.bottom - top > OVERLAP * height and not last.columns & columns:
            found[-1] = Baseline((*last.pieces, *row), last.columns | columns)
        else:
            found.append(Baseline(tuple(row), columns))
    return found


def rows_in(
    grid: Grid, pieces: Sequence[Piece], line: float, *, first: bool, head: bool, ruled: bool
) -> list[list[Baseline]]:
    """The rows that a band between two rules holds.

    Args:
        grid: With its columns known.
        pieces: The band's text.
        line: The page's typical line height.
        first: Whether it is the table's first band, which may hold its head too.
        head: Whether it holds nothing but heads.
        ruled: Whether most of the table's rows are parted by rules.
    """
    found = baselines_in(grid, pieces)
    if len(found) < 2 and not head:
        return [found] if found else []
    full = [each for each in found if len(each.columns) >= max(2, grid.columns / 2)]
    figures = sum(each.has_figures for each in full)
    if first and _are_head_and_item(full):
        place = found.index(full[-1])
        return [*_head_rows(found[:place], grid, line), found[place:]]
    if head and _is_sum_above_heads(found):
        return [found[:1], *_head_rows(found[1:-1], grid, line), found[-1:]]
    if head and _ends_in_item(found):
        return [*_head_rows(found[:-1], grid, line), found[-1:]]
    least = 4 if head else 3 if ruled and not _are_alike(full) else 0
    if len(full) < least or ((head or ruled) and figures < 0.6 * len(full)):
        return _head_rows(found, grid, line) if head else [found]
    top = next((i for i, each in enumerate(found) if each.is_body), 0)
    if found[0].is_years and 0 not in found[0].columns and found[1].has_digits:
        top = 1
    if first and 0 < top <= MOST_HEAD_LINES:
        body = [piece for each in found[top:] for piece in each.pieces]
        heads = top - _is_section(found, top - 1, line)
        return [
            *_head_rows(found[:heads], grid, line),
            *([each] for each in found[heads:top]),
            *rows_in(grid, body, line, first=False, head=False, ruled=ruled),
        ]
    rows = [[found[0]]]
    first_column = min(column for each in found for column in each.columns)
    keyed = _is_keyed(found, full, first_column)
    gaps = sorted(b.middle - a.middle for a, b in itertools.pairwise(found))
    pitch = gaps[len(gaps) // 2]
    for each in found[1:]:
        if _goes_on(rows[-1], each, grid, line, pitch, first_column, keyed=keyed) or (
            _names_on(rows[-1], each, line, first_column)
        ):
            rows[-1].append(each)
        else:
            rows.append([each])
    return rows


def _are_alike(full: Sequence[Baseline]) -> bool:
    """Whether two baselines with figures have the same columns, from the first on: two rows."""
    columns = {each.columns for each in full}
    return len(full) == 2 and len(columns) == 1 and all(map(_is_item, full))


def _are_head_and_item(full: Sequence[Baseline]) -> bool:
    """Whether the last of some baselines has figures below the others' names or years."""
    if len(full) < 2:
        return False
    *above, last = full
    if not last.columns <= frozenset[int]().union(*(each.columns for each in above)):
        return False
    heads = [piece.text for each in above for piece in each.pieces]
    figures = [p.text for p in last.pieces if p.text[-1:].isdigit() and is_number(p.text)]
    named = all(is_year(text) or not has_figures(text) for text in heads)
    return named and not all(map(is_year, figures))


def _ends_in_item(found: Sequence[Baseline]) -> bool:
    """Whether the last of some baselines has a name that nothing stands above, and figures."""
    *above, last = found
    heads = frozenset[int]().union(*(each.columns for each in above))
    return (
        0 in last.columns - heads
        and last.columns - {0} <= heads
        and _are_head_and_item([*above, Baseline(last.pieces, last.columns & heads)])
    )


def _is_sum_above_heads(found: Sequence[Baseline]) -> bool:
    """Whether the first has a name and figures, and the others are heads with an item."""
    is_sum = 0 in found[0].columns and found[0].is_body
    return is_sum and len(found) >= LEAST_FULL and _ends_in_item(found[1:])


def _is_section(found: Sequence[Baseline], place: int, line: float) -> bool:
    """Whether a name alone below heads stands as far from these as all rows below it."""
    if place < 1 or len(found) - place < LEAST_FULL or found[place].columns != frozenset({0}):
        return False
    gaps = [b.middle - a.middle for a, b in itertools.pairwise(found[place - 1 :])]
    return max(gaps) - min(gaps) < ONE_PITCH * line and min(gaps) > LEADING * line


def _is_item(each: Baseline) -> bool:
    figures = sum(is_number(piece.text) for piece in each.pieces[1:])
    return 0 in each.columns and figures >= LEAST_FIGURES


def _is_keyed(found: Sequence[Baseline], full: Sequence[Baseline], first: int) -> bool:
    """Whether most baselines have the first column, or all that have most columns do."""
    often = sum(first in each.columns for each in found) >= 0.6 * len(found)
    always = len(full) >= LEAST_FULL and all(first in each.columns for each in full)
    return often or always or _begin_apart(found, first)


def _begin_apart(found: Sequence[Baseline], first: int) -> bool:
    """Whether only what has the first column stands apart from what is above it."""
    gaps = [(first in b.columns, b.middle - a.middle) for a, b in itertools.pairwise(found)]
    within = [gap for begins, gap in gaps if not begins]
    between = [gap for begins, gap in gaps if begins]
    if min(len(within), len(between)) < LEAST_FULL - 1 or first not in found[0].columns:
        return False
    return min(between) > ROOM * max(within)


def _head_rows(found: Sequence[Baseline], grid: Grid, line: float) -> list[list[Baseline]]:
    """A head's lines, parted below what stands over several columns."""
    pieces = [piece for each in found for piece in each.pieces]
    if len(pieces) > MOST_HEADS:
        return [list(found)]
    cuts = []
    for row in baselines(pieces):
        under = [(piece, _under(piece, row, pieces, line)) for piece in row]
        groups = _same_groups(under)
        over = [
            (p, below) for p, below in under if groups or _stands_over(p, below, grid, line)
        ]
        if over:
            bottom = max(piece.y1 for piece, _ in over)
            top = min(piece.y0 for _, below in over for piece in below)
            cuts.append((bottom + top) / 2)
    rows: list[list[Piece]] = [[] for _ in range(len(cuts) + 1)]
    for piece in pieces:
        rows[bisect_left(sorted(cuts), piece.middle)].append(piece)
    return [baselines_in(grid, row) for row in rows if row]


def _same_groups(under: Sequence[tuple[Piece, Sequence[Piece]]]) -> bool:
    """Whether each of several heads, all different, has the same heads below it."""
    below = [tuple(piece.text for piece in pieces) for _, pieces in under if pieces]
    texts = {piece.text for piece, pieces in under if pieces}
    return len(texts) == len(below) > 1 == len(set(below)) and len(below[0]) > 1


def _under(
    piece: Piece, row: Sequence[Piece], pieces: Sequence[Piece], line: float
) -> list[Piece]:
    """The next line below a piece, as far as its neighbours leave room."""
    left = max((o.x1 for o in row if o.x1 <= piece.x0), default=float("-inf"))
    right = min((o.x0 for o in row if o.x0 >= piece.x1), default=float("inf"))
    low, high = (left + piece.x0) / 2, (piece.x1 + right) / 2
    if low == float("-inf"):  # the first and the last reach as far out as in
        low = piece.x0 - (high - piece.x1)
    elif high == float("inf"):
        high = piece.x1 + (piece.x0 - low)
    under = [p for p in pieces if p.y0 > piece.middle and low < p.center < high]
    nearest = min(under, key=lambda p: p.y0, default=piece)
    if nearest.y0 - piece.y1 >= BELOW * max(line, piece.y1 - piece.y0):
        return []
    return [p for p in under if p.middle < nearest.y1]


def _stands_over(piece: Piece, under: Sequence[Piece], grid: Grid, line: float) -> bool:
    """Whether a piece of a head stands over two or more pieces of the next line."""
    touched = [p for p in under if p.x0 < piece.x1 and piece.x0 < p.x1]
    if len({grid.column_at(p.center) for p in touched}) > 1:
        return True
    near = max(line, piece.y1 - piece.y0) / 2
    own_size = [p for p in touched if piece.y1 - piece.y0 < LARGER * (p.y1 - p.y0)]
    tight = any(p.y0 - piece.y1 < 2 * LOOSE * near for p in own_size)
    if tight and any(
        min(abs(p.x0 - piece.x0), abs(p.x1 - piece.x1), abs(p.center - piece.center)) < near
        for p in touched
    ):
        return False
    before = [p for p in under if p.center < piece.center]
    after = [p for p in under if p.center >= piece.center]
    own = grid.column_at(piece.center)
    beside = not touched and any(grid.column_at(p.center) == own for p in under)
    return any(
        grid.column_at(a.center) != grid.column_at(b.center)
        and abs((a.x0 + b.x1) / 2 - piece.center) < (3 * near if beside else near)
        for a in before
        for b in after
    )


def _goes_on(
    row: Sequence[Baseline],
    each: Baseline,
    grid: Grid,
    line: float,
    pitch: float,
    first: int,
    *,
    keyed: bool,
) -> bool:
    """Whether a baseline holds further lines of the row's cells."""
    last = row[-1]
    above: frozenset[int] = frozenset().union(*(b.columns for b in row))
    if each.top - last.bottom > CLOSE * line or each.middle - last.middle > 1.3 * pitch:
        return False
    if not each.columns <= above or each.has_figures:
        return False
    if first not in each.columns:
        return (
            keyed
            and len(each.columns) < max(2, len(above))
            and not all(
                is_number(piece.text)
                and not _UNIT.fullmatch(piece.text)
                and not _is_broken_above(piece, last, grid)
                for piece in each.pieces
            )
        )
    key = [piece for piece in last.pieces if columns_of(grid, piece)[0] == first]
    # What begins farther left is the next row's name, or a section's.
    if not key or each.pieces[0].x0 < row[0].pieces[0].x0 - line / 4:
        return False
    if len(above) < 2:
        inset = each.pieces[0].x0 - key[0].x0 > line / 4
        return inset and each.pieces[0].text[0].islower()
    if each.columns != frozenset({first}):
        return key[-1].text.endswith("-") and len(each.columns) < len(above)
    text = each.pieces[0].text
    return bool(
        _GOES_ON.match(text)
        or _OPEN_END.match(key[-1].text)
        or each.middle - last.middle < 0.85 * pitch
    )


def _names_on(row: Sequence[Baseline], each: Baseline, line: float, first: int) -> bool:
    """Whether a name that has its lines to itself goes on, in small letters, beside figures."""
    alone = all(above.columns == frozenset({first}) for above in row)
    near = each.top - row[-1].bottom <= CLOSE * line
    begins = each.pieces[0].text if first in each.columns else ""
    return alone and near and bool(_GOES_ON.match(begins))


def _is_broken_above(piece: Piece, last: Baseline, grid: Grid) -> bool:
    """Whether the line above a piece, in its column, ends in a hyphen, as wrapped codes do."""
    own = columns_of(grid, piece)
    return any(columns_of(grid, p) == own and p.text.endswith("-") for p in last.pieces)
