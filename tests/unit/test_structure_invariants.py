"""What holds of a page's blocks whatever was read, seen and drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Block, BlockKind, Cell, Line, Table, Word
from pagetide.geometry import Box, Point, Polygon, box_of, polygon_of, turned
from pagetide.layout import Area, Drawn, Rule
from pagetide.structure import amiss, structure

WIDTH, HEIGHT = 1000, 1400

_texts = st.sampled_from(
    [
        *("", " ", "1", "•", "– item", "1. one", "2.1 Numbered", "Heading", "References"),
        *("Figure 1: a", "Table 2", "図 1", "[1] 1999", "12.5", "iv", "..... 12", "* note"),
        *("a line of prose that goes on and on", "עברית היא שפה", "العربية 12"),
    ]
)
_steps = st.integers(-2, 32).map(lambda step: 32.0 * step)
_places = st.one_of(_steps, _steps, st.floats(-1e4, 1e4), st.sampled_from([-1e9, 1e9]))
_sizes = st.sampled_from([0.0, 1.0, 12.0, 20.0, 60.0, 300.0, 900.0])
_angles = st.sampled_from([0.0] * 6 + [0.02, math.pi / 2, -math.pi / 2, math.pi, 0.7])


@st.composite
def _boxes(draw: st.DrawFn) -> Box:
    x, y = draw(_places), draw(_places)
    return (x, y, x + draw(_sizes), y + draw(_sizes))


@st.composite
def _lines(draw: st.DrawFn) -> Line:
    """A line, its words as wide as one another."""
    x0, y0, x1, _ = draw(_boxes())
    y1 = y0 + draw(st.sampled_from([20.0, 20.0, 20.0, 14.0, 30.0, 0.0]))
    text, angle = draw(_texts), draw(_angles)
    words = text.split() if draw(st.booleans()) else []
    step = (x1 - x0) / max(len(words), 1)
    return Line(
        text=text,
        polygon=turned(polygon_of((x0, y0, x1, y1)), angle),
        confidence=draw(st.sampled_from([None, 0.5])),
        words=tuple(
            Word(
                text=word,
                polygon=turned(
                    polygon_of((x0 + place * step, y0, x0 + (place + 0.8) * step, y1)), angle
                ),
            )
            for place, word in enumerate(words)
        ),
    )


_tables = st.lists(_boxes().map(polygon_of), max_size=6).map(
    lambda polygons: Table(
        rows=max(len(polygons), 1),
        columns=1,
        cells=tuple(Cell(row=row, column=0, polygon=p) for row, p in enumerate(polygons)),
    )
)
_areas = st.builds(
    lambda kind, box, confidence, order, table: Area(
        label=f"a {kind}",
        kind=kind,
        polygon=polygon_of(box),
        confidence=confidence,
        order=order,
        table=table if kind == "table" else None,
    ),
    st.sampled_from(get_args(BlockKind)),
    _boxes(),
    st.sampled_from([None, 0.4, 0.9]),
    st.none() | st.integers(0, 20),
    st.none() | _tables,
)


@st.composite
def _rules(draw: st.DrawFn) -> Rule:
    (x, y), length = (draw(_steps), draw(_steps)), draw(st.sampled_from([32.0, 320.0, 640.0]))
    end = (x + length, y) if draw(st.booleans()) else (x, y + length)
    return Rule(start=(x, y), end=end, thickness=draw(st.sampled_from([0.0, 1.0])))


_drawn = st.builds(
    lambda rules, fills, pictures: Drawn(
        rules=tuple(rules), fills=tuple(fills), pictures=tuple(pictures)
    ),
    st.lists(_rules(), max_size=12),
    st.lists(_boxes(), max_size=4),
    st.lists(_boxes(), max_size=6),
)
_pages = st.tuples(
    st.lists(_lines(), max_size=25),
    st.lists(_areas, max_size=8) | st.just([]),
    _drawn | st.just(Drawn()),
)
_Page = tuple[list[Line], list[Area], Drawn]


def _assert_holds(lines: Sequence[Line], ordered: Sequence[Line], blocks: list[Block]) -> None:
    assert _words(ordered) == _words(lines)
    assert [index for b in blocks for index in b.line_indexes] == list(range(len(ordered)))
    assert amiss(lines, blocks) == (0, 0)
    assert [block.order for block in blocks] == list(range(len(blocks)))
    for block in blocks:
        assert block.kind in get_args(BlockKind)
        assert len(block.polygon) == 4
        assert all(math.isfinite(number) for point in block.polygon for number in point)
        assert (block.level is not None) <= (block.kind == "heading")
        assert block.continues is None
        assert (block.table is None) == (block.kind != "table") or block.label is not None
        if block.caption_of is not None:
            assert block.kind == "caption"
            assert blocks[block.caption_of].kind in ("figure", "chart", "table")
            between = blocks[slice(*sorted((block.order, block.caption_of)))][1:]
            assert all(each.caption_of == block.caption_of for each in between)
        if block.table is not None:
            _assert_table_holds(block)


def _words(lines: Sequence[Line]) -> list[tuple[str, Polygon | None]]:
    """The words, wherever they stand; lines without words by their text."""
    words: list[tuple[str, Polygon | None]] = []
    for line in lines:
        words += [(word.text, word.polygon) for word in line.words] or [(line.text, None)]
    return sorted((each for each in words if each[0].strip()), key=str)


def _assert_table_holds(block: Block) -> None:
    """Its cells lie in the grid and hold the block's lines, each in one of them."""
    table = block.table
    assert table is not None
    held = [index for cell in table.cells for index in cell.line_indexes]
    assert sorted(held) == list(block.line_indexes)
    for cell in table.cells:
        assert 0 <= cell.row < cell.row + cell.row_span <= table.rows
        assert 0 <= cell.column < cell.column + cell.column_span <= table.columns


