"""Items below their heads: which rows are theirs, where the next table begins, and sums."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Line
from pagetide.geometry import box_of
from pagetide.layout import Rule
from pagetide.structure.tables.items.items import ItemTable, item_tables
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.pieces import Piece
from tests.unit.tables_drawn import SIZE, across, baselined, down, found, row, text, texts

XS = (100.0, 500.0, 620.0, 760.0)
HEADS = ("Article", "Count", "Price", "Amount")
ITEMS = [
    ("Rope", "12", "3.10", "37.20"),
    ("Sail", "1", "210.00", "210.00"),
    ("Tar", "4", "8.25", "33.00"),
    ("Anchor", "2", "95.00", "190.00"),
]
OTHERS = ("Berth", "Days", "Rate", "Sum")


def _prose(top: float, *, gap: float = 6) -> list[Line]:
    said = "the boats that came in with the tide were unloaded and went on"
    return [text(said, 80, top + 26 * n, gap=gap) for n in range(4)]


def _rows(rows: Sequence[Sequence[str]], top: float, pitch: float = 40) -> list[Line]:
    return [line for n, each in enumerate(rows) for line in row(each, XS, top + pitch * n)]


def _item(cells: Sequence[str], top: float, notes: str, pitch: float = 35) -> list[Line]:
    """An item with a line of words below it for each letter."""
    below = [text(f"{letter} of it", 100, top + pitch * n) for n, letter in enumerate(notes, 1)]
    return [*row(cells, XS, top), *below]


def _shades(top: float, bottom: float) -> list[Rule]:
    edges = [across(y, 80, 900) for y in (top, bottom)]
    edges += [down(x, top, bottom) for x in (80, 900)]
    return [Rule(start=edge.start, end=edge.end, thickness=0) for edge in edges]


def _items(lines: Sequence[Line], rules: Sequence[float] = ()) -> list[ItemTable]:
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    return item_tables(baselined(words), SIZE, rules)


def _heights(lines: Sequence[Line], rules: Sequence[float] = ()) -> list[tuple[float, ...]]:
    return [(each.box[1], *each.rows, each.box[3]) for each in _items(lines, rules)]


def _tables(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> list[list[list[str]]]:
    page = [*_prose(60), *lines, *_prose(1100)]
    return [texts(each.table) for each in found(page, rules)]


def test_other_heads_after_one_item_begin_another_table() -> None:
    lines = [*_rows([HEADS, ITEMS[0], OTHERS], 300), *_item(ITEMS[1], 420, "ab")]
    lines += _item(ITEMS[2], 530, "ab")
    assert [(each.box[1], each.box[3]) for each in _items(lines)] == [(300, 360), (380, 620)]


def test_other_heads_far_below_several_items_begin_another_table() -> None:
    lines = [*row(HEADS, XS, 300), *_item(ITEMS[0], 340, "ab"), *_item(ITEMS[1], 450, "ab")]
    lines += [*row(OTHERS, XS, 580), *_item(ITEMS[2], 620, "ab"), *_item(ITEMS[3], 730, "ab")]
    assert [(each.box[1], each.box[3]) for each in _items(lines)] == [(300, 540), (580, 820)]


def test_words_under_heads_right_below_several_items_begin_no_other_table() -> None:
    lines = [*row(HEADS, XS, 300), *_item(ITEMS[0], 340, "ab"), *_item(ITEMS[1], 450, "ab")]
    lines += [*row(("all", "by", "us", "alone"), XS, 545), *_item(ITEMS[2], 585, "ab")]
    assert [(each.box[1], each.box[3]) for each in _items(lines)] == [(300, 675)]


def test_the_last_line_of_the_last_item_is_no_row_of_its_own() -> None:
    lines = [*row(HEADS, XS, 300), *_item(ITEMS[0], 340, "abc", 40)]
    lines += _item(ITEMS[1], 500, "abc", 40)
    assert _heights(lines) == [(300, 330, 640)]


def test_words_below_the_rule_that_ends_the_heads_are_none_of_them() -> None:
    lines = [*row(HEADS, XS, 300), text("Delivered", 620, 328), *row(ITEMS[0], XS, 356)]
    lines += [text("Delivered", 620, 384), *row(ITEMS[1], XS, 412)]
    assert _heights(lines, [325]) == [(300, 324, 432)]
    assert _heights(lines) == [(300, 352, 432)]


def _shaded_by_turns() -> tuple[list[Line], list[Rule]]:
    """Four items, the last on white, each far below the edge above it."""
    lines, rules = row(HEADS, XS, 306), _shades(300, 335)
    for n, cells in enumerate(ITEMS):
        top = 335.0 + 110 * n
        if n in (0, 2):
            rules += _shades(top, top + 110)
        lines += row(cells, XS, top + 45)
    return lines, rules


def test_a_last_item_below_the_last_shade_is_of_its_table() -> None:
    assert _tables(*_shaded_by_turns()) == [[list(each) for each in (HEADS, *ITEMS)]]


def test_an_item_below_a_shades_edge_drawn_thinner_than_any_rule_is_too() -> None:
    lines, rules = _shaded_by_turns()
    edge = Rule(start=(80, 665), end=(900, 665), thickness=0.2)
    assert _tables(lines, [*rules, edge]) == [[list(each) for each in (HEADS, *ITEMS)]]


def test_a_last_item_below_a_rule_under_the_last_shade_is_too() -> None:
    lines, rules = _shaded_by_turns()
    ruled = [*rules, across(665, 80, 900)]
    assert _tables(lines, ruled) == [[list(each) for each in (HEADS, *ITEMS)]]


def test_names_below_a_rule_under_the_last_shade_are_none_of_its_table() -> None:
    lines, rules = _shaded_by_turns()
    ended = [*lines[: -len(ITEMS[-1])], *row(("Anchor", "Later", "", ""), XS, 710)]
    found = _tables(ended, [*rules, across(665, 80, 900)])
    assert found == [[list(each) for each in (HEADS, *ITEMS[:3])]]


def test_heads_part_columns_of_figures_that_are_set_too_close() -> None:
    figures = [("12", "1,103.10"), ("100,000", "3.10"), ("4", "8.25"), ("2", "9.50")]
    lines = row(("Article", "Count", "Price", "Amount"), (100, 430, 530, 760), 300)
    for n, (count, price) in enumerate(figures):
        places = (100, 430, 584 - 10 * len(price), 760)
        lines += row(("Rope", count, price, "1.00"), places, 340 + 40 * n)
    rows = [list(HEADS), *(["Rope", *each, "1.00"] for each in figures)]
    assert _tables(lines) == [rows]
    assert _tables(lines, [across(y, 80, 900) for y in (295, 330, 500)]) == [rows]


def test_a_sum_beside_words_under_several_heads_is_of_the_items() -> None:
    words = text("Delivery within the north, and the sum", 300, 420)
    lines = [*_rows([HEADS, *ITEMS[:2]], 300), words]
    assert _heights([*lines, text("247.20", 760, 420)]) == [(300, 330, 440)]
    assert _heights([*lines, text("247.20", 850, 420)]) == [(300, 330, 400)]


def test_words_under_several_heads_without_a_sum_are_none_of_the_items() -> None:
    words = text("Delivery within the north, and the rest of it", 300, 420)
    assert _heights([*_rows([HEADS, *ITEMS[:2]], 300), words]) == [(300, 330, 400)]


def _framed(room: float, *, ruled: bool = True) -> list[list[list[str]]]:
    """Names in a frame and, so far below them, items with their heads on a rule."""
    names = [("Owner", "Maud Fenn", "Minnow"), ("Port", "Linford", "Tarn"), ("Berth", "C", "D")]
    lines = [line for n, each in enumerate(names) for line in row(each, XS[:3], 310 + 40 * n)]
    top = 410 + room
    rules = [across(y, 90, 900) for y in (300, 340, 380, 420, top + 170)]
    rules += [down(x, 300, top + 170) for x in (90, 490, 610, 900)]
    rules += [across(top + 28, 90, 900)] * ruled
    return _tables([*lines, *_rows([HEADS, *ITEMS[:3]], top)], rules)


@pytest.mark.parametrize("room", [40, 80])
def test_items_whose_heads_stand_on_a_rule_in_a_larger_table_are_one(room: float) -> None:
    names, items = _framed(room)
    assert names[0] == ["Owner", "Maud Fenn", "Minnow"]
    assert items == [list(each) for each in (HEADS, *ITEMS[:3])]


def test_heads_on_no_rule_or_right_below_other_rows_are_of_the_larger_table() -> None:
    assert len(_framed(80, ruled=False)) == 1
    assert len(_framed(15)) == 1


def _in_pairs(second: Sequence[str], sign: str = "") -> list[Line]:
    """Items with a figure, or a sign, and another figure below the last of three heads."""
    lines = row(("Article", "Count", "Price and sum"), (100, 460, 640), 300)
    for n, (cells, other) in enumerate(zip(ITEMS, second, strict=False)):
        places = (100, 460, 640, 720)
        lines += row((*cells[:2], sign or cells[2], other), places, 340 + 90 * n)
        lines.append(text("of it all", 100, 370 + 90 * n))
    return lines


def _columns(lines: Sequence[Line]) -> tuple[float, ...]:
    [items] = _items(lines)
    return items.columns


def test_pieces_that_all_items_have_below_one_head_are_two_columns() -> None:
    assert _columns(_in_pairs(("37.20", "210.00", "33.00"))) == (321, 575, 710)


def test_pieces_that_one_item_lacks_are_no_columns_of_their_own() -> None:
    assert _columns(_in_pairs(("37.20", "210.00", ""))) == (321, 575)


def test_signs_before_figures_are_no_column_of_their_own() -> None:
    assert _columns(_in_pairs(("37.20", "210.00", "33.00"), "€")) == (321, 575)


def test_figures_below_one_head_are_parted_between_its_words() -> None:
    lines = row(("Article", "Count price", "Amount"), (100, 460, 700), 300)
    for n, (_, count, price, amount) in enumerate(ITEMS[:3]):
        top = 340 + 70 * n
        both = text(f"{count} {price}", 510 - 10 * len(count), top, gap=10)
        lines += [text("Rope", 100, top), both, text(amount, 700, top)]
        lines.append(text("of it", 100, top + 26))
    page = [*_prose(60, gap=4), *lines]
    assert 513 in _columns(page)
    (table,) = found(page)
    assert texts(table.table)[0] == ["Article", "Count", "price", "Amount"]


def test_lines_of_an_item_under_several_heads_are_one_row() -> None:
    lines = row(HEADS, XS, 300)
    for n, cells in enumerate(ITEMS[:3]):
        lines += row(cells, XS, 340 + 110 * n)
        lines += row(("of hemp", "metres", "", ""), XS, 366 + 110 * n)
        lines += row(("Tarnside", "", "each", ""), XS, 392 + 110 * n)
    [table] = _tables(lines)
    assert table[1:] == [
        [f"{name}\nof hemp\nTarnside", f"{count}\nmetres", f"{price}\neach", amount]
        for name, count, price, amount in ITEMS[:3]
    ]


def test_an_item_whose_name_runs_under_two_heads_is_a_row() -> None:
    lines = _rows([HEADS, *ITEMS[:2]], 300, 26)
    lines.append(text("Tar in barrels that are sent to the far north", 100, 378))
    lines += [text("8.25", 620, 378), text("5.0", 760, 378), *row(ITEMS[3], XS, 404)]
    [table] = _tables(lines)
    assert [each[0][:4] for each in table] == ["Arti", "Rope", "Sail", "Tar ", "Anch"]


def test_a_second_figure_in_a_column_beside_a_name_begins_a_row() -> None:
    lines = _rows([HEADS, *ITEMS[:2], ("Crate", "7", "", ""), *ITEMS[2:]], 300, 35)
    rows = [list(each) for each in (HEADS, *ITEMS[:2], ("Crate", "7", "", ""), *ITEMS[2:])]
    assert _tables(lines) == [rows]


def test_words_or_a_figure_without_a_name_begin_no_row() -> None:
    for below in (("Crate", "each", "", ""), ("", "7", "", "")):
        items = [*_rows([HEADS, *ITEMS[:2]], 300, 35), *row(below, XS, 394)]
        [table] = _tables([*items, *_rows(ITEMS[2:], 430, 35)])
        assert len(table) == 1 + len(ITEMS)


def test_words_as_far_below_an_item_as_the_next_item_would_be_are_a_row() -> None:
    items = _rows([HEADS, *ITEMS[:2], ("Crate", "each", "", ""), *ITEMS[2:]], 300, 35)
    [table] = _tables(items)
    assert table[3] == ["Crate", "each", "", ""]


def test_a_sum_and_a_groups_name_are_rows_where_rules_part_the_items() -> None:
    carried, group = (
        ("", "", "Carried", "51.20"),
        "What came to the north quay in the month of March",
    )
    lines = [*_rows([HEADS, carried, ITEMS[0]], 300, 30), text(group, 100, 390)]
    lines += _rows(ITEMS[1:3], 420, 30)
    heights = _heights(lines, [325, 415, 445])[0]
    assert heights == (300, 325, 355, 385, 415, 445, 470)


def test_a_line_of_an_item_between_rules_that_is_within_one_column_is_no_row() -> None:
    lines = [*_rows([HEADS, ITEMS[0]], 300, 30), text("of the north quay", 100, 360)]
    lines += _rows(ITEMS[1:3], 390, 30)
    assert 355 not in _heights(lines, [325, 385, 415])[0]


NOTE = "Goods remain ours until paid"


def test_words_below_a_rule_that_ends_the_items_are_none_of_them() -> None:
    lines = [*_rows([HEADS, *ITEMS[:3]], 300), text(NOTE, 100, 446)]
    assert _heights(lines, [443]) == [(300, 330, 440)]
    assert not any(NOTE in said for said in _tables(lines, [across(443, 90, 900)])[0][-1])


def test_words_right_below_an_item_are_its_where_no_rule_ends_it() -> None:
    lines = [*_rows([HEADS, *ITEMS[:3]], 300), text(NOTE, 100, 446)]
    assert _heights(lines) == [(300, 330, 466)]


def test_a_sum_below_a_rule_is_of_the_items() -> None:
    lines = [
        *_rows([HEADS, *ITEMS[:3]], 300),
        text("Total", 620, 446),
        text("280.20", 760, 446),
    ]
    assert _heights(lines, [443]) == [(300, 330, 443, 466)]


def test_a_footnote_below_a_closed_table_is_none_of_its_items() -> None:
    lines = [*_rows([HEADS, *ITEMS[:3]], 300), text("* paid before it is sent", 100, 450)]
    rules = [across(y, 90, 900) for y in (295, 330, 365, 405, 445)]
    rules += [down(x, 295, 445) for x in (90, 490, 610, 750, 900)]
    [table] = _tables(lines, rules)
    assert table == [list(each) for each in (HEADS, *ITEMS[:3])]


_texts = st.sampled_from(
    ["Count", "Article", "12", "3.10", "Total", "€", "words of it", "4:30"]
)
_pieces = st.builds(
    lambda said, x, y, high: Piece(said, x, y, x + 10 * len(said), y + high, 0),
    _texts,
    st.sampled_from([*XS, 640.0, 560.0]),
    st.integers(0, 24).map(lambda step: 16.0 * step),
    st.sampled_from([SIZE, SIZE, SIZE, 0.0]),
)


@st.composite
def _words(draw: st.DrawFn) -> list[list[Piece]]:
    """Heads with figures below them, and pieces between."""
    words = [[piece] for piece in draw(st.lists(_pieces, max_size=10))]
    for top in draw(
        st.lists(st.integers(0, 5).map(lambda n: 64.0 * n), min_size=1, max_size=3)
    ):
        for cells, y in ((HEADS, top), (ITEMS[0], top + 30), (ITEMS[1], top + 60)):
            for x, said in zip(XS, cells, strict=True):
                words.append([Piece(said, x, y, x + 10 * len(said), y + SIZE, 0)])
    return words


_rules = st.lists(st.integers(0, 48).map(lambda step: 8.0 * step), max_size=6)


@given(_words(), _rules)
def test_tables_of_items_follow_one_another_and_are_parted_inside(
    words: list[list[Piece]], rules: list[float]
) -> None:
    items = item_tables(baselined(words), SIZE, rules)
    for each in items:
        x0, y0, x1, y1 = each.box
        assert all(y0 <= at <= y1 for at in each.rows)
        assert all(x0 < at < x1 for at in each.columns)
        assert len(set(each.columns)) == len(each.columns)
        assert y0 <= each.last <= y1
    pieces = [piece for of_line in words for piece in of_line]
    for piece in pieces:
        within = [t for t in items if t.box[1] <= piece.y0 and piece.y1 <= t.box[3]]
        assert len(within) <= 1 or piece.y0 == piece.y1


@given(
    _words(),
    _rules,
    st.sampled_from([0.5, 1.0, 4.0]),
    st.integers(-3, 3).map(lambda n: 64.0 * n),
)
def test_moving_and_scaling_change_no_items(
    words: list[list[Piece]], rules: list[float], scale: float, step: float
) -> None:
    def moved(place: float) -> float:
        return place * scale + step

    others = [
        [
            Piece(p.text, moved(p.x0), moved(p.y0), moved(p.x1), moved(p.y1), p.line)
            for p in of_line
        ]
        for of_line in words
    ]
    before = item_tables(baselined(words), SIZE, rules)
    after = item_tables(baselined(others), SIZE * scale, [moved(at) for at in rules])
    assert [tuple(map(moved, each.box)) for each in before] == [each.box for each in after]
    assert [tuple(map(moved, each.rows)) for each in before] == [each.rows for each in after]
    assert [each.filled for each in before] == [each.filled for each in after]


def test_a_foot_that_ends_with_an_account_as_far_right_is_no_sum() -> None:
    account, table = "IBAN 0340 6780 2228 2394", _rows([HEADS, *ITEMS], 300)
    right = max(box_of(line.polygon)[2] for line in table)
    left, _, end, _ = box_of(text(account, 0, 520).polygon)
    [without] = _items(
        [*table, text("Anne Fenn", 100, 520), text(account, right - end + left, 520)]
    )
    assert without.box[3] < 520
    [with_sum] = _items([*table, text("Total", 100, 520), text("470.20", XS[3], 520)])
    assert with_sum.box[3] > 520


def test_signs_for_figures_that_are_missing_are_no_heads() -> None:
    rows = [("Rope", "n.a.", "n.a.", "n.a."), *ITEMS]
    assert _items(_rows(rows, 300)) == []


def test_names_right_above_heads_are_lines_of_theirs_and_a_title_is_not() -> None:
    """They may be above a header, or one of two lines of a header that names no row else."""
    above = [text("Lying", 500, 279), text("Daily", 620, 279)]
    lines = [*above, *_rows([HEADS, *ITEMS], 300)]
    assert [each.box[1] for each in _items(lines)] == [279]
    alone = [text("Tax", 690, 289), text("code", 690, 311)]
    parted = _items([*_rows([HEADS], 300), *alone, *_rows(ITEMS, 340)])
    assert [(each.box[1], len(each.heads)) for each in parted] == [(289, 5)]
    titled = _items([text("Goods", 100, 279), *_rows([HEADS, *ITEMS], 300)])
    assert [each.box[1] for each in titled] == [300]


def test_a_groups_name_is_a_row_where_no_rule_is_below_it_but_rules_part_the_items() -> None:
    lines = [*row(HEADS, XS, 300), *row(ITEMS[0], XS, 340), text("Hull", 100, 380)]
    lines += [*row(ITEMS[1], XS, 420), *row(ITEMS[2], XS, 460)]
    rules = (330.0, 370.0, 450.0)
    assert 410 in [edge for each in _items(lines, rules) for edge in each.rows]


def test_years_below_items_head_another_table() -> None:
    lines = [*_rows([HEADS, *ITEMS], 300), *row(("Harbour", "2019", "2020", "2021"), XS, 505)]
    lines += row(("Boats", "12", "14", "17"), XS, 545)
    assert [each.box[3] for each in _items(lines)] == [480]


def test_heads_beside_a_sum_far_below_items_are_another_tables() -> None:
    taxes = [(100, "Taxes"), (250, "Net"), (400, "Tax"), (620, "Total"), (760, "470.20")]
    lines = [*_rows([HEADS, *ITEMS], 300), *(text(said, x, 530) for x, said in taxes)]
    lines += row(("20 %", "391.83", "78.37", "470.20"), XS, 560)
    assert [each.box[3] for each in _items(lines)] == [480]


def test_a_table_in_columns_whose_last_item_runs_together_is_not_cut_to_those_above() -> None:
    xs = (100.0, 300.0, 420.0, 540.0, 660.0, 760.0)
    rows = [("Article", "Count", "Unit", "Price", "Tax", "Amount")]
    rows += [(name, "12", "bags", "3.10", "20", "37.20") for name in ("Rope", "Sail", "Tar")]
    lines = [line for n, each in enumerate(rows) for line in row(each, xs, 300 + 30 * n)]
    last = [(100, "Oar"), (340, "1200000 bags"), (540, "3.10"), (660, "20"), (760, "7.00")]
    lines += [text(said, x, 420, gap=10) for x, said in last]
    assert [texts(each.table)[-1][0] for each in found(lines, ())] == ["Oar"]


def test_a_count_that_runs_together_with_its_unit_is_below_two_heads() -> None:
    """The space between the two headers is between count and unit, too."""
    xs = (100.0, 330.0, 400.0, 540.0, 660.0)
    rows = [("Article", "Count", "Unit", "Price", "Amount")]
    lines = row(rows[0], xs, 300)
    for n in range(3):
        lines += row(("Rope", "", "", "3.10", "37.20"), xs, 340 + 40 * n)
        lines.append(text("12000 bags", 340, 340 + 40 * n, gap=10))
    assert [(each.box[3], each.filled) for each in _items(lines)] == [(440, 5)]


def test_a_row_in_which_a_figure_runs_into_the_next_column_is_an_item() -> None:
    xs = (100.0, 180.0, 300.0, 540.0, 660.0, 760.0)
    lines = row(("Date", "Crew", "Work", "Hours", "Rate", "Amount"), xs, 300)
    lines += row(("5/14", "MR", "Caulking", "2", "40.00", "80.00"), xs, 340)
    lines += row(("5/15", "MR", "Rigging", "1", "40.00", "40.00"), xs, 380)
    lines += row(("", "", "Painting", "3", "40.00", "120.00"), xs, 420)
    lines.append(text("5/16/25 JT", 110, 420, gap=4))
    assert [each.box[3] for each in _items(lines)] == [440]


def test_sums_beside_lines_of_text_are_none_of_the_items() -> None:
    said = "all that was sent by us on that day is ours until it is paid for"
    lines = [*_rows([HEADS, *ITEMS], 300), text(said[:50], 100, 540), text("Net", 620, 540)]
    lines += [text("470.20", 760, 540), text(said[:50], 100, 575), text("Tax", 620, 575)]
    lines.append(text("94.04", 760, 575))
    assert [each.box[3] for each in _items(lines)] == [480]
    level = [
        text("Rope is made of hemp that we grow here", 160, 530),
        *row(("", "", "Net", "470.20"), XS, 540),
    ]
    assert [each.box[3] for each in _items([*_rows([HEADS, *ITEMS], 300), *level])] == [480]


def test_a_word_between_two_tables_is_in_one_of_them() -> None:
    """It ended the first, and was the first line of the second's heads."""
    lines = [
        *row(HEADS, XS, 0),
        *(cell for n, item in enumerate(ITEMS[:2]) for cell in row(item, XS, 30 + 30 * n)),
        text("3.10", XS[2], 144),
        text("Count", XS[1], 176),
        *row(HEADS, XS, 192),
        *(cell for n, item in enumerate(ITEMS[:2]) for cell in row(item, XS, 222 + 30 * n)),
    ]
    within = [t for t in _items(lines) if t.box[1] <= 176 and t.box[3] >= 196]
    assert len(_items(lines)) == 2
    assert len(within) == 1
