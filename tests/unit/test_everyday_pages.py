"""Letterheads, forms, rows shaded by turns, legends: what everyday documents are made of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest

from pagetide.document import Block, Line, Table, Word
from pagetide.geometry import Box, polygon_of
from pagetide.layout import Drawn, Rule
from pagetide.structure import amiss, structure
from tests.documents import line
from tests.unit.tables_drawn import HEIGHT, WIDTH, across, down, row, text

XS = (100.0, 400.0, 600.0, 800.0)


def _blocks(
    lines: Sequence[Line], rules: Sequence[Rule] = (), fills: Sequence[Box] = (), **more: object
) -> tuple[Block, ...]:
    drawn = Drawn(rules=tuple(rules), fills=tuple(fills), **more)  # type: ignore[arg-type]
    _, blocks = structure(lines, WIDTH, HEIGHT, drawn=drawn)
    assert amiss(lines, blocks) == (0, 0)
    return blocks


def _edges(box: Box) -> list[Rule]:
    """The edges of a shade, as an input tells them."""
    x0, y0, x1, y1 = box
    return [
        Rule(start=start, end=end, thickness=0.0)
        for start, end in (
            ((x0, y0), (x1, y0)),
            ((x0, y1), (x1, y1)),
            ((x0, y0), (x0, y1)),
            ((x1, y0), (x1, y1)),
        )
    ]


def _rows_of(table: Table | None) -> list[list[str]]:
    assert table
    grid = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = cell.text
    return grid


def _prose(top: float, count: int = 6) -> list[Line]:
    said = "the boats that came in with the tide were unloaded before the evening and went"
    return [text(f"{said} {n}", 80, top + 26 * n) for n in range(count)]


ITEMS = [
    ["Article", "Count", "Price", "Amount"],
    ["Rope", "12", "3.10", "37.20"],
    ["Sail", "1", "210.00", "210.00"],
    ["Tar", "4", "8.25", "33.00"],
    ["Anchor", "2", "95.00", "190.00"],
    ["Lantern", "3", "21.00", "63.00"],
]


def test_rows_shaded_by_turns_have_the_head_above_and_the_row_below() -> None:
    shades: list[Box] = [(80, 332 + 64 * n, 900, 364 + 64 * n) for n in range(2)]
    lines = [each for n, cells in enumerate(ITEMS) for each in row(cells, XS, 274 + 32 * n)]
    rules = [rule for shade in shades for rule in _edges(shade)]
    blocks = _blocks([*_prose(60), *lines, *_prose(560)], rules, shades)
    [table] = [block.table for block in blocks if block.table]
    assert _rows_of(table) == ITEMS


def test_the_title_on_a_shade_over_a_ruled_table_is_a_heading() -> None:
    lines, rules, fills = list[Line](), list[Rule](), list[Box]()
    for n, title in enumerate(("Owner of the boat", "Berth that is asked for")):
        top = 200.0 + 300 * n
        fills.append((80, top, 900, top + 34))
        lines.append(text(title, 90, top + 7))
        for at, (name, value) in enumerate(
            (("Name", "Minton"), ("Town", "Linford"), ("Phone", ""))
        ):
            lines += row((name, value), (90, 400), top + 50 + 40 * at)
        rules += _edges(fills[-1])
        rules += [across(top + 43 + 40 * at, 80, 900) for at in range(4)]
        rules += [down(x, top + 43, top + 163) for x in (80, 390, 900)]
    blocks = _blocks([*lines, *_prose(900)], rules, fills)
    assert [(b.kind, b.text.split("\n")[0]) for b in blocks][:4] == [
        ("heading", "Owner of the boat"),
        ("table", "Name\tMinton"),
        ("heading", "Berth that is asked for"),
        ("table", "Name\tMinton"),
    ]


def test_a_note_on_a_shade_is_no_heading() -> None:
    note = text("The harbour is closed on the last day of the year.", 100, 400)
    blocks = _blocks([*_prose(200), note, *_prose(460)], fills=[(80, 390, 900, 430)])
    [own] = [block for block in blocks if "closed" in block.text]
    assert own.kind == "text"


def test_rules_far_apart_with_tables_between_are_of_neither() -> None:
    grid = [line for n in range(4) for line in row(("ab", "12", "34"), XS[:3], 310 + 40 * n)]
    rules = [across(300 + 40 * n, 80, 900) for n in range(5)]
    rules += [down(x, 300, 460) for x in (80, 390, 590, 900)]
    below = [line for n in range(4) for line in row(("cd", "56", "78"), XS[:3], 710 + 40 * n)]
    rules += [across(700 + 40 * n, 80, 900) for n in range(5)]
    rules += [down(x, 700, 860) for x in (80, 390, 590, 900)]
    foot = text("Harbour Office", 90, 1210)
    blocks = _blocks([*grid, *below, foot], [*rules, across(1200, 80, 900)])
    assert [block.table.rows for block in blocks if block.table] == [4, 4]


def test_a_letterheads_foot_is_read_column_by_column() -> None:
    foot = [
        ("Minton & Sons", "Phone 0461 22 33", "Bank Tarnside"),
        ("Maud Fenn", "Web harbour.example", "IBAN XX00 0299 0561"),
        ("64 Station Road", "", ""),
        ("Wickham 15107", "", ""),
    ]
    lines = [
        line
        for n, cells in enumerate(foot)
        for line in row(cells, (80, 380, 700), 1260 + 24 * n)
    ]
    blocks = _blocks([*_prose(200, 12), *lines])
    assert [(block.kind, block.text.count("\n")) for block in blocks[-3:]] == [
        ("footer", 3),
        ("footer", 1),
        ("footer", 1),
    ]


def test_what_stands_on_other_lines_across_a_wide_gap_is_no_row() -> None:
    address = ["Bill to", "Minton Copper", "Clara Stow", "148 Station Road", "Linford"]
    dates = [("Number", "1177"), ("Date", "27.06.24"), ("Due", "27.07.24"), ("Order", "6939")]
    lines = [text(said, 100, 300 + 24 * n) for n, said in enumerate(address)]
    for n, pair in enumerate(dates):
        lines += row(pair, (600, 760), 309 + 29 * n)
    blocks = _blocks([*lines, *_prose(600)])
    [own] = [block for block in blocks if "Minton" in block.text]
    assert own.text.split("\n") == address


def test_an_items_rows_that_are_set_in_are_the_items() -> None:
    lines = [
        text("1) Press the lever down until it locks and hold it there for", 100, 300),
        text("as long as the lamp is lit, whatever is heard meanwhile.", 130, 326),
        text("2) Let go.", 100, 360),
    ]
    blocks = _blocks([*_prose(60), *lines, *_prose(500)])
    [own] = [block for block in blocks if block.kind == "list"]
    assert own.text.count("\n") == 2


@pytest.mark.parametrize(
    ("names", "picture"),
    [
        (["Linford", "Barrow", "Tarn"], (100, 400, 480, 720)),
        # Each is longer than a figure's label may be, and below another as in a paragraph.
        (
            ["Linford and Barrow", "Tarnside by the sea", "Wickham Green 14"],
            (80, 400, 290, 610),
        ),
    ],
    ids=["short", "long"],
)
def test_a_legend_is_its_figures(names: list[str], picture: Box) -> None:
    right = picture[2]
    lines = [text(name, right + 50, 420 + 40 * n) for n, name in enumerate(names)]
    keys: list[Box] = [(right + 25, 424 + 40 * n, right + 39, 438 + 40 * n) for n in range(3)]
    blocks = _blocks([*_prose(100), *lines, *_prose(800)], fills=keys, pictures=(picture,))
    [figure] = [block for block in blocks if block.kind == "figure"]
    assert figure.text.split("\n") == names


def test_an_article_below_others_begins_with_its_headline_though_a_gutter_goes_on() -> None:
    def column(x: float, top: float, letters: int, rows: int) -> list[Line]:
        said = "boatstow" * 12
        return [text(said[:letters], x, top + 24 * n) for n in range(rows)]

    upper = [*column(60, 200, 26, 12), *column(360, 200, 26, 12), *column(660, 200, 26, 12)]
    heads = [
        Line(text=said, polygon=((x, 540), (end, 540), (end, 572), (x, 572)))
        for said, x, end in (("First of two", 60, 300), ("Second of the two", 360, 800))
    ]
    lower = [*column(60, 590, 26, 10), *column(360, 590, 56, 10)]
    _, blocks = structure([*upper, *heads, *lower], WIDTH, HEIGHT)
    order = [block.text.split("\n")[0] for block in blocks]
    assert order.index("First of two") == 3


def test_rows_shaded_by_turns_between_columns_with_rules_are_each_one_row() -> None:
    wrapped = [["1", "Rope of hemp\nAt first, for\nthe moorings.", "3 137.20\n€"]]
    wrapped += [["2", "Sail", "2 210.00\n€"], ["3", "Lantern\nIn brass.", "63.00 €"]]
    wrapped += [["4", "Tar", "1 033.00\n€"], ["5", "Anchor\nOf iron.", "1 195.00\n€"]]
    wrapped += [["6", "Oar", "1 012.00\n€"], ["7", "Keel\nAnd nails.", "1 300.00\n€"]]
    wrapped += [["8", "Mast", "9 012.00\n€"]]
    lines, rules, fills, top = list[Line](), list[Rule](), list[Box](), 300.0
    lines += row(["No.", "Article", "Amount"], (90, 200, 700), top - 27)
    for n, cells in enumerate(wrapped):
        texts = [cell.split("\n") for cell in cells]
        bottom = top + 10 + 24 * max(map(len, texts))
        for x, said in zip((90, 200, 700), texts, strict=True):
            lines += [text(each, x, top + 5 + 24 * at) for at, each in enumerate(said)]
        if n % 2 == 0:
            fills.append((80, top, 900, bottom))
            rules += _edges(fills[-1])
        top = bottom
    rules += [across(y, 80, 900) for y in (270, 300, top)]
    rules += [down(x, 270, top) for x in (80, 180, 680, 900)]
    blocks = _blocks([*lines, *_prose(900)], rules, fills)
    [table] = [block.table for block in blocks if block.table]
    assert [cells[1].replace(" ", "\n").split() for cells in _rows_of(table)[1:]] == [
        cells[1].split() for cells in wrapped
    ]


def test_a_foot_whose_columns_stand_close_is_read_column_by_column() -> None:
    lines = _prose(200, 12)
    foot = [
        ("Minton and Sons", "Phone 0461 223", "Page 1 of 3"),
        ("Wickham", "Web quay.example", ""),
    ]
    for n, cells in enumerate((*foot, ("64 Station Road", "", ""))):
        lines += row(cells, (80, 260, 800), 1260 + 24 * n)
    blocks = _blocks(lines)
    assert [(block.kind, block.text.split("\n")[0]) for block in blocks[-3:]] == [
        ("footer", "Minton and Sons"),
        ("footer", "Phone 0461 223"),
        ("page_number", "Page 1 of 3"),
    ]


def test_fields_under_a_title_on_a_shade_are_read_before_the_next_title() -> None:
    lines, rules, fills = list[Line](), list[Rule](), list[Box]()
    said = []
    for n, title in enumerate(("Owner of the boat", "Berth", "Crew that sails")):
        top = 200.0 + 240 * n
        fills.append((80, top, 900, top + 34))
        lines.append(text(title, 90, top + 7))
        rules += _edges(fills[-1])
        rules += [across(top + 84 + 44 * at, x, x + 400) for at in (0, 1) for x in (80, 500)]
        fields = [f"Name {n}", f"Town {n}", f"Street {n}", f"Phone {n}"]
        for at, field in enumerate(fields):
            lines.append(text(field, 90 + 420 * (at % 2), top + 60 + 44 * (at // 2)))
        said.append([title, *fields])
    blocks = _blocks([*lines, *_prose(1000)], rules, fills)
    order = "\n".join(block.text for block in blocks)
    places = [[order.index(each) for each in section] for section in said]
    assert [min(section) for section in places] == [section[0] for section in places]
    assert all(max(a) < min(b) for a, b in pairwise(places))
    assert [block.kind for block in blocks if block.text == "Berth"] == ["heading"]


def test_lists_side_by_side_are_read_one_after_the_other() -> None:
    left = ["- rope of hemp", "- sail of linen", "- tar in barrels"]
    right = ["- bread for the crew", "- water for the crew"]
    lines = [text("What is to be bought for the boat before it leaves", 80, 200)]
    for x, head, said in ((100, "For the deck", left), (330, "For the crew", right)):
        lines += [text(head, x, 264), *(text(s, x, 300 + 30 * n) for n, s in enumerate(said))]
    blocks = _blocks([*lines, *_prose(700)])
    told = "\n".join(block.text for block in blocks)
    assert told.index("tar in") < told.index("bread")


def test_a_rule_far_below_closes_no_table() -> None:
    grid = [line for n in range(4) for line in row(("ab", "12", "34"), XS[:3], 310 + 40 * n)]
    notes = [line for n in range(2) for line in row(("Sum", "7"), (580, 810), 480 + 26 * n)]
    rules = [across(300 + 40 * n, 80, 900) for n in range(5)]
    blocks = _blocks([*grid, *notes], [*rules, across(1250, 80, 900)])
    [table] = [block for block in blocks if block.table and "ab" in block.text]
    assert max(y for _, y in table.polygon) < 700


def test_an_item_whose_name_goes_on_below_is_a_row_of_its_table() -> None:
    items = [ITEMS[0], *ITEMS[1:3], *ITEMS[1:3]]
    lines, rules, top = list[Line](), list[Rule](), 300.0
    for n, cells in enumerate(items):
        lines += row(cells, XS, top)
        if n == 2:
            lines += [
                text("which was taken from the old", 100, top + 26 * k) for k in (1, 2, 3)
            ]
            top += 78
        rules.append(across(top + 32, 80, 900))
        top += 40
    [table] = [block.table for block in _blocks([*_prose(60), *lines], rules) if block.table]
    assert table.rows == 5 and [cells[1] for cells in _rows_of(table)][1:3] == ["12", "1"]


def test_a_head_that_stands_again_begins_another_table() -> None:
    lines, rules, fills = _prose(60), list[Rule](), list[Box]()
    for n, name in enumerate(("Ropes and sails", "Lamps and anchors")):
        top = 260.0 + 290 * n
        lines.append(text(name, 80, top))
        fills.append((80, top + 32, 900, top + 64))
        rules += _edges(fills[-1])
        lines += [
            line for k, cells in enumerate(ITEMS) for line in row(cells, XS, top + 36 + 34 * k)
        ]
    blocks = _blocks(lines, rules, fills)
    assert [_rows_of(block.table) for block in blocks if block.table] == [ITEMS, ITEMS]


def test_small_print_right_below_a_picture_is_its_caption() -> None:
    small = line("the harbour in the evening light of May", (100, 620, 460, 635), None)
    blocks = _blocks([*_prose(60), small, *_prose(700)], pictures=((100, 300, 700, 600),))
    assert [block.kind for block in blocks] == ["text", "figure", "caption", "text"]
    assert blocks[2].caption_of == blocks[1].order


def test_a_total_in_large_type_is_no_heading() -> None:
    total = line("Total £5,980.27", (600, 400, 860, 430), None)
    blocks = _blocks([*_prose(60), total, *_prose(500)])
    assert "heading" not in [block.kind for block in blocks]


def _foot(rows: int) -> list[Line]:
    """A firm's foot in two columns of so many rows."""
    cells = [(f"Quay {n} West", f"Phone 0461 {n}") for n in range(rows)]
    top = 1380 - 20 * rows
    return [line for n, each in enumerate(cells) for line in row(each, (80, 480), top + 20 * n)]