@given(_pages)
def test_every_line_stands_in_one_block_and_places_hold(page: _Page) -> None:
    lines, areas, drawn = page
    ordered, blocks = structure(lines, WIDTH, HEIGHT, areas, drawn)
    _assert_holds(lines, ordered, list(blocks))


def _as_turned(page: _Page, degrees: int) -> _Page:
    """The page a quarter, a half or three quarters of a turn clockwise."""

    def point(at: Point) -> Point:
        x, y = at
        return {90: (HEIGHT - y, x), 180: (WIDTH - x, HEIGHT - y), 270: (y, WIDTH - x)}[degrees]

    def moved(polygon: Polygon) -> Polygon:
        return tuple(map(point, polygon))

    def box(each: Box) -> Box:
        xs, ys = zip(*moved(polygon_of(each)), strict=True)
        return (min(xs), min(ys), max(xs), max(ys))

    lines, areas, drawn = page
    return (
        [Line(text=line.text, polygon=moved(line.polygon)) for line in lines],
        [Area(label=a.label, kind=a.kind, polygon=moved(a.polygon)) for a in areas],
        Drawn(
            rules=tuple(
                Rule(
                    start=min(point(rule.start), point(rule.end)),
                    end=max(point(rule.start), point(rule.end)),
                    thickness=rule.thickness,
                )
                for rule in drawn.rules
            ),
            fills=tuple(map(box, drawn.fills)),
            pictures=tuple(map(box, drawn.pictures)),
        ),
    )


@given(_pages, st.sampled_from([90, 180, 270]))
def test_a_page_that_stands_turned_holds_too(page: _Page, degrees: int) -> None:
    lines, areas, drawn = _as_turned(page, degrees)
    size = (WIDTH, HEIGHT) if degrees == 180 else (HEIGHT, WIDTH)
    ordered, blocks = structure(lines, *size, areas, drawn)
    _assert_holds(lines, ordered, list(blocks))


