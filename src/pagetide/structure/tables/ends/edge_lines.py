"""Features that decide whether a line right above or below a table belongs to it.

Everything describes the upper edge; below a table it is the same with up and down swapped.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from pagetide.geometry import Box, union
from pagetide.structure.figures.caption_names import NUMBERED
from pagetide.structure.margins.edges import is_sure_number
from pagetide.structure.tables.baseline import IN_BRACKETS, is_number, is_value, is_year
from pagetide.structure.tables.grids.columns import NARROWEST, Span, gaps_of
from pagetide.structure.tables.line_words import Words, inside_of
from pagetide.structure.tables.pieces import Piece, baselines, begins_small
from pagetide.structure.tables.ruled.frames import Stroke
from pagetide.structure.tables.unruled.labelled import PAIR

Features = dict[str, float]

_UNIT = re.compile(rf"{IN_BRACKETS.pattern}|'?0{{3}}")
BODY = 8  # rows that define the columns
LEAST_CROSSED = 4  # rows: with this many, one may cross a gap
OF_ONE = ("at_left", "tight", "over", "over_values", "stub", "in_one", "level", "gap", "words")
FAR = 4.0  # line heights: distances are capped here
LEVEL = 0.4  # line heights between aligned edges
CENTRED = 0.75  # line heights from the middle of what a header covers
AS_WIDE = 0.9  # of the table's width: a rule that separates it from everything above
TIGHT = 0.45  # line heights between lines of one cell
WIDE = 0.6  # of the table's width
OWNER, OFTEN = 3, 2  # pieces of a row with a further line, and rows that have one


@dataclass(frozen=True)
class Edge:
    """The edge of a table, used to judge the lines beyond it.

    Attributes:
        box: Of the table so far.
        columns: The extents of its text, from left to right.
        last: Its row at the edge, or the line found last.
        pitch: From line to line.
        room: Between the lines above and below a rule or a shade's edge, at most; 0 if there is
            none.
        height: Of its letters.
        figures: The share of amounts in the rows there, 0–1.
        line: The page's typical line height.
        across: The page's drawn horizontal rules.
        alone: The single-piece lines right beyond a row of several pieces: where each starts,
            its height, and how far its middle is from the row's.
        lines: How many lines beyond the edge were accepted.
    """

    box: Box
    columns: tuple[Span, ...]
    last: Sequence[Piece]
    pitch: float
    room: float
    height: float
    figures: float
    line: float
    across: Sequence[Stroke]
    alone: Sequence[tuple[float, float, float]] = ()
    lines: int = 0

    @classmethod
    def of(cls, box: Box, words: Words, line: float, across: Iterable[Stroke]) -> Edge | None:
        """The edge of a box with text in it; None if it has no text, or no width."""
        inside = inside_of(box, words, line)
        rows = baselines(chunk for of_line in inside for chunk in of_line.phrases)[:BODY]
        columns = _columns(rows, line) if rows else []
        if not columns:
            return None
        middles = [row[0].middle for row in rows]
        gaps = [b - a for a, b in itertools.pairwise(middles)]
        rest = [piece.text for row in rows for piece in row[1:]]
        across = list(across)
        rooms = _rooms(rows, [s.at for s in across if s.start < box[2] and s.end > box[0]])
        return cls(
            box,
            tuple(columns),
            rows[0],
            median(gaps) if gaps else 2 * line,
            max(rooms, default=0.0),
            median(piece.y1 - piece.y0 for row in rows for piece in row),
            sum(map(is_number, rest)) / max(len(rest), 1),
            line,
            [stroke for stroke in across if stroke.thickness > 0],
            [
                _beside_row(row[0], owner)
                for row, owner in itertools.pairwise(rows)
                if len(row) == 1 < len(owner)
            ],
        )

    @property
    def top(self) -> float:
        """The upper edge of its text."""
        return min(piece.y0 for piece in self.last)

    def ends_level(self, piece: Piece) -> bool:
        """Whether a text ends where the last column or the last row does.

        Figures below a wide header end before it.
        """
        ends = (self.columns[-1][1], self.last[-1].x1)
        return any(abs(piece.x1 - end) < LEVEL * self.line for end in ends)

    def goes_on_in(self, row: Sequence[Piece]) -> bool:
        """Whether a line is as far from the last row as several single lines from theirs."""
        if self.lines or len(row) > 1 or len(self.last) < OWNER:
            return False
        own, near = _beside_row(row[0], self.last), self.line / 8
        alike = (max(map(_apart, own, other)) < near for other in self.alone)
        return sum(alike) >= OFTEN

    def beyond(self, row: Sequence[Piece]) -> Edge:
        """The edge with one more line."""
        columns = list(self.columns)
        for piece in row:
            met = self.met(piece)
            if len(met) == 1:
                start, end = columns[met[0]]
                columns[met[0]] = (min(start, piece.x0), max(end, piece.x1))
        box = union([self.box, *(piece[1:5] for piece in row)])
        return replace(self, box=box, columns=tuple(columns), last=row, lines=self.lines + 1)

    def with_pitch_to(self, row: Sequence[Piece]) -> Edge:
        """The edge with its distance to a line as the pitch, if that is more than its own.

        The lines of a header are closer than the rows below it.
        """
        return replace(self, pitch=max(self.pitch, self.last[0].middle - row[0].middle))

    def features(self, row: Sequence[Piece], above: Sequence[Piece] | None) -> Features:
        """The features of the next line.

        Args:
            row: From left to right.
            above: The line beyond it, if one is near.
        """
        values = {
            "always": 1.0,
            "one": float(len(row) == 1),
            "all": float(len(row) >= len(self.columns) - 1),
            "next": float(self.lines > 0),
            "columns": min(len(self.columns), 8) / 8,
            "amounts": self.figures,
            **self._room(row, above),
            **self._rules(row),
            **self._place(row),
            **self._share(row),
            **_texts(row),
            **self._words(row),
        }
        ruled, one = values["ruled_below"], values["one"]
        values["ruled_over_last"] = ruled * values["last_figures"] * (not self.lines)
        values["ruled_first"] = ruled * (not self.lines)
        values["new_amounts"] = float(values["figures"] > 0 == values["last_figures"])
        values["amounts_like"] = values["figures"] * values["last_figures"]
        values |= {f"one_{name}": one * values[name] for name in OF_ONE}
        return {name: value for name, value in values.items() if value}

    def _room(self, row: Sequence[Piece], above: Sequence[Piece] | None) -> Features:
        bottom, start = max(p.y1 for p in row), min(p.y0 for p in row)
        gap = (self.top - bottom) / self.line
        over = (start - max(p.y1 for p in above)) / self.line if above else FAR
        return {
            "gap": _within(gap, -0.5, FAR),
            "in_pitches": _within((self.last[0].middle - row[0].middle) / self.pitch, 0.0, 3.0),
            "room_above": _within(over, 0.0, FAR),
            "nearer": float(gap < 0.8 * over),
            "tight": float(gap < TIGHT),
            "larger": float(max(p.y1 - p.y0 for p in row) > 1.15 * self.height),
            "smaller": float(max(p.y1 - p.y0 for p in row) < 0.9 * self.height),
        }

    def _rules(self, row: Sequence[Piece]) -> Features:
        x0, _, x1, _ = self.box
        bottom, start = max(p.y1 for p in row), min(p.y0 for p in row)
        below = [s for s in self.across if row[0].middle < s.at < self.top + self.line / 4]
        over = [s for s in self.across if start - 1.5 * self.line < s.at <= row[0].middle]
        wide = AS_WIDE * (x1 - x0)
        return {
            "ruled_below": float(any(_shared(s, x0, x1) > wide for s in below)),
            "on_rule": float(
                any(_shared(s, x0, x1) > wide and s.at - bottom < self.line for s in below)
            ),
            "ruled_above": float(any(_shared(s, x0, x1) > wide for s in over)),
            "span_ruled": float(
                any(
                    _shared(s, p.x0, p.x1) > WIDE * (p.x1 - p.x0)
                    and s.at < bottom + self.line
                    and _shared(s, x0, x1) < wide
                    for s in below
                    for p in row
                )
            ),
        }

    def _place(self, row: Sequence[Piece]) -> Features:
        x0, _, x1, _ = self.box
        widest = max(piece.x1 - piece.x0 for piece in row) / max(x1 - x0, 1.0)
        values = self.columns[1:] or self.columns
        middle = (values[0][0] + values[-1][1]) / 2
        center = (row[0].x0 + row[-1].x1) / 2
        near = CENTRED * self.line
        return {
            "wide": _within(widest, 0.0, 1.5),
            "very_wide": float(widest > WIDE),
            "at_left": float(abs(row[0].x0 - x0) < self.line / 2),
            "like_rows": float(self._is_like_rows(row)),
            "out_left": float(row[0].x0 < x0 - self.line / 2),
            "out_right": float(row[-1].x1 > x1 + self.line / 2),
            "over_values": float(abs(center - middle) < near),
            "over_all": float(abs(center - (x0 + x1) / 2) < near),
        }

    def _is_like_rows(self, row: Sequence[Piece]) -> bool:
        """Whether a line starts and ends where the table does, with a figure."""
        x0, _, x1, _ = self.box
        words = row[-1].words or (row[-1],)
        near = LEVEL * self.line
        level = abs(row[0].x0 - x0) < near and abs(row[-1].x1 - x1) < near
        return level and is_number(words[-1].text)

    def _share(self, row: Sequence[Piece]) -> Features:
        """How the pieces align with the columns, and with the row below."""
        met = [self.met(piece) for piece in row]
        many = len(row)
        level = sum(
            len(own) == 1 and self._lines_up(piece, self.columns[own[0]])
            for piece, own in zip(row, met, strict=True)
        )
        over = sum(
            len(own) > 1 and self._is_over(piece, own)
            for piece, own in zip(row, met, strict=True)
        )
        touching = sum(any(p.x0 < o.x1 and o.x0 < p.x1 for o in self.last) for p in row)
        return {
            "level": level / many,
            "in_one": sum(len(own) == 1 for own in met) / many,
            "over": over / many,
            "astride": sum(len(own) > 1 for own in met) / many - over / many,
            "beside": sum(not own for own in met) / many,
            "above_last": touching / many,
            "stub": float(0 in met[0]),
            "full": min(many / max(len(self.columns), 1), 1.5),
        }

    def _words(self, row: Sequence[Piece]) -> Features:
        goes_on = sum(begins_small(piece.text) for piece in self.last)
        return {
            "goes_on": goes_on / len(self.last),
            "last_years": sum(is_year(p.text) for p in self.last) / len(self.last),
            "last_figures": sum(_is_amount(p.text) for p in self.last) / len(self.last),
            "last_several": float(len(self.last) > len(row)),
        }

    def met(self, piece: Piece) -> list[int]:
        """The columns that a piece overlaps."""
        return [
            place
            for place, (start, end) in enumerate(self.columns)
            if piece.x0 < end and start < piece.x1
        ]

    def _lines_up(self, piece: Piece, column: Span) -> bool:
        start, end = column
        away = (piece.x0 - start, piece.x1 - end, piece.center - (start + end) / 2)
        return min(map(abs, away)) < LEVEL * self.line

    def _is_over(self, piece: Piece, met: Sequence[int]) -> bool:
        middle = (self.columns[met[0]][0] + self.columns[met[-1]][1]) / 2
        return abs(piece.center - middle) < CENTRED * self.line


def _beside_row(alone: Piece, row: Sequence[Piece]) -> tuple[float, float, float]:
    return alone.x0, alone.y1 - alone.y0, row[0].middle - alone.middle


def _apart(a: float, b: float) -> float:
    return abs(a - b)


def _texts(row: Sequence[Piece]) -> Features:
    texts = [piece.text.strip() for piece in row]
    words = max(len(text.split()) for text in texts)
    return {
        "words": min(words, 12) / 12,
        "letters": min(max(map(len, texts)), 60) / 60,
        "figures": sum(map(_is_amount, texts)) / len(row),
        "years": sum(map(is_year, texts)) / len(row),
        "units": sum(bool(_UNIT.fullmatch(text)) for text in texts) / len(row),
        "caption": float(bool(NUMBERED.match(texts[0]))),
        "stops": float(any(text.endswith((".", "。", ",", "，")) for text in texts)),
        "colon": float(any(text.endswith((":", "：")) for text in texts)),
        "pairs": float(all(PAIR.match(text) for text in texts)),
        "page": float(any(map(is_sure_number, texts))),
        "small": float(begins_small(texts[0])),
    }


def _is_amount(text: str) -> bool:
    return is_value(text) and not _UNIT.fullmatch(text.strip())


def _columns(rows: Sequence[Sequence[Piece]], line: float) -> list[Span]:
    """The extents of the rows' text: between gaps that (nearly) all rows leave."""
    several = [row for row in rows if len(row) > 1] or list(rows)
    allowed = len(several) // LEAST_CROSSED if len(several) >= LEAST_CROSSED else 0
    spans = [[(piece.x0, piece.x1) for piece in row] for row in several]
    gaps = [gap for gap in gaps_of(spans, allowed) if gap[1] - gap[0] >= NARROWEST * line]
    left = min(start for row in spans for start, _ in row)
    right = max(end for row in spans for _, end in row)
    edges = [left, *itertools.chain.from_iterable(gaps), right]
    return [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b > a]


def _rooms(rows: Sequence[Sequence[Piece]], rules: Sequence[float]) -> list[float]:
    """The space between neighbouring lines separated by a rule."""
    edges = [(max(p.y1 for p in a), min(p.y0 for p in b)) for a, b in itertools.pairwise(rows)]
    slack = [(a - (b - a) / 2, b + (b - a) / 2, b - a) for a, b in edges if b > a]
    return [room for a, b, room in slack if any(a <= at <= b for at in rules)]


def _shared(stroke: Stroke, start: float, end: float) -> float:
    return min(stroke.end, end) - max(stroke.start, start)


def _within(value: float, least: float, most: float) -> float:
    return min(max(value, least), most) if math.isfinite(value) else most