def test_a_firms_foot_of_eight_rows_is_read_column_by_column() -> None:
    kinds = [(b.kind, b.text.count("\n")) for b in _blocks([*_prose(200, 12), *_foot(8)])]
    assert kinds == [("text", 11), ("footer", 7), ("footer", 7)]


def test_as_many_rows_as_no_firms_foot_has_are_none() -> None:
    blocks = _blocks([*_prose(200, 12), *_foot(9)])
    assert "footer" not in [block.kind for block in blocks]


def _note(top: float) -> list[Line]:
    return [
        text("Note: the harbour master closes the gates at low water, but", 110, top + 10),
        text("opens them for boats in need whatever the hour is.", 110, top + 36),
    ]


def _parts(top: float) -> tuple[list[Line], list[Rule], Box]:
    """Rows of which one is shaded, and its shade."""
    rows = [["No.", "Article", "Count"], ["1", "Rope", "12"], ["2", "Sail", "1"]]
    rows += [["3", "Tar", "4"], ["4", "Oar", "7"]]
    lines = [each for n, cells in enumerate(rows) for each in row(cells, XS[:3], top + 30 * n)]
    shade: Box = (90, top + 55, 900, top + 85)
    return lines, _edges(shade), shade


def test_a_note_in_a_box_above_a_table_is_not_of_the_table() -> None:
    parts, shaded, shade = _parts(480)
    frame = [
        across(300, 90, 900),
        across(372, 90, 900),
        down(90, 300, 372),
        down(900, 300, 372),
    ]
    heading = text("Parts", 90, 430)
    lines = [*_prose(60), *_note(300), heading, *parts, *_prose(800)]
    blocks = _blocks(lines, [*frame, *shaded], [shade])
    [table] = [block for block in blocks if block.kind == "table"]
    assert _rows_of(table.table)[0] == ["No.", "Article", "Count"]
    assert any(block.text.startswith("Note:") for block in blocks if block.kind != "table")


