"""Rows that stand below what shows a table, and lines that go on in a row's cells."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line
from pagetide.layout import Rule
from tests.unit.tables_drawn import (
    XS,
    across,
    down,
    found,
    prose,
    row,
    rows_from,
    shade,
    text,
    texts,
)

ITEM_XS = (100.0, 500.0, 640.0, 760.0)
ITEMS = [
    ("Rope", "12", "3.10", "37.20"),
    ("Sail", "1", "210.00", "210.00"),
    ("Tar", "4", "8.25", "33.00"),
]


def _tables(lines: Sequence[Line], rules: Sequence[Rule] = ()) -> list[list[list[str]]]:
    page = [*prose(60), *lines, *prose(1100)]
    return [texts(each.table) for each in found(page, rules)]


def _receipt(items: Sequence[tuple[str, str]], top: float = 300) -> list[Line]:
    """Names, and prices that end at 400; nothing else is on such a page."""
    return [
        line
        for n, (name, price) in enumerate(items)
        for line in (
            text(name, 100, top + 30 * n),
            text(price, 400 - 10 * len(price), top + 30 * n),
        )
    ]


def test_a_total_wider_than_the_column_above_is_a_row() -> None:
    items = [("Brot", "2,49"), ("Butter von der Alm frisch", "1,99")]
    items = [*items, ("Quark", "0,89"), ("Wein", "9,90")] * 2
    lines = [*_receipt(items), text("Summe", 100, 540), text("79,54 €", 334, 540)]
    (table,) = found(lines)
    assert texts(table.table) == [*map(list, items), ["Summe", "79,54 €"]]


def test_an_item_whose_name_nearly_touches_its_price_is_a_row() -> None:
    items = [("Brot", "2,49"), ("Butter", "1,99"), ("Quark", "0,89"), ("Wein", "9,90")]
    lines = [*_receipt(items), text("Schokolade und noch Kekse a 3,90", 100, 420)]
    (table,) = found([*lines, *_receipt([("Milch", "1,09")], 450)])
    assert [" ".join(each).strip() for each in texts(table.table)[4:]] == [
        "Schokolade und noch Kekse a 3,90",
        "Milch 1,09",
    ]


def test_rows_below_the_last_shade_go_on() -> None:
    names = ("North", "South", "East", "West", "Inner", "Outer")
    rows = [("Quay", "2015", "2016", "2017"), *((n, "1.12", "3.37", "4.14") for n in names)]
    shades = [edge for top in (295, 375, 455) for edge in shade(top, top + 40)]
    assert _tables(rows_from(rows, 300), shades) == [[list(each) for each in rows]]


def test_words_below_the_last_shade_do_not() -> None:
    names = ("North", "South", "East", "West", "Inner")
    rows = [("Quay", "2015", "2016", "2017"), *((n, "1.12", "3.37", "4.14") for n in names)]
    shades = [edge for top in (295, 375, 455) for edge in shade(top, top + 40)]
    below = row(("Told", "by", "the", "town"), XS, 540)
    assert _tables([*rows_from(rows, 300), *below], shades) == [[list(each) for each in rows]]


def test_sizes_beside_names_of_several_words_are_no_prose() -> None:
    heads = ("Article", "Size", "Price", "Amount")
    items = [
        ("Deep groove ball bearing", "mm 48 × 4", "3.10", "37.20"),
        ("Deep groove roller bearing", "mm 30 × 8", "1.10", "17.20"),
    ]
    lines = row(heads, ITEM_XS, 300)
    for top, item in zip((340, 480), items, strict=True):
        lines += row(item, ITEM_XS, top)
        lines += [text(f"{word} of it", 100, top + 30 * n) for n, word in enumerate("abc", 1)]
    [table] = _tables(lines)
    assert [each[1:] for each in table] == [list(heads[1:]), *(list(e[1:]) for e in items)]


def test_a_pages_number_at_the_right_edge_is_no_sum() -> None:
    rows = [("Article", "Count", "Price", "Amount"), *ITEMS]
    lines = [*rows_from(rows, 300, ITEM_XS), text("Page 1", 764, 480)]
    assert _tables(lines) == [[list(each) for each in rows]]


def test_a_total_at_the_right_edge_is_one() -> None:
    rows = [("Article", "Count", "Price", "Amount"), *ITEMS]
    [table] = _tables([*rows_from(rows, 300, ITEM_XS), text("280.20", 760, 480)])
    assert table[-1][-1] == "280.20"


def _codes(first: str, below: float = 24) -> list[list[str]]:
    """Rows with a code, so begun, and a number on the line so far below it."""
    lines = row(("Pos", "Code", "Boat", "Dues"), XS, 300)
    for n, boat in enumerate(("Minnow", "Curlew", "Heron")):
        lines += row((str(n + 1), first, boat, "37.20"), XS, 340 + 60 * n)
        lines.append(text(f"13036{n}", 300, 340 + below + 60 * n))
    [table] = _tables(lines, [across(y, 90, 850) for y in (290, 330, 515)])
    return table


def test_a_code_wrapped_after_its_hyphen_is_one_cell() -> None:
    codes = [each[1] for each in _codes("RB-")]
    assert codes == ["Code", *(f"RB-\n13036{n}" for n in range(3))]


def test_a_number_below_a_code_that_ends_is_none_of_it() -> None:
    assert [each[1] for each in _codes("RB", 30)][1:3] == ["RB", "130360"]


def test_a_number_nearer_to_a_code_than_rows_are_is_of_its_cell() -> None:
    assert [each[1] for each in _codes("RB")][1:3] == ["RB\n130360", "RB\n130361"]


def test_a_band_with_figures_in_its_first_line_is_one_row() -> None:
    notes = ("Sewn cloth", "Grey hemp", "Two masts", "With bag", "And rope")
    lines = row(("Pos", "Article", "2015", "2016"), XS, 300)
    rules = [290.0, 330.0]
    for n, name in enumerate(("Sail", "Jib", "Mast")):
        top = 340 + 170 * n
        lines += row((str(n + 1), name, "2", "37.20"), XS, top)
        lines += [text(note, 300, top + 26 * k) for k, note in enumerate(notes, 1)]
        rules.append(top + 160)
    steep = [down(x, 290, 330) for x in (90, 280, 600, 740, 850)]
    [table] = _tables(lines, [*(across(y, 90, 850) for y in rules), *steep])
    assert [each[1] for each in table[1:]] == [
        "\n".join([name, *notes]) for name in ("Sail", "Jib", "Mast")
    ]


def test_a_name_that_goes_on_beside_its_figures_is_one_row() -> None:
    rows = [*ITEMS, ("Oars", "6", "9.00", "54.00")]
    lines = [
        *row(("Goods", "Count", "Price", "Sum"), ITEM_XS, 300),
        *rows_from(rows, 340, ITEM_XS),
    ]
    lines += [text("Anchors, chains and ropes for", 100, 500)]
    lines += row(("the northern quay", "2", "4.00", "8.00"), ITEM_XS, 524)
    lines += row(("Bells", "1", "7.00", "7.00"), ITEM_XS, 564)
    rules = [across(y, 90, 850) for y in (290, 330, 600)]
    (table,) = _tables(lines, rules)
    name = "Anchors, chains and ropes for\nthe northern quay"
    assert table[5] == [name, "2", "4.00", "8.00"]


def test_a_few_items_stay_a_table_above_a_total_over_the_whole_gutter() -> None:
    items = [("Brot", "2,49"), ("Butter von der Alm frisch", "1,99")]
    items = [*items, ("Quark", "0,89"), ("Wein", "9,90")]
    lines = [*_receipt(items), text("Summe", 100, 420), text("279,54 €", 314, 420)]
    (table,) = found(lines)
    assert texts(table.table)[:4] == [*map(list, items)]
