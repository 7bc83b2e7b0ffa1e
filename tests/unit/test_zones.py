"""Rules from side to side: what is above one is read before what is below it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Line
from pagetide.geometry import Box
from pagetide.layout import Drawn, Rule
from pagetide.structure import structure
from pagetide.structure.draft import Draft
from pagetide.structure.order.zones import by_zones
from pagetide.structure.rows import Row
from pagetide.structure.tables.ruled.frames import Stroke
from tests.unit.tables_drawn import HEIGHT, WIDTH, across, down, row, text

XS = (60.0, 360.0, 660.0)
HEAD = [text("Number 17", 60, 160), text("the twelfth of May", 740, 160)]


def _columns(top: float = 200, rows: int = 14) -> list[Line]:
    """Three columns of prose; each line begins with its column's letter."""
    return [
        text(letter + "boatstow" * 3, x, top + 24 * n)
        for letter, x in zip("abc", XS, strict=True)
        for n in range(rows)
    ]


def _order(lines: Sequence[Line], rules: Sequence[Rule]) -> list[str]:
    """What each block begins with."""
    _, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=tuple(rules)))
    return [block.text.split("\n")[0] for block in blocks]


def _begins(order: Sequence[str]) -> str:
    return "".join(said[0] for said in order)


def test_both_ends_of_a_line_above_a_rule_are_read_before_the_columns() -> None:
    order = _order([*HEAD, *_columns()], [across(190, 50, 930)])
    assert order[:2] == ["Number 17", "the twelfth of May"]
    assert _begins(order[2:]) == "abc"


def test_columns_above_a_rule_are_read_before_those_below_it() -> None:
    lines = [*_columns(), *_columns(580)]
    assert _begins(_order(lines, [across(556, 50, 930)])) == "abcabc"


def test_a_rule_over_two_of_three_columns_parts_nothing() -> None:
    lines = [*HEAD, *_columns()]
    assert _order(lines, [across(190, 50, 600)]) == _order(lines, [])


def test_a_title_on_a_shade_from_side_to_side_parts_columns() -> None:
    lines = [*_columns(), text("Landings", 70, 556), *_columns(600)]
    shade = (50.0, 548.0, 930.0, 584.0)
    _, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(fills=(shade,)))
    assert _begins([block.text for block in blocks]) == "abcLabc"


def _line(words: str, x: float, y: float, height: float = 20.0) -> Draft:
    line = text(words, x, y)
    box = (x, y, x + 10.0 * len(words), y + height)
    return Draft(rows=(Row.of((0,), (line,), (box,)),))


@pytest.mark.parametrize(("height", "is_heading"), [(26.0, True), (40.0, False)])
def test_a_heading_on_the_first_rule_is_read_below_a_letterhead(
    height: float, is_heading: bool
) -> None:
    """One in larger letters than all above it is the page's title, and read in its column."""
    firm, heading = _line("First Bank", 60, 100, 34.0), _line("Checking", 60, 300, height)
    beside = [_line(f"Account {n}", 600, 110 + 30 * n) for n in range(4)]
    below = [_line(f"balance {n} of the month", 60, 360 + 30 * n) for n in range(6)]
    drafts = [firm, heading, *beside, *below]
    ordered = by_zones(drafts, [Stroke(300 + height + 6, 50, 930)])
    expected = [firm, *beside, heading, *below] if is_heading else drafts
    assert ordered == expected


def test_the_edge_of_a_shade_parts_nothing() -> None:
    lines = [*HEAD, *_columns()]
    edge = Rule(start=(50, 190), end=(930, 190), thickness=0)
    assert _order(lines, [edge]) == _order(lines, [])


def test_a_rule_that_a_column_goes_across_parts_nothing() -> None:
    drafts = [Draft(area=(0, 0, 100, 400)), Draft(area=(120, 0, 220, 90))]
    drafts.append(Draft(area=(120, 110, 220, 400)))
    assert by_zones([drafts[2], drafts[0]], [Stroke(100, 0, 220)]) == [drafts[2], drafts[0]]


def test_a_rule_inside_a_table_parts_nothing() -> None:
    table = Draft(kind="table", area=(0, 100, 300, 300))
    beside = [Draft(area=(320, top, 420, top + 40)) for top in (100, 250)]
    drafts = [beside[0], beside[1], table]
    rules = [Stroke(at, 0, 420) for at in (150, 200, 240)]
    assert by_zones(drafts, rules) == drafts


def test_a_tables_text_stays_together_whatever_rules_are_in_it() -> None:
    cells = [("Rope", "12", "3.10"), ("Sail", "1", "210.00"), ("Tar", "4", "8.25")]
    lines = [line for n, each in enumerate(cells) for line in row(each, XS, 310 + 40 * n)]
    rules = [across(300 + 40 * n, 50, 930) for n in range(4)]
    rules += [down(x, 300, 420) for x in (50, 350, 650, 930)]
    _, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=tuple(rules)))
    assert [block.kind for block in blocks] == ["table"]


