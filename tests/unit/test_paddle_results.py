"""PaddleOCR's results: what the captured ones do not show, and the traps of the package."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Block
from pagetide.engines.paddle.results.html_tables import table_of
from pagetide.engines.paddle.results.ocr_lines import bare_formula
from pagetide.engines.paddle.results.parsed import parse_ocr, parse_structurev3
from pagetide.geometry import box_of

Json = dict[str, Any]


def corners(x0: float, y0: float, x1: float, y1: float) -> list[list[float]]:
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def ocr(*read: tuple[str, float, tuple[float, float, float, float]], **more: Any) -> Json:
    """The result of the text pipeline, of texts with scores and boxes."""
    places = [corners(*box) for _, _, box in read]
    return {
        "dt_polys": places,
        "rec_polys": places,
        "rec_boxes": [list(box) for _, _, box in read],
        "rec_texts": [text for text, _, _ in read],
        "rec_scores": [score for _, score, _ in read],
        **more,
    }


def structured(blocks: list[tuple[str, str, list[float]]], read: Json, **more: Any) -> Json:
    """A result of PP-StructureV3, of labels, contents and boxes."""
    return {
        "model_settings": {"use_table_recognition": True, **more.pop("model_settings", {})},
        "parsing_res_list": [
            {
                "block_label": label,
                "block_content": content,
                "block_bbox": box,
                "block_id": i,
                "block_order": None if label == "table" else i,
            }
            for i, (label, content, box) in enumerate(blocks)
        ],
        "layout_det_res": {"boxes": []},
        "overall_ocr_res": read,
        **more,
    }


def blocks_of(result: Json, width: int = 400, height: int = 300) -> tuple[Block, ...]:
    found = parse_structurev3(result, width, height).blocks
    assert found is not None
    return found


def preprocessed(angle: int, *, flattened: bool = False) -> Json:
    settings = {"use_doc_orientation_classify": True, "use_doc_unwarping": flattened}
    return {"doc_preprocessor_res": {"angle": angle, "model_settings": settings}}


def test_an_empty_page_has_no_lines() -> None:
    blank = parse_ocr(ocr(), 400, 300)
    assert blank.lines == () and blank.error is None
    assert blocks_of(structured([], ocr())) == ()


def test_polygons_that_paddlex_dropped_are_counted() -> None:
    """`rec_*` is shorter than `dt_polys` where a line was read with too low a score."""
    result = ocr(("kept", 0.9, (10, 10, 90, 30)))
    result["dt_polys"] = [*result["dt_polys"], corners(10, 50, 90, 70), corners(0, 90, 9, 99)]
    found = parse_ocr(result, 400, 300)
    assert [line.text for line in found.lines] == ["kept"]
    assert found.lines_below_confidence == 2


def test_lines_below_the_wanted_confidence_are_left_out_and_counted() -> None:
    result = ocr(
        ("sure", 0.9, (10, 10, 90, 30)),
        ("unsure", 0.3, (10, 40, 90, 60)),
        ("", 0.0, (10, 70, 90, 90)),
    )
    found = parse_ocr(result, 400, 300, 0.5)
    assert [line.text for line in found.lines] == ["sure"]
    assert found.lines_below_confidence == 2
    assert len(parse_ocr(result, 400, 300).lines) == 2


def test_a_text_that_paddlex_emptied_is_no_line_and_not_counted() -> None:
    """What lies across two blocks it reads again in pieces, and empties the whole."""
    result = ocr(("", 0.98, (10, 10, 90, 30)), ("piece", 0.9, (10, 10, 50, 30)))
    found = parse_structurev3(structured([], result), 400, 300)
    assert [line.text for line in found.lines] == ["piece"]
    assert found.lines_below_confidence == 0


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_what_was_turned_for_reading_is_mapped_back(turn: int) -> None:
    """PaddleX turns the picture by `angle` against the clock before it reads."""
    width, height = 60, 40
    page = np.zeros((height, width), np.uint8)
    page[5:12, 8:31] = 1  # where something stands on the page as given
    seen = np.rot90(page, turn // 90)
    rows, columns = np.nonzero(seen)
    box = (float(columns.min()), float(rows.min()), columns.max() + 1.0, rows.max() + 1.0)
    result = {**ocr(("text", 0.9, box)), **preprocessed(turn)}
    found = parse_ocr(result, width, height)
    assert found.orientation == turn
    assert box_of(found.lines[0].polygon) == (8, 5, 31, 12)
    assert all(0 <= x <= width and 0 <= y <= height for x, y in found.lines[0].polygon)


def test_blocks_cells_and_words_are_mapped_back_too() -> None:
    html = "<table><tr><td>one</td></tr></table>"
    read = ocr(("one", 0.9, (10, 20, 60, 40)))
    result = structured(
        [("table", html, [5, 10, 90, 60])],
        read,
        table_res_list=[{"pred_html": html, "cell_box_list": [[5, 10, 90, 60]]}],
        **preprocessed(90),
    )
    # The page stands 300 wide and 400 high; upright it is 400 by 300.
    (block,) = blocks_of(result, 300, 400)
    assert box_of(block.polygon) == (240, 5, 290, 90)
    assert block.table and block.table.cells[0].polygon
    assert box_of(block.table.cells[0].polygon) == (240, 5, 290, 90)
    line = parse_structurev3(result, 300, 400).lines[0]
    assert box_of(line.polygon) == (260, 10, 280, 60)
    assert box_of(line.words[0].polygon) == (260, 10, 280, 60)


def test_a_flattened_page_says_that_its_places_are_not_the_pages() -> None:
    result = {**ocr(), **preprocessed(0, flattened=True)}
    assert [w.code for w in parse_ocr(result, 9, 9).warnings] == ["rectified_coordinates"]
    assert parse_ocr({**ocr(), **preprocessed(0)}, 9, 9).warnings == ()


def test_a_turn_that_nobody_looked_for_is_none() -> None:
    assert parse_ocr({**ocr(), **preprocessed(-1)}, 9, 9).orientation == 0


def test_a_line_found_upside_down_begins_at_its_other_end() -> None:
    result = ocr(
        ("normal", 0.9, (10, 10, 90, 30)),
        ("over", 0.9, (10, 50, 90, 70)),
        textline_orientation_angles=[0, 1],
    )
    first, second = parse_ocr(result, 400, 300).lines
    assert first.polygon[0] == (10, 10)
    assert second.polygon[:2] == ((90, 70), (10, 70))


def test_a_standing_line_runs_down_as_it_was_read() -> None:
    (line,) = parse_ocr(ocr(("down", 0.9, (100, 20, 120, 200))), 400, 300).lines
    assert line.polygon[:2] == ((120, 20), (120, 200))


def test_lines_stay_on_the_page() -> None:
    (line,) = parse_ocr(ocr(("x y", 0.9, (-3, -2, 405, 20))), 400, 300).lines
    assert box_of(line.polygon) == (0, 0, 400, 20)


def test_the_pipelines_words_are_joined_where_no_space_parts_them() -> None:
    result = ocr(
        ("it fell.", 0.9, (0, 0, 80, 10)),
        text_word=[["it", "fell", "."]],
        text_word_boxes=[[[0, 0, 18, 10], [30, 0, 70, 10], [70, 0, 80, 10]]],
    )
    (line,) = parse_ocr(result, 400, 300).lines
    assert [(word.text, box_of(word.polygon)) for word in line.words] == [
        ("it", (0, 0, 18, 10)),
        ("fell.", (30, 0, 80, 10)),
    ]


def test_characters_of_a_script_without_spaces_are_words() -> None:
    result = ocr(
        ("年2026年", 0.9, (0, 0, 60, 10)),
        text_word=[["年", "2026", "年"]],
        text_word_boxes=[[[0, 0, 10, 10], [10, 0, 50, 10], [50, 0, 60, 10]]],
    )
    (line,) = parse_ocr(result, 400, 300).lines
    assert [word.text for word in line.words] == ["年", "2026", "年"]


def test_words_that_do_not_make_up_their_line_are_not_believed() -> None:
    result = ocr(
        ("two words", 0.9, (0, 0, 90, 10)),
        text_word=[["two"]],
        text_word_boxes=[[[0, 0, 30, 10]]],
    )
    (line,) = parse_ocr(result, 400, 300).lines
    assert [word.text for word in line.words] == ["two", "words"]


def test_a_table_is_linked_by_where_it_lies_not_by_its_number() -> None:
    """Upstream counts blocks and tables side by side, so one dropped block shifts them all."""
    one, two = (f"<table><tr><td>{text}</td></tr></table>" for text in ("one", "two"))
    result = structured(
        [("table", two, [0, 0, 100, 50]), ("table", one, [0, 100, 100, 150])],
        ocr(),
        table_res_list=[
            {"pred_html": two, "cell_box_list": [[2, 102, 98, 148]]},
            {"pred_html": one, "cell_box_list": [[2, 2, 98, 48]]},
        ],
    )
    assert [block.text for block in blocks_of(result)] == ["one", "two"]


def test_cell_boxes_count_only_where_there_are_as_many_as_cells() -> None:
    html = "<table><tr><td>a</td><td>b</td></tr></table>"
    boxes = [[0, 0, 50, 50], [50, 0, 100, 50]]

    def polygons(cell_boxes: list[list[int]]) -> list[bool]:
        result = structured(
            [("table", html, [0, 0, 100, 50])],
            ocr(),
            table_res_list=[{"pred_html": html, "cell_box_list": cell_boxes}],
        )
        (block,) = blocks_of(result)
        assert block.table and [cell.text for cell in block.table.cells] == ["a", "b"]
        return [cell.polygon is not None for cell in block.table.cells]

    assert polygons(boxes) == [True, True]
    assert polygons(boxes[:1]) == [False, False]
    assert polygons(boxes[::-1]) == [False, False]  # as many, but not of these cells


def test_a_table_without_cells_keeps_its_lines_and_says_so() -> None:
    result = structured(
        [("table", "", [0, 0, 100, 50])],
        ocr(("alone", 0.9, (10, 10, 90, 30))),
        table_res_list=[{"pred_html": "", "cell_box_list": []}],
    )
    (block,) = blocks_of(result)
    assert (block.kind, block.table, block.text) == ("table", None, "alone")
    assert [warning.code for warning in block.warnings] == ["block_failed"]


def test_a_formula_is_latex_and_nobody_measured_its_confidence() -> None:
    read = ocr(
        ("E=mc^{2}", 1, (10, 10, 90, 40)),
        ("where c is constant", 0.9, (10, 60, 200, 80)),
        ("\\alpha", 1, (205, 60, 220, 80)),
    )
    formulas = [
        {"rec_formula": "E=mc^{2}", "dt_polys": [10.4, 10.2, 90.7, 40.1]},
        {"rec_formula": "\\alpha", "dt_polys": [205.0, 60.0, 220.9, 80.0]},
    ]
    result = structured(
        [("formula", "x", [5, 5, 95, 45]), ("text", "x", [5, 55, 230, 85])],
        read,
        formula_res_list=formulas,
        model_settings={"use_formula_recognition": True},
    )
    formula, text = blocks_of(result)
    assert (formula.kind, formula.text) == ("formula", "E=mc^{2}")
    assert text.text == "where c is constant $\\alpha$"
    confidences = [line.confidence for line in parse_structurev3(result, 400, 300).lines]
    assert confidences == [None, 0.9, None]


def test_a_formula_that_no_network_read_has_its_lines() -> None:
    result = structured(
        [("formula", "", [5, 5, 95, 45])], ocr(("E = mc2", 0.8, (10, 10, 90, 40)))
    )
    (block,) = blocks_of(result)
    assert block.text == "E = mc2"


@pytest.mark.parametrize("kind", ["seal", "chart"])
def test_a_seal_and_a_chart_say_what_their_own_network_read(kind: str) -> None:
    read = ocr(("noise", 0.6, (10, 10, 90, 30)))
    blocks = [(kind, "read apart\n", [0.0, 0.0, 100.0, 50.0])]
    own = {f"use_{kind}_recognition": True}
    (block,) = blocks_of(structured(blocks, read, model_settings=own))
    assert (block.kind, block.text) == (kind, "read apart")
    (block,) = blocks_of(structured(blocks, read))
    assert block.text == "noise"


def test_an_unknown_label_is_other_and_kept() -> None:
    (block,) = blocks_of(structured([("hologram", "", [0, 0, 50, 50])], ocr()))
    assert (block.kind, block.label) == ("other", "hologram")


def test_a_line_that_touches_two_blocks_belongs_to_one() -> None:
    result = structured(
        [("text", "", [0, 0, 100, 50]), ("text", "", [100, 0, 200, 50])],
        ocr(("mostly left", 0.9, (20, 10, 120, 30)), ("outside", 0.9, (10, 200, 90, 220))),
    )
    found = parse_structurev3(result, 400, 300)
    assert [block.line_indexes for block in found.blocks or ()] == [(0,), ()]
    assert [line.text for line in found.lines] == ["mostly left", "outside"]


def test_rows_are_read_from_the_left_and_arabic_from_the_right() -> None:
    def text(*words: str) -> str:
        read = ocr(
            (words[0], 0.9, (10, 10, 60, 30)),
            (words[1], 0.9, (70, 12, 120, 32)),
        )
        return blocks_of(structured([("text", "", [0, 0, 150, 50])], read))[0].text

    assert text("one", "two") == "one two"
    assert text("واحد", "اثنان") == "اثنان واحد"


def test_upright_columns_are_read_from_the_right() -> None:
    read = ocr(
        ("左の列", 0.9, (10, 10, 30, 200)),
        ("右の列", 0.9, (40, 10, 60, 200)),
    )
    (block,) = blocks_of(structured([("vertical_text", "", [0, 0, 100, 250])], read))
    assert block.text == "右の列\n左の列"


@pytest.mark.parametrize(
    ("written", "bare"),
    [
        (" $$ E=mc^2 $$ ", "E=mc^2"),
        ("$x$", "x"),
        ("\\[a\\]", "a"),
        ("\\(b\\)", "b"),
        ("c", "c"),
        ("$$", "$$"),
        ("", ""),
    ],
)
def test_a_formula_loses_the_marks_around_it(written: str, bare: str) -> None:
    assert bare_formula(written) == bare


def grid(html: str) -> list[tuple[int, int, int, int, str]]:
    table = table_of(html)
    assert table
    return [(c.row, c.column, c.row_span, c.column_span, c.text) for c in table.cells]


def test_spans_push_the_cells_beside_and_below_aside() -> None:
    html = (
        "<html><body><table><thead><tr><th rowspan='2'>A</th><th colspan=\"2\">B</th></tr>"
        "<tr><th>c</th><th>d</th></tr></thead><tbody><tr><td>1</td><td>2 &amp; 3</td>"
        "<td>x<br/>y</td></tr></tbody></table></body></html>"
    )
    assert grid(html) == [
        (0, 0, 2, 1, "A"),
        (0, 1, 1, 2, "B"),
        (1, 1, 1, 1, "c"),
        (1, 2, 1, 1, "d"),
        (2, 0, 1, 1, "1"),
        (2, 1, 1, 1, "2 & 3"),
        (2, 2, 1, 1, "x\ny"),
    ]
    table = table_of(html)
    assert table and [cell.header for cell in table.cells] == [True] * 4 + [False] * 3


def test_a_span_ends_where_the_table_does_and_where_another_begins() -> None:
    assert grid("<table><tr><td rowspan=9>a</td></tr></table>") == [(0, 0, 1, 1, "a")]
    assert grid("<table><tr><td rowspan=0>a</td></tr><tr><td>b</td></tr></table>") == [
        (0, 0, 2, 1, "a"),
        (1, 1, 1, 1, "b"),
    ]
    crossing = (
        "<table><tr><td>a</td><td rowspan=2>b</td></tr><tr><td colspan=3>c</td></tr></table>"
    )
    assert grid(crossing)[-1] == (1, 0, 1, 1, "c")


def test_what_is_no_table_is_none() -> None:
    assert table_of("") is None
    assert table_of("no table") is None
    assert table_of("<table></table>") is None


def test_a_table_in_a_cell_is_text_of_the_cell() -> None:
    html = "<table><tr><td>a<table><tr><td>inner</td></tr></table>b</td><td>c</td></tr></table>"
    assert grid(html) == [(0, 0, 1, 1, "ainnerb"), (0, 1, 1, 1, "c")]


_TAGS = st.sampled_from(
    [
        "<table>",
        "</table>",
        "<tr>",
        "</tr>",
        "<td>",
        "</td>",
        "<th>",
        "<thead>",
        "</thead>",
        "<br>",
        "text",
        "&nbsp;",
        "<",
        "<td",
        '<td\tcolspan="3">',
        '<td\trowspan="2">',
        "<td\trowspan=-1>",
        '<td\tcolspan="1e9">',
        '<td\tcolspan="99999999">',
    ]
)


@given(st.lists(_TAGS, max_size=40))
def test_no_two_cells_share_a_place_whatever_is_written(tags: list[str]) -> None:
    table = table_of("".join(tags))
    if table is None:
        return
    taken = set()
    for cell in table.cells:
        assert cell.row + cell.row_span <= table.rows
        assert cell.column + cell.column_span <= table.columns
        for row in range(cell.row, cell.row + cell.row_span):
            for column in range(cell.column, cell.column + cell.column_span):
                assert (row, column) not in taken
                taken.add((row, column))


_BOX = st.tuples(
    st.integers(0, 300), st.integers(0, 200), st.integers(1, 100), st.integers(1, 100)
).map(lambda b: (float(b[0]), float(b[1]), float(b[0] + b[2]), float(b[1] + b[3])))


@given(st.lists(_BOX, max_size=8), st.lists(_BOX, max_size=12), st.sampled_from([0, 90, 180]))
def test_order_is_dense_and_every_line_is_there_once(
    areas: list[tuple[float, ...]], places: list[Any], angle: int
) -> None:
    read = ocr(*[(f"line {i}", 0.9, place) for i, place in enumerate(places)])
    listed = [("text", "", list(area)) for area in areas]
    found = parse_structurev3({**structured(listed, read), **preprocessed(angle)}, 400, 400)
    assert [block.order for block in found.blocks or ()] == list(range(len(areas)))
    owned = [index for block in found.blocks or () for index in block.line_indexes]
    assert len(owned) == len(set(owned))
    assert sorted(line.text for line in found.lines) == sorted(read["rec_texts"])
