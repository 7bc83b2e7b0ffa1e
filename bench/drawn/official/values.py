"""The content of columns of official tables: figures of every kind, words, marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from bench.drawn.markup import Maker, Td

FIGURES = ("whole", "parts", "percent", "money", "signed", "spread", "range")
_TICKS = ("✓", "✗", "•", "–", "●", "○")


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column's values.

    Attributes:
        kind: One of `FIGURES`, or `date`, `tick`, `code`, `name`, `prose`, `time`.
        side: Their alignment: `end`, `middle`, or empty for the start.
        least: Their width, in letters.
    """

    kind: str
    side: str
    least: int


def column_of(maker: Maker, kind: str, sides: str) -> Column:
    """A column whose values are aligned as the table's."""
    side = maker.chance.choice(("end", "middle", "start")) if sides == "mixed" else sides
    if kind in ("name", "prose", "code", "date") and maker.maybe(0.7):
        side = "start"
    if kind == "tick":
        side = "middle"
    widths = {"prose": 14, "name": 11, "money": 11, "spread": 11, "date": 12, "range": 9}
    return Column(kind=kind, side="" if side == "start" else side, least=widths.get(kind, 8))


@dataclass(frozen=True)
class Values:
    """The values of one table.

    Attributes:
        empty: The text for a missing value.
        sparse: How often a value is missing, 0–1.
        marked: How often a figure has a footnote's mark, 0–1.
        size: Of the largest figures, a power of ten.
        sign: The currency sign.
    """

    maker: Maker
    empty: str
    sparse: float
    marked: float
    size: int
    sign: str

    @classmethod
    def of(cls, maker: Maker) -> Values:
        """Random values."""
        chance = maker.chance
        return cls(
            maker,
            chance.choice(("", "", "–", "—", "-", "n.a.", "..", "…")),
            chance.choice((0.0, 0.05, 0.15, 0.3)),
            chance.choice((0.0, 0.0, 0.06)),
            chance.randint(2, 7),
            chance.choice(("$", "€", "£", "US$")),
        )

    def cell(self, column: Column, look: str = "", *, full: bool = False) -> Td:
        """A cell of a column; `full` means that it must not be empty."""
        look = f"{column.side} {look}".strip()
        if not full and self.maker.maybe(self.sparse):
            return Td(text=self.empty, look=look)
        if column.kind == "money" and (full or self.maker.maybe(0.4)):
            inner = f'<span class="set-apart"><span>{self.sign}</span><span>{{}}</span></span>'
            return Td(inner=inner.format(escape(self.said("whole"))), look=look)
        said = self.said(column.kind)
        if column.kind in FIGURES:
            mark = self.maker.chance.choice("abc12*") if self.maker.maybe(self.marked) else ""
            mark = f"<sup>{mark}</sup>" if mark else ""
            return Td(inner=f'<span class="one-line">{escape(said)}{mark}</span>', look=look)
        if column.kind in ("code", "date", "time"):
            return Td(inner=f'<span class="one-line">{escape(said)}</span>', look=look)
        return Td(text=said, look=look)

    def said(self, kind: str) -> str:
        """A value of a kind."""
        w, chance = self.maker.writer, self.maker.chance
        most = 10.0 ** chance.randint(max(self.size - 2, 1), self.size)
        makers: dict[str, Callable[[], str]] = {
            "whole": lambda: w.number(chance.uniform(1, most), 0),
            "money": lambda: w.number(chance.uniform(1, most), 0),
            "parts": lambda: w.number(chance.uniform(0, min(most, 1e4)), chance.choice((1, 2))),
            "percent": lambda: w.number(chance.uniform(0, 100), 1) + chance.choice(("%", " %")),
            "signed": self._signed,
            "spread": lambda: (
                f"{w.number(chance.uniform(0, 99), 1)} ± {w.number(chance.uniform(0, 9), 1)}"
            ),
            "range": lambda: f"{chance.randint(1, 49)}–{chance.randint(50, 99)}",
            "date": w.date,
            "time": lambda: f"{chance.randint(5, 23)}:{chance.randint(0, 59):02}",
            "tick": lambda: chance.choice(_TICKS),
            "code": w.code,
            "name": lambda: chance.choice((w.word("towns"), w.word("nouns"), w.phrase())),
            "prose": w.sentence,
        }
        return makers[kind]()

    def _signed(self) -> str:
        w, chance = self.maker.writer, self.maker.chance
        value = w.number(chance.uniform(1, 10**self.size), 0)
        return chance.choice(
            (f"({value})", f"-{value}", f"−{value}", f"+{value}", value, value)
        )
