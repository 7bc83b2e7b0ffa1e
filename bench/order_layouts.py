"""Layouts of two and three columns, set from words of our own; the same seed, the same page.

Seeds below 1000 are for development, those from 1000 on are held out: they are only counted.
Where printers and readers differ, several orders are right: a footnote is read at the end
of its column or of the page, a sidebar before or after the text beside it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from bench.order_floats import Order, across, across_some, in_column, quotation
from bench.order_pages import OrderPage, Part, Piece
from bench.order_sheet import Sheet

DEVELOP, HELD_OUT = range(0, 12), range(1000, 1012)
ALPHABETS = ("אבגדהוזחטיכלמנסעפצקרשת", "ابتثجحدذرزسشصضطظعغفقكلمنهوي")
Layout = Callable[[Sheet], list[Order]]


def page(name: str, seed: int, *, skewed: bool = False) -> OrderPage:
    """One page of a layout of `LAYOUTS`."""
    chance = random.Random(f"{name} {seed}")  # noqa: S311 - not for secrets
    sheet = Sheet(chance)
    others = LAYOUTS[name](sheet)
    made = OrderPage(
        name=name,
        seed=seed,
        width=sheet.width,
        height=sheet.height,
        parts=tuple(sheet.parts),
        orders=(tuple(range(len(sheet.parts))), *others),
        skew=chance.uniform(0.5, 2) * chance.choice([-1, 1]) if skewed else 0.0,
    )
    return _leftward(made, chance.choice(ALPHABETS)) if name.startswith("leftward") else made


def _columns(sheet: Sheet, *shares: float, title: bool = True) -> list[Order]:
    sheet.running()
    top = sheet.title() if title else sheet.top
    for place, edges in enumerate(columns := sheet.columns(*shares)):
        ends = place == len(columns) - 1 and sheet.chance.random() < 0.4
        tall = sheet.bottom - top
        bottom = sheet.bottom - tall * sheet.chance.uniform(0.2, 0.8) if ends else sheet.bottom
        sheet.column(edges, top, bottom)
    sheet.number()
    return []


def _tight(sheet: Sheet) -> list[Order]:
    sheet.ragged = sheet.chance.random() < 0.5
    sheet.gutter = sheet.size * sheet.chance.uniform(1.2, 1.5)
    return _columns(sheet, *[1] * sheet.chance.choice([2, 3]), title=False)


def _uneven(sheet: Sheet) -> list[Order]:
    """The columns' lines are at different heights, as after headings and formulas."""
    sheet.running()
    for edges in sheet.columns(1, 1):
        y = sheet.top
        while y + sheet.pitch < sheet.bottom:
            y = sheet.paragraph(edges, y, sheet.bottom, most=9)
            y += sheet.pitch * sheet.chance.uniform(0.2, 0.9)
            if sheet.chance.random() < 0.4 and y + sheet.pitch < sheet.bottom:
                middle = (edges[0] + edges[1]) / 2 - 3 * sheet.size
                formula = [
                    sheet.line(["a", "=", "b", "+", "c"], middle, y, sheet.size),
                    sheet.line(
                        [f"({sheet.chance.randint(1, 9)})"],
                        edges[1] - 1.5 * sheet.size,
                        y,
                        sheet.size,
                    ),
                ]
                y = sheet.add("formula", formula, sheet.size) + sheet.pitch * 0.9
    sheet.number()
    return []


def _footnotes(sheet: Sheet) -> list[Order]:
    """Footnotes at the bottom of some columns: read there, or after all columns."""
    sheet.running()
    columns = sheet.columns(1, 1)
    notes: list[int] = []
    with_notes = sheet.chance.choice([(0,), (1,), (0, 1)])
    for place, edges in enumerate(columns):
        if place not in with_notes:
            sheet.column(edges, sheet.top, sheet.bottom)
            continue
        bottom = sheet.footnotes(edges)
        found = [part for part in sheet.parts if part.kind == "footnote"][len(notes) :]
        del sheet.parts[-len(found) :]
        sheet.column(edges, sheet.top, bottom)
        notes += range(len(sheet.parts), len(sheet.parts) + len(found))
        sheet.parts += found
    body = [place for place in range(len(sheet.parts)) if place not in notes]
    before = len(sheet.parts)
    sheet.number()
    return [(*body, *notes, *range(before, len(sheet.parts)))]


def _sidebar(sheet: Sheet) -> list[Order]:
    """A narrow column of small print beside two of text: read before or after them."""
    at_left = sheet.chance.random() < 0.5
    sheet.running()
    before = len(sheet.parts)
    shares = (0.6, 1, 1) if at_left else (1, 1, 0.6)
    columns = sheet.columns(*shares)
    aside, body = (columns[0], columns[1:]) if at_left else (columns[2], columns[:2])
    for edges in body:
        sheet.column(edges, sheet.top, sheet.bottom)
    start = len(sheet.parts)
    y = sheet.top + sheet.chance.choice([0.0, 0.3]) * sheet.height
    for _ in range(sheet.chance.randint(2, 4)):
        count = sheet.chance.randint(3, 7)
        pieces = sheet.set_lines(aside, y, count=count, size=sheet.size * 0.8)
        y = sheet.add("aside", pieces, sheet.size * 0.8) + sheet.pitch
    end = len(sheet.parts)
    sheet.number()
    rest = range(end, len(sheet.parts))
    return [(*range(before), *range(start, end), *range(before, start), *rest)]