def test_a_shaded_note_below_a_table_is_not_of_the_table() -> None:
    parts, shaded, shade = _parts(300)
    note: Box = (90, 466, 900, 540)
    ruled = [across(y, 90, 900) for y in (292, 325, 450)]
    blocks = _blocks(
        [*_prose(60), *parts, *_note(470), *_prose(800)],
        [*shaded, *ruled, *_edges(note)],
        [shade, note],
    )
    [table] = [block for block in blocks if block.kind == "table"]
    assert table.text.startswith("No.") and "Note" not in table.text


def _rows(texts: Sequence[str], x: float, top: float, pitch: float) -> list[Line]:
    """Lines of ordinary type, 20 high."""
    return [
        line(said, (x, top + pitch * n, x + 10 * len(said), top + pitch * n + 20))
        for n, said in enumerate(texts)
    ]


BUYER = ["Bill to", "Larkby Printer Partners", "Anna Winters", "97 Chapel Row", "Norway"]
OTHER = ["Ship to", "Fenn Apple Trading Co.", "Hugh Oldway", "26 Chapel Row", "Eastmoor"]


def test_a_letterheads_addresses_are_read_before_what_is_below_them() -> None:
    """They share no baseline, and a gutter runs past all of them."""
    firm = line("Brack and Sons", (80, 61, 426, 99))
    sender = _rows(["Oliver Minton", "162 Hill Street", "Barrow 88848"], 1006, 59, 21)
    names = ["Number", "Date", "Due date", "Order no.", "Customer no.", "Contact"]
    values = ["HB-885029", "2011-10-13", "10/10/2005", "HH-365716", "RH-180338", "Oliver Stow"]
    pairs = zip(_rows(names, 870, 160, 27), _rows(values, 1016, 160, 27), strict=True)
    below = [*_rows(BUYER, 80, 159, 24), *_rows(OTHER, 475, 159, 24)]
    title = line("Invoice", (80, 374, 229, 417))
    order = [firm, *sender, *below, *(each for pair in pairs for each in pair), title]
    found, _ = structure(order[::-1], 1226, 1734)
    assert [each.text for each in found] == [each.text for each in order]


