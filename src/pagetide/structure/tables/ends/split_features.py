"""Features that another table starts between two rows of a found one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median

from pagetide.geometry import Box
from pagetide.structure.tables.baseline import is_number, is_value, is_year
from pagetide.structure.tables.ends.names import is_named_alike, name_of
from pagetide.structure.tables.pieces import Piece, begins_small, has_figures
from pagetide.structure.tables.ruled.frames import Stroke
from pagetide.structure.tables.sheet import Sheet
from pagetide.structure.tables.unruled.likeness import likeness

Rows = Sequence[Sequence[Piece]]

LOOK = 6  # rows examined on either side
NEAREST = 3  # rows on either side that are compared: all their pairs take long
HEADS = 3  # rows at a table's top that may be its headers
MOST_RULES = 300  # of a page that are examined: each is tested at each place
LEAST_ROWS = 2  # with figures, above: fewer may be headers, which have units and numbers
LARGE = 0.2  # taller than the text above: a title's letters
UNLIKE = 0.4  # rows of one table align better
MOST_OF_TOTAL = 2  # pieces: a name and a figure
NOTE = 8  # words: a title has no more
OVER = 0.5, 1.2  # line heights more space than usual between rows
NEARER = 0.3  # line heights: a title is this much nearer to what it names
LEVEL = 0.125  # line heights between the left edges of a cell's lines
CLOSE = 0.4  # line heights between the lines of a cell, at most
APART = 1.0  # line heights below a cell's further lines, where another table may start
INDENT = 0.3  # line heights from a table's left edge
WIDE = 0.8  # of a table: a rule between rows


class Places:
    """The rows in a table's box, and the places where another table may start.

    A place is the first row that is not part of the table above: a title, or a header.

    Args:
        sheet: The page.
        rows: From the top, each from left to right.
        box: Around them, upright.
    """

    def __init__(self, sheet: Sheet, rows: Rows, box: Box) -> None:
        self._sheet, self._rows = sheet, rows
        self._valued = [len(row) > 1 and _has_values(row) for row in rows]
        x0, top, x1, bottom = box
        near = sheet.line
        down = [s for s in sheet.down if s.start < bottom and s.end > top]
        sides = [s for s in down if abs(s.at - x0) < near or abs(s.at - x1) < near]
        self._sides = sides
        self._down = [s for s in down if x0 + near < s.at < x1 - near]
        wide = WIDE * (x1 - x0)
        self._wide = [s for s in sheet.across if min(s.end, x1) - max(s.start, x0) > wide]
        self._name = name_of(sheet, rows, box)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """The places, from the top, each with the number of single-piece rows at its start."""
        place, rows = 2, self._rows
        while place < len(rows) - 1:
            end = next((p for p in range(place, len(rows)) if len(rows[p]) > 1), len(rows))
            if end < len(rows) and len(rows[place - 1]) > 1:
                first = self._wrapped_end(place, end)
                if first < end or first == place or self._gap(end) > APART * self._sheet.line:
                    yield first, end - first
            place = end + 1

    def _wrapped_end(self, place: int, end: int) -> int:
        """Where the further lines of a cell above, not of the first column, end.

        They are level with that cell's text, close to it and to each other, and closer than
        what follows.
        """
        rows, line = self._rows, self._sheet.line
        first = place
        while (
            first < end
            and self._gap(first) < CLOSE * line
            and any(
                abs(rows[first][0].x0 - piece.x0) < LEVEL * line
                for piece in rows[place - 1][1:]
            )
        ):
            first += 1
        wrapped = [self._gap(at) for at in range(place, first)]
        return first if max(wrapped, default=0.0) < self._gap(first) else place

    def _gap(self, place: int) -> float:
        """From the row above a place to the one there."""
        return _top(self._rows[place]) - _bottom(self._rows[place - 1])

    def titles_end(self, place: int, titles: int) -> int:
        """Where the titles at a place end: a rule as wide as the table is the table's first."""
        for at in range(place + 1, place + titles):
            if _any_at(self._wide, _middle(self._rows[at - 1]), _middle(self._rows[at])):
                return at
        return place + titles

    def features(self, begin: int, place: int, titles: int) -> dict[str, float]:
        """The features of a place, by name; empty where no table can start.

        Args:
            begin: The first row of the table above.
            place: See above.
            titles: How many single-piece rows it starts with.
        """
        upper = [row for row in self._rows[begin:place] if len(row) > 1]
        lower = [row for row in self._rows[place + titles :][: 4 * LOOK] if len(row) > 1]
        if len(lower) < 2 or sum(self._valued[begin:place]) < LEAST_ROWS:
            return {}
        head, *below = lower[: HEADS + 1]
        found = {"one": 1.0, **self._room(place), **_head(upper, head, below)}
        if not (titles or found["apart"] or found["same head"]):
            return {}  # most places: the rest takes long
        found |= {**_alike(upper, lower), **self._rules(place, titles, head, below[0])}
        if titles:
            found |= self._title(place, titles, upper, head)
            before = self._rows[begin - 1] if begin else ()
            name = before[0] if len(before) == 1 else self._name
            titled = self._rows[begin + 1 : place + titles]
            found["named alike"] = float(is_named_alike(self._sheet, name, titled))
            found["title over a head"] = found["no values"]
            found["title, head and values"] = found["head and values"]
            found["unlike below a title"] = 1 - found["alike"]
        found["unlike below a head"] = (1 - found["alike"]) * found["no values"]
        return found if _may_begin(found) else {}

    def _room(self, place: int) -> dict[str, float]:
        rows, line = self._rows, self._sheet.line
        gaps = _gaps(rows[max(0, place - LOOK) : place])
        usual = max(0.0, median(gaps)) / line if gaps else NEARER
        gap = self._gap(place) / line
        apart, far = (float(gap > usual + over) for over in OVER)
        over = min(gap - usual, 4.0)
        return {"room": min(gap, 4.0), "more room": over, "apart": apart, "far": far}

    def _title(
        self, place: int, titles: int, upper: Rows, head: Sequence[Piece]
    ) -> dict[str, float]:
        line, lines = self._sheet.line, self._sheet.lines
        [first], [last] = self._rows[place], self._rows[place + titles - 1]
        height = median(p.y1 - p.y0 for row in upper[-LOOK:] for p in row)
        bold = fmean([lines[row[0].line].bold for row in upper[-LOOK:]])
        left = min(row[0].x0 for row in upper)
        above = (first.y0 - _bottom(self._rows[place - 1])) / line
        below = (_top(head) - last.y1) / line
        return {
            "title": 1.0,
            "two titles": float(titles > 1),
            "size": min(max((first.y1 - first.y0) / max(height, 1e-6) - 1, -0.5), 1.0),
            "bold": lines[first.line].bold * (1 - bold),
            "title has figures": float(has_figures(first.text)),
            "title begins small": float(begins_small(first.text)),
            "title is long": float(len(first.text.split()) > NOTE),
            "last is long": float(len(last.text.split()) > NOTE),
            "indent": min((first.x0 - left) / line, 4.0) * (first.x0 - left > INDENT * line),
            "room below": min(below, 3.0),
            "nearer to what is below": float(above > below + NEARER),
        }

    def _rules(
        self, place: int, titles: int, head: Sequence[Piece], below: Sequence[Piece]
    ) -> dict[str, float]:
        near = self._sheet.line / 3
        above, top = _bottom(self._rows[place - 1]), _top(self._rows[place])
        into = _top(head) if titles else top
        return {
            "rule above": _any_at(self._wide, above - near, top + near),
            "rule below title": _any_at(self._wide, top, _top(head) + near) * bool(titles),
            "rule below head": _any_at(self._wide, _middle(head), _middle(below)),
            "rules down through": _any_through(self._down, above, into),
            "rules down on both": float(
                any(s.start < above <= s.end + 3 * near for s in self._down)
                and any(s.start <= _middle(head) < s.end for s in self._down)
            ),
            "sides through": _any_through(self._sides, above, top),
        }