def test_a_line_in_two_pictures_that_overlap_is_of_one() -> None:
    prose = [
        Line(text=f"line {i} of prose", polygon=polygon_of((100, 30 * i, 500, 30 * i + 20)))
        for i in range(10)
    ]
    label = Line(text="both", polygon=polygon_of((500, 800, 560, 820)))
    drawn = Drawn(pictures=((100, 600, 600, 1000), (450, 600, 900, 1000)))
    lines = [*prose, label]
    ordered, blocks = structure(lines, WIDTH, HEIGHT, drawn=drawn)
    _assert_holds(lines, ordered, list(blocks))
    assert sum("both" in block.text for block in blocks) == 1


def _row(texts: Sequence[str], y: float, *, width: float = 900) -> Line:
    """Words set far apart on one baseline."""
    step = width / len(texts)
    places = [100 + place * step for place in range(len(texts))]
    words = [
        Word(text=text, polygon=polygon_of((x, y, x + 0.4 * step, y + 8)))
        for text, x in zip(texts, places, strict=True)
    ]
    return Line(
        text=" ".join(texts),
        polygon=polygon_of((100, y, 100 + width, y + 8)),
        words=tuple(words),
    )


def _frame(heights: Sequence[float]) -> Drawn:
    """Rules across at these heights, and down on both sides."""
    across = [Rule(start=(90, y), end=(1010, y)) for y in heights]
    down = [Rule(start=(x, heights[0]), end=(x, heights[-1])) for x in (90, 1010)]
    return Drawn(rules=(*across, *down))


def _dotted() -> _Page:
    dots = "." * 40_000 + "x"
    prose = [_row(["a line", "of prose"], 12.0 * place) for place in range(8)]
    return (
        [*prose, *(_row([dots, "1"], 200.0 + 12 * place) for place in range(12))],
        [],
        Drawn(),
    )


def _spaced() -> _Page:
    rest = Line(text="Table" + " " * 100_000 + "#", polygon=polygon_of((100, 600, 500, 608)))
    return [rest, *_dotted()[0][:8]], [], Drawn(pictures=((100, 300, 500, 590),))


def _heads_only() -> _Page:
    lines = [_row(["ab"] * 30, 2 + 12.0 * place) for place in range(420)]
    return [*lines, _row(["ab"] * 30, 5060)], [], _frame([0, 5050, 5080])


def _head_above_head() -> _Page:
    heads = [_row(["prose"], 2 + 12.0 * place) for place in range(2500)]
    rows = [_row(["12"] * 5, 2 + 12.0 * place) for place in range(2500, 5000)]
    return [*heads, *rows], [], _frame([0, 60_010])


def _in_two_rows() -> _Page:
    step = 30.0
    boxes = [
        (step * place, y, step * place + 10, y + 8) for y in (100, 120) for place in range(2500)
    ]
    return [Line(text="12", polygon=polygon_of(box)) for box in boxes], [], Drawn()


def _beside_an_area() -> _Page:
    left = [_row(["a line"], 10.0 * place, width=300) for place in range(2500)]
    right = [
        Line(text="more", polygon=polygon_of((405, 10.0 * place, 450, 10.0 * place + 8)))
        for place in range(2500)
    ]
    box = polygon_of((90, 0, 402, 25_000))
    return [*left, *right], [Area(label="text", kind="text", polygon=box)], Drawn()


def _contents_on_one_level() -> _Page:
    ends = [
        Line(text="Part ....", polygon=polygon_of((100 + n / 10, 100, 110 + n / 10, 108)))
        for n in range(2400)
    ]
    numbers = [
        Line(text="7", polygon=polygon_of((900 + n / 10, 100, 901 + n / 10, 108)))
        for n in range(2400)
    ]
    return [*ends, *numbers], [], Drawn()


