"""The order in which boxes are read."""

import itertools
import time

from hypothesis import example, given
from hypothesis import strategies as st

from pagetide.geometry import Box
from pagetide.structure.order.reading_order import segments, xy_cut
from pagetide.structure.order.sides import Starts

_boxes = st.lists(
    st.builds(
        lambda x, y, w, h: (float(x), float(y), float(x + w), float(y + h)),
        st.integers(0, 1000),
        st.integers(0, 1400),
        st.integers(0, 600),
        st.integers(0, 60),
    ),
    max_size=40,
)


def _column(left: float, right: float, top: float, count: int, pitch: float) -> list[Box]:
    """Lines of prose, 20 high; the last one is short."""
    rows = [(left, top + i * pitch, right, top + i * pitch + 20) for i in range(count)]
    return [*rows[:-1], (left, rows[-1][1], left + (right - left) / 3, rows[-1][3])]


def _grid(left: float, top: float, rows: int, widths: list[float]) -> list[Box]:
    """Cells row by row, columns 200 apart."""
    return [
        (left + 200 * j, top + 30 * i, left + 200 * j + width, top + 30 * i + 20)
        for i in range(rows)
        for j, width in enumerate(widths)
    ]


def _assert_reads_in_order(boxes: list[Box]) -> None:
    """The boxes are given as they are read; shuffling them must not matter."""
    places = sorted(range(len(boxes)), key=lambda place: place * 7919 % 104729)
    places = places[1::2] + places[::2]
    order = xy_cut([boxes[place] for place in places])
    assert [places[index] for index in order] == list(range(len(boxes)))


@given(_boxes)
def test_every_box_is_read_once(boxes: list[Box]) -> None:
    assert sorted(xy_cut(boxes)) == list(range(len(boxes)))


@given(_boxes, st.integers(-500, 500), st.integers(-500, 500))
def test_moving_the_page_changes_nothing(boxes: list[Box], x: int, y: int) -> None:
    moved = [(b[0] + x, b[1] + y, b[2] + x, b[3] + y) for b in boxes]
    assert xy_cut(moved) == xy_cut(boxes)


@given(_boxes, st.sampled_from([0.25, 0.5, 2.0, 8.0]))
def test_scaling_the_page_changes_nothing(boxes: list[Box], by: float) -> None:
    scaled = [(b[0] * by, b[1] * by, b[2] * by, b[3] * by) for b in boxes]
    assert xy_cut(scaled) == xy_cut(boxes)


@given(_boxes)
def test_segments_hold_every_box_once(boxes: list[Box]) -> None:
    held = [index for segment in segments(boxes) for row in segment.rows for index in row]
    assert sorted(held) == list(range(len(boxes)))


@given(st.integers(3, 40), st.integers(3, 40), st.integers(0, 24))
@example(left=3, right=3, offset=20)
@example(left=3, right=9, offset=24)
def test_two_columns_are_read_one_after_the_other(left: int, right: int, offset: int) -> None:
    _assert_reads_in_order(
        [*_column(100, 480, 200, left, 25), *_column(520, 900, 200 + offset, right, 25)]
    )


def test_a_heading_across_columns_comes_first_and_a_footer_last() -> None:
    _assert_reads_in_order(
        [
            (100, 50, 900, 90),
            *_column(100, 480, 200, 30, 25),
            *_column(520, 900, 200, 30, 25),
            (480, 1300, 510, 1320),
        ]
    )


def test_a_heading_between_columns_parts_them() -> None:
    _assert_reads_in_order(
        [
            *_column(100, 480, 100, 8, 25),
            *_column(520, 900, 100, 8, 25),
            (100, 330, 900, 360),
            *_column(100, 480, 400, 8, 25),
            *_column(520, 900, 400, 8, 25),
        ]
    )


def test_paragraph_gaps_that_both_columns_share_do_not_part_them() -> None:
    column = [*_column(0, 380, 100, 6, 25), *_column(0, 380, 300, 6, 25)]
    right = [(x0 + 420, y0, x1 + 420, y1) for x0, y0, x1, y1 in column]
    _assert_reads_in_order([*column, *right])


