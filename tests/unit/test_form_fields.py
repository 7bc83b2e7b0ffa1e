"""A form's fields, in boxes or on rules, are blocks that are read row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pagetide.document import Block, Line
from pagetide.geometry import Box, box_of, polygon_of
from pagetide.layout import Drawn, Rule
from pagetide.structure import amiss, structure
from pagetide.structure.pairs.fields import MOST_LINES, rows_of_fields
from pagetide.structure.running import RowsOf
from pagetide.structure.tables.ruled.field_boxes import MOST_BOXES
from pagetide.structure.tables.ruled.frames import MOST_RULES, Stroke, frames_of
from tests.unit.tables_drawn import HEIGHT, SIZE, WIDTH, across, down, row, text

XS = (80.0, 500.0)
NAMES = [["Name of boat", "Home port"], ["Owner", "Telephone"], ["Length", "Draught"]]
VALUES = [["Minnow", "Linford"], ["Maud Fenn", "0461 22"], ["12 m", "2 m"]]
FIELDS = [
    f"{name}\n{value}"
    for names, values in zip(NAMES, VALUES, strict=True)
    for name, value in zip(names, values, strict=True)
]


def _prose(top: float, count: int = 5) -> list[Line]:
    said = "the boats that came in with the tide were unloaded before the evening and went"
    return [text(f"{said} {n}", 80, top + 26 * n) for n in range(count)]


def _box(x0: float, y0: float, x1: float, y1: float) -> list[Rule]:
    return [across(y0, x0, x1), across(y1, x0, x1), down(x0, y0, y1), down(x1, y0, y1)]


def _boxed(rows: int = 3) -> tuple[list[Line], list[Rule]]:
    """Boxes two by two, each with a name and its value below it."""
    lines, rules = list[Line](), list[Rule]()
    for n in range(rows):
        top = 300.0 + 90 * n
        for x, name, value in zip(XS, NAMES[n], VALUES[n], strict=True):
            rules += _box(x, top, x + 380, top + 70)
            lines += [text(name, x + 8, top + 6), text(value, x + 8, top + 36)]
    return lines, rules


def _ruled(start: Callable[[float, Line], float]) -> tuple[list[Line], list[Rule]]:
    """Names two by two, each with its value on a rule beside it."""
    lines, rules = list[Line](), list[Rule]()
    for n, (names, values) in enumerate(zip(NAMES, VALUES, strict=True)):
        for x, name, value in zip(XS, names, values, strict=True):
            lines.append(text(name, x, 320 + 50 * n))
            at = start(x, lines[-1])
            rules.append(across(342 + 50 * n, at, x + 390))
            lines.append(text(value, at + 5, 319 + 50 * n))
    return lines, rules


def _blocks(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> tuple[Block, ...]:
    _, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=tuple(rules)))
    assert amiss(lines, blocks) == (0, 0)
    return blocks


def _texts(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> list[str]:
    """What stands between the prose above and that below."""
    found = _blocks([*_prose(100), *lines, *_prose(700)], rules)
    texts = [block.text for block in found]
    assert texts[0].startswith("the boats") and texts[-1].startswith("the boats")
    return texts[1:-1]


def test_fields_in_boxes_are_each_a_block_and_read_row_by_row() -> None:
    assert _texts(*_boxed()) == FIELDS


def test_fields_on_rules_are_each_a_block_and_read_row_by_row() -> None:
    assert _texts(*_ruled(lambda _, name: box_of(name.polygon)[2] + 10)) == FIELDS


def _small(words: str, x: float, y: float) -> Line:
    """A line in small print: a name by what is written."""
    line = text(words, x, y)
    x0, y0, x1, _ = box_of(line.polygon)
    return replace(line, polygon=polygon_of((x0, y0, x1, y0 + 14)))


def _by_rules(rows: int, *, above: bool) -> tuple[list[Line], list[Rule]]:
    """What is written on rules, its name in small print above it or below its rule."""
    lines, rules = list[Line](), list[Rule]()
    for n in range(rows):
        for x, name, value in zip(XS, NAMES[n], VALUES[n], strict=True):
            top = 300.0 + 60 * n
            rules.append(across(top + 23, x, x + 380))
            lines += [text(value, x, top), _small(name, x, top - 16 if above else top + 26)]
    return lines, rules


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("above", [True, False])
def test_names_in_small_print_are_of_what_is_written_by_them(rows: int, *, above: bool) -> None:
    fields = [field.split("\n") for field in FIELDS[: 2 * rows]]
    expected = ["\n".join(field if above else field[::-1]) for field in fields]
    assert _texts(*_by_rules(rows, above=above)) == expected


def _in_cells(divided: Sequence[Sequence[float]], tall: float) -> tuple[list[Line], list[Rule]]:
    """Cells of one frame, its rows divided at places of their own, with names above values."""
    foot = 300 + tall * len(divided)
    rules = [down(80, 300, foot), down(900, 300, foot)]
    lines = list[Line]()
    for n in range(len(divided) + 1):
        rules.append(across(300 + tall * n, 80, 900))
    for n, places in enumerate(divided):
        top = 300 + tall * n
        rules += [down(x, top, top + tall) for x in places]
        for x, name, value in zip((80, *places), _CALLED, _SAID, strict=False):
            lines += [_small(name, x + 8, top + 4), text(value, x + 8, top + 24)]
    return lines, rules


_CALLED, _SAID = ("Name", "Port", "Owner"), ("Minnow", "Linford", "Maud Fenn")


@given(
    st.lists(
        st.lists(st.sampled_from((300.0, 480.0, 660.0)), min_size=1, max_size=2, unique=True),
        min_size=2,
        max_size=5,
    ).filter(lambda rows: len({tuple(sorted(row)) for row in rows}) > 1),
    st.floats(50, 90),
)
def test_cells_with_names_in_small_print_are_fields(
    divided: list[list[float]], tall: float
) -> None:
    divided = [sorted(places) for places in divided]
    expected = [
        [f"{name}\n{value}" for name, value in zip(_CALLED, _SAID, strict=True)][
            : len(places) + 1
        ]
        for places in divided
    ]
    assert _fields(*_in_cells(divided, tall)) == expected


def test_names_and_values_in_cells_stay_together_on_a_page() -> None:
    lines, rules = _in_cells([[413, 698], [221, 513], [493, 653]], 64)
    fields = [f"{name}\n{value}" for name, value in zip(_CALLED, _SAID, strict=True)]
    assert _texts(lines, rules) == [*fields, *fields, *fields]


def test_a_field_with_no_value_is_a_block_with_its_name_alone() -> None:
    lines, rules = _ruled(lambda _, name: box_of(name.polygon)[2] + 10)
    left = [line for line in lines if line.text != "Maud Fenn"]
    assert _texts(left, rules) == [said.replace("\nMaud Fenn", "") for said in FIELDS]


def test_a_field_by_itself_is_one_of_those_as_wide_beside_each_other() -> None:
    lines, rules = _boxed()
    lines += [text("Remark", 88, 576), text("None so far", 88, 606)]
    rules += _box(80, 570, 460, 640)
    assert _texts(lines, rules) == [*FIELDS, "Remark\nNone so far"]


def test_two_boxes_side_by_side_are_no_form() -> None:
    lines, rules = _boxed(1)
    assert _texts(lines, rules) == _texts(lines)


def test_a_header_on_a_rule_from_side_to_side_is_no_field() -> None:
    header = [text("Harbour board", 80, 40), text("May", 860, 40)]
    lines = [*header, *_prose(100), *_prose(700)]
    ruled = _blocks(lines, [across(63, 80, 900)])
    plain = _blocks(lines)
    assert sorted(block.text for block in ruled) == sorted(block.text for block in plain)


def test_a_header_over_a_form_is_none_of_its_fields() -> None:
    lines, rules = _boxed()
    header = text("Harbour board and all that sail", 80, 40)
    found = _blocks([header, *lines, *_prose(700)], [*rules, across(63, 80, 900)])
    assert [block.text for block in found][:2] == [header.text, FIELDS[0]]


def test_boxes_of_shades_are_no_fields() -> None:
    lines, rules = _boxed()
    unseen = [Rule(start=rule.start, end=rule.end, thickness=0) for rule in rules]
    assert _texts(lines, unseen) == _texts(lines)


def test_a_ruled_table_stays_a_table() -> None:
    cells = [["Rope", "12", "3.10"], ["Sail", "1", "210.00"], ["Tar", "4", "8.25"]]
    places = (90.0, 400.0, 700.0)
    lines = [line for n, each in enumerate(cells) for line in row(each, places, 310 + 40 * n)]
    rules = [across(300 + 40 * n, 80, 900) for n in range(4)]
    rules += [down(x, 300, 420) for x in (80, 390, 690, 900)]
    found = _blocks([*_prose(100), *lines, *_prose(700)], rules)
    assert [block.kind for block in found] == ["text", "table", "text"]


def test_boxes_with_more_text_than_a_field_has_are_left_as_they_were() -> None:
    lines, rules = list[Line](), list[Rule]()
    for n in range(2):
        for x in XS:
            top = 300.0 + 140 * n
            rules += _box(x, top, x + 380, top + 118)
            lines += [
                text("boats " * 5, x + 8, top + 4 + 22 * k) for k in range(MOST_LINES + 1)
            ]
    assert _fields(lines, rules) == []


def _fields(lines: Sequence[Line], rules: Sequence[Rule]) -> list[list[str]]:
    """The texts of each row of fields."""
    flat = [Stroke(r.start[1], r.start[0], r.end[0]) for r in rules if r.start[1] == r.end[1]]
    steep = [Stroke(r.start[0], r.start[1], r.end[1]) for r in rules if r.start[0] == r.end[0]]
    boxes = [box_of(line.polygon) for line in lines]
    rows = RowsOf(lines, range(len(lines)), boxes)
    found, _ = rows_of_fields(
        rows, range(len(lines)), frames_of(sorted(flat), sorted(steep), SIZE), SIZE
    )
    return [[part.text for part in draft.parts] for draft in found]


def test_rows_of_fields_hold_their_fields_from_left_to_right() -> None:
    lines, rules = _boxed()
    assert _fields(lines[::-1], rules[::-1]) == [FIELDS[:2], FIELDS[2:4], FIELDS[4:]]


def test_a_page_with_more_boxes_than_a_form_has_is_no_form() -> None:
    count = MOST_BOXES // 2 + 1
    lines = [text("name", x + 4, 60.0 * n + 5) for n in range(count) for x in XS]
    rules = [r for n in range(count) for x in XS for r in _box(x, 60 * n, x + 90, 60 * n + 30)]
    assert _fields(lines, rules) == []
    few = len(rules) - 8
    assert len(_fields(lines, rules[:few])) == count - 1


_grid = st.integers(0, 20).map(lambda step: 20.0 * step)
_lines = st.builds(
    lambda x, y, wide, high: (x, y, x + wide, y + high),
    _grid,
    _grid,
    st.sampled_from([0.0, 40.0, 100.0]),
    st.sampled_from([0.0, 16.0, 16.0, 40.0]),
)
_strokes = st.builds(
    lambda at, start, length, thickness: Stroke(at, start, start + length, thickness),
    _grid,
    _grid,
    st.sampled_from([0.0, 20.0, 60.0, 100.0, 300.0]),
    st.sampled_from([0.0, 1.0, 1.0]),
)


@st.composite
def _forms(draw: st.DrawFn) -> tuple[list[Box], list[Stroke], list[Stroke]]:
    """Lines, and rules across and down, of boxes mostly."""
    flat, steep = draw(st.lists(_strokes, max_size=8)), draw(st.lists(_strokes, max_size=4))
    for x in draw(st.lists(st.sampled_from([0.0, 140.0, 280.0]), max_size=3, unique=True)):
        for y in draw(st.lists(_grid, max_size=5)):
            flat += [Stroke(at, x, x + 100) for at in (y, y + 40)]
            steep += [Stroke(at, y, y + 40) for at in (x, x + 100)]
    return draw(st.lists(_lines, max_size=20)), sorted(flat), sorted(steep)


def _found(
    boxes: Sequence[Box], flat: Sequence[Stroke], steep: Sequence[Stroke], line: float
) -> tuple[list[list[list[int]]], list[int]]:
    """The places in each field of each row, and those in none."""
    lines = [Line(text=str(n), polygon=polygon_of(box)) for n, box in enumerate(boxes)]
    rows = RowsOf(lines, range(len(lines)), boxes)
    found, left = rows_of_fields(rows, range(len(lines)), frames_of(flat, steep, line), line)
    for draft in found:
        assert draft.indexes == [index for part in draft.parts for index in part.indexes]
        assert all(part.rows and not part.parts for part in draft.parts)
    return [[part.indexes for part in draft.parts] for draft in found], left


@given(_forms())
def test_each_line_is_in_one_field_or_left(
    form: tuple[list[Box], list[Stroke], list[Stroke]],
) -> None:
    found, left = _found(*form, 16.0)
    held = [place for level in found for part in level for place in part]
    assert sorted([*held, *left]) == list(range(len(form[0])))
    assert left == sorted(left)


@given(_forms(), st.sampled_from([0.5, 1.0, 4.0]), st.integers(-3, 3).map(lambda n: 64.0 * n))
def test_moving_and_scaling_a_form_changes_nothing(
    form: tuple[list[Box], list[Stroke], list[Stroke]], scale: float, step: float
) -> None:
    def moved(place: float) -> float:
        return place * scale + step

    def redrawn(strokes: Sequence[Stroke]) -> list[Stroke]:
        return [
            Stroke(moved(s.at), moved(s.start), moved(s.end), s.thickness * scale)
            for s in strokes
        ]

    boxes, flat, steep = form
    others = [(moved(a), moved(b), moved(c), moved(d)) for a, b, c, d in boxes]
    after = _found(others, redrawn(flat), redrawn(steep), 16.0 * scale)
    assert after == _found(boxes, flat, steep, 16.0)


@pytest.mark.parametrize("size", [0.0, 8.0])
def test_as_many_rules_and_lines_as_a_page_may_have_are_taken(size: float) -> None:
    places = [(40.0 * (n % 50), 20.0 * (n // 50)) for n in range(5000)]
    boxes = [(x, y, x + size, y + size) for x, y in places]
    flat = [Stroke(20.0 * n, 0, 2000) for n in range(MOST_RULES // 2)]
    steep = [Stroke(4.0 * n, 0, 10_000) for n in range(MOST_RULES // 2)]
    found, left = _found(boxes, flat, steep, max(size, 1.0))
    assert found == [] and left == list(range(5000))


def test_the_name_above_a_box_is_of_its_field() -> None:
    lines, rules = list[Line](), list[Rule]()
    for n in range(2):
        for x, name, value in zip(XS, NAMES[n], VALUES[n], strict=True):
            top = 330.0 + 100 * n
            rules += _box(x, top, x + 380, top + 34)
            lines += [text(name, x, top - 24), text(value, x + 8, top + 6)]
    assert _texts(lines, rules) == FIELDS[:4]


def test_a_heading_underlined_from_end_to_end_is_no_field() -> None:
    lines, rules = list[Line](), list[Rule]()
    for n in range(2):
        for x, name in zip(XS, NAMES[n], strict=True):
            line = text(name, x, 300.0 + 150 * n)
            lines.append(line)
            rules.append(across(322 + 150 * n, x, box_of(line.polygon)[2]))
    assert _fields(lines, rules) == []


def test_boxes_close_below_one_another_are_fields_and_a_heading_above_is_no_name() -> None:
    lines, rules = list[Line](), list[Rule]()
    for n in range(3):
        top = 300.0 + 79 * n
        for x, name, value in zip(XS, NAMES[n], VALUES[n], strict=True):
            rules += _box(x, top, x + 380, top + 70)
            lines += [text(name, x + 8, top + 6), text(value, x + 8, top + 36)]
    heading = text("About the boat", 80, 270)
    _, blocks = structure([heading, *lines], WIDTH, HEIGHT, drawn=Drawn(rules=tuple(rules)))
    assert [block.text for block in blocks] == ["About the boat", *FIELDS]