def _bands(sheet: Sheet) -> list[Order]:
    """One, two and three columns below one another."""
    sheet.running()
    y = sheet.title()
    counts = sheet.chance.choice([(1, 2), (1, 3), (2, 1, 2), (1, 2, 1), (2, 3), (1, 2, 3)])
    tall = (sheet.bottom - y) / len(counts)
    for count in counts:
        for edges in sheet.columns(*[1] * count):
            bottom = y + tall - sheet.pitch * 1.5
            sheet.column(edges, y, bottom, headings=False)
        y += tall
    sheet.number()
    return []


def _newspaper(sheet: Sheet) -> list[Order]:
    """Headlines, each across the columns of its article; two articles side by side."""
    sheet.running()
    columns = sheet.columns(1, 1, 1)
    wide = columns[:2] if sheet.chance.random() < 0.5 else columns[1:]
    narrow = [edges for edges in columns if edges not in wide]
    for group in sorted([wide, narrow]):
        size = sheet.size * (1.9 if len(group) > 1 else 1.4)
        words = sheet.words(3 if len(group) > 1 else 2)
        bottom = sheet.add("heading", [sheet.line(words, group[0][0], sheet.top, size)], size)
        for edges in group:
            sheet.column(edges, bottom + sheet.size, sheet.bottom, headings=False)
    sheet.number()
    return []


def _index(sheet: Sheet) -> list[Order]:
    """A book's index: short entries in columns, a letter above each group."""
    sheet.running()
    sheet.ragged = True
    for edges in sheet.columns(*[1] * sheet.chance.choice([2, 3])):
        y = sheet.top
        while y + 6 * sheet.pitch < sheet.bottom:
            letter = sheet.chance.choice("ABCDEFGHIKLMN")
            y = sheet.add(
                "heading", [sheet.line([letter], edges[0], y, sheet.size)], sheet.size
            )
            y += sheet.pitch * 0.4
            entries = []
            for _ in range(sheet.chance.randint(4, 16)):
                if y + sheet.size > sheet.bottom:
                    break
                words = [
                    *sheet.words(sheet.chance.randint(1, 2)),
                    f"{sheet.chance.randint(1, 300)}",
                ]
                entries.append(sheet.line(words, edges[0], y, sheet.size))
                y += sheet.pitch
            sheet.add("list", entries, sheet.size)
            y += sheet.pitch * 0.6
    sheet.number()
    return []


def _leftward(made: OrderPage, letters: str) -> OrderPage:
    """The page mirrored, its words in a script that runs from right to left."""
    chance = random.Random(f"{made.name} {made.seed} words")  # noqa: S311 - not for secrets

    def word(text: str) -> str:
        return "".join(chance.choice(letters) if c.isalpha() else c for c in text)

    def piece(of: Piece) -> Piece:
        boxes = [(made.width - x1, y0, made.width - x0, y1) for x0, y0, x1, y1 in of.boxes]
        return Piece(words=tuple(map(word, of.words))[::-1], boxes=tuple(boxes[::-1]))

    def part(of: Part) -> Part:
        box = of.picture
        if box:
            box = (made.width - box[2], box[1], made.width - box[0], box[3])
        rules = tuple(
            ((made.width - end[0], end[1]), (made.width - start[0], start[1]))
            for start, end in of.rules
        )
        return replace(of, pieces=tuple(map(piece, of.pieces)), picture=box, rules=rules)

    return replace(made, parts=tuple(map(part, made.parts)), leftward=True)


LAYOUTS: dict[str, Layout] = {
    "two columns": lambda sheet: _columns(sheet, 1, 1),
    "two unequal columns": lambda sheet: _columns(
        sheet, *sheet.chance.choice([(1, 2), (2, 1)])
    ),
    "three columns": lambda sheet: _columns(sheet, 1, 1, 1),
    "narrow gutters": _tight,
    "uneven baselines, formulas": _uneven,
    "figure across the middle": lambda sheet: across(sheet, table=False),
    "table across the middle": lambda sheet: across(sheet, table=True),
    "figure in a column": lambda sheet: in_column(sheet, table=False),
    "table in a column": lambda sheet: in_column(sheet, table=True),
    "figure across two of three columns": across_some,
    "quotation between columns": quotation,
    "footnotes": _footnotes,
    "sidebar": _sidebar,
    "one, two and three columns": _bands,
    "newspaper": _newspaper,
    "index": _index,
    "leftward, two columns": lambda sheet: _columns(sheet, 1, 1),
    "leftward, three columns": lambda sheet: _columns(sheet, 1, 1, 1),
    "leftward, figure across": lambda sheet: across(sheet, table=False),
}
