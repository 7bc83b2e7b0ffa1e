"""What blocks are told to be by their size, place and words; captions; what is drawn."""

import msgspec
import pytest

from pagetide.document import Block, Line
from pagetide.geometry import Box, box_of, polygon_of
from pagetide.layout import Area, Drawn, Rule
from pagetide.structure import structure
from pagetide.structure.figures.captions import caption_begins, tied
from pagetide.structure.tables import are_searched

WIDTH, HEIGHT = 1000, 1400
PICTURE: Box = (100, 500, 500, 800)


def _line(text: str, x: float, y: float, *, right: float = 0, size: float = 20) -> Line:
    end = right or x + 0.5 * size * len(text)
    return Line(text=text, polygon=polygon_of((x, y, end, y + size)))


def _prose(x: float, y: float, count: int = 8, *, size: float = 20) -> list[Line]:
    return [
        _line(f"line {i} of a paragraph of words", x, y + 1.25 * size * i, right=x + 400)
        for i in range(count)
    ]


def _structured(lines: list[Line], drawn: Drawn | None = None) -> tuple[Block, ...]:
    return structure(lines, WIDTH, HEIGHT, drawn=drawn or Drawn())[1]


def test_small_print_at_the_foot_with_a_mark_is_a_footnote() -> None:
    note = _line("1 See the tables of the year before.", 100, 1200, size=14)
    assert [block.kind for block in _structured([*_prose(100, 200), note])][-1] == "footnote"
    plain = _line("See the tables of the year before.", 100, 1200, size=14)
    assert [block.kind for block in _structured([*_prose(100, 200), plain])][-1] == "text"


def test_small_print_above_the_text_is_no_footnote() -> None:
    note = _line("1 See the tables.", 100, 900, size=14)
    kinds = [block.kind for block in _structured([note, *_prose(100, 1000)])]
    assert "footnote" not in kinds


def test_what_stands_below_a_heading_that_says_so_are_references() -> None:
    lines = [
        *_prose(100, 200),
        _line("References", 100, 500, size=30),
        _line("[1] A. Author, A Book, 1999.", 100, 560),
        _line("[2] B. Writer, Another, 2001.", 100, 620),
    ]
    kinds = {block.text[:3]: block.kind for block in _structured(lines)}
    assert kinds["[1]"] == kinds["[2]"] == "reference"
    assert kinds["lin"] == "text"


def test_rows_that_end_in_dots_and_a_number_are_contents() -> None:
    rows = [
        _line(f"Chapter {i} {'.' * 30} {i * 7}", 100, 200 + 25 * i, right=700) for i in range(8)
    ]
    assert [block.kind for block in _structured(rows)] == ["toc"]


def test_a_picture_is_a_figure_with_its_place_in_the_order() -> None:
    lines = [*_prose(100, 200), *_prose(100, 900)]
    blocks = _structured(lines, Drawn(pictures=(PICTURE,)))
    assert [block.kind for block in blocks] == ["text", "figure", "text"]
    assert box_of(blocks[1].polygon) == PICTURE


def test_a_picture_behind_the_text_is_none() -> None:
    whole = Drawn(pictures=((0, 0, WIDTH, HEIGHT),))
    assert [block.kind for block in _structured(_prose(100, 200), whole)] == ["text"]
    behind = Drawn(pictures=((90, 190, 510, 420),))
    assert [block.kind for block in _structured(_prose(100, 200), behind)] == ["text"]


def test_letters_inside_a_picture_belong_to_it() -> None:
    inside = _line("North", 200, 600)
    lines = [*_prose(100, 200), inside, *_prose(100, 900)]
    ordered, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(pictures=(PICTURE,)))
    figure = next(block for block in blocks if block.kind == "figure")
    assert [ordered[index] for index in figure.line_indexes] == [inside]


def test_a_caption_names_the_figure_it_stands_under() -> None:
    caption = _line("Figure 3: The tide at noon", 100, 810)
    lines = [*_prose(100, 200), caption, *_prose(100, 900)]
    blocks = _structured(lines, Drawn(pictures=(PICTURE,)))
    figure = next(block for block in blocks if block.kind == "figure")
    found = next(block for block in blocks if block.kind == "caption")
    assert found.text.startswith("Figure 3") and found.caption_of == figure.order


def test_a_sentence_that_speaks_of_a_figure_is_no_caption() -> None:
    said = _line("Figure 3 shows that the tide at noon was higher than before.", 100, 810)
    blocks = _structured([*_prose(100, 200), said], Drawn(pictures=(PICTURE,)))
    assert [block.kind for block in blocks if block.text.startswith("Figure 3")] == ["text"]


def test_a_caption_far_from_any_figure_names_none() -> None:
    far = _line("Figure 3: The tide at noon", 100, 1200)
    blocks = _structured([*_prose(100, 800), far], Drawn(pictures=((100, 100, 500, 400),)))
    [found] = [block for block in blocks if block.kind == "caption"]
    assert found.caption_of is None


