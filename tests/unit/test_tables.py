"""Tables: rows, columns, spans and text, ruled, half ruled and not ruled at all."""

from __future__ import annotations

import pytest

from pagetide.document import Cell, Line, Table
from pagetide.geometry import box_of, polygon_of, turned
from pagetide.layout import NOTHING_DRAWN, Drawn, Rule
from pagetide.structure.tables import find_tables, table_of_area
from pagetide.structure.tables.unruled.columns_of_text import are_prose
from tests.unit.tables_drawn import (
    HEIGHT,
    WIDTH,
    across,
    area,
    down,
    found,
    joined,
    row,
    spans,
    text,
    texts,
)

XS = (110.0, 310.0, 510.0)
FIGURES = [
    ["Country", "Cars", "Boats"],
    ["Austria", "12", "3"],
    ["Belgium", "40", "17"],
    ["Cyprus", "8", "90"],
]


def lattice(rows: int) -> list[Rule]:
    """All rules of a grid of three columns."""
    flat = [across(100 + 40 * i, 100, 700) for i in range(rows + 1)]
    steep = [down(x, 100, 100 + 40 * rows) for x in (100, 300, 500, 700)]
    return [*flat, *steep]


def lines_of(rows: list[list[str]], *, pitch: float = 40) -> list[Line]:
    return [line for i, each in enumerate(rows) for line in row(each, XS, 110 + pitch * i)]


def test_a_ruled_grid_is_a_table_of_its_cells() -> None:
    (table,) = found(lines_of(FIGURES), lattice(4))
    assert texts(table.table) == FIGURES
    assert table.box == (100, 100, 700, 260)
    assert table.table.cells[4].polygon == polygon_of((300, 140, 500, 180))
    assert [cell.header for cell in table.table.cells] == [True] * 3 + [False] * 9


def test_an_empty_cell_of_a_ruled_grid_stays() -> None:
    rows = [FIGURES[0], ["Austria", "", "3"], *FIGURES[2:]]
    (table,) = found(lines_of(rows), lattice(4))
    assert texts(table.table) == rows
    assert len(table.table.cells) == 12


def test_a_line_across_cells_is_parted_at_its_words_and_belongs_to_one() -> None:
    whole = joined([word for x, each in zip(XS, ("Austria", "12", "3"), strict=True)
                    for word in text(each, x, 150).words])  # fmt: skip
    lines = [*lines_of(FIGURES[:1]), whole, *lines_of([[""] * 3, [""] * 3, *FIGURES[2:]])]
    (table,) = found(lines, lattice(4))
    assert texts(table.table) == FIGURES
    owners = [cell.text for cell in table.table.cells if 3 in cell.line_indexes]
    assert owners == ["Austria"]


def test_lines_of_one_ruled_cell_are_its_text() -> None:
    lines = [*lines_of(FIGURES[:1]), *row(["one", "1", "2"], XS, 150)]
    lines += [text("and more", 110, 172), *row(["three", "4", "5"], XS, 212)]
    rules = [across(y, 100, 700) for y in (100, 140, 200, 240)]
    rules += [down(x, 100, 240) for x in (100, 300, 500, 700)]
    (table,) = found(lines, rules)
    assert texts(table.table)[1:] == [["one\nand more", "1", "2"], ["three", "4", "5"]]


def test_a_cell_with_rules_all_around_is_one_however_many_lines_it_has() -> None:
    rows = [[" ".join([f"item{n}", "on", "its", "line"]), "some", "more"] for n in range(1, 5)]
    lines = [
        text(words, XS[column], 106 + 90 * i + 24 * j)
        for i, each in enumerate(rows)
        for column, said in enumerate(each)
        for j, words in enumerate(said.split())
    ]
    for i in range(len(rows)):
        lines += [
            text(f"and{j}", XS[column], 130 + 90 * i + 24 * j)
            for column in (1, 2)
            for j in (0, 1)
        ]
    rules = [across(100 + 90 * i, 100, 700) for i in range(5)]
    rules += [down(x, 100, 460) for x in (100, 300, 500, 700)]
    (table,) = found(lines, rules)
    assert (table.table.rows, table.table.columns) == (4, 3)
    assert texts(table.table)[2] == [
        "item3\non\nits\nline",
        "some\nand0\nand1",
        "more\nand0\nand1",
    ]


