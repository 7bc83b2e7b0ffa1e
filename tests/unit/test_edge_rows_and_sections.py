"""Captions and notes from side to side are no rows; a section's name parts no table."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from pagetide.document import Line
from pagetide.geometry import Polygon, box_of, polygon_of, union
from pagetide.layout import Drawn, Rule
from pagetide.structure.tables.ends.edge_rows import without_edge_rows, without_row
from pagetide.structure.tables.ends.head_boxes import with_head_boxes
from pagetide.structure.tables.ends.sections import with_sections
from pagetide.structure.tables.found import FoundTable
from pagetide.structure.tables.line_words import LineWords
from pagetide.structure.tables.sheet import Sheet
from tests.unit.tables_drawn import XS, across, down, found, row, rows_from, text, texts

HEADS = ("Goods", "Count", "Price", "Amount")
ITEMS = [
    ("Rope", "12", "3.10", "37.20"),
    ("Sail", "1", "10.00", "10.00"),
    ("Tar", "104", "8.25", "858.00"),
    ("Lamp", "3", "21.00", "63.00"),
]
CAPTION = "Goods that came in with the tide in spring and were sold in the harbour hall at once"
NOTE = "Amounts are in pounds and were told by the harbour master in the summer of that year"


def _sheet(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> Sheet:
    boxes = [box_of(line.polygon) for line in lines]
    return Sheet(lines, boxes, Drawn(rules=tuple(rules)))


def _whole(sheet: Sheet) -> FoundTable:
    found = sheet.build(sheet.text_box, sheet.words)
    assert found is not None
    return found


@pytest.mark.parametrize("closed", [False, True])
def test_a_caption_and_a_note_from_side_to_side_are_no_rows(closed: bool) -> None:
    lines = [text(CAPTION, 100, 100), *row(HEADS, XS, 140), *rows_from(ITEMS, 180)]
    lines.append(text(NOTE, 100, 340))
    sides = [down(x, 90, 370) for x in (95, 1030)] if closed else []
    sheet = _sheet(lines, [*(across(at, 95, 1030) for at in (90, 132, 172, 332, 370)), *sides])
    found = _whole(sheet)
    assert [len([t for t in each if t]) for each in texts(found.table)][:1] == [1]
    left = without_edge_rows(sheet, found)
    assert texts(left.table) == [list(HEADS), *map(list, ITEMS)]
    assert {word.line for own in left.held for word in own} == set(range(1, len(lines) - 1))


@pytest.mark.parametrize("end", [830, 824])
def test_a_title_and_what_is_said_at_its_end_are_no_row_above_all_heads(end: float) -> None:
    times = [
        (name, count, price, f"{n}:0{n}.5") for n, (name, count, price, _) in enumerate(ITEMS)
    ]
    said = text("10 at the start, 4 laps", end, 100)
    said = text("10 at the start, 4 laps", 2 * end - box_of(said.polygon)[2], 100)
    lines = [text("Girls", 100, 100), said, *row(HEADS, XS, 140), *rows_from(times, 180)]
    sheet = _sheet(lines, [across(at, 100, 830) for at in (94, 132)])
    left = without_edge_rows(sheet, _whole(sheet))
    assert texts(left.table) == [list(HEADS), *map(list, times)]


def _with_note(note: str, left: float) -> list[list[str]]:
    lines = [*row(HEADS, XS, 140), *rows_from(ITEMS, 180), text(note, left, 340)]
    sides = [down(x, 90, 370) for x in (60, 900)]  # a page's frame
    sheet = _sheet(lines, [*sides, *(across(at, 60, 900) for at in (90, 370))])
    box = (XS[0], 140.0, XS[-1] + 60, 360.0)
    found = sheet.build(box, sheet.words)
    assert found and found.table.rows == 2 + len(ITEMS)
    return texts(without_edge_rows(sheet, found).table)


@pytest.mark.parametrize("note", ["closed on Monday.", "no dish is charged twice"])
def test_a_note_centred_below_a_table_is_no_row(note: str) -> None:
    centred = (XS[0] + XS[-1] + 60 - box_of(text(note, 0, 0).polygon)[2]) / 2
    assert _with_note(note, centred) == [list(HEADS), *map(list, ITEMS)]


def test_the_name_of_a_section_above_values_is_a_row() -> None:
    lines = [text(CAPTION, 100, 100), *rows_from(ITEMS, 140)]
    sheet = _sheet(lines, [across(at, 95, 1030) for at in (90, 132, 300)])
    found = _whole(sheet)
    assert without_edge_rows(sheet, found) == found


def _parts(name: str, first: Sequence[str]) -> list[list[list[str]]]:
    """Rows, a name below them, and rows again: as found one by one, and joined."""
    upper = [*row(HEADS, XS, 100), *rows_from(ITEMS, 140)]
    named = [text(name, 100, 304)]
    lower = [*row(first, XS, 340), *rows_from(ITEMS, 380)]
    sheet = _sheet([*upper, *named, *lower])
    tables = []
    for lines in (upper, lower):
        found = sheet.build(union(box_of(line.polygon) for line in lines), sheet.words)
        assert found is not None
        tables.append(found)
    return [texts(each.table) for each in with_sections(sheet, tables)]


def test_rows_go_on_below_the_name_of_a_section() -> None:
    [joined] = _parts("In the year after", ("Oars", "8", "4.00", "32.00"))
    assert len(joined) == 11
    assert "In the year after" in "".join(joined[5])


def test_rows_below_a_head_of_their_own_are_another_table() -> None:
    assert len(_parts("In the year after", HEADS)) == 2
    assert len(_parts("In the year after", ("Goods", "Q1", "Q2", "Q3"))) == 2


def test_rows_below_a_numbered_caption_are_another_table() -> None:
    assert len(_parts("Table 2. The year after", ("Oars", "8", "4.00", "32.00"))) == 2


def test_thousands_are_a_unit_of_heads() -> None:
    heads = [
        *row(("Year", "Ships", "Tons", "Crews"), XS, 100),
        *row(("", "1 000", "1 000", "%"), XS, 134),
    ]
    lines = [*heads, *rows_from(ITEMS, 180)]
    sheet = _sheet(lines)
    parts = [
        sheet.build(union(box_of(line.polygon) for line in own), sheet.words)
        for own in (heads, lines[len(heads) :])
    ]
    assert len(with_head_boxes([part for part in parts if part], sheet.line)) == 1


def test_numbers_of_notes_between_names_and_ruled_columns_are_a_column() -> None:
    xs = (100, 420, 520, 680, 840)
    notes = ("3", "", "", "14", "", "", "8", "")
    lines = list(row(("", "Note", "2024", "2023", "2022"), xs, 100))
    for n, note in enumerate(notes):
        lines += row(
            (f"Income of kind {n}", note, f"{n}1.5", f"{n}2.5", f"{n}3.5"), xs, 140 + 40 * n
        )
    steep = [down(x, 90, 460) for x in (490, 650, 810)]
    sheet = _sheet(lines, [*(across(at, 95, 960) for at in (90, 132, 460)), *steep])
    assert [each[:2] for each in texts(_whole(sheet).table)][1::3] == [
        ["Income of kind 0", "3"],
        ["Income of kind 3", "14"],
        ["Income of kind 6", "8"],
    ]


def test_words_without_height_do_no_harm() -> None:
    flat = [
        replace(
            line,
            polygon=_flat(line.polygon),
            words=tuple(replace(word, polygon=_flat(word.polygon)) for word in line.words),
        )
        for line in rows_from(ITEMS, 140)
    ]
    lines = [*row(HEADS, XS, 100), *flat, text(NOTE, 100, 340), text(NOTE, 100, 380)]
    sheet = _sheet(lines, [across(at, 95, 1030) for at in (90, 132, 332)])
    found = sheet.build((95, 90, 1030, 332), sheet.words)
    assert found is not None
    assert without_edge_rows(sheet, found).table.columns == found.table.columns


def _flat(polygon: Polygon) -> Polygon:
    top = min(y for _, y in polygon)
    return tuple((x, top) for x, _ in polygon)


def test_a_word_that_hangs_into_the_next_row_goes_with_its_phrase() -> None:
    lines = [text(CAPTION, 100, 100), *row(HEADS, XS, 140), *rows_from(ITEMS, 180)]
    found = _whole(_sheet(lines))
    first, *others = found.held
    hung = first[-1]._replace(y0=found.box[1] + 28, y1=found.box[1] + 40)
    held = [LineWords([*first[:-1], hung]), *others]
    left = without_row(FoundTable(found.box, found.table, held), last=False)
    assert not {word.line for own in left.held for word in own} & {0}


def test_sums_and_the_next_section_between_rules_are_rows_of_their_own() -> None:
    """As far apart as rows are, though rules are drawn around both together."""
    rows = [
        ("1", "Rope, tarred, and a hook", "12", "37.20"),
        ("2", "Sail", "1", "10.00"),
        ("", "", "Section 1", "47.20"),
        ("3 HALL", "", "", ""),
        ("4", "Tar", "104", "858.00"),
        ("5", "Lamp", "3", "63.00"),
        ("6", "Oil", "2", "12.00"),
    ]
    at = {n: 140 + 40 * n for n in range(len(rows))}
    lines = [*row(("Item", "Goods", "Count", "Amount"), XS, 100)]
    for n, cells in enumerate(rows):
        lines += [text(said, x, at[n]) for said, x in zip(cells, XS, strict=True) if said]
    borders = [across(at[n] - 8, 95, 1030) for n in range(len(rows)) if n != 3]
    sheet = _sheet(lines, [across(92, 95, 1030), *borders, across(416, 95, 1030)])
    said = [[cell for cell in each if cell] for each in texts(_whole(sheet).table)]
    assert said == [
        list(filter(None, each)) for each in [("Item", "Goods", "Count", "Amount"), *rows]
    ]


def test_a_form_s_wide_boxes_are_cells_whatever_stands_below_them() -> None:
    address = (
        "Harbour Office",
        "of the Quay Seven",
        "7 Tidal Row,",
        "24937 Northwick",
        "CVR 12",
    )
    lines = [text(said, x, 100 + 26 * n) for x in (100, 560) for n, said in enumerate(address)]
    labels, values = (
        ("Customer", "Order", "Agent", "Terms"),
        ("004417", "05/12", "Brusa", "net"),
    )
    places = (100, 330, 560, 790)
    lines += [*row(labels, places, 240), *row(values, places, 274)]
    borders = [across(at, 95, 1030) for at in (92, 234, 300)]
    sides = [down(x, 92, 300) for x in (95, 555, 1030)]
    sheet = _sheet(lines, [*borders, *sides, *(down(x, 234, 300) for x in (325, 785))])
    first = [cell for cell in _whole(sheet).table.cells if cell.row == 0]
    assert [(cell.text.split("\n"), cell.column_span) for cell in first] == [
        (list(address), 2)
    ] * 2


SMALL = ("Rope, 12 mm", "Sail, white", "Tar, Norse", "Lamp, brass")


def _sectioned(name: str, first: Sequence[str]) -> list[list[list[str]]]:
    """Rows between rules; before the third a name between its rules, and a row below that."""
    lines = [*row(HEADS, XS, 100), *rows_from(ITEMS[:2], 140), text(name, 100, 222)]
    lines += [*row(first, XS, 252), *rows_from(ITEMS[2:], 300)]
    rules = [across(at, 95, 1030) for at in (92, 130, 170, 212, 290, 330, 372)]
    return [texts(each.table) for each in found(lines, rules)]


def test_a_sections_name_and_its_first_row_between_two_rules_are_of_the_table() -> None:
    [whole] = _sectioned("In the year after", ("Oars", "8", "4.00", "32.00"))
    assert len(whole) == 7
    assert [each[0] for each in whole[3:5]] == ["In the year after", "Oars"]


def test_a_title_and_heads_between_two_rules_begin_a_table() -> None:
    assert len(_sectioned("In the year after", HEADS)) == 2


def _small(said: str, x: float, y: float) -> Line:
    """A line fourteen high."""
    line = text(said, x, y)
    words = [replace(word, polygon=_lower(word.polygon)) for word in line.words]
    return replace(line, polygon=_lower(line.polygon), words=tuple(words))


def _lower(polygon: Polygon) -> Polygon:
    x0, y0, x1, _ = box_of(polygon)
    return polygon_of((x0, y0, x1, y0 + 14))


@pytest.mark.parametrize("ruled", [False, True])
def test_the_last_item_keeps_its_small_line_where_others_have_one(ruled: bool) -> None:
    lines = [*row(HEADS, XS, 100)]
    for n, (item, said) in enumerate(zip(ITEMS, SMALL, strict=True)):
        lines += [*row(item, XS, 150 + 60 * n), _small(said, 100, 173 + 60 * n)]
    [whole] = found(lines, [across(130, 95, 1030)] * ruled)
    assert texts(whole.table)[-1][0] == "Lamp\nLamp, brass"
    assert len(texts(whole.table)) == 5


def test_a_total_in_a_box_of_its_own_below_items_is_none_of_their_rows() -> None:
    lines = [*row(HEADS, XS, 100), *rows_from(ITEMS, 140)]
    boxed = [text("To be paid", 620, 400), text("968.20", 760, 430)]
    rules = [across(at, 600, 840) for at in (390, 460)]
    rules += [down(at, 390, 460) for at in (600, 840)]
    [whole] = found([*lines, *boxed], [across(130, 95, 840), *rules])
    assert texts(whole.table) == [list(HEADS), *map(list, ITEMS)]
    [whole] = found([*lines, *boxed], [across(130, 95, 840)])
    assert texts(whole.table)[-1][-1] == "968.20"


@pytest.mark.parametrize("sum_of", ["968.20", "£968.20 GBP", "968.20 €"])
def test_a_sum_with_its_currency_behind_it_is_of_the_items(sum_of: str) -> None:
    lines = [*row(HEADS, XS, 100), *rows_from(ITEMS, 140)]
    wide = 10.0 * len(sum_of.replace(" ", "")) + 6 * sum_of.count(" ")
    total = [text("Amount due", 560, 310), text(sum_of, 820 - wide, 310)]
    [whole] = found([*lines, *total], [across(130, 95, 840)])
    assert texts(whole.table)[-1][-1] == sum_of


def test_figures_above_sums_have_their_names_where_the_sums_have_none() -> None:
    names = ["Rope and tar", "Sails", "Lamps, all told", "Oars and rudders"]
    lines = [text(f"0{n}", 100, 100 + 30 * n) for n in range(1, 5)]
    lines += [text(name, 160, 130 + 30 * n) for n, name in enumerate(names)]
    lines += [text(f"{n}1.20", 790, 100 + 30 * n) for n in range(1, 5)]
    sums = [("Net", "124.80"), ("Tax, 19 %", "23.71"), ("In all", "148.51")]
    for n, (name, amount) in enumerate(sums):
        lines += [text(name, 500, 270 + 34 * n), text(amount, 780, 270 + 34 * n)]
    recap, totals = found(lines, [across(260 + 34 * n, 490, 840) for n in range(4)])
    assert [each[1] for each in texts(recap.table)] == names
    assert not any(cell.header for cell in recap.table.cells)
    assert texts(totals.table) == [list(each) for each in sums]