_boxes = st.builds(
    lambda x, y, w, h: (float(x), float(y), float(x + w), float(y + h)),
    st.integers(0, 40),
    st.integers(0, 40),
    st.integers(0, 40),
    st.integers(0, 12),
)
_strokes = st.builds(
    lambda at, start, length, thickness: Stroke(at, start, start + length, thickness),
    st.integers(0, 50).map(float),
    st.integers(-5, 20).map(float),
    st.integers(0, 90).map(float),
    st.sampled_from([0.0, 1.0]),
)
_pages = st.tuples(st.lists(_boxes, max_size=12), st.lists(_strokes, max_size=8))


def _places(boxes: Sequence[Box], rules: Sequence[Stroke]) -> list[int]:
    """The places of the boxes in the order in which they are read."""
    drafts = [Draft(area=box, label=str(place)) for place, box in enumerate(boxes)]
    return [int(str(draft.label)) for draft in by_zones(drafts, sorted(rules))]


@given(_pages)
def test_each_block_is_kept_once(page: tuple[list[Box], list[Stroke]]) -> None:
    boxes, rules = page
    assert sorted(_places(boxes, rules)) == list(range(len(boxes)))


@given(_pages)
def test_parting_once_more_changes_nothing(page: tuple[list[Box], list[Stroke]]) -> None:
    boxes, rules = page
    once = _places(boxes, rules)
    again = _places([boxes[place] for place in once], rules)
    assert again == list(range(len(boxes)))


@given(_pages, st.sampled_from([0.5, 1.0, 4.0]), st.integers(-3, 3).map(lambda n: 64.0 * n))
def test_moving_and_scaling_change_no_order(
    page: tuple[list[Box], list[Stroke]], scale: float, step: float
) -> None:
    def moved(place: float) -> float:
        return place * scale + step

    boxes, rules = page
    others = [(moved(a), moved(b), moved(c), moved(d)) for a, b, c, d in boxes]
    redrawn = [
        Stroke(moved(rule.at), moved(rule.start), moved(rule.end), rule.thickness * scale)
        for rule in rules
    ]
    assert _places(others, redrawn) == _places(boxes, rules)


def test_no_block_and_blocks_without_size_are_taken() -> None:
    assert _places([], [Stroke(0, 0, 10)]) == []
    assert _places([(5, 5, 5, 5)] * 3, [Stroke(5, 0, 10), Stroke(5, 5, 5)]) == [0, 1, 2]


def test_as_many_rules_and_blocks_as_a_page_may_have_are_taken() -> None:
    boxes = [(0.0, 10.0 * n + 1, 100.0, 10.0 * n + 9) for n in range(1000)]
    rules = [Stroke(10.0 * n, 0, 100) for n in range(1000)]
    assert _places(boxes[::-1], rules) == list(range(1000))[::-1]


def test_rows_on_both_sides_of_a_rule_are_no_block() -> None:
    names, below = ("Invoice 17", "What you had"), ("Dues and fees", "37.20 EUR")
    lines = [*row(names, (60.0, 600.0), 300), *row(below, (60.0, 820.0), 335)]
    assert _order(lines, [across(320, 50, 930)]) == [*names, *below]
    underlined = across(317, 50, 930)
    assert _order(lines, [underlined]) == _order(lines, [])


def _draft(said: str, x: float, top: float, *, rows: int = 1, size: float = 20) -> Draft:
    lines = [text(said, x, top + 26 * n) for n in range(rows)]
    boxes = [(x, top + 26 * n, x + 250, top + 26 * n + size) for n in range(rows)]
    rows_of = zip(range(rows), lines, boxes, strict=True)
    return Draft(rows=tuple(Row.of((n,), (line,), (box,)) for n, line, box in rows_of))


@pytest.mark.parametrize(
    ("size", "first", "place"), [(30, 190, 2), (20, 190, 1), (30, 700, 1)], ids=str
)
def test_a_large_heading_is_read_right_before_its_own_rule(
    size: float, first: float, place: int
) -> None:
    heading = _draft("Lost and found", 60, 470, size=size)
    others = [_draft("boats", x, 200, rows=10) for x in (60, 360)]
    others += [_draft("ropes", x, 520, rows=5) for x in (60, 360)]
    rules = [Stroke(at, 50, 700) for at in sorted((first, 505.0))]
    order = by_zones([others[0], heading, *others[1:]], rules)
    assert [draft.text for draft in order].index("Lost and found") == place
