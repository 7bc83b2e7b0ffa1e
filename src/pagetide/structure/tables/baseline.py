"""Lines of a table's text: which pieces share a line, and whether they are figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.pieces import Piece, baselines, has_figures

OVERLAP = 0.35  # of a line's height: pieces that overlap more are on one line

_SIGN = re.compile(r"[-–—−*.:‡†…$€£¥%✓✔✗✘☐☑☒●○]+|\(?[Xx]\)?|[Nn]\.?/?[Aa]\.?")
_YEAR = re.compile(r"(1[89]|20)\d\d(\s?[-–/]\s?\d\d(\d\d)?)?\*?(?!\d)")
# A word that is not a currency, followed by a number: the name of what it counts.
_NAMED = re.compile(r"(?![A-Z]{1,3}\b|(?:Rs|kr|Kč|zł|Fr)\b)[^\W\d_]{2,}\s+\S*\d")
_COUNT = re.compile(r"\(\d{1,2}\)")
_WORDS, _FIGURES = re.compile(r"[^\W\d_]+"), re.compile(r"\d[\d.,]*")
_VALUE = re.compile(r"(?:[A-Z]{1,4}[-/ ]?){0,3}\d")  # a number, or a code that contains one
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d(?:/(?:\d\d|(?:19|20)\d\d))?$")
AMOUNT = re.compile(r"\d[.,]\d\d(?![.,]?\d)")  # of money, not `02.06.2025`
LEAST_COUNTED = LEAST_KINDS = 3
IN_BRACKETS = re.compile(r"[(\[].{1,20}[)\]]|[$€£¥%]")  # a unit below the text it belongs to
UNIT = re.compile(r"[$€£¥%]|[A-Z]{3}")  # below the figure it was wrapped from


@lru_cache(4096)  # each text of a page is tested about ten times
def is_number(text: str) -> bool:
    """Whether a cell's text is a figure, or a sign used in place of one."""
    text = text.strip()
    if _SIGN.fullmatch(text):
        return True
    if _NAMED.match(text):
        return False
    return sum(map(str.isdigit, text)) > sum(map(str.isalpha, text))


def is_amount(text: str) -> bool:
    """Whether a cell's text is a figure with cents."""
    return is_number(text) and AMOUNT.search(text) is not None


def is_year(text: str) -> bool:
    """Whether the figures in a text are years, as in column headers."""
    left, years = _YEAR.subn("", text)
    return bool(years) and not has_figures(left)


def is_value(text: str) -> bool:
    """Whether a text is a figure or a sign for one, but not a year: years head columns."""
    return is_number(text) and not is_year(text)


def numbered(texts: Iterable[str]) -> set[str]:
    """The column numbers among texts: `(1)`, `(2)`, `(3)` and so on, starting at one."""
    found = {text for text in texts if _COUNT.fullmatch(text)}
    counted = {f"({place})" for place in range(1, len(found) + 1)}
    return found if len(found) >= LEAST_COUNTED and found == counted else set()


def is_counted(text: str) -> bool:
    """Whether a header is a column's number, with its unit if it has one: `(2)`, `(2) (kg)`."""
    return _COUNT.match(text.strip()) is not None


def are_counted(texts: Sequence[str]) -> bool:
    """Whether headers, from the left, have the numbers `(1)`, `(2)` ... and no other figure."""
    counts = [text for text in texts if _COUNT.fullmatch(text)]
    figures = (text for text in texts if not IN_BRACKETS.fullmatch(text))
    in_order = counts == [f"({place})" for place in range(1, len(counts) + 1)]
    return len(counts) > 1 and in_order and not any(map(is_number, figures))


def lists_values(texts: Sequence[str]) -> bool:
    """Whether a column's texts are values of different kinds, from the first one down.

    For example a number, a date and a name below one another, next to their labels. A date
    alone does not count: it is as often a header as a value.
    """
    if len(texts) < LEAST_KINDS or not _VALUE.match(texts[0]) or _DATE.search(texts[0]):
        return False
    kinds = {_FIGURES.sub("0", _WORDS.sub("a", text)) for text in texts}
    return len(kinds) >= max(LEAST_KINDS, len(texts) / 2)


@dataclass(frozen=True)
class Baseline:
    """Pieces on one line, and the column of each."""

    pieces: tuple[Piece, ...]
    columns: frozenset[int]

    @property
    def top(self) -> float:
        """Its upper edge."""
        return min(piece.y0 for piece in self.pieces)

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return max(piece.y1 for piece in self.pieces)

    @property
    def middle(self) -> float:
        """The median vertical middle of its pieces."""
        return median(piece.middle for piece in self.pieces)

    @property
    def has_figures(self) -> bool:
        """Whether any piece outside the first column is a figure."""
        return any(
            is_number(piece.text) and not UNIT.fullmatch(piece.text)
            for piece in self.pieces[1:]
        )

    @property
    def is_years(self) -> bool:
        """Whether it is a header of years."""
        return all(is_year(piece.text) for piece in self.pieces)

    @property
    def has_digits(self) -> bool:
        """Whether most pieces after the first contain digits."""
        texts = [piece.text for piece in self.pieces[1:]]
        return sum(has_figures(text) for text in texts) > 0.5 * len(texts)

    @property
    def is_body(self) -> bool:
        """Whether most pieces after the first are figures other than years."""
        texts = [piece.text for piece in self.pieces[1:]]
        figures = sum(is_value(text) for text in texts)
        return figures > 0.5 * len(texts)

    @property
    def ends_in_amount(self) -> bool:
        """Whether it starts in the first column and ends with an amount of money."""
        text = self.pieces[-1].text
        is_row = len(self.pieces) > 1 and 0 in self.columns
        return is_row and is_amount(text)

    @property
    def is_labelled(self) -> bool:
        """Whether it starts with a label that ends in a colon, followed by something."""
        return len(self.pieces) > 1 and self.pieces[0].text.endswith((":", "："))


def columns_of(grid: Grid, piece: Piece) -> tuple[int, int]:
    """The first and last column that a piece extends into."""
    inset = (piece.y1 - piece.y0) / 16
    return grid.column_at(piece.x0 + inset), grid.column_at(piece.x1 - inset)


def baselines_in(grid: Grid, pieces: Sequence[Piece]) -> list[Baseline]:
    """The pieces grouped by baseline; lines that overlap in different columns are merged."""
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
