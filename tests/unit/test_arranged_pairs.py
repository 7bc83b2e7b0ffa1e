"""Labels that a colon does not tell: in tables, in boxes, beside their values; and answers."""

from __future__ import annotations

import msgspec
import pytest

from pagetide.document import Block, Cell, Document, Line, Table, Word
from pagetide.geometry import box_of, polygon_of, union
from tests.unit.test_fields import GLYPH, HEIGHT, at, read


def block(lines: list[Line], *indexes: int, order: int = 0) -> Block:
    box = union(box_of(lines[n].polygon) for n in indexes)
    return Block(kind="text", polygon=polygon_of(box), line_indexes=indexes, order=order)


def spelled(x: float, y: float, text: str, gap: int = GLYPH) -> Line:
    """A line with its words, a wider space before those that begin with a capital."""
    line, words, left = at(x, y, text), list[Word](), x
    for word in text.split():
        left += gap if words and word[0].isupper() else GLYPH * bool(words)
        box = (left, y, left + GLYPH * len(word), y + HEIGHT)
        words.append(Word(text=word, polygon=polygon_of(box), confidence=0.9))
        left = box[2]
    whole = polygon_of((x, y, left, y + HEIGHT))
    return msgspec.structs.replace(line, polygon=whole, words=tuple(words))


def told(document: Document) -> list[tuple[str, str]]:
    return [(pair.label.text, pair.value.text) for pair in document.fields().pairs]


def placed(document: Document) -> list[tuple[str, str]]:
    pairs = document.fields().pairs
    return [(p.label.text, p.value.text) for p in pairs if p.found_by == "place"]


def tabled(lines: list[Line], cells: list[Cell]) -> Document:
    """A page that is a table of these cells, whose lines these are."""
    last = cells[-1]
    made = Table(rows=last.row + 1, columns=last.column + 1, cells=tuple(cells))
    whole = Block(
        kind="table",
        polygon=polygon_of((0, 0, 900, 400)),
        line_indexes=tuple(range(len(lines))),
        order=0,
        table=made,
    )
    return read(*lines, blocks=(whole,))


def table(rows: list[list[str]], heights: tuple[int, ...] = ()) -> Document:
    """A page that is a table; a line for each cell that is filled, of its row's height."""
    lines: list[Line] = []
    cells: list[Cell] = []
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            if text:
                x, y, high = 200 * c, 40 * r, heights[r] if heights else 16
                box = (x, y, x + 8 * len(text), y + high)
                lines.append(Line(text=text, polygon=polygon_of(box), confidence=0.9))
            at_line = (len(lines) - 1,) if text else ()
            cells.append(Cell(row=r, column=c, text=text, line_indexes=at_line))
    return tabled(lines, cells)


def test_a_table_of_two_columns_has_names_and_values() -> None:
    document = table([["EFFECTIVE DATE", "1/28/92"], ["PROJECT NO", "A-3111"]])
    assert placed(document) == [("EFFECTIVE DATE", "1/28/92"), ("PROJECT NO", "A-3111")]


def test_so_has_one_of_four() -> None:
    rows = [["City", "Research", "Media", "Panel"], ["Cost Center", "R-69452", "Brand", "Old"]]
    assert ("Cost Center", "R-69452") in placed(table(rows))
    assert ("Media", "Panel") in placed(table(rows))


def test_in_boxes_names_are_small_above_their_values() -> None:
    rows = [["NUMBER OF PAGES", "MATERIAL", "REGION"], ["4289", "", "Chicago"]]
    document = table(rows, heights=(11, 16))
    assert placed(document) == [("NUMBER OF PAGES", "4289"), ("REGION", "Chicago")]


@pytest.mark.parametrize(
    "rows",
    [
        [["Product", "Turnover"], ["Butter", "6028"], ["Margarine", "1385"], ["Cheese", "836"]],
        [["Tea", "4.50"], ["Bread", "2.10"], ["Milk", "1.05"]],
        [["Germany", "Austria"], ["Hungary", "Belgium"]],
    ],
)
def test_figures_under_a_head_prices_and_plain_words_are_no_pairs(
    rows: list[list[str]],
) -> None:
    assert placed(table(rows)) == []


def test_a_row_near_by_with_a_label_in_the_same_place_tells() -> None:
    lines = [
        at(0, 0, "Firm"),
        at(160, 0, "Tarn Works"),
        at(0, 30, "Amount"),
        at(160, 30, "4538"),
    ]
    document = read(*lines, blocks=(block(lines, 0, 1, 2, 3),))
    assert placed(document) == [("Firm", "Tarn Works"), ("Amount", "4538")]


