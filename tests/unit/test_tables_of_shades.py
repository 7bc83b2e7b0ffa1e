"""Tables whose cells are shades: with gaps between them, of some rows, beside a text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Line, Table
from pagetide.geometry import Box, box_of
from pagetide.layout import Drawn, Rule
from pagetide.structure import amiss, structure
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.ruled.bars import are_bars
from pagetide.structure.tables.ruled.cell_gaps import over_gaps
from pagetide.structure.tables.ruled.frames import Stroke, framed
from pagetide.structure.tables.ruled.notches import without_notch
from tests.unit.tables_drawn import HEIGHT, SIZE, WIDTH, across, down, prose, text

HEADS = [
    ["Sketch", "free", "for ever"],
    ["Studio", "fourteen", "a month"],
    ["Agency", "call us"],
]
ROWS = ["Boards", "History", "Exports", "Guests"]
GAP = 6.0


def _edges(box: Box) -> list[Rule]:
    x0, y0, x1, y1 = box
    sides = [across(y0, x0, x1), across(y1, x0, x1), down(x0, y0, y1), down(x1, y0, y1)]
    return [Rule(start=each.start, end=each.end, thickness=0) for each in sides]


def _tables(lines: Sequence[Line], rules: Sequence[Rule], fills: Sequence[Box]) -> list[Table]:
    page = [*prose(40), *lines, *prose(1200)]
    drawn = Drawn(rules=tuple(rules), fills=tuple(fills))
    _, blocks = structure(page, WIDTH, HEIGHT, (), drawn)
    assert amiss(page, blocks) == (0, 0)
    return [block.table for block in blocks if block.table]


def test_headers_of_several_lines_on_shades_with_gaps_are_of_the_rows_below() -> None:
    xs = [100 + 190 * n for n in range(4)]
    lines = [
        text(said, x + 20, 310 + 24 * n)
        for x, head in zip(xs[1:], HEADS, strict=True)
        for n, said in enumerate(head)
    ]
    cells: list[Box] = [(x, 300, x + 190 - GAP, 390) for x in xs[1:]]
    for n, name in enumerate(ROWS):
        top = 390 + GAP + (40 + GAP) * n
        lines += [
            text(said, x + 20, top + 10)
            for x, said in zip(xs, (name, "2", "3", "4"), strict=True)
        ]
        cells += [(x, top, x + 190 - GAP, top + 40) for x in xs]
    [table] = _tables(lines, [edge for cell in cells for edge in _edges(cell)], cells)
    assert (table.rows, table.columns) == (1 + len(ROWS), 4)


@given(st.integers(2, 6), st.floats(1, 0.4 * SIZE))
def test_shades_of_cells_are_as_wide_as_their_rows(columns: int, gap: float) -> None:
    levels, xs = (100.0, 140.0, 146.0, 186.0), [100 * n for n in range(columns)]
    edges = [Stroke(at, x, x + 100 - gap, 0.0) for at, x in product(levels, xs)]
    whole = over_gaps(edges, SIZE)
    assert [(s.at, s.start, s.end) for s in whole] == [
        (at, 0, xs[-1] + 100 - gap) for at in levels
    ]


def test_a_gap_that_is_not_repeated_and_a_wide_one_stay() -> None:
    once = [Stroke(100.0, 0.0, 94.0, 0.0), Stroke(100.0, 100.0, 194.0, 0.0)]
    drawn = [Stroke(at, x, x + 94.0) for at in range(100, 300, 40) for x in (0.0, 100.0)]
    wide = [Stroke(at, x, x + 80.0, 0.0) for at in range(100, 300, 40) for x in (0.0, 100.0)]
    for strokes in (once, drawn, wide):
        assert over_gaps(strokes, SIZE) == strokes


def test_shaded_cells_between_drawn_rules_are_no_bars() -> None:
    fills: list[Box] = [(0, 60, 100, 300), (200, 140, 300, 300)]
    base = [Stroke(0.0, 0.0, 400.0), Stroke(300.0, 0.0, 400.0)]
    sides = [Stroke(at, 0.0, 300.0) for at in (0.0, 100.0, 200.0, 300.0, 400.0)]
    assert are_bars(framed(base, sides[:1]), fills, [], SIZE)
    assert not are_bars(framed(base, sides), fills, [], SIZE)


def test_rows_between_shaded_ones_keep_their_names() -> None:
    sides = [Stroke(x, *ends, 0.0) for x in (90.0, 490.0) for ends in ((100, 160), (280, 400))]
    column = [Stroke(x, 100.0, 400.0, 0.0) for x in (290.0, 390.0)]
    edges = [Stroke(at, 90.0, 490.0, 0.0) for at in (100, 160, 280, 400)]
    frame = framed([*edges, Stroke(220, 290.0, 390.0, 0.0)], [*sides, *column])
    lines = [text("Valdarsa", 100, 200), text("56", 410, 200)]
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    assert without_notch(frame, words, SIZE) == words