def test_a_sentence_about_a_figure_far_away_is_text() -> None:
    far = _line("Figure 3 shows the tide at noon.", 100, 1200)
    blocks = _structured([*_prose(100, 800), far], Drawn(pictures=((100, 100, 500, 400),)))
    assert "caption" not in {block.kind for block in blocks}


def test_a_table_s_caption_goes_to_the_table_though_a_figure_is_nearer() -> None:
    figure = Block(kind="figure", polygon=polygon_of((0, 0, 100, 100)), order=0)
    words = Block(
        kind="caption", polygon=polygon_of((0, 105, 100, 125)), order=1, text="Table 2. Ebb"
    )
    table = Block(kind="table", polygon=polygon_of((0, 140, 100, 300)), order=2)
    assert tied([figure, words, table])[1].caption_of == 2


def test_a_number_between_dashes_at_the_foot_is_no_list() -> None:
    foot = _line("- 41 -", 480, 1340)
    assert [block.kind for block in _structured([*_prose(100, 200), foot])][-1] == "page_number"


def test_a_number_alone_in_a_header_is_the_page_number() -> None:
    top = Area(label="header", kind="header", polygon=polygon_of((400, 20, 460, 60)))
    number = _line("17", 420, 30)
    _, blocks = structure([number, *_prose(100, 200)], WIDTH, HEIGHT, (top,))
    assert [block.kind for block in blocks if block.text == "17"] == ["page_number"]


def test_what_begins_like_a_caption() -> None:
    assert caption_begins("Table 3. Results") is True
    assert caption_begins("Tabelle IV: Ergebnisse") is True
    assert caption_begins("Fig. 12 The moon") is False
    assert caption_begins("Abb. 3: Mond") is False
    assert caption_begins("表1 結果") is True
    assert caption_begins("الجدول 2 – النتائج") is True
    assert caption_begins("الشكل 1 – الميناء") is False
    assert caption_begins("Рисунок 4. Порт") is False
    assert caption_begins("Figures are given in thousands") is None
    assert caption_begins("Table of contents") is None


def test_areas_of_a_layout_model_name_the_blocks_and_keep_their_label() -> None:
    lines = _prose(100, 200)
    area = Area(
        label="text", kind="text", polygon=polygon_of((95, 195, 505, 400)), confidence=0.9
    )
    _, (block,) = structure(lines, WIDTH, HEIGHT, (area,))
    assert (block.label, block.confidence, block.kind) == ("text", 0.9, "text")


def test_the_model_s_own_order_goes_before_the_cut() -> None:
    upper, lower = _prose(100, 200), _prose(100, 700)
    areas = [
        Area(label="text", kind="text", polygon=polygon_of((95, y, 505, y + 210)), order=order)
        for y, order in ((195, 1), (695, 0))
    ]
    ordered, _ = structure([*upper, *lower], WIDTH, HEIGHT, areas)
    assert ordered[0] == lower[0] and ordered[-1] == upper[-1]


def test_what_the_model_gives_no_place_follows_the_block_above_it() -> None:
    upper, missed, lower = _prose(100, 200), _prose(100, 600), _prose(100, 1000)
    areas = [
        Area(label="text", kind="text", polygon=polygon_of((95, y, 505, y + 210)), order=order)
        for y, order in ((195, 0), (995, 1))
    ]
    ordered, _ = structure([*upper, *missed, *lower], WIDTH, HEIGHT, areas)
    assert list(ordered) == [*upper, *missed, *lower]


def _hebrew(x: float, y: float, right: float) -> Line:
    return Line(text="שורה של טקסט בעמודה", polygon=polygon_of((x, y, right, y + 20)))


def test_columns_of_a_script_from_right_to_left_are_read_from_the_right() -> None:
    left = [_hebrew(50, 200 + 25 * i, 450) for i in range(6)]
    right = [_hebrew(550, 205 + 25 * i, 950) for i in range(6)]
    ordered, blocks = structure([*left, *right], WIDTH, HEIGHT)
    assert list(ordered) == right + left
    assert box_of(blocks[0].polygon) == (550, 205, 950, 350)


def test_a_page_that_is_not_searched_for_tables_is_told_apart() -> None:
    rules = tuple(Rule(start=(0, y), end=(9, y)) for y in range(1001))
    assert are_searched(_prose(100, 200), Drawn())
    assert not are_searched(_prose(100, 200), Drawn(rules=rules))
    assert not are_searched(_prose(100, 200), Drawn(too_many=True))


def _bold(line: Line) -> Line:
    return msgspec.structs.replace(line, bold=True)


