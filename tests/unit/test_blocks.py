"""Lines grouped into blocks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from pagetide.document import Block, Line
from pagetide.geometry import box_of, direction, polygon_of, turned
from pagetide.layout import Drawn, Rule
from pagetide.structure import structure
from pagetide.structure.paragraphs import paragraphs
from pagetide.structure.rows import Row
from pagetide.structure.running import RowsOf, row_drafts

WIDTH, HEIGHT = 1000, 1400


def _line(
    text: str, x: float, y: float, *, right: float | None = None, size: float = 20
) -> Line:
    """A line as wide as its text, or up to `right`."""
    end = x + 0.5 * size * len(text) if right is None else right
    return Line(text=text, polygon=polygon_of((x, y, end, y + size)))


def _prose(first: int, x: float, y: float, count: int, *, width: float = 400) -> list[Line]:
    """Full lines with one short line at the end."""
    words = [f"line {first + i} of a paragraph that goes on" for i in range(count)]
    lines = [_line(text, x, y + 25 * i, right=x + width) for i, text in enumerate(words[:-1])]
    return [*lines, _line(words[-1], x, y + 25 * (count - 1), right=x + width / 3)]


def _blocks(lines: list[Line]) -> tuple[Block, ...]:
    return structure(lines, WIDTH, HEIGHT)[1]


_lines = st.lists(
    st.builds(
        lambda text, x, y, w, h, angle: Line(
            text=text, polygon=turned(polygon_of((x, y, x + w, y + h)), angle)
        ),
        st.text(max_size=8),
        st.integers(0, 900).map(float),
        st.integers(0, 1300).map(float),
        st.integers(0, 400).map(float),
        st.integers(0, 40).map(float),
        st.sampled_from([0.0, 0.0, 0.0, 0.01, math.pi / 2, -math.pi / 2, math.pi]),
    ),
    max_size=30,
)


@given(_lines)
def test_every_line_stands_in_one_block_and_order_is_dense(lines: list[Line]) -> None:
    ordered, blocks = structure(lines, WIDTH, HEIGHT)
    assert sorted(map(repr, ordered)) == sorted(map(repr, lines))
    assert [index for b in blocks for index in b.line_indexes] == list(range(len(lines)))
    assert [block.order for block in blocks] == list(range(len(blocks)))


@given(_lines)
def test_a_block_holds_its_lines_middles(lines: list[Line]) -> None:
    ordered, blocks = structure(lines, WIDTH, HEIGHT)
    for block in blocks:
        outer = box_of(block.polygon)
        for index in block.line_indexes:
            inner = box_of(ordered[index].polygon)
            x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
            assert outer[0] - 1e-6 <= x <= outer[2] + 1e-6
            assert outer[1] - 1e-6 <= y <= outer[3] + 1e-6


def test_an_empty_page_has_no_blocks() -> None:
    assert structure([], WIDTH, HEIGHT) == ((), ())


def test_paragraphs_part_at_a_wider_gap() -> None:
    blocks = _blocks([*_prose(0, 100, 200, 4), *_prose(4, 100, 320, 4)])
    assert [len(block.line_indexes) for block in blocks] == [4, 4]
    assert blocks[0].text.split("\n")[0] == "line 0 of a paragraph that goes on"


@pytest.mark.parametrize(
    ("upper", "lower", "blocks"),
    [
        ("Each answer gives two points.", "1. Where does the river end?", 2),
        ("Each answer gives two points", "for those who had none yet", 1),
        ("Each answer gives two points.", "and no more than two", 1),
    ],
)
def test_two_rows_part_where_a_sentence_ends_above_some_room(
    upper: str, lower: str, blocks: int
) -> None:
    lines = [_line(upper, 100, 500), _line(lower, 100, 536)]
    rows = [Row.of((n,), (each,), (box_of(each.polygon),)) for n, each in enumerate(lines)]
    assert len(paragraphs(rows)) == blocks


def test_paragraphs_part_after_a_short_line() -> None:
    blocks = _blocks([*_prose(0, 100, 200, 4), *_prose(4, 100, 300, 4)])
    assert [len(block.line_indexes) for block in blocks] == [4, 4]


def test_paragraphs_part_at_an_indented_line() -> None:
    lines = [_line("a full line of text here", 100, 200 + 25 * i, right=600) for i in range(8)]
    lines[4] = _line("An indented line of text", 130, 300, right=600)
    assert [len(block.line_indexes) for block in _blocks(lines)] == [4, 4]


def test_columns_are_read_one_after_the_other() -> None:
    left, right = _prose(0, 50, 200, 6), _prose(6, 500, 205, 6)
    mixed = [line for pair in zip(left, right, strict=True) for line in pair]
    ordered, blocks = structure(mixed, WIDTH, HEIGHT)
    assert list(ordered) == left + right
    assert [block.kind for block in blocks] == ["text", "text"]


def test_a_large_short_line_is_a_heading() -> None:
    heading = _line("Chapter One", 100, 130, size=34)
    lines = [heading, *_prose(0, 100, 200, 8)]
    _, blocks = structure(lines, WIDTH, HEIGHT, first=False)
    assert [(block.kind, block.level) for block in blocks] == [("heading", 1), ("text", None)]


def test_the_largest_line_on_top_of_the_first_page_is_its_title() -> None:
    lines = [
        _line("All About Tides", 100, 130, size=44),
        _line("1 Ebb", 100, 220, size=30),
        *_prose(0, 100, 280, 8),
        _line("1.1 Low water", 100, 520, size=30),
        *_prose(8, 100, 580, 8),
    ]
    kinds = [(block.kind, block.level) for block in _blocks(lines)]
    assert kinds == [
        ("title", None),
        ("heading", 1),
        ("text", None),
        ("heading", 2),
        ("text", None),
    ]
    _, later = structure(lines, WIDTH, HEIGHT, first=False)
    assert later[0].kind == "heading"


def test_a_tall_line_of_small_letters_is_no_heading() -> None:
    formula = Line(
        text="a line with a tall formula in it", polygon=polygon_of((100, 190, 420, 225))
    )
    blocks = _blocks([formula, *_prose(0, 100, 240, 8)])
    assert "heading" not in {block.kind for block in blocks}


def test_a_table_is_read_by_rows_with_tabs_between_cells() -> None:
    lines = [
        _line(text, 100 + 250 * column, 300 + 30 * row)
        for row, texts in enumerate(
            [
                ["", "2020", "2021"],
                ["North", "1", "2"],
                ["South", "30", ""],
                ["West", "5", "60"],
            ]
        )
        for column, text in enumerate(texts)
        if text
    ]
    (block,) = _blocks(lines)
    assert block.kind == "table"
    assert block.text == "\t2020\t2021\nNorth\t1\t2\nSouth\t30\nWest\t5\t60"
    assert block.table is not None
    assert (block.table.rows, block.table.columns) == (4, 3)
    empty = [(c.row, c.column) for c in block.table.cells if c.row and not c.text]
    assert empty == [(2, 2)]


def test_a_head_over_two_columns_of_a_table_spans_them() -> None:
    rows = [_line("both years together", 330, 270, right=650)]
    rows += [
        _line(text, 100 + 250 * column, 300 + 30 * row)
        for row in range(8)
        for column, text in enumerate(["name", "10", "20"])
    ]
    rows += [_line("also", 100, 270)]
    (block,) = _blocks(rows)
    assert block.table is not None
    head = next(cell for cell in block.table.cells if cell.text == "both years together")
    assert (head.row, head.column, head.column_span) == (0, 1, 2)


def test_bullets_beside_their_text_make_a_list_not_a_table() -> None:
    lines = [
        line
        for i in range(4)
        for line in (
            _line("•", 100, 200 + 60 * i),
            _line("an item with enough text to fill", 140, 200 + 60 * i, right=640),
            _line("and a second line", 140, 225 + 60 * i),
        )
    ]
    (block,) = _blocks(lines)
    assert block.kind == "list"
    assert block.text.split("\n")[:2] == [
        "• an item with enough text to fill",
        "and a second line",
    ]


@pytest.mark.parametrize("bullet", ["\ufffd", "\uf0b7", "\uf0a7", "•"])
def test_bullets_of_fonts_that_name_no_letter_are_bullets(bullet: str) -> None:
    rows = [_line(f"{bullet} an item of the list", 100, 400 + 30 * i) for i in range(3)]
    *_, block = _blocks([*_prose(0, 100, 200, 6), *rows])
    assert (block.kind, len(block.line_indexes)) == ("list", 3)


def test_a_row_that_begins_with_a_sign_of_no_bullets_font_is_no_item() -> None:
    (block,) = _blocks([_line("\uf6d9 2003 by the society", 100, 400)])  # Adobe's ©
    assert block.kind != "list"


def test_no_list_goes_on_at_the_foot_of_the_page() -> None:
    """Though a row there is set in from the first row above the list, a chapter's number."""
    top = _line("Ports and boats", 60, 100)
    items = [_line(f"• an item of the list {i}", 100, 130 + 24 * i) for i in range(3)]
    note = _line("a note by itself at the foot of the page", 100, 900)
    lines = [top, *items, note]
    rows = RowsOf(lines, range(5), [box_of(line.polygon) for line in lines])
    drafts = row_drafts([rows.row([place]) for place in range(5)], gutters=[])
    assert [(draft.kind, len(draft.rows)) for draft in drafts] == [
        ("text", 1),
        ("list", 3),
        ("text", 1),
    ]


