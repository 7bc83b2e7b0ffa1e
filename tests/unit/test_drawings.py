"""Drawings that PDFs make of lines and boxes: bars on an axis, boxes that arrows join."""

from __future__ import annotations

import pytest

from tests.unit.test_drawn import drawn

AXES = b"1 w 100 100 m 400 100 l S 100 100 m 100 300 l S 0.2 0.4 0.6 rg "
BARS = b"".join(b"%d 100.5 40 %d re f " % (120 + 60 * n, 40 + 30 * n) for n in range(4))
EVEN = b"".join(b"%d 100.5 40 90 re f " % (120 + 60 * n) for n in range(4))
TOUCHING = b"".join(
    b"%d 100.5 60 %d re f " % (120 + 60 * n, 40 + 30 * (n % 2)) for n in range(4)
)
BOXES = b"1 w 100 500 80 50 re S 260 500 80 50 re S "
ARROW = b"180 525 m 252 525 l S 246 529 m 252 525 l 246 521 l S "
NEAR = b"1 w 100 500 80 50 re S 216 500 80 50 re S "
ONE_PATH = b"182 525 m 208 525 l 200 531 m 208 525 l 200 519 l S "


def test_bars_on_an_axis_are_a_drawing() -> None:
    ((left, top, right, bottom),) = drawn(AXES + BARS).pictures
    assert (left, right) == (100, 400)
    assert top == pytest.approx(492, abs=1) and bottom == pytest.approx(692, abs=1)


@pytest.mark.parametrize(
    "content",
    [AXES, AXES + EVEN, AXES + TOUCHING, BARS, AXES + b"120 100.5 40 60 re f"],
    ids=["axes alone", "as tall as each other", "touching", "no axes", "one"],
)
def test_what_is_no_chart_is_none(content: bytes) -> None:
    assert drawn(content).pictures == ()


@pytest.mark.parametrize(
    ("content", "end"),
    [(BOXES + ARROW, 340), (NEAR + ONE_PATH, 296)],
    ids=["a head by itself", "one path"],
)
def test_boxes_that_an_arrow_joins_are_a_drawing(content: bytes, end: float) -> None:
    ((left, top, right, bottom),) = drawn(content).pictures
    assert (left, right) == pytest.approx((100, end), abs=1)
    assert (top, bottom) == pytest.approx((242, 292), abs=1)


def test_a_frame_around_a_diagram_is_not_of_it() -> None:
    framed = b"1 w 40 400 500 300 re S " + BOXES + ARROW
    ((left, _, right, _),) = drawn(framed).pictures
    assert (left, right) == pytest.approx((100, 340), abs=1)


@pytest.mark.parametrize(
    "content",
    [BOXES, BOXES + b"180 525 m 260 525 l S", b"100 500 80 50 re S " + ARROW],
    ids=["no arrow", "a line", "one box"],
)
def test_boxes_alone_are_no_diagram(content: bytes) -> None:
    assert drawn(content).pictures == ()


def test_a_page_of_dotted_rules_is_seen_whole() -> None:
    dots = b"".join(
        b"%d %d 1 1 re f " % (60 + 2 * n, 720 - 30 * row)
        for row in range(20)
        for n in range(250)
    )
    page = drawn(dots)
    assert not page.too_many and len(page.rules) == 20
    assert all(rule.end[0] - rule.start[0] > 495 for rule in page.rules)


def test_a_dot_on_the_edge_of_a_shade_draws_no_rule() -> None:
    page = drawn(b"0.9 g 100 500 300 40 re f 0 g 100 519 1 1 re f")
    assert {rule.thickness for rule in page.rules} == {0.0}


