"""Rows of official tables: names in the stub with their values, groups, sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from bench.drawn.markup import Maker, Td
from bench.drawn.official.values import Column, Values
from bench.drawn.words import capital


@dataclass(frozen=True)
class Stub:
    """The layout of names in the first column.

    Attributes:
        form: `word`, `phrase`, `clause`, `code` or `year`.
        wide: Maximum width, in letter sizes.
        leaders: Dots after a name; 0 for none.
        depths: By how many steps names are indented, one of them for each row.
        numbered: Whether names have a number before them.
    """

    form: str
    wide: float
    leaders: bool
    depths: Sequence[int]
    numbered: bool

    @classmethod
    def of(cls, maker: Maker) -> Stub:
        """Random names."""
        chance = maker.chance
        return cls(
            chance.choices(("word", "phrase", "clause", "code", "year"), (22, 30, 28, 10, 10))[
                0
            ],
            chance.choice((8, 11, 14, 18)),
            maker.maybe(0.12),
            chance.choice(((0,), (0,), (0, 1, 1), (0, 1, 2, 2, 1, 3))),
            maker.maybe(0.1),
        )

    def cell(self, maker: Maker, place: int, look: str = "") -> Td:
        """The name of a row."""
        depth = self.depths[place % len(self.depths)]
        text = self._text(maker, place)
        if self.numbered:
            text = f"{place + 1}. {text}"
        style = f"max-width: {self.wide + depth}em; padding-inline-start: {depth}em"
        if self.leaders and self.form != "clause":
            dots = " ." * maker.chance.randint(4, 14)
            inner = f'<div class="one-line" style="padding-inline-start: {depth}em">{{}}</div>'
            return Td(inner=inner.format(escape(text + dots)), look=look)
        return Td(inner=f'<div style="{style}">{escape(text)}</div>', look=look)

    def _text(self, maker: Maker, place: int) -> str:
        w = maker.writer
        texts: dict[str, Callable[[], str]] = {
            "word": lambda: capital(maker.chance.choice((w.word("towns"), w.word("goods")))),
            "phrase": w.heading,
            "clause": lambda: capital(w.clause()),
            "code": w.code,
            "year": lambda: str(1995 + place),
        }
        return texts[self.form]()


def body_rows(
    maker: Maker, values: Values, stub: Stub, columns: Sequence[Column], count: int
) -> list[list[Td]]:
    """Rows of names and values, some of them groups' names and sums."""
    groups = maker.chance.choice((0, 0, 4, 7)) if count > 4 else 0
    bold = maker.chance.choice(("bold", "slanted", "", "bold middle"))
    sums, room = maker.maybe(0.35), maker.chance.choice(("", "room"))
    rows: list[list[Td]] = []
    for place in range(count):
        if groups and place % groups == 0 and place < count - 1:
            rows.append([_group(maker, bold, room if place else "", len(columns))])
        is_sum = sums and (place == count - 1 or (groups and place % groups == groups - 1))
        look = "sum over-sum" if is_sum else "room" if _is_fifth(place, room, groups) else ""
        name = Td(text=maker.writer.label("total"), look=look)
        first = name if is_sum else stub.cell(maker, place, look)
        full = is_sum or place in (0, count - 1)
        cells = [values.cell(column, look, full=full) for column in columns]
        rows.append(
            [first, *cells] if _has_one(cells) else [first, *_refilled(values, columns)]
        )
    return rows


def _is_fifth(place: int, room: str, groups: int) -> bool:
    return bool(room) and not groups and place % 5 == 0 and place > 0


def _has_one(cells: Sequence[Td]) -> bool:
    return any(cell.inner or cell.text for cell in cells)


def _refilled(values: Values, columns: Sequence[Column]) -> list[Td]:
    return [values.cell(column, full=True) for column in columns]


def _group(maker: Maker, look: str, room: str, columns: int) -> Td:
    return Td(text=maker.writer.heading(), columns=columns + 1, look=f"{look} {room}".strip())


def error_rows(
    maker: Maker, values: Values, columns: Sequence[Column], count: int
) -> list[list[Td]]:
    """A paper's estimates, each with its error in brackets in a row of its own below."""
    w, chance = maker.writer, maker.chance
    rows: list[list[Td]] = []
    for _ in range(count):
        stars = [chance.choice(("", "*", "**", "***")) for _ in columns]
        figures = [w.number(chance.uniform(-2, 2), 3) for _ in columns]
        errors = [f"({w.number(chance.uniform(0, 1), 3)})" for _ in columns]
        rows.append(
            [
                Td(text=capital(w.phrase())),
                *(Td(text=a + b, look="middle") for a, b in zip(figures, stars, strict=True)),
            ]
        )
        rows.append([Td(), *(Td(text=error, look="middle") for error in errors)])
    seen = [str(chance.randint(100, 9000)) for _ in columns]
    rows.append([Td(text="N"), *(Td(text=one, look="middle") for one in seen)])
    fits = [w.number(chance.random(), 2) for _ in columns]
    rows.append([Td(text="R²"), *(Td(text=one, look="middle") for one in fits)])
    return rows