def test_rows_with_leaders_and_many_columns_are_a_table_not_contents() -> None:
    places = (100, 180, 480, 580, 680, 780)
    rows = [
        [f"0.{n}5", ". . . . . . . .", *(str(n * each) for each in (11, 12, 13, 14))]
        for n in range(2, 9)
    ]
    (table,) = found(
        [line for i, each in enumerate(rows) for line in row(each, places, 100 + 30 * i)]
    )
    assert table.table.rows == 7
    assert texts(table.table)[0][-4:] == ["22", "24", "26", "28"]


ITEMS = [
    ["Pos", "Article", "Qty", "Amount"],
    ["1", "a long line of many words", "12", "1,662.00"],
    ["2", "another line", "8", "712.00"],
    ["3", "a fender", "16", "96.00"],
    ["4", "a shackle", "40", "476.00"],
]


def items(y: float) -> list[Line]:
    """The rows of an invoice's items, their figures to the right."""
    ends = (130, 160, 640, 800)
    lines = []
    for i, each in enumerate(ITEMS):
        lines += row(each[:2], (100, 160), y + 36 * i)
        lines += [
            text(words, right - 10 * len(words), y + 36 * i)
            for words, right in zip(each[2:], ends[2:], strict=True)
        ]
    return lines


def dates(y: float) -> list[Line]:
    """An address, and names and values beside it."""
    address = [
        text(words, 100, y + 30 * i)
        for i, words in enumerate(["Harbour Office", "7 Tidal Row", "Northwick"])
    ]
    names = ["Invoice number", "Invoice date", "Customer", "Payment due"]
    values = ["2024-00713", "18 March", "K 40 118", "17 April"]
    beside = [
        line
        for i, pair in enumerate(zip(names, values, strict=True))
        for line in row(pair, (560, 720), y + 30 * i)
    ]
    return [*address, *beside]


@pytest.mark.parametrize("title", [[], [text("Invoice", 100, 360)]])
def test_what_stands_above_in_other_columns_is_no_row_of_a_table(title: list[Line]) -> None:
    """Rules as wide as each other stand below the letterhead, below the head and at the end."""
    lines = [*dates(200), *title, *items(420)]
    rules = [across(y, 100, 800) for y in (180, 448, 600)]
    tables = [each.table for each in found(lines, rules)]
    assert texts(tables[-1]) == ITEMS
    held = [text for each in tables[:-1] for line in texts(each) for text in line]
    assert not {"Pos", "Invoice", *(row[1] for row in ITEMS)} & {*held}


def test_heads_over_several_columns_are_of_their_table() -> None:
    heads = [
        *row(["Costs", "Income"], (330, 600), 70),
        *row(["2020", "2021", "2020", "2021"], (300, 400, 570, 670), 110),
    ]
    body = [
        line
        for i in range(6)
        for line in row(
            [f"item{i}", "11.5", "12.5", f"{i}.5", "7.5"],
            (100, 300, 400, 570, 670),
            150 + 30 * i,
        )
    ]
    (table,) = found([*heads, *body], [across(y, 100, 720) for y in (60, 140, 330)])
    assert table.table.rows == 8


def test_a_missing_rule_joins_cells() -> None:
    flat = [across(y, 100, 700) for y in (100, 180, 220, 260)] + [across(140, 300, 700)]
    steep = [down(x, 100, 260) for x in (100, 300, 700)] + [down(500, 140, 260)]
    lines = [text("Country", 110, 130), text("Sold in the year", 420, 110)]
    lines += lines_of([[""] * 3, ["", "Cars", "Boats"], *FIGURES[1:3]])
    (table,) = found(lines, flat + steep)
    assert spans(table.table) == {"Country": (2, 1), "Sold in the year": (1, 2)}
    assert texts(table.table)[1:] == [["", "Cars", "Boats"], *FIGURES[1:3]]
    assert [c.text for c in table.table.cells if c.header] == [
        "Country", "Sold in the year", "Cars", "Boats",
    ]  # fmt: skip