def test_arrows_without_end_do_not_hang_us() -> None:
    lines = b"".join(b"40 %d m 560 %d l S " % (2 * n, 2 * n) for n in range(380))
    arrows = b"".join(
        b"%d %d m 4 4 l 8 0 l S " % (n % 30 * 20, n // 30 * 10) for n in range(2000)
    )
    assert drawn(lines + arrows).too_many


CURVE = (
    b"104 180 m "
    + b"".join(b"%d %d l " % (104 + 8 * n, 180 + n % 2 * 6) for n in range(1, 36))
    + b"S "
)


BASE = b"1 w 100 100 m 400 100 l S 0.2 0.4 0.6 rg "
WALL = b"1 w 100 100 m 100 400 l S 0.2 0.4 0.6 rg "
PAIRS = b"".join(
    b"%d 100.5 20 %d re f " % (120 + 50 * (n // 2) + 20 * (n % 2), 40 + 15 * n)
    for n in range(8)
)
LYING = b"".join(b"100.5 %d %d 20 re f " % (120 + 40 * n, 60 + 50 * n) for n in range(5))
FRAME = b"1 w 100 100 300 200 re S "
LEVELS = b"100 150 m 400 150 l S 100 200 m 400 200 l S "
PIECES = b"".join(
    b"%d %d m %d %d l S "
    % (120 + 40 * n, 120 + 9 * n * n, 160 + 40 * n, 120 + 9 * (n + 1) ** 2)
    for n in range(4)
)
SPOTS = b"".join(
    b"%d %d m %d %d l %d %d l %d %d l f " % (x, y, x + 2, y + 2, x + 4, y, x + 2, y - 2)
    for x, y in [(120 + 30 * n, 120 + 7 * n * (9 - n)) for n in range(9)]
)


@pytest.mark.parametrize(
    "content",
    [BASE + PAIRS, WALL + LYING, FRAME + SPOTS, FRAME + LEVELS + PIECES],
    ids=["bars two by two", "bars that lie", "dots in a frame", "a curve over lines"],
)
def test_charts_are_told_from_other_drawings(content: bytes) -> None:
    found = drawn(content)
    assert len(found.charts) == 1 and found.charts == found.pictures


@pytest.mark.parametrize(
    "content",
    [
        BOXES,
        FRAME + LEVELS + b"120 110 m 140 130 l 150 112 l S",
        FRAME + PIECES,
        AXES + TOUCHING,
    ],
    ids=["boxes", "a tick", "a signature in a box", "shades of cells"],
)
def test_what_may_stand_in_a_table_is_no_chart(content: bytes) -> None:
    assert drawn(content).charts == ()


def test_a_flat_curve_on_axes_is_a_drawing() -> None:
    ((left, top, right, bottom),) = drawn(AXES + CURVE).pictures
    assert (left, right) == pytest.approx((100, 400), abs=2)
    assert (top, bottom) == pytest.approx((492, 692), abs=2)


def test_a_drawing_ends_where_its_lines_do() -> None:
    """The rule of a table beside it stands nearer than twice the distance that joins."""
    hill = b"0.2 0.4 0.6 rg 100 500 m 160 580 l 240 520 l 300 570 l 300 500 l f "
    sky = b"0.7 0.8 0.9 rg 100 500 200 120 re f "
    beside = b"1 w 316 500 m 316 620 l S "
    ((left, _, right, _),) = drawn(sky + hill + beside).pictures
    assert (left, right) == pytest.approx((100, 300), abs=1)


def test_a_table_s_upright_rules_make_no_curve_of_what_crosses_it() -> None:
    rules = b"".join(b"%d 90 m %d 310 l S " % (x, x) for x in (160, 220, 300))
    assert drawn(FRAME + LEVELS + rules + PIECES).charts == ()


def test_a_cross_in_a_box_to_tick_is_no_arrow_between_boxes() -> None:
    cross = b"206 506 m 214 514 l 214 506 m 206 514 l S "
    box = b"1 w 204 504 12 12 re S "
    assert drawn(BOXES + box + cross + b"180 510 m 260 510 l S").charts == ()


def test_narrow_bars_side_by_side_are_a_chart_on_no_line() -> None:
    """Lessons of a timetable, as wide as their words, are none."""

    def bars(wide: int) -> bytes:
        return b"0.2 0.4 0.6 rg " + b"".join(
            b"%d 100 %d %d re f " % (60 + n * (wide + 2), wide, 6 + 4 * n) for n in range(6)
        )

    ((left, _, right, _),) = drawn(bars(10)).charts
    assert (left, right) == pytest.approx((60, 130), abs=1)
    assert drawn(bars(70)).charts == ()


def test_a_curve_in_pieces_on_open_axes_beyond_a_tick_is_a_chart_with_its_axes() -> None:
    axes = b"1 w 98 100 m 400 100 l S 100 100 m 100 300 l S "
    pieces = b"".join(
        b"%d %d m %d %d l S " % (120 + 50 * n, 250 - 20 * n, 170 + 50 * n, 230 - 20 * n)
        for n in range(5)
    )
    ((left, top, right, bottom),) = drawn(axes + pieces).charts
    assert (left, right) == pytest.approx((98, 400), abs=2)
    assert bottom - top == pytest.approx(200, abs=3)


GRID = b"1 w " + b"".join(
    [b"%d 100 m %d 400 l S " % (x, x) for x in (100, 160, 240, 320, 400)]
    + [b"100 %d m 400 %d l S " % (y, y) for y in (100, 160, 220, 400)]
)
CELLS = b"0.9 0.9 0.7 rg 100 100 60 60 re f 320 100 80 120 re f "


def test_shaded_cells_on_a_rule_of_a_table_are_no_bars() -> None:
    """One is higher than the other, and both stand on the lowest rule."""
    assert drawn(CELLS + GRID).charts == ()
    assert drawn(CELLS + b"0 g " + AXES).charts != ()