def test_a_stamp_up_the_margin_comes_last_and_keeps_its_direction() -> None:
    stamp = Line(text="received", polygon=((40, 900), (40, 500), (60, 500), (60, 900)))
    ordered, blocks = structure([stamp, *_prose(0, 100, 200, 8)], WIDTH, HEIGHT)
    assert ordered[-1] is stamp
    assert blocks[-1].text == "received"
    assert direction(blocks[-1].polygon) == approx(-math.pi / 2)


def test_a_page_of_sideways_lines_is_read_the_way_they_run() -> None:
    upright = [*_prose(0, 50, 200, 6), *_prose(6, 500, 205, 6)]
    sideways = [
        Line(text=line.text, polygon=tuple((1400 - y, x) for x, y in line.polygon))
        for line in upright
    ]
    ordered, _ = structure(list(reversed(sideways)), HEIGHT, WIDTH)
    assert [line.text for line in ordered] == [line.text for line in upright]


def test_a_skewed_table_is_still_read_by_rows() -> None:
    lines = [
        Line(
            text=f"{row}.{column} with text",
            polygon=turned(
                polygon_of(
                    (
                        100 + 200.0 * column,
                        300 + 30.0 * row,
                        260 + 200.0 * column,
                        320 + 30.0 * row,
                    )
                ),
                0.04,
            ),
        )
        for row in range(10)
        for column in range(4)
    ]
    ordered, (block,) = structure(lines[::-1], WIDTH, HEIGHT)
    assert list(ordered) == lines
    assert block.table is not None and block.table.columns == 4