def test_a_double_rule_is_one_border() -> None:
    rules = [*lattice(4), across(144, 100, 700), down(304, 100, 260)]
    (table,) = found(lines_of(FIGURES), rules)
    assert texts(table.table) == FIGURES


def test_columns_of_a_table_with_level_rules_alone_are_seen_in_its_text() -> None:
    rules = [across(y, 100, 700) for y in (100, 140, 260)]
    (table,) = found(lines_of(FIGURES), rules)
    assert texts(table.table) == FIGURES


def test_a_short_rule_says_which_columns_a_head_stands_over() -> None:
    rules = [across(y, 100, 700) for y in (100, 180, 300)] + [across(140, 300, 700)]
    lines = [text("Sold abroad", 420, 110)]
    lines += lines_of([[""] * 3, *FIGURES])
    (table,) = found(lines, rules)
    assert spans(table.table) == {"Country": (2, 1), "Sold abroad": (1, 2)}
    assert texts(table.table)[1:] == [["", "Cars", "Boats"], *FIGURES[1:]]


def test_columns_of_text_without_rules_are_a_table() -> None:
    caption = text("Table 1: what was sold in the three countries of this story", 110, 60)
    (table,) = found([caption, *lines_of(FIGURES)])
    assert texts(table.table) == FIGURES
    assert not any(0 in cell.line_indexes for cell in table.table.cells)


def test_a_currency_sign_set_apart_is_of_its_figure() -> None:
    rows = [["Revenue", "$", "3,208", "$", "2,364"], ["Costs", "$", "1,649", "$", "1,447"]]
    rows += [["Sales", "$", "402", "$", "453"]]
    xs = (110.0, 310.0, 350.0, 510.0, 550.0)
    lines = [line for i, each in enumerate(rows) for line in row(each, xs, 110 + 40 * i)]
    (table,) = found(lines)
    assert texts(table.table)[0] == ["Revenue", "$ 3,208", "$ 2,364"]


@pytest.mark.parametrize(
    ("first", "heads"),
    [("12 coils", 0), ("1", 0), ("3 May 2024", 0), ("Amount", 2), ("2024", 2)],
)
def test_a_first_row_that_counts_as_those_below_is_no_head(first: str, heads: int) -> None:
    counts = [first, "8 coils", "16 pieces", "40 pieces"]
    goods = ["Mooring line", "Fender", "Shackle, galvanised", "Chafe sleeve"]
    lines = [
        line
        for y, texts in zip(range(100, 300, 40), zip(counts, goods, strict=True), strict=False)
        for line in row(texts, (120, 420), y)
    ]
    (table,) = found(lines, [across(y, 100, 720) for y in range(90, 280, 40)])
    assert sum(cell.header for cell in table.table.cells) == heads


def test_years_over_columns_of_figures_are_heads() -> None:
    lines = [
        *row(["", "2004", "2005"], XS, 110),
        *row(["Cars", "12", "40"], XS, 150),
        *row(["Boats", "3", "17"], XS, 190),
    ]
    (table,) = found(lines, [across(y, 100, 700) for y in (100, 140, 230)])
    assert texts(table.table) == [
        ["", "2004", "2005"],
        ["Cars", "12", "40"],
        ["Boats", "3", "17"],
    ]
    assert {cell.text for cell in table.table.cells if cell.header} == {"", "2004", "2005"}


def test_heads_set_close_together_are_parted_where_their_columns_end() -> None:
    heads = "Less $10,000 $15,000 $30,000"
    first = text(heads, 260, 110)  # each word ends where the figures below it do
    ends = [word.polygon[1][0] for word in first.words]
    rows = (("23.2", "10.3", "27.0", "20.1"), ("5.5", "9.1", "3.3", "1.0"))
    lines = [text("Kind", 110, 110), first]
    for y, figures in zip((150, 190), rows, strict=True):
        lines += [text("Total", 110, y)]
        lines += [
            text(each, end - 10 * len(each), y) for each, end in zip(figures, ends, strict=True)
        ]
    (table,) = found(lines, [across(y, 100, 700) for y in (100, 140, 230)])
    assert texts(table.table) == [
        ["Kind", *heads.split()],
        *(["Total", *figures] for figures in rows),
    ]