def _kinds(lines: list[Line], drawn: Drawn | None = None) -> dict[str, str]:
    return {block.text.split("\n")[0]: block.kind for block in _structured(lines, drawn)}


def test_a_bold_row_over_wider_text_is_a_heading_of_the_text_s_own_size() -> None:
    lines = [*_prose(100, 200), _bold(_line("Scope", 100, 420)), *_prose(100, 445)]
    assert _kinds(lines)["Scope"] == "heading"


def test_where_all_is_bold_it_says_nothing() -> None:
    rows = [*_prose(100, 200), _line("Scope", 100, 404), *_prose(100, 429)]
    assert "heading" not in _kinds([_bold(row) for row in rows]).values()


def test_a_firm_in_bold_over_its_address_is_no_heading() -> None:
    address = [
        _bold(_line("Northwick Rope and Sail", 100, 150)),
        _line("Quay 14", 100, 175),
        _line("Northwick", 100, 200),
    ]
    assert "heading" not in _kinds([*address, *_prose(100, 500)]).values()


def test_a_short_row_nearer_to_the_prose_below_is_a_heading() -> None:
    lines = [*_prose(100, 200), _line("The year ahead", 100, 440), *_prose(100, 475)]
    assert _kinds(lines)["The year ahead"] == "heading"


def test_two_letters_are_no_heading_whatever_a_layout_model_calls_them() -> None:
    lines = [*_prose(100, 200), _line("MM", 100, 440, size=34), *_prose(100, 500)]
    areas = [
        Area(label="paragraph_title", kind="heading", polygon=polygon_of((90, 435, 200, 480))),
        Area(label="text", kind="text", polygon=polygon_of((95, 195, 505, 400))),
    ]
    _, blocks = structure(lines, WIDTH, HEIGHT, areas)
    assert {block.text: block.kind for block in blocks}["MM"] == "text"


def test_two_letters_are_no_heading() -> None:
    lines = [*_prose(100, 200), _line("MM", 100, 440, size=34), *_prose(100, 500)]
    assert _kinds(lines)["MM"] == "text"


def test_small_print_in_rows_at_the_foot_is_the_footer() -> None:
    foot = [_line(f"Phone 0461 {i} of the firm", 100, 1290 + 18 * i, size=14) for i in range(3)]
    assert _structured([*_prose(100, 200), *foot])[-1].kind == "footer"
    letters = [_line(f"Kind regards {i} of us", 100, 1250 + 25 * i) for i in range(3)]
    assert _structured([*_prose(100, 200), *letters])[-1].kind == "text"


@pytest.mark.parametrize(
    "said", ["3 / 5", "Page 3 of 5", "第 3 页 共 5 页", "صفحة 3 من 5", "- 3 -"]
)
def test_a_page_s_number_is_told_in_many_ways(said: str) -> None:
    found = _structured([*_prose(100, 200), _line(said, 450, 1350, right=540)])
    assert found[-1].kind == "page_number"


def test_a_page_s_number_beside_a_footer_stands_by_itself() -> None:
    foot = [
        _line("Harbour Office", 100, 1350, right=240),
        _line("Page 3 of 5", 700, 1350, right=810),
    ]
    kinds = _kinds([*_prose(100, 200), *foot])
    assert kinds["Harbour Office"] == "footer" and kinds["Page 3 of 5"] == "page_number"


def test_the_numbers_around_a_chart_are_the_figure_s() -> None:
    labels = [_line(str(n), 70, 500 + 90 * n, right=92) for n in range(4)]
    blocks = _structured([*_prose(100, 100), *labels], Drawn(pictures=(PICTURE,)))
    [figure] = [block for block in blocks if block.kind == "figure"]
    assert len(figure.line_indexes) == 4


def test_what_alone_says_that_it_is_the_page_s_number_is_no_heading() -> None:
    title = [_line("Invoice", 100, 300, size=30), _bold(_line("Page 1", 600, 300))]
    lines = [*_prose(100, 150, 4), *title, *_prose(100, 420), *_prose(600, 420)]
    assert _kinds(lines)["Page 1"] == "page_number"
    other = _bold(_line("Page 7", 600, 620))
    kinds = _kinds([*lines, other, *_prose(600, 645)])
    assert "page_number" not in (kinds["Page 1"], kinds["Page 7"])


@pytest.mark.parametrize("marks", ["„”", "«»", "“”", '""', "„“"])
def test_a_sentence_in_quotation_marks_is_no_heading(marks: str) -> None:
    rows = [f"{marks[0]}Four thousand stones, and", f"each is a tale.{marks[1]}"]
    quote = [
        _line(row, 130, 435 + 34 * n, right=130 + 17 * len(row), size=27)
        for n, row in enumerate(rows)
    ]
    lines = [*_prose(100, 200), *quote, *_prose(100, 543)]
    assert [block.kind for block in _structured(lines)] == ["text"] * 3