def _set(said: str, box: Box) -> Line:
    """A line of words that fill a box."""
    x0, y0, x1, y1 = box
    letter, words, at = (x1 - x0) / len(said), list[Word](), x0
    for word in said.split():
        end = at + letter * len(word)
        words.append(Word(text=word, polygon=polygon_of((at, y0, end, y1))))
        at = end + letter
    return Line(text=said, polygon=polygon_of(box), words=tuple(words), source="text_layer")


def test_a_heading_parts_what_looks_like_one_table() -> None:
    order: list[tuple[str, Box]] = [
        ("Lerchner Blankets Ltd", (99, 64, 477, 97)),
        ("Anna Altweg", (967, 62, 1080, 84)),
        ("Chapel Lane 131", (967, 91, 1125, 112)),
        ("17575 Oxleigh", (967, 118, 1113, 139)),
        ("Portugal", (967, 146, 1038, 168)),
        ("Invoice", (99, 209, 307, 257)),
        ("Bill to us", (99, 280, 228, 305)),
        ("Fennert Oak Shelf Supplies", (99, 313, 407, 338)),
        ("Ruth Mintz", (99, 346, 209, 371)),
        ("Long Row 127", (99, 379, 265, 404)),
        ("85965 Eastmoor", (99, 411, 251, 436)),
        ("Ship to us", (754, 280, 879, 305)),
        ("Stow Steel Screws and Partners", (754, 313, 1125, 338)),
        ("Ruth Mintz", (754, 346, 863, 371)),
        ("Hill Street 109", (754, 379, 906, 404)),
        ("80935 Eastmoor", (754, 411, 905, 436)),
    ]
    _, blocks = structure([_set(said, box) for said, box in order], 1226, 1734)
    assert not [block for block in blocks if block.kind == "table"]
    assert any(block.text.startswith("Ship to us\nStow") for block in blocks)