def _may_begin(found: Mapping[str, float]) -> bool:
    """Whether rows have a separate title and header, or a repeated header.

    Or a title in larger letters, without figures, and space above it, or one that looks like
    the title of the table above; or other columns than those above, below a title or space.
    """
    if found["rules down through"] and found["sides through"]:
        return False  # one grid is drawn around both
    has_head = found["no values"] and found["values below"] and "title" in found
    is_large = found.get("size", 0.0) > LARGE and found["apart"]
    is_named = is_large and not found["title has figures"]
    is_apart = found["apart"] and not found["sides through"]  # which close one frame
    is_alike = found.get("named alike", 0.0) and is_apart
    is_unlike = found["alike"] < UNLIKE and ("title" in found or is_apart)
    return bool(has_head or is_named or is_alike or found["same head"] or is_unlike)


def _head(upper: Rows, head: Sequence[Piece], below: Rows) -> dict[str, float]:
    """Properties of the first row below, and of those after it."""
    lettered = sum(any(map(str.isalpha, piece.text)) for piece in head)
    empty = float(not _has_values(head))
    figures = float(any(is_number(piece.text) for row in below for piece in row[1:]))
    above = float(any(is_number(piece.text) for piece in upper[-1][1:]))
    pairs = zip(head[1:], below[0][1:], strict=False)
    heads = [_plain(row) for row in upper[:HEADS]]
    return {
        "no values": empty,
        "names": float(2 * lettered > len(head)) * empty,
        "years": float(all(is_year(piece.text) for piece in head)),
        "values below": figures,
        "values above": above,
        "head and values": empty * figures * above,
        "kinds differ": fmean([is_number(a.text) != is_number(b.text) for a, b in pairs]),
        "same head": float(_plain(head) in heads) * empty,
    }


