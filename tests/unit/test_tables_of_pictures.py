"""What a picture's tables have: shades for rules, words whose places are estimates."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.geometry import Box, box_of
from pagetide.structure.tables.baseline import baselines_in
from pagetide.structure.tables.between.rows import rows_between
from pagetide.structure.tables.grids.close_heads import parted_by_edges
from pagetide.structure.tables.grids.columns import gutters_of
from pagetide.structure.tables.grids.grid import grid_of
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.pieces import phrase
from pagetide.structure.tables.rows.joins import joined
from pagetide.structure.tables.ruled.bars import are_bars
from pagetide.structure.tables.ruled.frames import Frame, Stroke
from tests.unit.tables_drawn import (
    across,
    down,
    found,
    prose,
    row,
    rows_from,
    rows_of,
    text,
    texts,
)

XS = (100.0, 420.0, 500.0, 640.0)
NARROW = (100.0, 240.0, 640.0, 780.0)
HEADS = ("Article", "Qty", "Unit", "Amount")
ROWS = [("Rope", "12", "kg", "30.00"), ("Sail", "3", "h", "41.50"), ("Tar", "7", "m", "9.25")]


def test_sums_names_across_columns_do_not_move_where_heads_part() -> None:
    sums = [("Subtotal net", "80.75"), ("Tax of 20 %", "16.15"), ("Total to pay", "96.90")]
    items = rows_from([("1", *each) for each in ROWS * 2], 340, (60.0, *XS))
    below = [each for n in range(3) for each in row(sums[n], (524.0, 640.0), 600 + 40 * n)]
    heads = row(("No", *HEADS), (60.0, *XS), 300)
    *_, last = gutters_of(rows_of([*items, *below]), rows_of(heads), 20)
    assert 540 < last < 640  # the heads' gap


@pytest.mark.parametrize("sign", ["€", "%"])
def test_a_sign_alone_is_no_row(sign: str) -> None:
    lines = rows_from([HEADS], 300, XS)
    for n, each in enumerate(ROWS):
        lines += [*row(each, XS, 340 + 60 * n), text(sign, 670, 364 + 60 * n)]
    sums = [("Subtotal", "80.75"), ("Total", "96.90")]
    lines += [line for n, each in enumerate(sums) for line in row(each, XS[2:], 540 + 40 * n)]
    rules = [across(y, 90, 850) for y in (392, 452, 512)]
    [table] = found([*prose(40), *lines, *prose(1000)], rules)
    assert [each[-1] for each in texts(table.table)][1:4] == [
        f"{amount}\n{sign}" for *_, amount in ROWS
    ]


def test_a_figure_below_its_sign_is_of_the_signs_row() -> None:
    lines = rows_from([HEADS], 300, XS)
    for n, each in enumerate(ROWS):
        lines += [*row((*each[:3], "€"), XS, 340 + 60 * n), text(each[3], 640, 364 + 60 * n)]
    rules = [across(y, 90, 850) for y in (330, 392, 452, 512)]
    [table] = found([*prose(40), *lines, *prose(1000)], rules)
    assert [each[-1] for each in texts(table.table)][1:] == [f"€\n{each[3]}" for each in ROWS]


def test_codes_and_amounts_that_narrow_cells_wrap_end_their_row() -> None:
    lines = row(("Article", "Description", "Price", "Amount"), NARROW, 300)
    for n, (name, _, _, amount) in enumerate(ROWS):
        lines += row(("AG-", name, "€ 3.10", "€"), NARROW, 340 + 60 * n)
        lines += row((f"28571{n}", "", "", amount), NARROW, 364 + 60 * n)
    [table] = found(
        [*prose(40), *lines, *prose(1000)], [across(y, 90, 900) for y in (290, 330)]
    )
    assert texts(table.table)[1:] == [
        [f"AG-\n28571{n}", each[0], "€ 3.10", f"€\n{each[3]}"] for n, each in enumerate(ROWS)
    ]


def test_a_sum_below_the_sign_that_ends_an_amount_is_a_row_of_its_own() -> None:
    xs = (100.0, 200.0, 420.0, 500.0, 660.0)
    said = [
        ("AG-", "Rope for a boat", "19", "75.29 €", "1430.64"),
        ("28571", "", "", "", "€"),
        ("", "", "", "Subtotal", "1430.64"),
        ("", "", "", "", "€"),
        ("", "", "", "Discount", "-10.00 €"),
    ]
    lines = [line for n, each in enumerate(said) for line in row(each, xs, 300 + 30 * n)]
    grid = grid_of((90, 290, 800, 460), (), (), 20).with_xs([190, 410, 490, 650])
    pieces = [piece for each in rows_of(lines) for piece in each]
    rows = joined(baselines_in(grid, pieces), grid, 20)
    assert [len(each) for each in rows] == [2, 2, 1]


@pytest.mark.parametrize(
    "below", [("", "", "", "Net amount", "64.20"), ("", "", "", "All to be paid 64.20", "")]
)
def test_an_amount_with_its_name_is_a_row_however_sure_the_fit_is(
    below: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagetide.structure.tables.rows.joins.goes_on", lambda features: 1.0)
    xs = (100.0, 200.0, 420.0, 500.0, 660.0)
    item = ("GC", "Rope for a boat", "2", "15.05", "30.10")
    said = [item, ("", "of three strands", "", "", ""), below]
    lines = [line for n, each in enumerate(said) for line in row(each, xs, 300 + 24 * n)]
    grid = grid_of((90, 290, 800, 380), (), (), 20).with_xs([190, 410, 490, 650])
    pieces = [piece for each in rows_of(lines) for piece in each]
    assert [len(each) for each in joined(baselines_in(grid, pieces), grid, 20)] == [2, 1]


def test_lines_with_names_and_figures_in_the_same_columns_are_rows_however_sure_the_fit_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pagetide.structure.tables.rows.joins.goes_on", lambda features: 1.0)
    xs = (100.0, 200.0, 420.0, 500.0, 660.0)
    said = [("06", "Hansen", "yawl", "3.42", "1.75"), ("07", "Grey", "motor", "4.05", "1.10")]
    lines = [line for n, each in enumerate(said) for line in row(each, xs, 300 + 24 * n)]
    grid = grid_of((90, 290, 800, 380), (), (), 20).with_xs([190, 410, 490, 650])
    pieces = [piece for each in rows_of(lines) for piece in each]
    assert [len(each) for each in joined(baselines_in(grid, pieces), grid, 20)] == [1, 1]


def test_what_is_carried_forward_is_no_line_of_the_item_in_a_lattice() -> None:
    xs = (100.0, 200.0, 420.0, 600.0)
    rows = [(f"{n}1", "Rope", f"{n}", f"{n}0.15") for n in range(1, 7)]
    lines = row(("No.", "Article", "Count", "Amount"), xs, 300)
    lines += row(("", "", "Carried", "51.20"), xs, 330)
    for n, each in enumerate(rows):
        lines += row(each, xs, 356 + 34 * n)
    edges = (295, 325, *(380 + 34 * n for n in range(6)))
    rules = [across(y, 90, 700) for y in edges]
    rules += [down(x, 295, 550) for x in (90, 190, 410, 590, 700)]
    (table,) = found(lines, rules)
    assert texts(table.table)[1:3] == [["", "", "Carried", "51.20"], [*rows[0]]]


def test_a_row_between_rules_may_go_on_in_several_columns() -> None:
    above, below = (Frame((90, y, 850, y), (Stroke(y, 90, 850),), ()) for y in (300.0, 470.0))
    item = ("23", "Rope, white", "18", "480.86", "8655.48")
    lines = row(item, (100, 180, 500, 600, 740), 310)
    lines += [text("as it was told", 180, 335), text("€", 800, 335)]
    lines += [text(f"by the {said}", 180, 360 + 25 * n) for n, said in enumerate("abcd")]
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    assert rows_between(above, below, words, 20)


def test_the_rule_of_a_foot_below_sentences_is_none_of_the_shaded_table_above() -> None:
    sides = tuple(Stroke(x, 260, 300, 0.0) for x in (90.0, 600.0, 850.0))
    edges = tuple(Stroke(y, 90, 850, 0.0) for y in (260.0, 300.0))
    above = Frame((90, 260, 850, 300), edges, sides)
    below = Frame((90, 520, 850, 520), (Stroke(520, 90, 850),), ())
    lines = [*row(("To be paid", "88.61"), (500, 760), 310), text("€", 800, 335)]
    said = "the boats that came in with the tide were unloaded and then went on north"
    pairs = [("Holder", "Harbour"), ("Bank", "Quay"), ("Account", "17")]
    lines += [
        line for n, pair in enumerate(pairs) for line in row(pair, (90, 300), 420 + 25 * n)
    ]
    for sentence, is_one in ((text(said, 90, 380), False), (text("of it", 90, 380), True)):
        placed = [*lines, sentence]
        words = words_of(placed, [box_of(line.polygon) for line in placed])
        assert rows_between(above, below, words, 20) == is_one


def test_a_sums_name_with_its_rate_is_not_parted_by_columns() -> None:
    xs = (100.0, 300.0, 420.0, 560.0)
    said = [("Rope", "11", "30.00", "60.00"), ("Sail", "17", "41.50", "83.00")]
    lines = [line for n, each in enumerate(said) for line in row(each, xs, 300 + 30 * n)]
    grid = grid_of((90, 290, 700, 420), (), (), 20).with_xs([250, 400, 540])
    for name, parts in (("VAT 7%", ["VAT 7%"]), ("VA7 70", ["VA7", "70"])):
        placed = [*lines, text(name, 290, 380, gap=100)]
        phrases = [piece for each in rows_of(lines) for piece in each]
        words = [
            word
            for each in words_of(placed, [box_of(one.polygon) for one in placed])
            for word in each
        ]
        whole = phrase(words[-2:])
        found = parted_by_edges(grid, [*phrases, whole], 20)
        assert [piece.text for piece in found[len(phrases) :]] == parts


def test_boxes_with_labels_over_values_are_a_row_each() -> None:
    xs = (100.0, 350.0, 600.0)
    said = [("Date", "City", "Amount"), ("6/1/93", "Greensboro", "278")]
    said += [("Phone", "Brand", "Copies"), ("960-0338", "Old Gold", "4902")]
    tops = (300, 324, 360, 384)
    lines = [line for each, top in zip(said, tops, strict=True) for line in row(each, xs, top)]
    rules = [across(y, 90, 850) for y in (292, 352, 412)]
    rules += [down(x, 292, 412) for x in (90.0, 340.0, 590.0, 850.0)]
    [table] = found([*prose(40), *lines, *prose(1000)], rules)
    assert texts(table.table) == [
        ["Date\n6/1/93", "City\nGreensboro", "Amount\n278"],
        ["Phone\n960-0338", "Brand\nOld Gold", "Copies\n4902"],
    ]


def test_a_line_below_an_item_tells_more_of_it_however_short_the_first_is() -> None:
    more = "which comes with the boat on the tide"
    lines = [*rows_from([HEADS], 300, (100, 540, 640, 740))]
    for n, name in enumerate(("Rope for a boat", "Sail for a boat", "Tar for a boat")):
        lines += row((name, "3", "kg", "30.00"), (100, 540, 640, 740), 340 + 80 * n)
        lines.append(text(more, 100, 362 + 80 * n))
    rules = [across(y, 90, 850) for y in (290, 330, 570)]
    [table] = found([*prose(40), *lines, *prose(1000)], rules)
    assert [each[0] for each in texts(table.table)[1:]] == [
        f"{name} for a boat\n{more}" for name in ("Rope", "Sail", "Tar")
    ]


def test_heads_in_a_lattice_that_is_not_drawn_around_them_are_apart() -> None:
    xs, edges = (108.0, 178.0, 400.0), (90.0, 170.0, 390.0, 600.0)
    rules = [across(y, 90, 600) for y in (290, 330, 370, 410, 450)]
    rules += [down(x, 330, 450) for x in edges]
    rules += [down(x, 290, 450) for x in (90.0, 600.0)]
    said = [("Place", "Article", "Amount"), ("1", "Rope", "30.00"), ("2", "Sail", "41.50")]
    lines = rows_from([*said, ("3", "Tar", "9.25")], 300, xs)
    [table] = found([*prose(40), *lines, *prose(1000)], rules)
    assert texts(table.table)[0] == list(said[0])


BARS: list[Box] = [(200, 400, 300, 700), (420, 520, 520, 700), (640, 600, 740, 700)]
AXIS = Frame((150, 380, 800, 700), (Stroke(700, 150, 800),), (Stroke(150, 380, 700),))


def _are_bars(fills: Sequence[Box], lines: Sequence[Line] = ()) -> bool:
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    return are_bars(AXIS, fills, words, 20.0)


def test_fills_of_different_heights_that_stand_apart_on_a_rule_are_bars() -> None:
    assert _are_bars(BARS, [text("3.10", x0 + 20, y0 + 30) for x0, y0, *_ in BARS])


@pytest.mark.parametrize(
    "fills",
    [
        [(x0, 400.0, x1, y1) for x0, _, x1, y1 in BARS],
        [(200.0, 400.0, 300.0, 700.0), (305.0, 520.0, 405.0, 700.0)],
        [(200.0, 400.0, 300.0, 700.0), (420.0, 520.0, 600.0, 700.0)],
        [(x0, y0, x1, y1 - 60) for x0, y0, x1, y1 in BARS],
        BARS[:1],
    ],
    ids=["as high", "touching", "wider", "not on the rule", "one"],
)
def test_other_fills_are_none(fills: Sequence[Box]) -> None:
    assert not _are_bars(fills)


def test_shaded_columns_with_texts_in_several_rows_are_none() -> None:
    lines = [text("3.10", x0 + 20, y1 - 80 + 40 * n) for x0, _, _, y1 in BARS for n in range(2)]
    assert not _are_bars(BARS, lines)
