"""Parts of a page that are told before its paragraphs: contents, a foot in columns, figures."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Block, Line
from pagetide.geometry import Box, box_of, polygon_of
from pagetide.layout import Area, Drawn
from pagetide.structure import structure
from pagetide.structure.order.reading_order import xy_cut
from pagetide.structure.rows import has_word
from pagetide.structure.tables import find_tables

WIDTH, HEIGHT = 1000, 1400
SENTENCE = "one of many lines of a paragraph that goes on"


def _line(text: str, x: float, y: float, right: float, size: float = 20) -> Line:
    return Line(text=text, polygon=polygon_of((x, y, right, y + size)))


def _prose(y: float, count: int = 6) -> list[Line]:
    return [_line(SENTENCE, 100, y + 25 * n, 900) for n in range(count)]


def _area(kind: str, box: Box) -> Area:
    return Area(label=kind, kind=kind, polygon=polygon_of(box), confidence=0.9)  # type: ignore[arg-type]


TEXT = _area("text", (100, 100, 900, 250))


def _blocks(
    lines: Sequence[Line], areas: Sequence[Area] = (TEXT,), drawn: Drawn | None = None
) -> tuple[Block, ...]:
    return structure(lines, WIDTH, HEIGHT, areas, drawn or Drawn())[1]


def test_titles_that_dots_lead_from_and_numbers_far_behind_are_contents() -> None:
    titles = ["Early report ......", "Second part ...", "Notes ........", "Index …"]
    lines = _prose(100)
    for n, title in enumerate(titles):
        lines += [
            _line(title, 100, 400 + 30 * n, 420),
            _line(str(3 * n + 2), 880, 402 + 30 * n, 900),
        ]
    areas = (TEXT, _area("text", (95, 395, 425, 515)), _area("text", (870, 395, 905, 515)))
    (toc,) = [block for block in _blocks(lines, areas) if block.kind == "toc"]
    said = [row.split("\t") for row in toc.text.split("\n")]
    assert said == [[title, str(3 * n + 2)] for n, title in enumerate(titles)]


def test_sentences_that_end_with_dots_are_no_contents() -> None:
    lines = [*_prose(100), *(_line("and so on ...", 100, 400 + 90 * n, 240) for n in range(4))]
    assert "toc" not in [block.kind for block in _blocks(lines)]


def test_a_foot_in_columns_is_read_column_by_column_with_the_number_by_itself() -> None:
    firm, phone = ["Oak Works Ltd", "12 Mill Lane", "Tarnside"], ["Phone 5816", "Web a.example"]
    lines = _prose(100)
    lines += [_line(said, 100, 1250 + 24 * n, 260) for n, said in enumerate(firm)]
    lines += [_line(said, 420, 1262 + 24 * n, 560) for n, said in enumerate(phone)]
    lines.append(_line("Page 2 of 3", 780, 1250, 900))
    feet = [(b.kind, b.text) for b in _blocks(lines) if b.kind != "text"]
    assert feet == [
        ("footer", "\n".join(firm)),
        ("footer", "\n".join(phone)),
        ("page_number", "Page 2 of 3"),
    ]


def test_notes_at_the_foot_of_two_columns_stay_notes() -> None:
    lines = _prose(100)
    for x in (100, 520):
        lines += [_line("1 A note of some length", x, 1250, x + 380, 15)]
        lines += [_line("which goes on below.", x, 1268, x + 300, 15)]
    assert "footer" not in [block.kind for block in _blocks(lines)]


@pytest.mark.parametrize("strokes", ["MM", "MMM", "mmm", "lll"])
def test_strokes_read_as_one_letter_are_no_word_and_head_nothing(strokes: str) -> None:
    assert not has_word(strokes)
    lines = [*_prose(100), _line(strokes, 100, 400, 300, 50), *_prose(500)]
    assert "heading" not in [block.kind for block in _blocks(lines)]


@pytest.mark.parametrize("said", ["Foo", "Hall", "aab", "表格", "III. Aim"])
def test_letters_that_differ_are_a_word(said: str) -> None:
    assert has_word(said)


def test_a_clause_with_a_number_of_two_parts_is_no_footnote() -> None:
    lines = [
        *_prose(100),
        *_prose(300),
        _line("7.3 The party keeps its word.", 100, 1150, 700, 18),
    ]
    last = max(_blocks(lines), key=lambda block: block.polygon[0][1])
    assert last.kind != "footnote"


def test_prose_that_a_model_calls_a_table_is_text() -> None:
    said = [
        "our report compares small rivers",
        "while every old bridge keeps",
        "its modest view of harbours here",
        "and no column stands beside it",
    ]
    lines = _prose(100) + [
        _line(text, 300, 600 + 26 * n, 700 - 90 * (n % 3)) for n, text in enumerate(said)
    ]
    blocks = _blocks(lines, (TEXT, _area("table", (290, 590, 720, 710))))
    assert {block.kind for block in blocks} == {"text"}


def test_a_curve_read_as_a_letter_does_not_hide_its_figure() -> None:
    curve = _line("V", 200, 500, 700, 300)
    lines = [*_prose(100), curve, _line("Number", 300, 600, 380), *_prose(900)]
    areas = (TEXT, _area("figure", (250, 490, 690, 810)), _area("text", (100, 900, 900, 1050)))
    (figure,) = [block for block in _blocks(lines, areas) if block.kind == "figure"]
    assert set(figure.text.split()) == {"V", "Number"}


def test_a_legend_beside_a_picture_on_a_page_is_part_of_it() -> None:
    names = [_line(name, 610, 520 + 30 * n, 700) for n, name in enumerate(("North", "South"))]
    lines = [*_prose(100), *names, *_prose(900)]
    areas = (TEXT, _area("text", (100, 900, 900, 1050)))
    drawn = Drawn(pictures=((300, 480, 600, 800),))
    (figure,) = [block for block in _blocks(lines, areas, drawn) if block.kind == "figure"]
    assert set(figure.text.split()) == {"North", "South"}


def test_a_page_with_its_number_is_no_picture_of_a_table() -> None:
    rows = [
        ("Oak shelf", "12", "4.50"),
        ("Steel bolt", "3", "6.00"),
        ("Desk lamp", "7", "9.25"),
    ] * 4
    lines = [
        _line(said, x, 30 + 30 * n, x + 9 * len(said))
        for n, each in enumerate(rows)
        for said, x in zip(each, (30.0, 300.0, 500.0), strict=True)
    ]
    lines.append(_line("Page 1 of 2", 30, 560, 150))
    boxes = [box_of(line.polygon) for line in lines]
    found = find_tables(lines, boxes, Drawn(), (), 560, 600)
    assert all(len(lines) - 1 not in cell.line_indexes for t in found for cell in t.table.cells)


def test_a_quotation_between_columns_is_read_whole_though_rows_of_it_end_early() -> None:
    left: list[Box] = [(100, 100 + 25 * n, 480, 120 + 25 * n) for n in range(30)]
    right: list[Box] = [(520, 100 + 25 * n, 900, 120 + 25 * n) for n in range(30)]
    beside = slice(10, 17)
    left[beside] = [(x0, y0, 400, y1) for x0, y0, _, y1 in left[beside]]
    right[beside] = [(600, y0, x1, y1) for _, y0, x1, y1 in right[beside]]
    quotation: list[Box] = [
        (420, 350 + 38 * n, end, 384 + 38 * n) for n, end in enumerate((560, 550, 490, 480))
    ]
    boxes = [*left, *right, *quotation]
    order = xy_cut(boxes)
    places = [order.index(60 + n) for n in range(4)]
    assert places == list(range(places[0], places[0] + 4))
    assert [i for i in order if i < 60] == list(range(60))
