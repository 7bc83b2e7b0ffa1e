"""The kinds of official tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from bench.drawn.markup import Maker, Td, table
from bench.drawn.official.bodies import Stub, body_rows, error_rows
from bench.drawn.official.heads import MANY, head_rows
from bench.drawn.official.look import Look
from bench.drawn.official.values import FIGURES, Column, Values, column_of
from bench.drawn.words import capital

LETTER = 0.62  # of a size: how wide a letter is, or a figure
MOST_LEVELS = 4


@dataclass(frozen=True)
class Made:
    """A table as HTML, and the look it was given so that it fits."""

    html: str
    look: Look


Build = Callable[[Maker, Look, str, float], Made]


def built(
    maker: Maker,
    look: Look,
    name: str,
    room: float,
    columns: list[Column],
    count: int,
    stub: Stub | None = None,
) -> Made:
    """A table of names and values that fits into a given width, in CSS pixels."""
    values, stub = Values.of(maker), stub or Stub.of(maker)
    columns, look = _fitting(columns, look, stub, room)
    if len(columns) > MANY:
        values = replace(values, size=min(values.size, 3))
    levels = maker.chance.choices((1, 2, 3, MOST_LEVELS), (50, 32, 13, 5))[0]
    first = "" if maker.maybe(0.35) else capital(maker.writer.word("nouns"))
    head = head_rows(maker, look, columns, first, levels if len(columns) > 1 else 1)
    rows = body_rows(maker, values, stub, columns, count)
    return Made(table(head, rows, look=f"official {name}"), look)


def _fitting(
    columns: list[Column], look: Look, stub: Stub, room: float
) -> tuple[list[Column], Look]:
    """As many columns as fit, in letters as large as possible."""
    for size in (look.size, 9.5, 8.5):
        least = min(size, look.size)
        letters = sum(column.least for column in columns) * LETTER + stub.wide + 3
        if letters * least + (len(columns) + 1) * look.gutter <= room:
            return columns, replace(look, size=least)
    if len(columns) == 1:
        return columns, replace(look, size=8.5)
    return _fitting(columns[:-1], look, stub, room)


def _figures(maker: Maker, look: Look, count: int, *, mixed: bool = False) -> list[Column]:
    kinds = [maker.chance.choice(FIGURES) for _ in range(count)]
    if not mixed:
        kinds = [maker.chance.choice(("whole", "whole", "parts", *FIGURES))] * count
    return [column_of(maker, kind, look.sides) for kind in kinds]


def statistics(maker: Maker, look: Look, name: str, room: float) -> Made:
    """An office's figures."""
    columns = _figures(maker, look, maker.chance.randint(2, 8), mixed=maker.maybe(0.4))
    return built(maker, look, name, room, columns, maker.chance.randint(3, 22))


def small(maker: Maker, look: Look, name: str, room: float) -> Made:
    """A table of few rows and columns."""
    chance = maker.chance
    columns = _figures(maker, look, chance.randint(1, 2))
    return built(maker, look, name, room, columns, chance.randint(2, 4))


def wide(maker: Maker, look: Look, name: str, room: float) -> Made:
    """A table of many columns."""
    look = replace(look, gutter=min(look.gutter, 9.0))
    columns = _figures(maker, look, maker.chance.randint(9, 15))
    columns = [
        replace(column, least=6, kind="parts" if column.kind == "spread" else column.kind)
        for column in columns
    ]
    stub = replace(Stub.of(maker), wide=9, form="word")
    return built(maker, look, name, room, columns, maker.chance.randint(4, 20), stub)


def long(maker: Maker, look: Look, name: str, room: float) -> Made:
    """A table that continues over pages."""
    columns = _figures(maker, look, maker.chance.randint(2, 6), mixed=maker.maybe(0.3))
    return built(maker, look, name, room, columns, maker.chance.randint(36, 64))


def described(maker: Maker, look: Look, name: str, room: float) -> Made:
    """Texts of several lines beside figures, codes and dates."""
    chance = maker.chance
    kinds = ["prose", *chance.sample(("name", "code", "date", "whole", "parts"), k=2)]
    chance.shuffle(kinds)
    if maker.maybe(0.3):
        kinds.append("prose")
    columns = [column_of(maker, kind, look.sides) for kind in kinds]
    stub = replace(Stub.of(maker), form=chance.choice(("word", "code", "phrase")))
    return built(maker, look, name, room, columns, chance.randint(3, 9), stub)


def compared(maker: Maker, look: Look, name: str, room: float) -> Made:
    """The features of several products: marks, or a word."""
    columns = [column_of(maker, "tick", look.sides)] * maker.chance.randint(2, 6)
    if maker.maybe(0.4):
        columns[-1] = column_of(maker, "name", look.sides)
    return built(maker, look, name, room, columns, maker.chance.randint(3, 14))


def timetable(maker: Maker, look: Look, name: str, room: float) -> Made:
    """Places and times."""
    columns = [column_of(maker, "time", look.sides)] * maker.chance.randint(4, 10)
    columns = [replace(column, least=5) for column in columns]
    stub = replace(Stub.of(maker), form="word", wide=11)
    return built(maker, look, name, room, columns, maker.chance.randint(5, 16), stub)


def estimates(maker: Maker, look: Look, name: str, room: float) -> Made:
    """A paper's estimates with errors below."""
    columns = [Column(kind="parts", side="middle", least=8)] * maker.chance.randint(2, 5)
    columns, look = _fitting(columns, look, replace(Stub.of(maker), wide=14), room)
    head = head_rows(maker, look, columns, "", maker.chance.choice((1, 2)))
    rows = error_rows(maker, Values.of(maker), columns, maker.chance.randint(2, 7))
    return Made(table(head, rows, look=f"official {name}"), look)


def keyed(maker: Maker, look: Look, name: str, room: float) -> Made:
    """Names and descriptions, in two columns below heads; without rules it may be text."""
    w, chance = maker.writer, maker.chance
    prose = maker.maybe(0.4)
    rows = [
        [Td(text=capital(w.phrase())), Td(text=w.sentence() if prose else w.good())]
        for _ in range(chance.randint(3, 10))
    ]
    head = [[Td(text=capital(w.word("nouns"))), Td(text=w.label("description"))]]
    size = min(look.size, room / 34)
    html = table(head, rows, look=f"official {name}")
    if look.rules == "none":
        html = html.replace('data-kind="table"', 'data-kind="table" data-also="text"')
    return Made(html, replace(look, size=size))


KINDS: Mapping[str, Build] = {
    "statistics": statistics,
    "described": described,
    "long": long,
    "compared": compared,
    "wide": wide,
    "estimates": estimates,
    "small": small,
    "keyed": keyed,
    "timetable": timetable,
}