def test_heads_above_the_first_rule_belong_to_the_table() -> None:
    rules = [across(y, 100, 700) for y in (140, 180, 220, 260)]
    rules += [down(x, 140, 260) for x in (100, 300, 500, 700)]
    (table,) = found(lines_of(FIGURES), rules)
    assert texts(table.table) == FIGURES


def test_three_frames_with_captions_between_are_three_tables() -> None:
    lines, rules = [], []
    for start in (0.0, 300.0, 600.0):
        lines += [
            text("what these are about", 110, 70 + start),
            *(
                line
                for i, each in enumerate(FIGURES)
                for line in row(each, XS, 110 + start + 40 * i)
            ),
        ]
        rules += [
            Rule(start=(r.start[0], r.start[1] + start), end=(r.end[0], r.end[1] + start))
            for r in lattice(4)
        ]
    tables = found(lines, rules)
    assert [texts(each.table) for each in tables] == [FIGURES] * 3


def test_a_frame_right_below_another_is_another_table() -> None:
    lower = [
        Rule(start=(r.start[0], r.start[1] + 176), end=(r.end[0], r.end[1] + 176))
        for r in lattice(4)
    ]
    lines = lines_of(FIGURES)
    lines += [line for i, each in enumerate(FIGURES) for line in row(each, XS, 286 + 40.0 * i)]
    tables = found(lines, [*lattice(4), *lower])
    assert [texts(each.table) for each in tables] == [FIGURES] * 2


def test_what_a_table_model_saw_is_filled_and_kept() -> None:
    cells = (
        Cell(row=0, column=0, column_span=2, polygon=polygon_of((100, 100, 500, 140))),
        Cell(row=1, column=0, polygon=polygon_of((100, 140, 300, 180))),
        Cell(row=1, column=1, polygon=polygon_of((300, 140, 500, 180))),
    )  # fmt: skip
    seen = Table(rows=2, columns=2, cells=cells)
    lines = [text("Both", 110, 110), text("left", 110, 150), text("right", 310, 150)]
    (table,) = found(lines, lattice(4), [area("table", (100, 100, 500, 180), seen)])
    assert [cell.text for cell in table.table.cells] == ["Both", "left", "right"]
    assert [cell.line_indexes for cell in table.table.cells] == [(0,), (1,), (2,)]
    assert [cell.polygon for cell in table.table.cells] == [cell.polygon for cell in cells]


def test_a_word_that_sticks_out_of_its_row_s_last_cell_stays_in_its_row() -> None:
    cells = (
        Cell(row=0, column=0, polygon=polygon_of((100, 100, 500, 140))),
        Cell(row=1, column=0, polygon=polygon_of((100, 140, 300, 180))),
    )
    seen = Table(rows=2, columns=1, cells=cells)
    lines = [text("wide", 110, 110), text("short", 110, 150), text("kg", 400, 150)]
    (table,) = found(lines, lattice(4), [area("table", (100, 100, 500, 180), seen)])
    assert [cell.text for cell in table.table.cells] == ["wide", "short kg"]


def test_an_area_that_a_model_calls_a_table_is_laid_out_by_its_text() -> None:
    lines = [*row(["name", "Ada Lovelace", "London"], XS, 110)]
    lines += row(["born", "in December", "in town"], XS, 140)
    seen = [area("table", (100, 100, 700, 170))]
    assert found(lines, areas=seen) == []  # all of the text: columns would have to show too
    lines += [text("a line of prose that goes on below", 110, 300 + 25 * i) for i in range(12)]
    assert found(lines) == []
    (table,) = found(lines, areas=seen)
    assert texts(table.table) == [
        ["name", "Ada Lovelace", "London"],
        ["born", "in December", "in town"],
    ]