def test_an_address_far_above_two_columns_beside_nothing_is_read_before_them() -> None:
    columns = [*_column(0, 380, 300, 6, 25), *_column(420, 800, 300, 6, 25)]
    _assert_reads_in_order([*_column(500, 700, 100, 3, 25), *columns])
    near = _column(420, 800, 225, 3, 25)  # the column's own first lines
    _assert_reads_in_order([*columns[:6], *near, *columns[6:]])


def test_three_columns_are_read_one_after_the_other() -> None:
    _assert_reads_in_order(
        [
            box
            for i in range(3)
            for box in _column(100 + 300 * i, 370 + 300 * i, 100 + 7 * i, 20, 25)
        ]
    )


def test_a_table_is_read_row_by_row() -> None:
    _assert_reads_in_order(_grid(100, 100, 12, [120, 60, 60, 40]))


def test_a_table_with_empty_cells_is_read_row_by_row() -> None:
    cells = _grid(100, 100, 12, [120, 60, 60, 40])
    _assert_reads_in_order([cell for place, cell in enumerate(cells) if place % 7 != 3])


def test_a_cell_of_two_lines_is_read_whole_before_the_next() -> None:
    rows = [
        [(100, y, 260, y + 20), (100, y + 22, 220, y + 42), (300, y + 11, 350, y + 31)]
        for y in range(100, 700, 60)
    ]
    _assert_reads_in_order([(float(a), b, c, d) for row in rows for a, b, c, d in row])


def test_a_table_between_columns_of_prose_keeps_its_place() -> None:
    left = [*_column(100, 480, 100, 10, 25), *_column(100, 480, 400, 10, 25)]
    table = [(520 + j * 150.0, y, 580 + j * 150.0, y + 20) for y in
             (100.0, 130.0, 160.0, 190.0, 220.0) for j in range(3)]  # fmt: skip
    _assert_reads_in_order([*left, *table, *_column(520, 900, 300, 14, 25)])


def test_touching_and_slightly_overlapping_lines_are_still_lines() -> None:
    _assert_reads_in_order([(100.0, 100 + 20.0 * i, 800.0, 123 + 20.0 * i) for i in range(20)])


def test_a_slightly_skewed_page_reads_as_a_straight_one() -> None:
    straight = [*_column(100, 480, 200, 20, 30), *_column(520, 900, 200, 20, 30)]
    skewed = [
        (x0, y0 + (x0 + x1) / 2 * 0.01, x1, y1 + (x0 + x1) / 2 * 0.01)
        for x0, y0, x1, y1 in straight
    ]
    _assert_reads_in_order(skewed)


def test_boxes_that_no_line_can_part_are_read_by_rows() -> None:
    boxes = [(0.0, 0.0, 60.0, 10.0), (50.0, 1.0, 120.0, 11.0), (10.0, 6.5, 115.0, 17.0)]
    assert xy_cut(boxes) == [0, 1, 2]


def test_a_page_of_1500_boxes_takes_less_than_a_second() -> None:
    boxes = _grid(0, 0, 300, [120, 60, 60, 40, 90])
    started = time.process_time()
    assert len(xy_cut(boxes)) == 1500
    assert time.process_time() - started < 1.0  # 0.05 s on an idle core


def test_a_line_whose_words_stand_far_apart_stays_in_its_column() -> None:
    words = [
        (0.0, 125.0, 100.0, 145.0),
        (130.0, 125.0, 220.0, 145.0),
        (250.0, 125.0, 400.0, 145.0),
    ]
    above, below = _column(0, 400, 0, 5, 25)[:-1], _column(0, 400, 150, 6, 25)
    upper = [(0.0, 100.0, 400.0, 120.0)]
    (segment,) = segments([*above, *upper, *words, *below])
    assert not segment.gutters and (5, 6, 7) in segment.rows


def test_a_title_centred_above_columns_is_no_row_of_theirs() -> None:
    header = [(0.0, 0.0, 150.0, 20.0), (880.0, 0.0, 900.0, 20.0)]
    title = [(250.0, 45.0, 700.0, 80.0)]
    left, right = _column(0, 400, 105, 8, 25), _column(500, 900, 105, 8, 25)
    _assert_reads_in_order([*header, *title, *left, *right])


def test_columns_of_an_index_are_no_table() -> None:
    """Entries on common baselines, but each column has breaks of its own."""
    left = [(0.0, 30.0 * i, 150.0, 30.0 * i + 20) for i in range(20) if i not in (4, 11)]
    right = [(300.0, 30.0 * i, 450.0, 30.0 * i + 20) for i in range(20) if i not in (7, 15)]
    _assert_reads_in_order([*left, *right])


