"""Lines of a table's text: what stands side by side, and whether it is figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

from pagetide.structure.tables.grids.grid import Grid
from pagetide.structure.tables.pieces import Piece, baselines, has_figures

OVERLAP = 0.35  # of a line's height: rows of text that overlap more stand side by side

_SIGN = re.compile(r"[-–—−*.:‡†…$€£¥%✓✔✗✘☐☑☒●○]+|\([Xx]\)|[Nn]\.?/?[Aa]\.?")
_YEAR = re.compile(r"(1[89]|20)\d\d(\s?[-–/]\s?\d\d(\d\d)?)?\*?(?!\d)")
# A word, which no currency is, and then a number: the name of what it counts.
_NAMED = re.compile(r"(?![A-Z]{1,3}\b|(?:Rs|kr|Kč|zł|Fr)\b)[^\W\d_]{2,}\s+\S*\d")
_COUNT = re.compile(r"\(\d{1,2}\)")
_WORDS, _FIGURES = re.compile(r"[^\W\d_]+"), re.compile(r"\d[\d.,]*")
_VALUE = re.compile(r"(?:[A-Z]{1,4}[-/ ]?){0,3}\d")  # a number, or a code that has one
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d(?:/(?:\d\d|(?:19|20)\d\d))?$")
AMOUNT = re.compile(r"\d[.,]\d\d(?!\d)")  # of money
LEAST_COUNTED = LEAST_KINDS = 3
IN_BRACKETS = re.compile(r"[(\[].{1,20}[)\]]|[$€£¥%]")  # a unit below what it is of
UNIT = re.compile(r"[$€£¥%]|[A-Z]{3}")  # below the figure that it was wrapped from


@lru_cache(4096)  # a page asks each of its texts some ten times
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


def is_value(text: str) -> bool:
    """Whether a text is a figure, or a sign for one, and no year: years head columns."""
    return is_number(text) and not is_year(text)


def numbered(texts: Iterable[str]) -> set[str]:
    """The numbers of columns among texts: `(1)`, `(2)`, `(3)` and so on, from one on."""
    found = {text for text in texts if _COUNT.fullmatch(text)}
    counted = {f"({place})" for place in range(1, len(found) + 1)}
    return found if len(found) >= LEAST_COUNTED and found == counted else set()


def lists_values(texts: Sequence[str]) -> bool:
    """Whether the texts of a column, from the top, are values of many kinds from the first on.

    Such are a number, a date and a name below one another, beside what they are. A date heads
    a column as often as it is a value.
    """
    if len(texts) < LEAST_KINDS or not _VALUE.match(texts[0]) or _DATE.search(texts[0]):
        return False
    kinds = {_FIGURES.sub("0", _WORDS.sub("a", text)) for text in texts}
    return len(kinds) >= max(LEAST_KINDS, len(texts) / 2)


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
            is_number(piece.text) and not UNIT.fullmatch(piece.text)
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
        figures = sum(is_value(text) for text in texts)
        return figures > 0.5 * len(texts)

    @property
    def ends_in_amount(self) -> bool:
        """Whether it begins in the first column and ends with an amount of money."""
        text = self.pieces[-1].text
        is_row = len(self.pieces) > 1 and 0 in self.columns
        return is_row and is_number(text) and AMOUNT.search(text) is not None

    @property
    def is_labelled(self) -> bool:
        """Whether it begins with a label, its colon, and has something behind it."""
        return len(self.pieces) > 1 and self.pieces[0].text.endswith((":", "："))


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
