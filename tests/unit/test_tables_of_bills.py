"""What bills taught of tables: sections above, sums below, boxes, and what stands beside."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line
from pagetide.geometry import box_of, union
from pagetide.layout import NOTHING_DRAWN, Drawn
from pagetide.structure.tables.ends.headed import footed, headed
from pagetide.structure.tables.ends.sections import with_sections
from pagetide.structure.tables.grids.columns import gutters_of
from pagetide.structure.tables.line_words import words_of
from pagetide.structure.tables.ruled.frames import Stroke
from pagetide.structure.tables.ruled.in_frames import framed_table
from pagetide.structure.tables.sheet import Sheet
from pagetide.structure.tables.unruled.blocks_beside import beside
from tests.unit.tables_drawn import BILL_HEADS as HEADS
from tests.unit.tables_drawn import BILL_ITEMS as ITEMS
from tests.unit.tables_drawn import BILL_XS as XS
from tests.unit.tables_drawn import (
    SIZE,
    across,
    down,
    found,
    row,
    rows_from,
    rows_of,
    spans,
    tables_between,
    text,
    texts,
)


def _beside(lines: Sequence[Line]) -> list[list[list[str]]] | None:
    rows = rows_of(lines)
    sides = beside(rows)
    return sides and [[[piece.text for piece in each] for each in side] for side in sides]


def test_a_pages_number_below_items_is_no_row_of_theirs() -> None:
    lines = [*rows_from([HEADS, *ITEMS], 300, XS), text("Page 1 of 2", 760, 470)]
    rules = [across(y, 90, 900) for y in (290, 330, 500)]
    [table] = tables_between(lines, rules)
    assert table == [list(each) for each in (HEADS, *ITEMS)]


def test_an_item_with_many_lines_above_the_first_rule_is_no_head() -> None:
    lines = rows_from([HEADS, ITEMS[0]], 300, XS)
    lines += [
        text(f"{word} of the north quay", 100, 366 + 25 * n) for n, word in enumerate("abc")
    ]
    lines += row(("Less", "", "", "4.20-"), XS, 441)
    lines += row(("Net", "", "", "33.00"), XS, 471)
    rules = [*(across(y, 90, 900) for y in (290, 325)), across(466, 750, 900)]
    [table] = tables_between(lines, rules)
    assert table[1][3] == "37.20"


@pytest.mark.parametrize(("x", "is_sum"), [(420, True), (470, False)])
def test_a_sum_in_line_with_columns_is_the_last_row_where_nothing_follows(
    x: float, is_sum: bool
) -> None:
    items = rows_from([(a, b, c, "9%") for a, b, _, c in ITEMS], 300, XS)
    lines = [*items, *row(("Forward", "280.20"), (x, 620), 432)]
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    x0, y0, x1, y1 = union([box_of(line.polygon) for line in items])
    assert (footed((x0, y0, x1, y1), words, 20.0, [])[3] > y1) == is_sum


def test_the_section_above_the_name_that_a_table_begins_with_is_of_it() -> None:
    first = [("Quay", "4 kW in March", "11.86"), ("Berth", "4 kW in April", "0.88")]
    second = [("Rope", "48 m at 0.18", "8.98"), ("Sail", "61 m at 0.13", "8.00")]
    xs = (100.0, 420.0, 780.0)
    lines = [text("What was lent", 100, 300), *rows_from(first, 335, xs)]
    lines += [text("What was sold", 100, 405), *rows_from(second, 440, xs)]
    boxes = [box_of(line.polygon) for line in lines]
    sheet = Sheet(lines, boxes, NOTHING_DRAWN)
    x0, _, x1, y1 = union(boxes)
    lower = sheet.build((x0, 400, x1, y1), sheet.words)
    assert lower is not None
    [whole] = with_sections(sheet, [lower])
    assert [each[0] for each in texts(whole.table)] == [
        *("What was lent", "Quay", "Berth", "What was sold", "Rope", "Sail")
    ]


def test_a_cell_beside_rows_that_rules_part_in_all_other_columns_is_one() -> None:
    lines = [text(said, 100, 304 + 24 * n) for n, said in enumerate(("To", "Firm", "Quay"))]
    for n, (a, b) in enumerate((("No. 7", "4 May"), ("HELTEX", "9 June"), ("X 1", "30 days"))):
        lines += row((a, b), (420, 620), 306 + 40 * n)
    rules = [across(at, 90, 800) for at in (300, 420)]
    rules += [across(at, 410, 800) for at in (340, 380)]
    rules += [down(at, 300, 420) for at in (90, 410, 610, 800)]
    [table] = found(lines, rules)
    assert spans(table.table) == {"To\nFirm\nQuay": (3, 1)}


def test_figures_above_a_lattice_are_none_of_its_heads() -> None:
    ages = [("Current", "31 days", "61 days", "Due"), ("0.00", "40.00", "64.20", "104.20")]
    for above, count in (
        (("Total", "17", "9.10", "280.20"), 2),
        (("Of", "the", "four", ""), 3),
    ):
        lines = [*row(above, XS, 480), *rows_from(ages, 512, XS)]
        rules = [across(y, 90, 900) for y in (505, 545, 585)]
        rules += [down(x, 505, 585) for x in (90, 410, 610, 750, 900)]
        sheet = Sheet(
            lines, [box_of(line.polygon) for line in lines], Drawn(rules=tuple(rules))
        )
        [frame] = sheet.frames
        table = framed_table(sheet, frame, sheet.words)
        assert table is not None and table.table.rows == count


def test_a_box_below_another_table_is_no_row_of_the_first() -> None:
    lines = rows_from([HEADS, *ITEMS], 300, XS)
    lines += rows_from([("Rate", "Net"), ("10 %", "51.20"), ("8 %", "6.40")], 520, (100, 220))
    lines += [text("Pay to the bank of the north quay in Tarnside", 120, 690)]
    rules = [across(y, 90, 900) for y in (295, 335, 375, 415, 455)]
    rules += [down(x, 295, 455) for x in (90, 410, 610, 750, 900)]
    rules += [across(y, 90, 340) for y in (515, 555, 595, 635)]
    rules += [down(x, 515, 635) for x in (90, 210, 340)]
    rules += [across(y, 90, 900) for y in (680, 730)] + [down(x, 680, 730) for x in (90, 900)]
    assert [len(each) for each in tables_between(lines, rules)] == [4, 3]


def test_heads_of_fewer_columns_than_rows_without_amounts_have_are_not_theirs() -> None:
    xs = (100.0, 320.0, 460.0, 600.0, 740.0, 860.0)
    lines = row(("", "All", "Some", "Others", "", ""), xs, 300)
    people = [
        ("Women", "1200", "640", "560", "12", "7"),
        ("Men", "980", "510", "470", "9", "4"),
    ]
    for n, each in enumerate(people):
        lines += row(each, xs, 340 + 30 * n)
    priced = [(a, *(f"{b}.50" for b in rest)) for a, *rest in people]
    for said, count in ((people, 6), (priced, 6)):
        lines = [
            *row(("", "All", "Some", "Others", "", ""), xs, 300),
            *rows_from(said, 340, xs),
        ]
        assert {len(each[0]) for each in tables_between(lines)} <= {count}


@pytest.mark.parametrize(
    ("side", "is_apart"),
    [
        (["Please pay to:", "Bank of the north", "Account of Tarnside"], True),
        (["Pay to the bank", "Bank of the north", "Account of Tarnside"], False),
        (["Pay to:", "Bank: the north", "Account:"], False),
    ],
)
def test_lines_that_a_colon_introduces_are_no_column(side: list[str], is_apart: bool) -> None:
    pairs = [("Account", "TIM 4"), ("Stated", "31 August"), ("Due", "8257.85")]
    lines = [
        line for n, each in enumerate(pairs) for line in row(each, (100, 220), 300 + 30 * n)
    ]
    lines += [text(said, 520, 300 + 30 * n) for n, said in enumerate(side)]
    assert (_beside(lines) is not None) == is_apart


def test_a_block_that_begins_and_ends_lower_than_a_list_is_no_column() -> None:
    pairs = [("Tel", "023 884"), ("Fax", "023 885"), ("Reg", "IE 641"), ("Mail", "us at home")]
    lines = [
        line for n, each in enumerate(pairs) for line in row(each, (520, 640), 300 + 30 * n)
    ]
    block = ["The Square", "Dunmanway", "Cork", "Ireland"]
    lower = [text(said, 100, 330 + 30 * n) for n, said in enumerate(block)]
    assert _beside([*lines, *lower]) is not None
    level = [text(said, 100, 300 + 30 * n) for n, said in enumerate(block)]
    assert _beside([*lines, *level]) is None


def test_names_with_amounts_beside_heads_and_figures_are_a_table_of_their_own() -> None:
    taxes = [("Rate", "Net", "Tax"), ("0 %", "4.50", "0.00"), ("9 %", "346.50", "31.18")]
    sums = [("Net in all", "530.25"), ("Tax in all", "68.82"), ("To be paid", "599.07")]
    lines = [
        line for n, e in enumerate(taxes) for line in row(e, (100, 180, 280), 300 + 30 * n)
    ]
    lines += [line for n, e in enumerate(sums) for line in row(e, (520, 760), 300 + 30 * n)]
    assert _beside(lines) == [[list(each) for each in side] for side in (taxes, sums)]
    headed = [("Who", "Paid"), *sums[1:]]
    others = [
        line for n, e in enumerate(taxes) for line in row(e, (100, 180, 280), 300 + 30 * n)
    ]
    others += [line for n, e in enumerate(headed) for line in row(e, (520, 760), 300 + 30 * n)]
    assert _beside(others) is None


def test_names_right_before_sums_outside_a_lattice_are_theirs_and_notes_are_not() -> None:
    lines = rows_from([HEADS, *ITEMS], 300, XS)
    sums = [("17", "280.20"), ("11", "204.00"), ("6", "76.20")]
    lines += [line for n, e in enumerate(sums) for line in row(e, XS[2:], 460 + 40 * n)]
    lines += [text("In all", 535, 460), text("Paid by the bank of it", 100, 500)]
    rules = [across(295 + 40 * n, 90, 900) for n in range(5)]
    rules += [across(455 + 40 * n, 610, 900) for n in range(4)]
    rules += [down(x, 295, 455) for x in (90, 410)]
    rules += [down(x, 295, 575) for x in (610, 750, 900)]
    said = [cell for table in tables_between(lines, rules) for each in table for cell in each]
    assert "In all" in said and not any("bank" in cell for cell in said)


def test_names_of_other_columns_below_a_row_of_figures_are_of_another_table() -> None:
    labels = [("Net", "Tax", "Rounded", "To pay"), ("363.57", "90.89", "-0.25", "454.46")]
    lines = rows_from(labels, 305, XS)
    foot = [("Home", "Phone", "Giro"), ("Tarnside", "063-51", "52-17"), ("Quay", "06", "5")]
    lines += [
        line for n, e in enumerate(foot) for line in row(e, (160, 330, 520), 420 + 25 * n)
    ]
    tables = tables_between(lines, [across(at, 90, 900) for at in (298, 378, 520)])
    assert tables[0] == [list(each) for each in labels]


def test_a_word_of_a_phrase_heads_a_column_of_one_figure() -> None:
    xs = (100.0, 420.0, 640.0, 760.0)
    lines = row(("Article", "Amount", "Tax"), (100, 640, 760), 300)
    lines.append(text("Price Less", 430, 300))
    for n, (name, price, less) in enumerate((("Rope", "389.00", ""), ("Tar", "512.50", "15"))):
        lines += row((name, price, "23.34", "25"), xs, 340 + 40 * n)
        lines += row((less,), (500,), 340 + 40 * n) if less else []
    lines += row(("Sail", "245.00", "24.50", "25"), xs, 420)
    [table] = tables_between(lines, [across(at, 90, 900) for at in (290, 330, 450)])
    assert table[0] == ["Article", "Price", "Less", "Amount", "Tax"]


def test_boxes_of_blocks_are_no_table_and_what_stands_in_one_is_its_own() -> None:
    firms = [("Firm and Sons", "Dairy Partners"), ("4 The Quay", "12 The Mole")]
    firms += [("27448 Tarnside", "27201 Linford"), ("VAT 7", "VAT 9")]
    lines = rows_from(firms, 305, (110, 520))
    left = [("Bank", "115-447"), ("Swift", "KOM 17"), ("Iban", "CZ 29"), ("Sign", "2025")]
    right = [("Date", "30 May"), ("Due", "13 June"), ("Taxed", "29 May"), ("Paid", "by bank")]
    lines += rows_from(left, 480, (110, 250)) + rows_from(right, 480, (520, 660))
    rules = [across(at, 90, 900) for at in (295, 465, 640)]
    rules += [down(at, 295, 640) for at in (90, 500, 900)]
    told = [cell for table in tables_between(lines, rules) for each in table for cell in each]
    assert not any("Firm" in cell for cell in told)
    assert not any(
        "Bank" in each and "Date" in each for t in tables_between(lines, rules) for each in t
    )
    assert tables_between(rows_from([HEADS, *ITEMS], 305, XS), rules) != []


def test_a_text_that_runs_across_a_rule_between_columns_is_one() -> None:
    lines = rows_from([HEADS, *ITEMS], 305, XS)
    lines += [text("Waiting beyond the time of it, for all", 110, 465), text("76.00", 760, 465)]
    rules = [across(295 + 40 * n, 90, 900) for n in range(6)]
    rules += [down(x, 295, 495) for x in (90, 410, 610, 750, 900)]
    [table] = tables_between(lines, rules)
    assert table[-1][0] == "Waiting beyond the time of it, for all"


@pytest.mark.parametrize(
    ("rule", "room", "is_head"),
    [(324, 14, True), (324, 34, True), (324, 60, False), (350, 34, False)],
)
def test_heads_right_on_a_rule_may_stand_far_above_their_rows(
    rule: float, room: float, is_head: bool
) -> None:
    xs = (100.0, 300.0, 760.0)
    rows = [("070-218", "The Mobile", ""), ("", "Charge of April", "239.20")]
    rows += [("", "Calls abroad", "58.13"), ("", "Data abroad", "79.20")]
    lines = rows_from(rows, 320 + room, xs)
    box = union(box_of(line.polygon) for line in lines)
    lines += row(("Number", "What it is", "Amount"), xs, 300)
    words = words_of(lines, [box_of(line.polygon) for line in lines])
    assert (headed(box, words, 20.0, [Stroke(rule, 90, 830)])[1] == 300) == is_head


@pytest.mark.parametrize(("head", "gutters"), [("Cur", 2), ("", 1)])
def test_a_column_of_currencies_is_one_where_it_has_a_head(head: str, gutters: int) -> None:
    rows = [("Article", head, "Sum"), ("Rope", "EUR", "3.10"), ("Tar", "EUR", "8.25")]
    lines = rows_from(rows, 300, (100.0, 400.0, 500.0))
    named, *body = rows_of(lines)
    assert len(gutters_of(body, [named], SIZE)) == gutters


def test_a_name_with_an_amount_is_no_head_of_the_rows_below() -> None:
    rows = [
        ("Day", "6.9 kW for 28 days", 250, "15.69 €"),
        ("Night", "6.9 kW for 31 days", 250, "1.43 €"),
        ("Power", "", 0, "17.12 €"),
        ("All that was used by day", "412 kWh for 28 days", 380, "78.09 €"),
        ("All that was used", "388 kWh for 31 days", 320, "55.22 €"),
        ("Energy", "", 0, "133.31 €"),
    ]
    lines = [
        line
        for n, (name, told, x, amount) in enumerate(rows)
        for line in row((name, told, amount), (100, x, 700), 300 + 28 * n)
    ]
    [table] = tables_between(lines)
    assert [each[-1] for each in table] == [each[-1] for each in rows]