def _quoted_between() -> _Page:
    beside = [
        Line(text="one side", polygon=polygon_of((x, 10.0 * n, x + 380, 10.0 * n + 8)))
        for n in range(1500)
        for x in (100.0, 520.0)
    ]
    ends = (460.0, 580.0)
    quoted = [
        Line(text="said", polygon=polygon_of((420, 12.0 * n, ends[n % 2], 12.0 * n + 11)))
        for n in range(1200)
    ]
    return [*beside, *quoted], [], Drawn()


def _ruled_and_shaded() -> _Page:
    lines = [_row(["12"] * 3, 40 + 24.0 * place) for place in range(900)]
    fills = [(0.0, 24.0 * n, 1000.0, 24.0 * n + 20) for n in range(900)]
    rules = [Rule(start=(0, 24.0 * n), end=(1000, 24.0 * n)) for n in range(900)]
    keys = [(500.0, 24.0 * n, 512.0, 24.0 * n + 12) for n in range(600)]
    pictures = [(600.0, 200.0 * n, 900.0, 200.0 * n + 150) for n in range(100)]
    drawn = Drawn(rules=tuple(rules), fills=(*fills, *keys), pictures=tuple(pictures))
    return lines, [], drawn


def _names_over_values() -> _Page:
    lines = [
        _row([said] * 3, 40.0 * place + step)
        for place in range(250)
        for said, step in (("Berth", 0), ("12", 12))
    ]
    return lines, [], Drawn()


def _phrases_over_two_columns() -> _Page:
    upper = [_row(["12"] * 3, 12.0 * place) for place in range(120)]
    middle, end = 12.0 * 120 - 2, 12.0 * 240
    lower = [
        Line(
            text=" ".join(["boat"] * 5),
            polygon=polygon_of((480, 12.0 * place, 900, 12.0 * place + 8)),
            words=tuple(
                Word(text="boat", polygon=polygon_of((x, y, x + 80, y + 8)))
                for x in (480 + place % 7, 563, 646, 729, 812)
                for y in (12.0 * place,)
            ),
        )
        for place in range(120, 240)
    ]
    rules = [Rule(start=(90, y), end=(1010, y)) for y in (-2, middle, end)]
    rules += [Rule(start=(x, -2), end=(x, end)) for x in (90, 1010)]
    return [*upper, *lower], [], Drawn(rules=(*rules, Rule(start=(690, -2), end=(690, middle))))


def _boxes_and_rules_of_a_form() -> _Page:
    lines = [_row(["name", "12"], 12.0 * place) for place in range(1000)]
    rules = [
        Rule(start=(x, 60.0 * place + 10), end=(x + 300, 60.0 * place + 10))
        for place in range(95)
        for x in (100, 600)
    ]
    return lines, [], Drawn(rules=tuple(rules))


def _wide_rules_between_blocks() -> _Page:
    lines = [
        Line(text="boat", polygon=polygon_of((x, 30.0 * n, x + 300, 30.0 * n + 8)))
        for n in range(600)
        for x in (100, 600)
    ]
    rules = [Rule(start=(50, 30.0 * n - 10), end=(1000, 30.0 * n - 10)) for n in range(600)]
    return lines, [], Drawn(rules=tuple(rules))


@pytest.mark.parametrize(
    "page",
    [
        _dotted, _spaced, _heads_only, _head_above_head, _in_two_rows, _beside_an_area,
        _ruled_and_shaded, _contents_on_one_level, _quoted_between, _names_over_values,
        _phrases_over_two_columns, _boxes_and_rules_of_a_form, _wide_rules_between_blocks,
    ],
)  # fmt: skip
def test_a_page_made_to_hang_us_is_read(page: Callable[[], _Page]) -> None:
    # None takes two seconds; each took far longer while its cost grew by a square.
    lines, areas, drawn = page()
    height = max(box_of(line.polygon)[3] for line in lines) + 100
    ordered, blocks = structure(lines, 1100, height, areas, drawn)
    _assert_holds(lines, ordered, list(blocks))