def test_a_figure_at_the_foot_of_two_columns_does_not_cut_the_third() -> None:
    figure = [(0.0, 425.0, 600.0, 700.0)]
    columns = [_column(left, left + 270, 0, 16, 25) for left in (0, 330)]
    third = _column(660, 930, 0, 28, 25)
    _assert_reads_in_order([*columns[0], *columns[1], *figure, *third])


def test_a_quotation_set_into_two_columns_does_not_part_them() -> None:
    quotation = [(300.0, 250.0 + 40 * i, 600.0, 280.0 + 40 * i) for i in range(4)]
    left = [(0.0, 25.0 * i, 280.0 if 9 <= i < 17 else 430.0, 25.0 * i + 20) for i in range(30)]
    right = [
        (620.0 if 9 <= i < 17 else 470.0, 25.0 * i, 900.0, 25.0 * i + 20) for i in range(30)
    ]
    order = xy_cut([*left, *right, *quotation])
    assert [i for i in order if i < 60] == list(range(60))
    assert [i for i in order if i >= 60] == [60, 61, 62, 63]


def test_a_sidebar_in_small_type_is_a_column_of_its_own() -> None:
    """It stands on the other column's baselines, as cells do."""
    column = [(100.0, 100 + 28.0 * i, 430.0, 124 + 28.0 * i) for i in range(24)]
    sidebar = [(490.0, 216 + 28.0 * i, 680.0, 233 + 28.0 * i) for i in range(8)]
    _assert_reads_in_order([*column, *sidebar])


def test_a_quotation_of_two_long_lines_is_taken_out_of_its_columns() -> None:
    def prose(x: float, lines: range, width: float) -> list[Box]:
        return [(x, 100 + 25.0 * i, x + width, 125 + 25.0 * i) for i in lines]

    left = [*prose(100, range(10), 450), *prose(100, range(10, 16), 320)]
    left += prose(100, range(16, 40), 450)
    right = [*prose(590, range(10), 450), *prose(720, range(10, 16), 320)]
    right += prose(590, range(16, 40), 450)
    quotation: list[Box] = [(455.0, 355 + 37.0 * i, 690.0, 392 + 37.0 * i) for i in range(2)]
    order = xy_cut([*left, *right, *quotation])
    told = [place for place in order if place < len(left) + len(right)]
    assert told == list(range(len(left) + len(right)))
    assert order.index(len(order) - 1) == order.index(len(order) - 2) + 1


def test_narrow_columns_whose_first_lines_stand_level_are_read_one_by_one() -> None:
    """The room between them is no wider than that between two words."""
    title = [(100.0, 40.0, 700.0, 62.0)]
    columns = [_column(100 + 210 * n, 302 + 210 * n, 80, 14, 25) for n in range(3)]
    _assert_reads_in_order([*title, *itertools.chain(*columns)])


def test_what_stands_below_columns_and_in_none_of_their_gutters_begins_anew() -> None:
    columns = [_column(300 + 220 * n, 508 + 220 * n, 80, 10, 25) for n in range(2)]
    below = [(100.0, 345.0, 260.0, 365.0), (420.0, 345.0, 640.0, 365.0)]
    _assert_reads_in_order([*itertools.chain(*columns), *below])


def test_heads_side_by_side_are_read_with_what_stands_below_them() -> None:
    left = [(30, 140 + 30 * i, 150 + 40 * (i % 2), 160 + 30 * i) for i in range(4)]
    right = [(530, 140 + 38 * i, 650 + 40 * (i % 2), 160 + 38 * i) for i in range(3)]
    above = _column(0, 660, 0, 2, 26)
    _assert_reads_in_order([*above, (0, 80, 100, 100), *left, (500, 80, 620, 100), *right])


def _sheet() -> list[Box]:
    """A name and a date, a line, two heads with their lists, a head and its text."""
    left = [
        (136, 284 + 22 * i, right, 306 + 22 * i) for i, right in enumerate((456, 473, 393, 338))
    ]
    right = [(669, 284 + 22 * i, end, 306 + 22 * i) for i, end in enumerate((958, 917, 846))]
    return [
        *((99, 100, 266, 122), (1021, 100, 1169, 122), (99, 164, 644, 190)),
        *((99, 237, 206, 260), *left, (632, 237, 786, 260), *right),
        *((99, 412, 239, 435), (99, 460, 1093, 482), (99, 484, 890, 506)),
    ]