def test_text_that_runs_leftward_has_its_first_column_on_the_right() -> None:
    mirrored = [
        (-box[2], box[1], -box[0], box[3])
        for box in (box_of(line.polygon) for line in lines_of(FIGURES))
    ]
    rules = tuple(
        Rule(start=(-r.end[0], r.start[1]), end=(-r.start[0], r.end[1])) for r in lattice(4)
    )
    lines = lines_of(FIGURES)
    (table,) = find_tables(lines, mirrored, Drawn(rules=rules), (), WIDTH, HEIGHT)
    assert texts(table.table) == [list(reversed(each)) for each in FIGURES]


def test_words_of_a_turned_line_go_where_they_stand() -> None:
    lines = [
        joined([word for x, each in zip(XS, cells, strict=True)
                for word in text(each, x, 110 + 40 * i).words])
        for i, cells in enumerate(FIGURES)
    ]  # fmt: skip
    boxes = [box_of(line.polygon) for line in lines]
    askew = [
        Line(
            text=line.text,
            polygon=turned(line.polygon, 0.05),
            words=tuple(
                type(word)(text=word.text, polygon=turned(word.polygon, 0.05))
                for word in line.words
            ),
        )
        for line in lines
    ]
    (table,) = find_tables(askew, boxes, Drawn(rules=tuple(lattice(4))), (), WIDTH, HEIGHT)
    assert texts(table.table) == FIGURES


def prose(x: float, y: float, count: int) -> list[Line]:
    words = "the lines of running text are long and stand one below another"
    return [text(words[i : i + 38].strip(), x, y + 25 * i, gap=6) for i in range(count)]


@pytest.mark.parametrize(
    ("lines", "rules"),
    [
        pytest.param([*prose(60, 100, 20), *prose(540, 100, 20)], [], id="two columns"),
        pytest.param(
            [
                line
                for i in range(8)
                for line in row(["•", "an item of a list"], (100, 140), 100 + 30 * i)
            ],
            [],
            id="bullets",
        ),
        pytest.param(
            [
                line
                for i in range(8)
                for line in row(["a chapter's name", str(3 * i + 1)], (100, 800), 100 + 30 * i)
            ],
            [],
            id="contents",
        ),
        pytest.param(
            [
                line
                for i, name in enumerate(("Name:", "Street:", "Town:", "Born:", "Sex:"))
                for line in row([name, "written by hand"], (100, 300), 100 + 30 * i)
            ],
            [],
            id="form",
        ),
        pytest.param(
            prose(120, 120, 10),
            [
                across(100, 100, 700),
                across(380, 100, 700),
                down(100, 100, 380),
                down(700, 100, 380),
            ],
            id="box around prose",
        ),
        pytest.param(
            prose(100, 100, 8),
            [across(100 + 25 * i + 22, 100, 480) for i in range(8)],
            id="underlined",
        ),
        pytest.param([], lattice(4), id="no text"),
    ],
)
def test_what_is_no_table(lines: list[Line], rules: list[Rule]) -> None:
    assert found(lines, rules) == []


def test_a_receipts_address_and_thanks_are_no_rows() -> None:
    """Its text reaches to all edges, as that of a picture of nothing but a table does."""
    said = [
        text(words, 200, 10 + 30 * i)
        for i, words in enumerate(["Larkby Steel", "Station Road", "Cashier 20"])
    ]
    rows = [[f"item {n}", f"{n}.50"] for n in range(1, 9)]
    sold = [line for i, each in enumerate(rows) for line in row(each, (10, 540), 110 + 30 * i)]
    thanks = [
        text(words, 200, 370 + 30 * i) for i, words in enumerate(["Tax no.", "Thank you"])
    ]
    lines = [*said, *sold, *thanks]
    boxes = [box_of(each.polygon) for each in lines]
    (table,) = find_tables(lines, boxes, NOTHING_DRAWN, (), 590, 430)
    assert texts(table.table) == rows


def test_a_page_with_thousands_of_rules_has_no_tables() -> None:
    many = [across(100 + i / 4, 100, 700) for i in range(5000)]
    assert found(lines_of(FIGURES), many) == []