def test_a_column_that_goes_on_by_itself_is_no_tables() -> None:
    buyer = ["Buyer", "Oak Pipes Ltd", "Lin Wen", "Mill Road 42", "Post 86812"]
    other = ["Ship to", "Bridge Bolts Co", "Wu An", "Long Lane 132", "Post 54199"]
    facts = [
        "Number",
        "SF256631",
        "Date",
        "2021-08-13",
        "Due",
        "2022-04-23",
        "Contact",
        "Zheng",
    ]
    page = [
        _set(said, (x, 113 + 23 * n, x + 10 * len(said), 132 + 23 * n))
        for x, column in ((84, buyer), (539, other), (977, facts))
        for n, said in enumerate(column)
    ]
    _, blocks = structure([*page, *_prose(640)], 1226, 1734)
    assert not [block for block in blocks if block.kind == "table"]


def test_a_sections_name_between_rules_stays_in_its_table() -> None:
    name = "Bright library near the old measurement"
    rows = [*ITEMS, [name], *ITEMS[1:]]
    lines, rules, fills = list[Line](), [across(295, 90, 900)], list[Box]()
    for n, cells in enumerate(rows):
        top = 300.0 + 40 * n
        lines += row(cells, XS[: len(cells)], top)
        rules.append(across(top + 35, 90, 900))
        if len(cells) == 1:
            fills.append((90, top - 5, 900, top + 35))
            rules += _edges(fills[-1])[2:]
    blocks = _blocks([*_prose(60), *lines, *_prose(1000)], rules, fills)
    [table] = [block for block in blocks if block.kind == "table"]
    assert name in table.text and len(_rows_of(table.table)) == len(rows)


