"""The headers of an item table, and which of them have something below."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise

from pagetide.geometry import union
from pagetide.structure.tables.baseline import is_number, is_year
from pagetide.structure.tables.grids.columns import NARROWEST, SIGNS, Span, gaps_of
from pagetide.structure.tables.grids.units_apart import is_unit
from pagetide.structure.tables.pieces import WORD_GAP, Piece, has_figures, phrase

Row = Sequence[Piece]

# More digit groups than an amount has; letters before a figure, other than a currency.
ACCOUNT = re.compile(r"\d[\s/-]+\d+[\s/-]+\d+[\s/-]+\d")
_NAMED = re.compile(r"(?!(?:[A-Z]{3}|Rs\.?|kr)\s?\d)[^\W\d_]|\+")
_INITIALS = re.compile(r"([^\W\d_]{1,3}\.){2,}")
_TIME = re.compile(r"\d{1,2}:\d{2}")

LEAST_HEADS, LEAST_FIGURES = 3, 2
LEAST_ITEMS = 2
MOST_HEADS = 60  # an item table has fewer, and each piece is compared with each
HEAD_WORDS = 4
SHORT = 6  # letters of an abbreviation among several: `Pr. Unit.`
LEAST_PARTED = 2  # words
WIDE = 0.4  # of a word's height: a space that may part two columns
NEAR = 3.0  # line heights from a header to a piece below but not under it


def are_heads(row: Row) -> bool:
    """Whether side-by-side pieces are names without figures, or placeholders: `n.a.`."""
    return LEAST_HEADS <= len(row) <= MOST_HEADS and all(
        is_name(piece) and not has_figures(piece.text) and _ends_as_head(piece.text.split())
        for piece in row
    )


def with_whole_heads(rows: Sequence[Row]) -> list[Row]:
    """The rows, headers of two lines joined with those of one beside their middle."""
    found: list[Row] = []
    place = 0
    while place < len(rows):
        around = rows[place : place + 3]
        heads = _of_two_lines(*around) if len(around) > 2 and are_heads(around[1]) else None
        whole = heads is not None and are_heads(heads)
        found.append(heads if heads and whole else rows[place])
        place += 3 if whole else 1
    return found


def _of_two_lines(above: Row, heads: Row, below: Row) -> list[Piece] | None:
    """Headers and those whose lines are above and below their middle; None if there are none.

    Each of these lines overlaps the headers in height, and has no header above or below.
    """
    if len(above) != len(below) or len(above) > MOST_HEADS:
        return None
    pairs = list(zip(above, below, strict=True))
    top, bottom = min(p.y0 for p in heads), max(p.y1 for p in heads)
    for upper, lower in pairs:
        beside = top < upper.y1 <= lower.y0 + (upper.y1 - upper.y0) / 2 and lower.y0 < bottom
        free = not any(_overlap(piece, head) for piece in (upper, lower) for head in heads)
        if not (beside and free and _overlap(upper, lower)):
            return None
    return sorted([*heads, *(_joined(*pair) for pair in pairs)], key=lambda piece: piece.x0)


def _overlap(one: Piece, other: Piece) -> bool:
    return one.x0 < other.x1 and other.x0 < one.x1


def _joined(upper: Piece, lower: Piece) -> Piece:
    """Two lines of a header as one piece."""
    words = (*(upper.words or (upper,)), *(lower.words or (lower,)))
    box = union([upper[1:5], lower[1:5]])
    return Piece(f"{upper.text} {lower.text}", *box, upper.line, words)


def is_name(piece: Piece) -> bool:
    """Whether a text is short and has letters, and nothing is to follow it."""
    return (
        any(map(str.isalpha, piece.text))
        and not is_number(piece.text)
        and len(piece.text.split()) <= HEAD_WORDS
        and not piece.text.rstrip().endswith((":", "：", ","))
    )


def are_years(row: Row) -> bool:
    """Whether all texts after the first are years, as in the headers of another table."""
    return len(row) > LEAST_FIGURES and all(is_year(piece.text) for piece in row[1:])


def _is_figure_and_word(text: str) -> bool:
    """Whether a text begins with a figure and ends with a word."""
    words = text.split()
    return is_number(words[0]) and any(map(str.isalpha, words[-1]))


def _ends_as_head(words: Sequence[str]) -> bool:
    """Whether no full stop ends a sentence: a word alone, or all, are abbreviated.

    Or the last has a full stop within, as `p.u.` has.
    """
    if _INITIALS.fullmatch(words[-1]):
        return True
    short = (word.endswith(".") and len(word) <= SHORT for word in words)
    return not words[-1].endswith(".") or len(words) == 1 or all(short)


def _is_figure(text: str) -> bool:
    """Whether it is an amount: no name before it, and not a phone or account number."""
    text = text.strip()
    is_named = (":" in text and not _TIME.fullmatch(text)) or _NAMED.match(text)
    is_other = is_named or ACCOUNT.search(text)
    return text not in SIGNS and is_number(text) and not is_other


class Heads:
    """A row of headers.

    Args:
        row: Its pieces.
        line: The page's typical line height.

    Attributes:
        pieces: From left to right.
    """

    def __init__(self, row: Row, line: float) -> None:
        self.pieces = sorted(row, key=lambda piece: piece.x0)
        self._line = line
        self._spans_of_heads = [(piece.x0, piece.x1) for piece in self.pieces]

    def with_lines(self, lines: Sequence[Row]) -> Heads:
        """These headers, and those of their lines that are neither above nor below one."""
        pieces = list(self.pieces)
        for piece in (piece for line in lines for piece in line):
            if all(piece.x1 <= head.x0 or head.x1 <= piece.x0 for head in pieces):
                pieces.append(piece)
        return Heads(pieces, self._line)

    def stand_again(self, row: Row) -> bool:
        """Whether another row has the same headers."""
        texts = {piece.text for piece in self.pieces}
        return 2 * len(texts & {piece.text for piece in row}) > len(texts)

    def figures(self, row: Row) -> int | None:
        """How many figures are under headers; None if a piece runs below several of them."""
        parted = self.parted(row)
        columns = [self.column(piece) for piece in parted]
        if None in columns:
            return None
        return len({c for c, p in zip(columns, parted, strict=True) if _is_figure(p.text)})

    def figures_of_item(self, row: Row, most: int) -> int | None:
        """How many figures are under headers; None if something else runs below several.

        A row that has as many as any item above is one, if one of them runs together with a
        word beside it.

        Args:
            row: Its pieces.
            most: Figures of an item above; 0 if there is no item.
        """
        figures = self.figures(row)
        if figures is None and most:
            crossing = [piece for piece in self.parted(row) if self.column(piece) is None]
            runs_on = len(crossing) == 1 and _is_figure_and_word(crossing[0].text)
            return most if runs_on and len(self.of_figures(row)) + 1 >= most else None
        return figures

    def are_other(self, row: Row) -> bool:
        """Whether a row is another table's headers, with a sum beside it."""
        names = [piece for piece in row if is_name(piece) and not has_figures(piece.text)]
        few = len(self.of_figures(row)) < LEAST_FIGURES
        return few and are_heads(names) and 2 * len(names) > len(row)

    def of_figures(self, row: Row) -> set[int]:
        """The headers under each of which a row has only a figure."""
        parted = self.parted(row)
        columns = (self.column(piece) for piece in parted if _is_figure(piece.text))
        return {column for column in columns if column is not None}

    def are_above_item(self, row: Row) -> bool:
        """Whether figures are under headers, whatever else is on their line."""
        return len(self.of_figures(row)) >= LEAST_FIGURES

    def are_above_plain_item(self, row: Row) -> bool:
        """Whether a row is an item without a piece that runs below several headers."""
        return (self.figures(row) or 0) >= LEAST_FIGURES

    def column(self, piece: Piece) -> int | None:
        """The header that a piece is under or near; None if under several or none."""
        x0, x1 = piece.x0, piece.x1
        under = [n for n, (a, b) in enumerate(self._spans_of_heads) if x0 < b and a < x1]
        if len(under) == 1:
            return under[0]
        if under:
            return None
        away = {n: max(a - x1, x0 - b) for n, (a, b) in enumerate(self._spans_of_heads)}
        nearest = min(away, key=lambda n: away[n])
        return nearest if away[nearest] <= NEAR * self._line or not nearest else None

    def parted(self, row: Row) -> list[Piece]:
        """A row, with what runs below several headers parted where space is between both."""
        return [part for piece in row for part in self._parts(piece)]

    def _parts(self, piece: Piece) -> list[Piece]:
        if len(piece.words) < LEAST_PARTED or self.column(piece) is not None:
            return [piece]
        runs = [[piece.words[0]]]
        for a, b in pairwise(piece.words):
            if self._are_apart(a, b):
                runs.append([])
            runs[-1].append(b)
        return [phrase(run) if len(run) > 1 else run[0] for run in runs]

    def _are_apart(self, left: Piece, right: Piece) -> bool:
        """Whether the space between two words is wide, and between two headers."""
        is_wide = right.x0 - left.x1 > WIDE * (right.y1 - right.y0)
        return is_wide and any(
            max(left.x1, a.x1) < min(right.x0, b.x0) for a, b in pairwise(self.pieces)
        )

    def _column_in(self, row: Row, piece: Piece) -> int | None:
        """The header of a piece in a row: for a name beside a figure's header, the one before.

        `Total` is beside the header of its figure, not under it.
        """
        column = self.column(piece)
        if not column or self.pieces[column].x0 < piece.x1:
            return column
        taken = any(other is not piece and self.column(other) == column for other in row)
        before = any(self.column(other) == column - 1 for other in row)
        return column - 1 if taken and not before else column

    def between(self, rows: Sequence[Row]) -> Iterator[float]:
        """Positions free of headers and of all pieces below a single one of them.

        If all items have several pieces below one header, positions between these too.
        """
        spans = [(head.x0, head.x1) for head in self.pieces]
        items: list[list[list[Span]]] = [[] for _ in self.pieces]
        for row in map(self.parted, rows):
            is_item = self.are_above_plain_item(row)
            for column, pieces in groupby(row, partial(self._column_in, row)):
                if column is not None:
                    own = self._spans(column, [p for p in pieces if p.text not in SIGNS])
                    left, right = zip(spans[column], *own, strict=True)
                    spans[column] = (min(left), max(right))
                    items[column] += [own] * is_item
        for place, below in enumerate(items):
            if place and spans[place - 1][1] < spans[place][0]:
                yield (spans[place - 1][1] + spans[place][0]) / 2
            if len(below) >= LEAST_ITEMS and all(len(row) > 1 for row in below):
                yield from self._below_one(self.pieces[place], below)

    def _spans(self, column: int, pieces: Sequence[Piece]) -> list[Span]:
        """The extents of a row's pieces below one header, units with their figures."""
        found: list[Span] = []
        is_one = not self.pieces[column].words
        for piece in pieces:
            near = found and piece.x0 - found[-1][1] <= WORD_GAP * self._line
            if near and is_one and is_unit(piece.text):
                found[-1] = (found[-1][0], piece.x1)
            else:
                found.append((piece.x0, piece.x1))
        return found

    def _below_one(self, head: Piece, rows: Sequence[Sequence[Span]]) -> Iterator[float]:
        """Positions between pieces below one header; between its words, if there is space."""
        breaks = [(a.x1 + b.x0) / 2 for a, b in pairwise(head.words)]
        for a, b in gaps_of(rows, 0):
            if b - a > NARROWEST * self._line:
                yield next((at for at in breaks if a <= at <= b), (a + b) / 2)
