"""Heads of official tables: of one to four levels, wrapped, with units, spans ruled or not."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from bench.drawn.markup import Maker, Td
from bench.drawn.official.look import Look
from bench.drawn.official.values import Column
from bench.drawn.words import capital

MANY = 8  # columns


@dataclass(frozen=True)
class Head:
    """A head over some columns next to one another; what is below it has heads of its own."""

    text: str
    columns: tuple[int, ...]
    below: tuple[Head, ...] = ()

    @property
    def depth(self) -> int:
        """Its number of levels, including itself."""
        return 1 + max((head.depth for head in self.below), default=0)


def head_rows(
    maker: Maker, look: Look, columns: list[Column], stub: str, levels: int
) -> list[list[Td]]:
    """The head's rows: the stub's head, then those of the columns.

    Args:
        maker: With randomness and words.
        look: The table's.
        columns: Behind the stub.
        stub: The text above the first column; may be empty.
        levels: Maximum number of head levels.
    """
    heads = _heads(maker, tuple(range(len(columns))), levels, _leaves(maker, columns))
    depth = max(head.depth for head in heads)
    rows: list[list[Td]] = [[] for _ in range(depth)]
    rows[0].append(Td(text=stub, rows=depth))
    for head in heads:
        _placed(maker, look, head, columns, rows, 0)
    if maker.maybe(0.15):
        unit = maker.chance.choice(("(%)", "(in thousands)", "(USD m)", "(kg)", "(2015 = 100)"))
        rows.append([Td(), Td(text=unit, columns=len(columns), look="over middle")])
    return rows


def _leaves(maker: Maker, columns: list[Column]) -> list[str]:
    chance = maker.chance
    form = chance.choices(
        ("years", "words", "phrases", "long", "counted"), (25, 25, 25, 15, 10)
    )
    if len(columns) > MANY:  # long words would run off the sheet
        form = ["years" if form[0] in ("years", "long") else "counted"]
    first, long = chance.randint(1990, 2020), form == ["long"]
    said = []
    for place in range(len(columns)):
        name = {"years": str(first + place), "counted": f"({place + 1})"}.get(form[0])
        name = name or _named(maker, form[0])
        unit = chance.choice(("(%)", "(m)", "(kg)", "(USD)", "('000)"))
        said.append(f"{name}\n{unit}" if not long and maker.maybe(0.12) else name)
    return said


def _named(maker: Maker, form: str) -> str:
    w = maker.writer
    if form == "words":
        return capital(w.word("nouns"))
    return capital(w.phrase() if form == "phrases" else w.clause())


def _heads(
    maker: Maker, places: tuple[int, ...], levels: int, leaves: list[str]
) -> tuple[Head, ...]:
    if levels < 2 or len(places) < 2:
        return tuple(Head(leaves[place], (place,)) for place in places)
    groups = _groups(maker, places)
    alike = len({len(group) for group in groups}) == 1 and maker.maybe(0.5)
    found = []
    for group in groups:
        if len(group) == 1:
            found.append(Head(leaves[group[0]], group))
            continue
        own = leaves[: len(group)] if alike else [leaves[place] for place in group]
        named = [*leaves]
        for place, name in zip(group, own, strict=True):
            named[place] = name
        w = maker.writer
        name = maker.chance.choice((capital(w.phrase()), w.heading(), capital(w.word("nouns"))))
        found.append(Head(name, group, _heads(maker, group, levels - 1, named)))
    return tuple(found)


def _groups(maker: Maker, places: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The places in groups, one of two or more at least."""
    if maker.maybe(0.15):
        return [places]
    if maker.maybe(0.5):
        size = maker.chance.choice([n for n in (2, 3, 4) if len(places) % n == 0] or [2])
        return [places[at : at + size] for at in range(0, len(places), size)]
    found, at = [], 0
    while at < len(places):
        size = maker.chance.choice((1, 2, 2, 3, 4))
        found.append(places[at : at + size])
        at += size
    return found if any(len(group) > 1 for group in found) else [places]


def _placed(
    maker: Maker,
    look: Look,
    head: Head,
    columns: list[Column],
    rows: list[list[Td]],
    level: int,
) -> None:
    if head.below:
        text = escape(head.text)
        inner = f'<div class="ruled-span">{text}</div>' if look.ruled_spans else ""
        rows[level].append(
            Td(text=head.text, columns=len(head.columns), look="over middle", inner=inner)
        )
        for below in head.below:
            _placed(maker, look, below, columns, rows, level + 1)
        return
    column = columns[head.columns[0]]
    text = "<br>".join(map(escape, head.text.split("\n")))
    narrow = maker.writer.is_spaced and maker.maybe(0.45)
    wide = f"max-width: {max(column.least, 7)}em"
    inner = (
        f'<div class="narrow">{text}</div>' if narrow else f'<div style="{wide}">{text}</div>'
    )
    rows[level].append(Td(rows=len(rows) - level, look=column.side, inner=inner))
