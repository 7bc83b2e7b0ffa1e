"""A sheet of paper in points: text and rules, to be drawn as a picture or as PDF."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

Face = Literal["sans", "bold", "serif", "serif_bold", "mono", "mono_bold", "cjk", "cjk_bold"]
Align = Literal["left", "right", "center"]
Measure = Callable[[str, Face], float]

A4 = (595.0, 842.0)
# A breakable piece: a run of Latin with its space, or one other character with the
# punctuation that may not begin a line.
_PIECES = re.compile(r"[!-~\u00a1-\u024f\u2010-\u20ac]+ ?|[^!-~ ][，。、；：！？）　]*| ")


@dataclass(frozen=True, kw_only=True)
class Text:
    """One line of text; `x` is its left end, right end or middle, `y` its baseline."""

    x: float
    y: float
    text: str
    size: float
    face: Face
    align: Align = "left"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A straight line, `weight` points thick."""

    x0: float
    y0: float
    x1: float
    y1: float
    weight: float = 0.6


@dataclass(kw_only=True)
class Sheet:
    """Text and rules in points, origin top left, y down; text in reading order.

    Attributes:
        measure: Width of a text in a face at 1 pt.
    """

    measure: Measure
    width: float = A4[0]
    height: float = A4[1]
    texts: list[Text] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """Every text, in reading order."""
        return [text.text for text in self.texts]

    def write(
        self, x: float, y: float, text: str, size: float, face: Face, align: Align = "left"
    ) -> None:
        """Add one line of text."""
        self.texts.append(Text(x=x, y=y, text=text, size=size, face=face, align=align))

    def rule(self, x0: float, y0: float, x1: float, y1: float, weight: float = 0.6) -> None:
        """Add one straight line."""
        self.rules.append(Rule(x0=x0, y0=y0, x1=x1, y1=y1, weight=weight))

    def wrap(self, text: str, width: float, size: float, face: Face) -> list[str]:
        """The text broken into lines no wider than `width` points."""
        lines, line = [], ""
        for piece in _PIECES.findall(text):
            if line and self.measure((line + piece).rstrip(), face) * size > width:
                lines.append(line.rstrip())
                line = ""
            line += piece
        return [*lines, line.rstrip()]

    def paragraphs(
        self,
        x: float,
        y: float,
        width: float,
        texts: Sequence[str],
        size: float,
        face: Face,
        *,
        leading: float = 1.32,
        gap: float = 0.6,
    ) -> float:
        """Set paragraphs below one another; returns the baseline after the last line."""
        for text in texts:
            for line in self.wrap(text, width, size, face):
                self.write(x, y, line, size, face)
                y += size * leading
            y += size * gap
        return y

    def rows(
        self,
        y: float,
        rows: Sequence[Sequence[str]],
        columns: Sequence[tuple[float, Align]],
        size: float,
        face: Face,
        *,
        step: float,
    ) -> float:
        """Set table rows, `step` points apart; returns the baseline after the last row.

        `columns` holds each column's x and alignment.
        """
        for row in rows:
            for (x, align), cell in zip(columns, row, strict=True):
                self.write(x, y, cell, size, face, align)
            y += step
        return y