def test_a_picture_of_nothing_but_a_table_is_one() -> None:
    lines = lines_of([["one", "two", "three"], ["four", "five", "six"]])
    boxes = [box_of(line.polygon) for line in lines]
    table = table_of_area(lines, boxes, NOTHING_DRAWN, (100, 100, 700, 200))
    assert table is not None
    assert texts(table) == [["one", "two", "three"], ["four", "five", "six"]]


def cropped(lines: list[Line]) -> list[Table]:
    """The tables of a picture cut out around some lines."""
    boxes = [box_of(line.polygon) for line in lines]
    width = max(box[2] for box in boxes) + 10
    height = max(box[3] for box in boxes) + 10
    return [each.table for each in find_tables(lines, boxes, NOTHING_DRAWN, (), width, height)]


def test_a_picture_without_margins_is_a_table_if_its_text_stands_in_columns() -> None:
    xs = (10.0, 210.0, 410.0)
    rows = [["one", "two", "three"], ["four", "five", "six"]]
    lines = [line for i, each in enumerate(rows) for line in row(each, xs, 10 + 40.0 * i)]
    assert [texts(each) for each in cropped(lines)] == [rows]


def test_a_picture_of_columns_of_prose_is_no_table() -> None:
    assert cropped([*prose(10, 10, 12), *prose(450, 10, 12), *prose(890, 10, 12)]) == []


def test_a_page_with_narrow_margins_around_a_ruled_table_is_no_table_itself() -> None:
    xs = (20.0, 220.0, 420.0)
    table = [[f"{place} one", str(place), str(2 * place)] for place in range(5)]
    lines = [
        *row(["Some Company", "", "Page one"], xs, 20),
        text("An account of what was bought", 20, 80),
        text("for the house on the hill", 20, 110),
        text("and for the garden behind it", 20, 140),
        *(line for i, each in enumerate(table) for line in row(each, xs, 210 + 40.0 * i)),
        *row(["Some Street", "", "Some Bank"], xs, 470),
    ]
    rules = [across(200 + 40.0 * i, 10, 560) for i in range(6)]
    rules += [down(x, 200, 400) for x in (10, 210, 410, 560)]
    boxes = [box_of(line.polygon) for line in lines]
    [only] = find_tables(lines, boxes, Drawn(rules=tuple(rules)), (), 540, 510)
    assert texts(only.table) == table


@pytest.mark.parametrize(("begins", "prose"), [("goes", True), ("Goes", False)])
def test_cells_that_go_on_in_the_middle_of_a_sentence_are_prose(
    begins: str, prose: bool
) -> None:
    cells = tuple(
        Cell(row=r, column=c, text=f"{begins} on with a line", polygon=polygon_of((c, r, 1, 1)))
        for r in range(8)
        for c in range(2)
    )
    assert are_prose(Table(rows=8, columns=2, cells=cells), []) is prose


def test_a_rule_that_runs_into_the_line_above_takes_no_words_of_it() -> None:
    rows = [["Region", "2015", "2016"], ["North", "12", "13"], ["South", "14", "15"]]
    xs = (120.0, 320.0, 520.0)
    lines = [line for i, each in enumerate(rows) for line in row(each, xs, 210 + 40.0 * i)]
    lines.append(text("the last line of a paragraph that ends here", 110, 176))
    rules = [across(200 + 40.0 * i, 100, 700) for i in range(4)]
    rules += [down(x, 184, 320) for x in (100, 300, 500, 700)]
    [only] = found(lines, rules)
    assert texts(only.table) == rows


def test_strokes_that_run_down_by_themselves_are_no_tables() -> None:
    lines = [text("Is", 110, 160), *(text("a word", 130, y) for y in (110, 210))]
    strokes = [down(120, 100, 145), down(120, 195, 240)]
    assert found(lines, strokes) == []


def test_nothing_is_no_table() -> None:
    assert table_of_area([], [], NOTHING_DRAWN, (0, 0, 10, 10)) is None
    assert found([]) == []