def test_a_lone_number_at_the_foot_is_the_page_number_and_a_line_on_top_the_header() -> None:
    lines = [
        _line("The running head", 100, 40),
        *_prose(0, 100, 200, 30),
        _line("17", 480, 1350),
    ]
    assert [block.kind for block in _blocks(lines)] == ["header", "text", "page_number"]


def test_text_close_above_the_foot_is_no_footer() -> None:
    lines = [_line("a full line of text here", 100, 100 + 25 * i, right=700) for i in range(51)]
    assert {block.kind for block in _blocks(lines)} == {"text"}


def _beside(left: list[str], right: list[str], x: float) -> list[str]:
    """What blocks say of two columns whose lines share their baselines."""
    lines = [
        _line(text, at, 100 + 28 * i)
        for at, texts in ((100, left), (x, right))
        for i, text in enumerate(texts)
    ]
    return [block.text for block in _blocks(lines)]


def test_addresses_side_by_side_are_blocks_of_their_own() -> None:
    address = ["Bill to", "Minton Copper", "148 Station Road", "Linford"]
    dates = ["Number: UP-778258", "Date: 22/02/2008", "Contact: Clara Stow"]
    assert _beside(address, dates, 650) == ["\n".join(address), "\n".join(dates)]


def test_names_and_their_values_stay_beside_each_other() -> None:
    names, values = ["Name:", "Street:", "Town:"], ["Minton", "Station Road", "Linford"]
    pairs = list(zip(names, values, strict=True))
    assert [text.split() for text in "\n".join(_beside(names, values, 650)).split("\n")] == [
        f"{name} {value}".split() for name, value in pairs
    ]
    (near,) = _beside(["Vessel", "Berth", "Holder"], ["Anemone", "forty-two", "Fenn"], 220)
    assert near.split() == ["Vessel", "Anemone", "Berth", "forty-two", "Holder", "Fenn"]


def test_columns_of_prose_between_rules_are_no_table() -> None:
    words = "which the tide had carried far beyond the quay and left there"
    lines = [
        _line_at(words[at % 7 : at % 7 + 34], 80 + 320 * column, 300 + 25 * at)
        for column in range(3)
        for at in range(12)
    ]
    rules = tuple(Rule(start=(80, y), end=(1000, y)) for y in (290, 610))
    blocks = structure(lines, 1100, HEIGHT, drawn=Drawn(rules=rules))[1]
    assert all(block.table is None for block in blocks)


def test_an_address_beside_dates_is_a_block_of_its_own() -> None:
    address = ["Harbour Office", "7 Tidal Row", "Northwick NW3"]
    dates = [("Number", "2024-00713"), ("Date", "18.03.2024"), ("Due", "17.04.2024")]
    dates += [("Customer", "40 118"), ("Order", "226"), ("Delivery", "12.03.2024")]
    lines = [_line_at(text, 100, 300 + 25 * at) for at, text in enumerate(address)]
    for at, (name, value) in enumerate(dates):
        lines += [_line_at(name, 600, 300 + 25 * at), _line_at(value, 800, 300 + 25 * at)]
    blocks = structure(lines, 1100, HEIGHT)[1]
    [own] = [block for block in blocks if "Tidal" in block.text]
    assert own.text.split("\n") == address and own.table is None


def _line_at(text: str, x: float, y: float) -> Line:
    return Line(text=text, polygon=polygon_of((x, y, x + 8.0 * len(text), y + 20)))


def test_rows_that_hang_below_bullets_do_not_part_the_paragraph_above() -> None:
    rows = _prose(0, 100, 100, 3)
    for item in range(5):
        top = 200 + 60 * item
        rows.append(_line(f"• item {item} that goes on below", 100, top, right=500))
        rows.append(_line("and ends there", 112, top + 25))
    starts = [
        part[0].text
        for part in paragraphs(
            [Row.of((n,), (line,), (box_of(line.polygon),)) for n, line in enumerate(rows)]
        )
    ]
    assert len(starts) == 6, starts
