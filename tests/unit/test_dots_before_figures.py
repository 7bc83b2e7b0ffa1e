"""Dots that lead from a name to its figure are no words and no columns."""

from __future__ import annotations

import pytest

from pagetide.document import Line, TextStyle
from pagetide.geometry import box_of
from pagetide.layout import Drawn
from pagetide.structure import structure
from pagetide.structure.tables import find_tables
from tests.unit.tables_drawn import (
    HEIGHT,
    SIZE,
    WIDTH,
    across,
    down,
    joined,
    prose,
    text,
    texts,
)

AMOUNTS = [
    ("Returns and allowances", "1,140"),
    ("Subtract the line above from what is left", "63,078"),
    ("Cost of goods sold", "19,655"),
    ("Gross profit", "43,423"),
]


def _led(name: str, top: float, room: float) -> Line:
    """A name and as many dots, so far from each other, as fit before the figures."""
    words = list(text(name, 80, top).words)
    at = words[-1].polygon[1][0] + 8
    while at < 660:
        words += text(".", at, top).words
        at += 10 + room
    return joined(words)


def _tables(room: float, *, cents: bool = False) -> list[list[list[str]]]:
    lines = [*prose(40), *prose(1100)]
    for n, (name, amount) in enumerate(AMOUNTS):
        top = 300 + 40 * n
        lines += [_led(name, top, room), text(amount, 860 - 10 * len(amount), top)]
        lines += [text("00", 900, top)] if cents else []
    boxes = [box_of(line.polygon) for line in lines]
    return [texts(each.table) for each in find_tables(lines, boxes, Drawn(), [], WIDTH, HEIGHT)]


@pytest.mark.parametrize("room", [4, 8, 12, 18])
@pytest.mark.parametrize("cents", [False, True])
def test_names_with_dots_are_of_their_figures(room: float, *, cents: bool) -> None:
    [table] = _tables(room, cents=cents)
    assert [row[0].rstrip(" .") for row in table] == [name for name, _ in AMOUNTS]
    assert [row[1] for row in table] == [amount for _, amount in AMOUNTS]


def test_styles_of_a_line_stay_at_their_words_where_a_table_takes_some() -> None:
    lines, rules = [*prose(40), *prose(1100)], []
    for n, (name, amount) in enumerate(AMOUNTS):
        top = 300.0 + 40 * n
        number = joined([*text("12", 20, top).words, *text(name, 200, top).words])
        bold = TextStyle(kind="bold", start=0, end=2)
        lines += [_styled(number, bold), text(amount, 800, top)]
        rules += [across(y, 190, 900) for y in (top - 8, top + SIZE + 8)]
        rules += [down(x, top - 8, top + SIZE + 8) for x in (190, 780, 900)]
    found, _ = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=tuple(rules)))
    styled = {line.text: line.styles for line in found if line.styles}
    assert set(styled) == {"12"}
    assert all(style.end == 2 for styles in styled.values() for style in styles)


def _styled(line: Line, style: TextStyle) -> Line:
    return Line(
        text=line.text,
        polygon=line.polygon,
        words=line.words,
        source=line.source,
        styles=(style,),
    )
