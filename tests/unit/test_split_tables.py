"""Several tables found as one are parted; one table with sections stays whole."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pagetide.document import Line
from pagetide.geometry import Polygon, box_of, union
from pagetide.layout import Drawn, Rule
from pagetide.structure.tables.ends.split import Look, split_tables
from pagetide.structure.tables.ends.split_features import Places
from pagetide.structure.tables.find import tables_on_part
from pagetide.structure.tables.found import FoundTable, words_in
from pagetide.structure.tables.sheet import Sheet
from tests.unit.tables_drawn import XS, across, row, rows_from, rows_of, text, texts

FIRST = (
    ("Goods", "Count", "Price", "Amount"),
    [
        ("Rope", "12", "3.10", "37.20"),
        ("Sail", "1", "10.00", "10.00"),
        ("Tar", "104", "8.25", "858.00"),
        ("Lamp", "3", "21.00", "63.00"),
    ],
)
PLACES = (100.0, 420.0, 700.0)
SECOND = (
    ("Harbour", "Ships", "Tons"),
    [
        ("Northhaven", "31", "1,204"),
        ("Saltby", "4", "96"),
        ("Greyport", "117", "20,410"),
    ],
)


def _parted(
    lines: Sequence[Line],
    rules: Sequence[Rule] = (),
    *,
    top: float = 0,
    look: Look = tables_on_part,
) -> list[list[list[str]]]:
    """The rows of each table that a box around all lines below a height is parted into."""
    boxes = [box_of(line.polygon) for line in lines]
    sheet = Sheet(lines, boxes, Drawn(rules=tuple(rules)))
    x0, y0, x1, y1 = union(boxes)
    whole = sheet.build((x0, max(y0, top), x1, y1), sheet.words)
    assert whole is not None
    found = split_tables(sheet, [whole], look)
    held = [(w.line, w.place) for each in found for own in each.held for w in own]
    assert len(held) == len(set(held)) == len(words_in(found))
    return [texts(each.table) for each in found]


def _first(top: float = 100) -> list[Line]:
    heads, rows = FIRST
    return [*row(heads, XS, top), *rows_from(rows, top + 36)]


def test_a_title_and_a_head_of_other_columns_begin_another_table() -> None:
    heads, rows = SECOND
    lines = [*_first(), text("Ships that called, by harbour", 100, 320)]
    lines += row(heads, PLACES, 360)
    for place, each in enumerate(rows):
        lines += row(each, PLACES, 396 + 34 * place)
    first, second = _parted(lines)
    assert first == [list(FIRST[0]), *map(list, FIRST[1])]
    assert second == [list(heads), *map(list, rows)]


def test_a_part_keeps_its_heads_though_by_itself_it_has_none() -> None:
    heads, rows = SECOND
    lines = [*_first(), text("Ships that called, by harbour", 100, 320)]
    lines += row(heads, PLACES, 360)
    for place, each in enumerate(rows):
        lines += row(each, PLACES, 400 + 34 * place)

    def look(part: Sheet) -> list[FoundTable]:
        x0, _, x1, bottom = part.text_box
        table = part.build((x0, 390, x1, bottom), part.words) if bottom > 390 else None
        return [table] if table else tables_on_part(part)

    first, second = _parted(lines, look=look)
    assert first == [list(FIRST[0]), *map(list, FIRST[1])]
    assert second == [list(heads), *map(list, rows)]


def test_the_first_part_gets_the_heads_that_the_whole_had_not() -> None:
    heads, rows = SECOND
    lines = [*_first(), text("Ships that called, by harbour", 100, 320)]
    lines += row(heads, PLACES, 360)
    for place, each in enumerate(rows):
        lines += row(each, PLACES, 396 + 34 * place)
    first, _ = _parted(lines, [across(128, 90, 860)], top=130)
    assert first == [list(FIRST[0]), *map(list, FIRST[1])]


def test_the_same_head_below_a_title_begins_another_table() -> None:
    lines = [*_first(), text("Goods that came in the year before", 100, 330), *_first(370)]
    first, second = _parted(lines)
    assert first == second == [list(FIRST[0]), *map(list, FIRST[1])]


def test_the_same_heads_beside_a_gap_that_no_rule_crosses_are_two_tables() -> None:
    left, right = (100.0, 260.0, 400.0), (600.0, 760.0, 900.0)
    heads = ("Harbour", "Ships", "Tons")
    lines = []
    for place, each in enumerate((heads, *SECOND[1])):
        lines += row(each, left, 100 + 34 * place) + row(each, right, 100 + 34 * place)
    rules = [across(at, *ends) for at in (95, 132, 240) for ends in ((95, 460), (595, 960))]
    assert len(_parted(lines, rules)) == 2
    crossed = [across(at, 95, 960) for at in (95, 132, 240)]
    assert len(_parted(lines, crossed)) == 1


def test_tables_below_titles_side_by_side_are_two_where_a_rule_ends_between_them() -> None:
    left = [("Rent", "127.63"), ("Rope", "54.80"), ("Tar", "4.62"), ("Sum", "187.05")]
    right = [("Due", "30 June"), ("How", "by the bank"), ("Before", "all is paid")]
    titles = [text("What it comes to", 100, 300), text("How it is paid", 560, 300)]
    lines = [replace(title, bold=True) for title in titles]
    lines += [line for n, e in enumerate(left) for line in row(e, (100, 420), 350 + 30 * n)]
    lines += [line for n, e in enumerate(right) for line in row(e, (560, 700), 350 + 30 * n)]
    for end, count in ((500, 2), (900, 1)):
        assert len(_parted(lines, [across(435, 95, end)], top=340)) == count


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_names_of_sections_part_no_table(lengths: list[int]) -> None:
    heads, rows = FIRST
    lines, top = row(heads, XS, 100), 136.0
    for section, length in enumerate([4, *lengths]):
        if section:
            lines += [text(f"On deck number {section}", 100, top)]
            top += 34
        for each in rows[:length]:
            lines += row(each, XS, top)
            top += 34
    assert len(_parted(lines)) == 1


def _lists(names: Sequence[str], *, heads: bool, room: float) -> list[Line]:
    """Rows below bold names, the first below headers if there are any."""
    lines, top = [], 100.0
    for place, name in enumerate(names):
        lines += [replace(text(name, XS[0], top), bold=True)] if not heads or place else []
        lines += row(FIRST[0], XS, top) if heads and not place else []
        lines += [
            line for n, each in enumerate(FIRST[1]) for line in row(each, XS, top + 34 + 30 * n)
        ]
        top += 34 + 30 * len(FIRST[1]) + room
    return lines


@given(st.integers(2, 4))
def test_a_title_like_that_of_the_table_above_begins_another(count: int) -> None:
    names = ["On deck", "In the hold", "In the cabin", "Ashore"][:count]
    lines = _lists(names, heads=False, room=30)
    assert _parted(lines, top=120) == [[list(each) for each in FIRST[1]]] * count


@given(st.integers(3, 4))
def test_titles_below_headers_are_those_of_sections(count: int) -> None:
    names = ["", "In the hold", "In the cabin", "Ashore"][:count]
    assert len(_parted(_lists(names, heads=True, room=30))) == 1


def test_titles_without_room_above_them_are_those_of_sections() -> None:
    names = ["On deck", "In the hold", "In the cabin"]
    assert len(_parted(_lists(names, heads=False, room=0), top=120)) == 1


@pytest.mark.parametrize("room", [2, 7])
def test_a_wrapped_cell_above_a_title_is_no_title(room: int) -> None:
    lines = _lists(["On deck", "In the hold"], heads=False, room=50)
    wrapped = text("by weight", XS[1], 100 + 34 + 30 * len(FIRST[1]) - 10 + room)
    places = list(
        Places(_sheet([*lines, wrapped]), rows_of([*lines, wrapped]), (100, 100, 900, 500))
    )
    assert (6, 1) in places


EVENTS = (100.0, 400.0, 540.0, 690.0)
ASKED = "2. Which of these did you see, and how did you hear of it at first?"


def _crossed(top: float, heads: Sequence[str]) -> list[Line]:
    rows = [("Fair", "X", "", ""), ("Supper", "", "X", "X"), ("Talks", "", "X", "")]
    return [*row(heads, EVENTS, top), *rows_from(rows, top + 36, EVENTS)]


def test_a_name_over_heads_below_a_wide_rule_is_no_title() -> None:
    lines = [*_first(), text(ASKED, 100, 330)]
    lines += [text("Heard of in", 520, 372), *_crossed(408, ("Event", "Paper", "Post", "Web"))]
    first, second = _parted(lines, [across(y, 90, 850) for y in (362, 402, 438)])
    assert len(first) == 5 and "Heard of in" in second[0]


def _flat(line: Line) -> Line:
    """A line without height: all that it has is a stroke at its top."""

    def level(polygon: Polygon) -> Polygon:
        top = min(y for _, y in polygon)
        return tuple((x, top) for x, _ in polygon)

    words = tuple(replace(word, polygon=level(word.polygon)) for word in line.words)
    return replace(line, polygon=level(line.polygon), words=words)


def test_lines_without_height_part_no_less() -> None:
    heads, rows = SECOND
    lines = [*map(_flat, _first()), text("Ships that called, by harbour", 100, 320)]
    lines += row(heads, PLACES, 360)
    for place, each in enumerate(rows):
        lines += row(each, PLACES, 396 + 34 * place)
    first, second = _parted(lines)
    assert first == [list(FIRST[0]), *map(list, FIRST[1])]
    assert second == [list(heads), *map(list, rows)]


def test_a_cell_over_two_rows_leaves_no_more_room_below_them() -> None:
    items = [("", *rest) for _, *rest in FIRST[1]]
    rows = [line for n, item in enumerate(items) for line in row(item, XS, 130 + 30 * n)]
    lines = [*row(FIRST[0], XS, 100), *rows]
    over = text("Rope and sail", XS[0], 145)
    rooms = [
        Places(_sheet(own), rows_of(own), (100.0, 100.0, 900.0, 300.0))._room(place)
        for own, place in ((lines, 3), ([*lines, over], 4))
    ]
    assert rooms[0] == rooms[1]


def _sheet(lines: Sequence[Line]) -> Sheet:
    return Sheet(lines, [box_of(line.polygon) for line in lines], Drawn())