def test_heads_in_two_rows_on_a_shade_are_the_tables_below_them() -> None:
    heads: list[tuple[str, Box]] = [
        ("Region", (153, 123, 228, 147)),
        ("2015", (494, 123, 547, 147)),
        ("2016", (845, 123, 898, 147)),
        ("Amounts", (437, 160, 528, 185)),
        ("Part", (642, 160, 687, 185)),
        ("Amounts", (788, 160, 879, 185)),
        ("Part", (993, 160, 1038, 185)),
        ("Common report of the depot", (153, 199, 459, 224)),
    ]
    rows = [("Linford", "6 115", "6 226", "6 195", "3 456")]
    rows += [("Estmarais", "3 397", "2 443,0", "914,3", "–")]
    rows += [("Verbourg", "3 875", "8 567", "593", "5 827,9")]
    cells: list[tuple[str, Box]] = []
    for n, (name, *figures) in enumerate(rows):
        top = 237 + 38 * n
        cells.append((name, (153, top, 153 + 10 * len(name), top + 25)))
        for said, right in zip(figures, (528, 687, 879, 1038), strict=True):
            cells.append((said, (right - 10 * len(said), top, right, top + 25)))
    lines = [_set(*each) for each in (*heads, *cells)]
    upper: list[Box] = [(144, 116, 345, 192), (345, 116, 696, 155), (696, 116, 1047, 155)]
    lower: list[Box] = [(x0, 155, x1, 192) for x0, x1 in pairwise((345, 537, 696, 888, 1047))]
    shades = [((144, 116), (1047, 116)), ((345, 155), (1047, 155)), ((144, 192), (1047, 192))]
    shades += [((x, 116), (x, 192)) for x in (144, 345, 696, 1047)]
    shades += [((x, 155), (x, 192)) for x in (537, 888)]
    rules = [Rule(start=start, end=end, thickness=0.0) for start, end in shades]
    header = line("The second river", (144, 62, 392, 82))
    drawn = Drawn(rules=(across(94, 144, 1047), *rules), fills=(*upper, *lower))
    said = "the boats that came in with the tide were unloaded before the evening and went"
    prose = [_set(said, (144, 500 + 33 * n, 1030, 525 + 33 * n)) for n in range(9)]
    _, blocks = structure([header, *lines, *prose], 1226, 1734, drawn=drawn)
    [table] = [block for block in blocks if block.kind == "table"]
    assert table.text.startswith("Region\t2015") and "Verbourg" in table.text
    assert blocks[0].kind == "header"


def test_a_caption_below_a_page_headers_rule_is_no_row_of_the_table() -> None:
    """The header's rule is as wide as the table's, which has none above its heads."""
    header = line("Local pattern", (90, 62, 250, 82))
    caption = text("Table 2: The former teacher explains it", 90, 120)
    lines = [each for n, cells in enumerate(ITEMS) for each in row(cells, XS, 170 + 40 * n)]
    rules = [across(95, 90, 900)] + [across(205 + 40 * n, 90, 900) for n in range(len(ITEMS))]
    blocks = _blocks([header, caption, *lines, *_prose(700)], rules)
    [table] = [block for block in blocks if block.kind == "table"]
    assert table.text.startswith("Article\tCount")
    assert [block.text for block in blocks if block.kind == "caption"] == [caption.text]
