"""What holds of tables whatever the page: places, lines, moves and bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagetide.document import Cell, Line, Table, Word
from pagetide.geometry import Box, box_of, polygon_of
from pagetide.layout import Area, Drawn, Rule
from pagetide.structure.tables import FoundTable, find_tables, table_of_area
from pagetide.structure.tables.find import MOST_LINES
from pagetide.structure.tables.ruled.frames import MOST_RULES
from pagetide.structure.tables.sheet import MOST_WORDS

SIDE = 512

_places = st.integers(-8, SIDE).map(float)
_sizes = st.sampled_from([0.0, 1.0, 8.0, 16.0, 24.0, 200.0])
_words = st.sampled_from(["a", "12", "Total", "–", "$", "Table 1", "•", "1.5%", "x" * 40, ""])
_grid = st.integers(0, 8).map(lambda step: 32.0 + 48.0 * step)


def _narrow(text: str, box: tuple[float, float, float, float]) -> Line:
    """A line whose one word has no width, if it has one."""
    x, top, _, bottom = box
    words = (Word(text=text, polygon=polygon_of((x, top, x, bottom))),) if text else ()
    return Line(text=text, polygon=polygon_of(box), words=words)


@st.composite
def _lines(draw: st.DrawFn) -> Line:
    """A line of words; on the grid, mostly, so that tables come about."""
    place = draw(st.sampled_from([_grid, _places]))
    x, y = draw(place), draw(place)
    height = draw(st.sampled_from([16.0, 16.0, 16.0, 0.0, 40.0]))
    words, at = [], x
    for text in draw(st.lists(_words, max_size=4)):
        width = draw(_sizes)
        words.append(Word(text=text, polygon=polygon_of((at, y, at + width, y + height))))
        at += width + draw(_sizes)
    return Line(
        text=" ".join(word.text for word in words),
        polygon=polygon_of((x, y, max(at, x + 1), y + height)),
        words=tuple(words),
    )


@st.composite
def _rules(draw: st.DrawFn) -> Rule:
    start = draw(_grid | _places), draw(_grid | _places)
    length, level = draw(st.sampled_from([48.0, 96.0, 384.0, 0.0, 500.0])), draw(st.booleans())
    end = (start[0] + length, start[1]) if level else (start[0], start[1] + length)
    return Rule(start=start, end=end, thickness=draw(st.sampled_from([0.0, 1.0, 4.0])))


@st.composite
def _boxes(draw: st.DrawFn) -> Box:
    x, y = draw(_places), draw(_places)
    return (x, y, x + draw(_sizes), y + draw(_sizes))


_cells = st.builds(
    lambda row, column, box: Cell(row=row, column=column, polygon=box and polygon_of(box)),
    st.integers(0, 3),
    st.integers(0, 3),
    st.none() | _boxes(),
)
_areas = st.builds(
    lambda box, cells: Area(
        label="table",
        kind="table",
        polygon=polygon_of(box),
        table=Table(rows=4, columns=4, cells=tuple(cells)) if cells else None,
    ),
    _boxes(),
    st.none() | st.lists(_cells, max_size=4),
)
_pages = st.tuples(st.lists(_lines(), max_size=40), st.lists(_rules(), max_size=25))


def tables(
    lines: Sequence[Line],
    rules: Sequence[Rule],
    areas: Sequence[Area] = (),
    side: float = SIDE,
) -> list[FoundTable]:
    boxes = [box_of(line.polygon) for line in lines]
    return find_tables(lines, boxes, Drawn(rules=tuple(rules)), areas, side, side)


def assert_holds(table: Table, lines: Sequence[Line]) -> None:
    """Cells lie inside the grid, each place in one of them; lines are of one cell each."""
    places = [
        (row, column)
        for cell in table.cells
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    ]
    assert sorted(places) == [(r, c) for r in range(table.rows) for c in range(table.columns)]
    owned = [index for cell in table.cells for index in cell.line_indexes]
    assert len(owned) == len(set(owned))
    assert all(0 <= index < len(lines) for index in owned)
    for cell in table.cells:
        assert cell.polygon is not None
        x0, y0, x1, y1 = box_of(cell.polygon)
        assert x0 <= x1 and y0 <= y1


@given(_pages)
def test_cells_fill_their_grid_and_own_each_line_once(
    page: tuple[list[Line], list[Rule]],
) -> None:
    lines, rules = page
    found = tables(lines, rules)
    for each in found:
        assert_holds(each.table, lines)
    owned = [i for each in found for cell in each.table.cells for i in cell.line_indexes]
    assert len(owned) == len(set(owned))


@given(_pages, st.lists(_areas, max_size=3))
def test_a_line_is_of_one_cell_whatever_a_model_saw(
    page: tuple[list[Line], list[Rule]], areas: list[Area]
) -> None:
    lines, rules = page
    found = tables(lines, rules, areas)
    owned = [i for each in found for cell in each.table.cells for i in cell.line_indexes]
    assert len(owned) == len(set(owned))


@given(_pages, _boxes())
def test_any_box_is_laid_out_or_refused(page: tuple[list[Line], list[Rule]], box: Box) -> None:
    lines, rules = page
    boxes = [box_of(line.polygon) for line in lines]
    table = table_of_area(lines, boxes, Drawn(rules=tuple(rules)), box)
    if table is not None:
        assert_holds(table, lines)


def _said(found: Sequence[FoundTable]) -> list[list[tuple[object, ...]]]:
    return [
        [
            (c.row, c.column, c.row_span, c.column_span, c.text, c.header, c.line_indexes)
            for c in each.table.cells
        ]
        for each in found
    ]


@given(
    _pages,
    st.sampled_from([0.5, 1.0, 2.0, 4.0]),
    st.integers(-4, 4).map(lambda step: 256.0 * step),
)
@example(
    (
        [_narrow("", (32, 32, 33, 48))] * 14
        + [_narrow("a", (32, 80, 33, 96)), _narrow("a", (80, 32, 81, 48))],
        [
            Rule(start=(32, 80), end=(128, 80), thickness=0),
            Rule(start=(80, 32), end=(80, 128), thickness=0),
        ],
    ),
    0.5,
    0.0,
)
def test_moving_and_scaling_the_page_changes_nothing(
    page: tuple[list[Line], list[Rule]], scale: float, step: float
) -> None:
    def moved(point: tuple[float, float]) -> tuple[float, float]:
        return point[0] * scale + step, point[1] * scale + step

    lines, rules = page
    others = [
        Line(
            text=line.text,
            polygon=tuple(map(moved, line.polygon)),
            words=tuple(
                Word(text=word.text, polygon=tuple(map(moved, word.polygon)))
                for word in line.words
            ),
        )
        for line in lines
    ]
    redrawn = [
        Rule(start=moved(r.start), end=moved(r.end), thickness=r.thickness * scale)
        for r in rules
    ]
    # On a page so large that its edges are far wherever the text is moved to.
    after, before = tables(others, redrawn, side=2.0**20), tables(lines, rules, side=2.0**20)
    assert _said(after) == _said(before)


def _line(x: float, y: float, words: int = 1) -> Line:
    polygons = [polygon_of((x + 12 * i, y, x + 12 * i + 4, y + 10)) for i in range(words)]
    return Line(
        text=" ".join("1" * words),
        polygon=polygon_of((x, y, x + 12 * words, y + 10)),
        words=tuple(Word(text="1", polygon=polygon) for polygon in polygons),
    )


@pytest.mark.parametrize(
    ("lines", "rules"),
    [
        pytest.param(MOST_LINES + 1, 0, id="lines"),
        pytest.param(10, MOST_RULES + 1, id="rules"),
    ],
)
def test_a_page_with_too_much_on_it_is_not_looked_at(lines: int, rules: int) -> None:
    across = [Rule(start=(0, 5.0 * i), end=(900, 5.0 * i)) for i in range(rules)]
    many = [_line(100 * (i % 9), 12.0 * (i // 9)) for i in range(lines)]
    assert tables(many, across) == []


def test_a_page_with_too_many_words_is_not_looked_at() -> None:
    many = [_line(0, 12.0 * i, words=50) for i in range(MOST_WORDS // 50 + 1)]
    assert tables(many, []) == []


def test_as_much_as_is_looked_at_is_looked_at() -> None:
    half = MOST_RULES // 2
    rules = [Rule(start=(0, 12.0 * i), end=(6000, 12.0 * i)) for i in range(half)]
    rules += [Rule(start=(12.0 * i, 0), end=(12.0 * i, 6000)) for i in range(half)]
    many = [_line(0, 12.0 * i + 1, words=100) for i in range(MOST_WORDS // 100)]
    for each in tables(many, rules):
        assert each.table.rows * each.table.columns < math.inf
        assert_holds(each.table, many)


def test_one_line_of_all_words_is_looked_at() -> None:
    assert tables([_line(0, 0, words=MOST_WORDS)], []) == []