def test_a_block_of_nothing_else_tells() -> None:
    lines = [at(0, 0, "Manager"), at(160, 0, "Ruth Fenn")]
    assert placed(read(*lines, blocks=(block(lines, 0, 1),))) == [("Manager", "Ruth Fenn")]


def test_a_value_may_stand_close_where_others_begin() -> None:
    lines = [
        at(0, 0, "Firm"),
        at(160, 0, "Tarn Works"),
        at(0, 30, "Sample Size"),
        at(160, 30, "1601"),
        spelled(0, 60, "Requested by person Ruth", gap=16),
    ]
    document = read(*lines, blocks=(block(lines, 0, 1, 2, 3, 4),))
    assert ("Requested by person", "Ruth") in placed(document)


def test_colons_may_stand_in_a_column_of_their_own() -> None:
    lines = [
        at(0, 0, "TO"),
        at(100, 0, ": Ruth Fenn"),
        at(0, 30, "FROM"),
        at(100, 30, ": Simon"),
    ]
    assert ("TO", "Ruth Fenn") in told(read(*lines, blocks=(block(lines, 0, 1, 2, 3),)))


def test_two_columns_of_text_are_no_pairs() -> None:
    left = [at(0, 30 * n, f"The {word} valley") for n, word in enumerate(("old", "new", "far"))]
    right = [at(300, 30 * n, f"A {word} river") for n, word in enumerate(("low", "big", "dry"))]
    lines = [*left, *right]
    blocks = (block(lines, 0, 1, 2), block(lines, 3, 4, 5, order=1))
    assert told(read(*lines, blocks=blocks)) == []


# Behind colons.


def test_labels_that_are_not_known_part_a_line() -> None:
    document = read(spelled(0, 0, "Study number: a-86045 no 4 Vessel: Mary", gap=16))
    assert told(document) == [("Study number", "a-86045 no 4"), ("Vessel", "Mary")]


def test_the_widest_line_of_labels_is_no_sentence() -> None:
    texts = ("BRAND: Fenn", "SALES REPRESENTATIVE: Ruth", "QUANTITY: 12")
    lines = [at(0, 30 * n, text) for n, text in enumerate(texts)]
    assert ("SALES REPRESENTATIVE", "Ruth") in told(
        read(*lines, blocks=(block(lines, 0, 1, 2),))
    )


def test_an_answer_in_sentences_goes_on_to_the_end_of_its_block() -> None:
    form = [at(0, 30 * n, f"{name}: 17{n}") for n, name in enumerate(("Brand", "Size", "Unit"))]
    said = (
        "Remarks: The samples were weighed after they had been kept dry for two",
        "days, and no other effects were noted by anybody in any of the cases,",
        "which is well.",
    )
    lines = [*form, *(at(0, 200 + 20 * n, text) for n, text in enumerate(said))]
    blocks = tuple(block(lines, n, order=n) for n in range(3))
    form_page = read(
        *lines,
        at(0, 100, "Store: 4"),
        blocks=(*blocks, block(lines, 3, 4, 5, order=3)),
    )
    [remarks] = [value for label, value in told(form_page) if label == "Remarks"]
    assert remarks.split("\n")[-1] == "which is well."
    assert len(remarks.split("\n")) == 3


def boxes(rows: list[list[str]]) -> Document:
    """A page that is a table; each cell has a line for each of its text's."""
    lines: list[Line] = []
    cells: list[Cell] = []
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            first = len(lines)
            lines += [
                at(200 * c, 60 * r + 20 * n, s) for n, s in enumerate(text.split("\n")) if s
            ]
            own = tuple(range(first, len(lines)))
            cells.append(Cell(row=r, column=c, text=text, line_indexes=own))
    return tabled(lines, cells)


def test_a_box_holds_a_label_over_its_value() -> None:
    rows = [
        ["City\nChicago", "Amount\n278", "Copies"],
        ["Routed\n8/6/88", "Unit", "Brand\nOld"],
    ]
    assert placed(boxes(rows)) == [
        ("City", "Chicago"),
        ("Amount", "278"),
        ("Routed", "8/6/88"),
        ("Brand", "Old"),
    ]


def test_heads_of_two_lines_over_rows_are_no_boxes() -> None:
    rows = [["Turnover\n2019", "Profit\n2019"], ["6028", "120"], ["1385", "17"], ["836", "4"]]
    assert placed(boxes(rows)) == []
