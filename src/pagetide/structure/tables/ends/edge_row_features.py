"""Features that tell a table's first or last row from a caption, note or title."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from pagetide.document import Cell
from pagetide.geometry import Box, box_of, center, contains, union
from pagetide.structure.figures.caption_names import NUMBERED
from pagetide.structure.tables.baseline import is_value, is_year
from pagetide.structure.tables.found import FoundTable
from pagetide.structure.tables.pieces import Piece, begins_small
from pagetide.structure.tables.ruled.frames import Stroke
from pagetide.structure.tables.sheet import Sheet

Features = dict[str, float]

FAR = 4.0  # line heights: distances are capped here
WIDE = 0.8  # of a table's width, or of a row's height: a rule along all of it
MANY = 12.0  # words: counts are capped here
STOPS = (".", "!", "。", "！")
MARKS = ("*", "†", "‡", "¹", "²", "³", "(1)", "1)", "Note", "NOTE", "Source")


class EdgeRows:
    """The rows of a table, and what surrounds its first and last.

    Args:
        sheet: Its page.
        found: The table.
    """

    def __init__(self, sheet: Sheet, found: FoundTable) -> None:
        self._sheet, self._box, self._table = sheet, found.box, found.table
        x0, top, x1, bottom = found.box
        near = sheet.line
        self._rows: list[list[Cell]] = [[] for _ in range(found.table.rows)]
        for cell in found.table.cells:
            if cell.text.strip() and cell.polygon:
                self._rows[cell.row].append(cell)
        self._words = sorted((w for own in found.held for w in own), key=_middle)
        self._middles = [word.middle for word in self._words]
        heights = [w.y1 - w.y0 for w in self._words if w.y1 > w.y0]
        self._height = median(heights) if heights else near
        self._across = [
            s for s in sheet.across if s.start < x1 and s.end > x0 and s.thickness > 0
        ]
        self._down = [
            s for s in sheet.down if s.start < bottom and s.end > top and s.thickness > 0
        ]
        self._usual = self._usual_room()

    def _usual_room(self) -> float:
        boxes = [self._text(row) for row in range(self._table.rows)]
        gaps = [lower[1] - upper[3] for upper, lower in pairwise(boxes) if upper and lower]
        return median(gaps) if gaps else 0.0

    def _text(self, row: int) -> Box | None:
        """The box around a row's words; None if it has none."""
        words = self._words_of(row)
        return union([word[1:5] for word in words]) if words else None

    def _words_of(self, row: int) -> Sequence[Piece]:
        boxes = [box_of(cell.polygon or ()) for cell in self._rows[row]]
        if not boxes:
            return ()
        top, bottom = min(box[1] for box in boxes), max(box[3] for box in boxes)
        first = bisect_left(self._middles, top)
        return self._words[first : bisect_right(self._middles, bottom, first)]

    def features(self, *, last: bool) -> Features:
        """Of the first row, or of the last."""
        place = self._table.rows - 1 if last else 0
        step = -1 if last else 1
        own, after = self._rows[place], self._rows[place + step]
        box, beyond = self._text(place), self._text(place + step)
        if box is None or not own:
            return {}
        line, table = self._sheet.line, self._table
        texts = [cell.text.strip() for cell in own]
        wide = max(cell.column_span for cell in own)
        x0, _, x1, _ = self._box
        words = self._words_of(place)
        height = max((w.y1 - w.y0 for w in words), default=self._height)
        room = 0.0 if beyond is None else (box[1] - beyond[3] if last else beyond[1] - box[3])
        usual = median([len(row) for row in self._rows])
        spanning = max(cell.row_span for cell in own)
        values = {
            "last": float(last),
            "cells": len(own),
            "columns": table.columns,
            "rows": min(table.rows, 30),
            "filled": len(own) / table.columns,
            "alone": float(len(own) == 1),
            "whole": float(wide == table.columns),
            "wide": wide / table.columns,
            "tall": float(spanning > 1),
            "first": float(any(cell.column == 0 for cell in own)),
            "fewer": len(own) / max(usual, 1),
            "words": min(sum(len(text.split()) for text in texts) / len(texts), MANY),
            "most_words": min(max(len(text.split()) for text in texts), 2 * MANY),
            "lines": max(text.count("\n") for text in texts) + 1,
            "stops": float(texts[-1].endswith(STOPS)),
            "colon": float(any(text.endswith((":", "：")) for text in texts)),
            "inner_colon": float(any(":" in text[:-1] for text in texts)),
            "small": float(begins_small(texts[0])),
            "marked": float(texts[0].startswith(MARKS)),
            "caption": float(bool(NUMBERED.match(texts[0]))),
            "figures": sum(is_value(t) for t in texts) / len(texts),
            "years": sum(map(is_year, texts)) / len(texts),
            "digits": float(any(map(str.isdigit, "".join(texts)))),
            "higher": height / self._height,
            "room": _within(room / line, -1.0, FAR),
            "more_room": _within((room - self._usual) / line, -FAR, FAR),
            "at_left": (box[0] - x0) / line if box[0] - x0 < FAR * line else FAR,
            "at_right": (x1 - box[2]) / line if x1 - box[2] < FAR * line else FAR,
            "out_left": float(box[0] < self._left() - line / 2),
            "centred": float(abs((box[0] + box[2]) - (x0 + x1)) < line),
            "width": (box[2] - box[0]) / max(x1 - x0, 1.0),
            "next_cells": len(after) / table.columns,
            "next_figures": _figures(after),
            "next_whole": float(any(cell.column_span == table.columns for cell in after)),
            "body_figures": _figures([c for row in self._rows for c in row if c.row != place]),
            **self._rules(box, beyond, last=last),
            **self._fills(box, beyond),
        }
        return {name: float(value) for name, value in values.items() if value}

    def _left(self) -> float:
        return min((w.x0 for w in self._words), default=self._box[0])

    def _rules(self, box: Box, beyond: Box | None, *, last: bool) -> Features:
        x0, _, x1, _ = self._box
        middle = (box[1] + box[3]) / 2
        inner = (beyond[1] + beyond[3]) / 2 if beyond else middle
        low, high = sorted((middle, inner))
        between = [s for s in self._across if low < s.at < high]
        edge = (
            (box[3], box[3] + 1.5 * self._sheet.line)
            if last
            else (box[1] - 1.5 * self._sheet.line, box[1])
        )
        outer = [s for s in self._across if edge[0] - 2 <= s.at <= edge[1] + 2]
        beside = [s for s in self._down if s.start < middle < s.end]
        inside = [s for s in self._down if s.start < inner < s.end]
        near = self._sheet.line
        sides = [any(abs(s.at - at) < near for s in beside) for at in (x0, x1)]
        return {
            "ruled": _share(between, x0, x1),
            "ruled_beyond": _share(outer, x0, x1),
            "closed": sum(sides) / 2,
            "parted": min(sum(x0 + near < s.at < x1 - near for s in beside), 8),
            "next_parted": min(sum(x0 + near < s.at < x1 - near for s in inside), 8),
            "has_rules": float(bool(self._across)),
        }

    def _fills(self, box: Box, beyond: Box | None) -> Features:
        return {
            "shaded": float(self._is_filled(box)),
            "next_shaded": float(beyond is not None and self._is_filled(beyond)),
        }

    def _is_filled(self, box: Box) -> bool:
        return any(
            contains(fill, center(box)) and fill[3] - fill[1] < 4 * self._sheet.line
            for fill in self._sheet.fills
        )


def _figures(cells: Sequence[Cell]) -> float:
    texts = [cell.text for cell in cells if cell.column]
    return sum(is_value(t) for t in texts) / max(len(texts), 1)


def _share(strokes: Sequence[Stroke], x0: float, x1: float) -> float:
    """The largest share of the way from one side to the other that one of the rules covers."""
    return max((min(s.end, x1) - max(s.start, x0) for s in strokes), default=0.0) / max(
        x1 - x0, 1
    )


def _within(value: float, least: float, most: float) -> float:
    return min(max(value, least), most)


def _middle(word: Piece) -> float:
    return word.middle