def test_a_date_at_the_end_of_the_first_line_makes_no_column_of_what_is_below() -> None:
    _assert_reads_in_order(_sheet()[:-3])


def test_a_head_below_columns_is_read_with_its_text() -> None:
    _assert_reads_in_order(_sheet()[3:])
    _assert_reads_in_order(_sheet())


def test_tables_side_by_side_each_below_its_heading_are_read_one_after_the_other() -> None:
    headings: list[Box] = [(100, 100, 260, 124), (620, 100, 780, 124)]
    tables: list[Box] = [(100, 150, 560, 330), (620, 150, 1100, 400)]
    boxes = [*headings, *tables]
    read = [i for s in segments(boxes, 20, {2, 3}) for row in s.rows for i in row]
    assert read == [0, 2, 1, 3]


def test_lines_beside_a_table_are_no_rows_of_it() -> None:
    """An address's last line stands below the table beside it as often as level with it."""
    lines: list[Box] = [(100, 100 + 26 * n, 300, 120 + 26 * n) for n in range(5)]
    boxes = [*lines, (620, 96, 1100, 205)]
    read = [i for s in segments(boxes, 20, {5}) for row in s.rows for i in row]
    assert read == [0, 1, 2, 3, 4, 5]


def test_many_titles_that_leave_one_gutter_of_a_grid_leave_the_others() -> None:
    rows: list[Box] = []
    for top in (100.0, 196.0, 292.0, 388.0):
        rows.append((300, top, 900, top + 20))
        for y in (top + 32, top + 64):
            rows += [(100, y, 440, y + 20)]
            rows += [(x, y, x + 60, y + 20) for x in (500, 800, 1000)]
    *_, grid = segments(rows, 20)
    assert len(grid.gutters) == 3


def test_short_labels_beside_text_are_read_before_what_begins_level_with_them() -> None:
    order: list[Box] = []
    for top in (100.0, 190.0, 280.0):
        order.append((50.0, top - 6, 90.0, top + 14))
        order += [(140.0, top, 420.0, top + 20), (140.0, top + 25, 600.0, top + 45)]
    _assert_reads_in_order(order)
    moved = [(x0, y0 + 40 * (x0 < 100), x1, y1 + 40 * (x0 < 100)) for x0, y0, x1, y1 in order]
    labels = [place for place, box in enumerate(moved) if box[0] < 100]
    assert [place for place in xy_cut(moved) if place in labels] == labels


def test_items_beside_rows_of_a_sentence_are_a_column_of_their_own() -> None:
    items: list[Box] = [(100, y, 180, y + 20) for y in (100, 130, 160)]
    prose: list[Box] = [(400, y, 690, y + 20) for y in (100, 130, 160)]
    boxes = [*items, *prose, (400, 190, 520, 210)]
    beside = Starts(items=frozenset({0, 1, 2}), inside=frozenset({5, 6}))
    values = Starts(items=frozenset({0, 1, 2}), inside=frozenset({6}))
    for starts, order in ((beside, [0, 1, 2, 3, 4, 5, 6]), (values, [0, 3, 1, 4, 2, 5, 6])):
        read = [i for s in segments(boxes, 20, (), starts) for row in s.rows for i in row]
        assert read == order


@given(st.integers(0, 50), st.integers(0, 3), st.integers(1, 4))
@example(23, 0, 1)
@example(23, 1, 1)
def test_a_head_below_columns_of_unequal_length_is_read_with_its_list(
    set_in: int, short: int, more: int
) -> None:
    left, right = _column(100, 570, 100, 8 + more, 26), _column(620, 1090, 100, 8, 26)
    top = left[-1][3] + 32
    start = 100.0 + set_in
    widths = [*(200 + 70 * n for n in range(short)), 580, 300]
    head = (100.0, top, 290.0, top + 24)
    items = [
        (start, top + 40 + 26 * n, start + width, top + 60 + 26 * n)
        for n, width in enumerate(widths)
    ]
    _assert_reads_in_order([*left, *right, head, *items])