def _alike(upper: Rows, lower: Rows) -> dict[str, float]:
    """How well the rows on both sides align, −1 to 1, and how many pieces they have."""
    above, head, below = upper[-NEAREST:], lower[0], lower[1 : NEAREST + 1]
    if len(head) > MOST_OF_TOTAL:  # a total aligns with anything that ends in amounts
        below = [row for row in below if len(row) > MOST_OF_TOTAL] or below
    own = [likeness(a, b) for a, b in pairwise(below)]
    pieces = median(map(len, below))
    return {
        "alike": fmean([likeness(a, b) for a in above for b in below]),
        "head alike": fmean([likeness(row, head) for row in above]),
        "head alike below": fmean([likeness(head, row) for row in below]),
        "alike below": fmean(own) if own else 0.5,
        "more or fewer": min(abs(median(map(len, above)) - pieces), 4.0),
        "full head": float(len(head) >= pieces),
    }


def _has_values(row: Sequence[Piece]) -> bool:
    """Whether a row has a figure other than a year after its first piece."""
    return any(is_value(piece.text) for piece in row[1:])


def _plain(row: Sequence[Piece]) -> list[str]:
    return ["".join(piece.text.split()).casefold() for piece in row]


def _any_at(across: Sequence[Stroke], top: float, bottom: float) -> float:
    return float(any(top < stroke.at < bottom for stroke in across))


def _any_through(down: Sequence[Stroke], top: float, bottom: float) -> float:
    return float(any(stroke.start < top and stroke.end > bottom for stroke in down))


def _gaps(rows: Rows) -> list[float]:
    """Between rows that do not overlap: the text of a cell over several rows is among these."""
    found, low = list[float](), _bottom(rows[0]) if rows else 0.0
    for row in rows[1:]:
        if (gap := _top(row) - low) >= 0:
            found.append(gap)
        low = max(low, _bottom(row))
    return found


def _top(row: Sequence[Piece]) -> float:
    return min(piece.y0 for piece in row)


def _bottom(row: Sequence[Piece]) -> float:
    return max(piece.y1 for piece in row)


def _middle(row: Sequence[Piece]) -> float:
    return median(piece.middle for piece in row)
