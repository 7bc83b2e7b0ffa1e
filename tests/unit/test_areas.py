"""Lines and a layout model's areas, fused into blocks."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import BlockKind, Line
from pagetide.geometry import Box, box_of, polygon_of
from pagetide.layout import NOTHING_DRAWN, Area, Drawn
from pagetide.layout.labels import kind_of
from pagetide.structure.areas.fused import drafts_of
from pagetide.structure.draft import Draft

WIDTH, HEIGHT = 1000, 1400
SENTENCE = "one of many lines of a paragraph that goes on"


def line(text: str, x: float, y: float, right: float, size: float = 20) -> Line:
    return Line(text=text, polygon=polygon_of((x, y, right, y + size)))


def prose(x: float, y: float, count: int, *, right: float, indent: float = 0) -> list[Line]:
    """Full lines 25 apart; the first set in, the last short and ended by a full stop."""
    lines = [
        line(SENTENCE, x + (indent if i == 0 else 0), y + 25 * i, right) for i in range(count)
    ]
    return [*lines[:-1], line("and ends here.", x, y + 25 * (count - 1), (x + right) / 2)]


def seen(label: str, box: Box, confidence: float = 0.9) -> tuple[Box, Area]:
    area = Area(
        label=label,
        kind=kind_of("cdla", label),
        polygon=polygon_of(box),
        confidence=confidence,
    )
    return box, area


def fused(
    lines: Sequence[Line],
    areas: Sequence[tuple[Box, Area]],
    *,
    taken: Sequence[Box] = (),
    drawn: Drawn = NOTHING_DRAWN,
) -> list[Draft]:
    boxes = [box_of(each.polygon) for each in lines]
    found = drafts_of(
        lines, range(len(lines)), boxes, areas, taken, drawn, width=WIDTH, height=HEIGHT
    )
    return sorted(found, key=lambda draft: draft.box[1])


def kinds(drafts: Sequence[Draft]) -> list[BlockKind]:
    return [draft.kind for draft in drafts]


def sizes(drafts: Sequence[Draft]) -> list[int]:
    return [len(draft.rows) for draft in drafts]


def test_an_area_of_several_paragraphs_is_parted() -> None:
    lines = prose(100, 200, 4, right=500) + prose(100, 340, 4, right=500)
    found = fused(lines, [seen("text", (95, 195, 505, 440))])
    assert (kinds(found), sizes(found)) == (["text", "text"], [4, 4])
    assert {draft.label for draft in found} == {"text"}


def test_a_small_first_line_indent_parts_paragraphs_in_justified_text() -> None:
    first = [line(SENTENCE, 100, 200 + 25 * i, 500) for i in range(3)]
    first.append(line("whose last line is nearly full as well.", 100, 275, 470))
    second = prose(100, 300, 4, right=500, indent=9)
    found = fused(first + second, [seen("text", (95, 195, 505, 405))])
    assert sizes(found) == [4, 4]


def test_a_paragraph_in_two_areas_is_one() -> None:
    lines = prose(100, 200, 8, right=500)
    areas = [seen("text", (95, 195, 505, 298)), seen("text", (95, 299, 505, 400), 0.7)]
    assert sizes(fused(lines, areas)) == [8]


def test_a_row_that_an_area_just_misses_is_taken_in() -> None:
    lines = prose(100, 200, 5, right=500)
    assert sizes(fused(lines, [seen("text", (95, 224, 505, 330))])) == [5]


@pytest.mark.parametrize("gutter", [14, 25])
def test_columns_do_not_take_rows_from_each_other(gutter: int) -> None:
    left, right = prose(100, 200, 6, right=505 - gutter), prose(505, 200, 6, right=880)
    found = fused(left + right, [seen("text", (500, 195, 885, 350))])
    assert sorted(draft.box[0] for draft in found) == [100, 505]
    assert sizes(found) == [6, 6]


def test_of_two_areas_in_one_place_the_surer_counts() -> None:
    lines = prose(100, 200, 5, right=500)
    areas = [seen("reference", (95, 195, 505, 330), 0.6), seen("text", (96, 196, 504, 330))]
    assert [draft.label for draft in fused(lines, areas)] == ["text"]


def test_a_body_called_reference_is_text() -> None:
    lines = prose(100, 300, 6, right=800)
    found = fused(lines, [seen("reference", (95, 295, 805, 460))])
    assert kinds(found) == ["text"]
    assert found[0].label == "reference"


def test_numbered_sources_are_references() -> None:
    entries = [
        line(f"[{i}] A. Author, On a thing. Journal of Things, {1990 + i}.", 100, y, 500)
        for i, y in enumerate(range(300, 500, 25), start=1)
    ]
    for label in ("reference", "text"):
        found = fused(entries, [seen(label, (95, 295, 505, 500))])
        assert (kinds(found), sizes(found)) == (["reference"], [8])


def test_a_title_called_header_is_a_heading() -> None:
    lines = [line("On the Tides of Pages", 100, 190, 700, size=44)]
    lines += prose(100, 300, 6, right=800)
    areas = [seen("header", (100, 190, 700, 234)), seen("text", (95, 295, 805, 460))]
    assert kinds(fused(lines, areas)) == ["heading", "text"]


def test_so_is_one_in_capitals_which_are_less_high() -> None:
    lines = [line("CERTIFICATE OF INSURANCE", 100, 50, 600), *prose(100, 300, 6, right=500)]
    areas = [seen("header", (100, 50, 600, 70)), seen("text", (95, 295, 505, 460))]
    assert kinds(fused(lines, areas)) == ["heading", "text"]
    assert kinds(fused(lines, areas[1:])) == ["heading", "text"]


def test_a_header_stays_one_at_the_top() -> None:
    lines = [line("Annual report", 100, 50, 300), *prose(100, 300, 6, right=800)]
    areas = [seen("header", (100, 50, 300, 70)), seen("text", (95, 295, 805, 460))]
    assert kinds(fused(lines, areas)) == ["header", "text"]


def test_what_stands_level_with_a_footer_is_one() -> None:
    lines = [*prose(100, 300, 6, right=800), line("October 1999", 100, 1330, 250)]
    lines.append(line("12", 780, 1330, 800))
    areas = [
        seen("text", (95, 295, 805, 460)),
        seen("reference", (100, 1330, 250, 1350)),
        seen("footer", (780, 1330, 800, 1350)),
    ]
    assert kinds(fused(lines, areas)) == ["text", "footer", "footer"]


def test_prose_called_title_is_text() -> None:
    lines = prose(100, 300, 3, right=500)
    assert kinds(fused(lines, [seen("title", (95, 295, 505, 380))])) == ["text"]


@pytest.mark.parametrize(
    "text", ["3.3.1. Cortical specificity of the response", "Reproducibility measurement"]
)
def test_a_heading_that_the_model_missed(text: str) -> None:
    lines = [line(text, 100, 300, 300), *prose(100, 325, 6, right=500)]
    found = fused(lines, [seen("text", (95, 296, 505, 480))])
    assert (kinds(found), sizes(found)) == (["heading", "text"], [1, 6])


def test_a_figure_keeps_its_labels_and_its_box() -> None:
    lines = [line("0.5", 220, 320, 250), line("1.0", 220, 420, 250)]
    lines += [line("Age (years)", 280, 506, 380), *prose(100, 700, 5, right=800)]
    areas = [seen("figure", (200, 300, 600, 500)), seen("text", (95, 695, 805, 830))]
    figure, text = fused(lines, areas)
    assert (figure.kind, text.kind) == ("figure", "text")
    assert sorted(figure.indexes) == [0, 1, 2]
    assert figure.box == (200, 300, 600, 526)


def test_a_caption_is_not_the_figures_label() -> None:
    lines = [line("Fig. 2. The gauge.", 220, 506, 380)]
    found = fused(lines, [seen("figure", (200, 300, 600, 500))])
    assert [len(draft.rows) for draft in found] == [0, 1]


def test_a_receipt_called_figure_is_its_lines() -> None:
    lines = [line("Harbour dues        12.50", 200, 200 + 26 * i, 600) for i in range(20)]
    found = fused(lines, [seen("figure", (190, 190, 610, 730))])
    assert "figure" not in kinds(found)
    assert sum(sizes(found)) == 20


def test_what_holds_most_of_a_pages_text_is_no_figure() -> None:
    """A form: its lines stand far apart, in half of the page, and are what there is to read."""
    form = [line(f"{n}. Name of the vessel", 220, 320 + 60 * n, 420) for n in range(10)]
    box = (200, 300, 800, 920)
    assert "figure" not in kinds(fused(form, [seen("figure", box)]))
    beside = prose(100, 1000, 12, right=900)
    assert "figure" in kinds(fused([*form, *beside], [seen("figure", box)]))
    assert "figure" in kinds(fused(form[:9], [seen("figure", box)]))


def test_a_drawn_picture_that_no_area_covers_is_a_figure() -> None:
    drawn = Drawn(pictures=((200, 300, 600, 500), (0, 0, WIDTH, HEIGHT), (10, 10, 20, 20)))
    found = fused(prose(100, 700, 5, right=800), [], drawn=drawn)
    assert kinds(found) == ["figure", "text"]
    assert found[0].box == (200, 300, 600, 500)
    assert found[0].label is None


def test_areas_in_a_found_table_are_nothing() -> None:
    areas = [seen("text", (210, 310, 590, 490)), seen("figure", (200, 300, 600, 500))]
    assert fused([], areas, taken=[(195, 295, 605, 505)]) == []


def test_bulleted_rows_are_one_list() -> None:
    lines = [line(f"• item {i} of the list", 120, 300 + 30 * i, 400) for i in range(4)]
    found = fused(lines, [seen("text", (100, 290, 500, 420))])
    assert (kinds(found), sizes(found)) == (["list"], [4])


def test_items_that_count_up_are_one_list() -> None:
    lines = []
    for i, y in enumerate((300, 350, 400), start=1):
        lines.append(line(f"({i}) measure the bone at the root", 120, y, 500))
        lines.append(line("and write it down.", 150, y + 25, 350))
    found = fused(lines, [seen("text", (100, 290, 500, 460))])
    assert (kinds(found), sizes(found)) == (["list"], [6])


def test_a_numbered_item_that_hangs_is_a_list_by_itself() -> None:
    lines = [line("(2) Measure the change of thickness of", 120, 300, 500)]
    lines += [line("the bone in three patterns after", 150, 325, 480)]
    lines += [line("treatment.", 150, 350, 250)]
    assert kinds(fused(lines, [seen("reference", (115, 295, 505, 375))])) == ["list"]


def test_paragraphs_set_in_on_one_side_are_a_list_without_bullets() -> None:
    lines = prose(100, 200, 4, right=500)
    for i in range(3):
        lines += prose(124, 320 + 60 * i, 2, right=500)
    areas = [seen("text", (95, 195, 505, 300)), seen("text", (120, 315, 505, 500))]
    found = fused(lines, areas)
    assert (kinds(found), sizes(found)) == (["text", "list"], [4, 6])


def test_items_in_areas_of_their_own_are_one_list() -> None:
    lines = prose(100, 200, 5, right=500)
    areas = [seen("text", (95, 195, 505, 325))]
    for y in (340, 420, 500):
        lines += [line(SENTENCE, 140, y, 500), line("and ends here.", 140, y + 25, 300)]
        areas.append(seen("text", (135, y - 5, 505, y + 50)))
    found = fused(lines, areas)
    assert (kinds(found), sizes(found)) == (["text", "list"], [5, 6])


def test_a_footnote_does_not_join_the_list_above_it() -> None:
    lines = prose(100, 200, 20, right=500)
    lines += [line(f"• item {i} of the list", 100, 1100 + 25 * i, 400) for i in range(4)]
    lines += [line("51. Decision of December 1994.", 100, 1230, 400, size=16)]
    found = fused(lines, [seen("text", (95, 195, 505, 1250))])
    assert (kinds(found), sizes(found)) == (["text", "list", "footnote"], [20, 4, 1])


def test_a_heading_that_begins_like_a_caption_is_one_beside_a_table() -> None:
    lines = [
        line("Exhibit 2b. Summary of impacts", 100, 300, 500),
        *prose(100, 700, 4, right=500),
    ]
    areas = [seen("title", (95, 295, 505, 325)), seen("text", (95, 695, 505, 800))]
    assert kinds(fused(lines, areas)) == ["heading", "text"]
    found = fused(lines, areas, taken=[(95, 330, 505, 600)])
    assert kinds(found) == ["caption", "text"]


def test_text_set_in_on_both_sides_is_a_quotation() -> None:
    lines = prose(100, 200, 4, right=500) + prose(130, 320, 5, right=470)
    areas = [seen("text", (95, 195, 505, 300)), seen("text", (125, 315, 475, 450))]
    assert kinds(fused(lines, areas)) == ["text", "text"]


boxes = st.builds(
    lambda x, y, w, h: (float(x), float(y), float(x + w), float(y + h)),
    st.integers(0, 900),
    st.integers(0, 1300),
    st.integers(0, 500),
    st.integers(0, 200),
)
some_lines = st.lists(
    st.builds(
        lambda text, box: Line(text=text, polygon=polygon_of(box)),
        st.sampled_from(["", "1", "•", "• a", "(1) b", "Fig. 1 c", "3.1 Tides", SENTENCE]),
        boxes,
    ),
    max_size=25,
)
some_areas = st.lists(
    st.builds(
        seen,
        st.sampled_from(
            ["text", "title", "figure", "figure_caption", "table", "header", "reference"]
        ),
        boxes,
        st.floats(0.5, 1),
    ),
    max_size=8,
)


@given(some_lines, some_areas, st.lists(boxes, max_size=2))
def test_each_line_is_in_one_draft(
    lines: list[Line], areas: list[tuple[Box, Area]], taken: list[Box]
) -> None:
    found = fused(lines, areas, taken=taken)
    held = [index for draft in found for index in draft.indexes]
    assert sorted(held) == list(range(len(lines)))


@given(some_lines, some_areas)
def test_drafts_hold_lines_or_are_pictures(
    lines: list[Line], areas: list[tuple[Box, Area]]
) -> None:
    for draft in fused(lines, areas):
        assert draft.rows or (draft.kind == "figure" and draft.area)
        assert all(draft.box[0] <= box[0] for row in draft.rows for box in row.boxes)


def test_an_area_across_columns_tells_nothing_of_them() -> None:
    columns = [each for x in (100, 400, 700) for each in prose(x, 100, 8, right=x + 240)]
    found = fused(columns, [seen("text", (90, 90, 950, 320))])
    assert sorted(draft.rows[0].box[0] for draft in found) == [100, 400, 700]
    assert sizes(found) == [8, 8, 8]


def test_a_line_over_columns_takes_no_rows_of_theirs() -> None:
    lead = line(f"{SENTENCE} across them all", 100, 100, 940)
    columns = [each for x in (100, 400, 700) for each in prose(x, 125, 8, right=x + 240)]
    first = fused([lead, *columns], [seen("text", (90, 95, 950, 125))])[0]
    assert [row.text for row in first.rows] == [lead.text]


def test_a_header_of_many_rows_is_an_address() -> None:
    address = [line(text, 100, 60 + 25 * i, 300) for i, text in enumerate(["A B", "C 1", "D"])]
    found = fused(
        [*address, *prose(100, 400, 8, right=900)], [seen("header", (95, 55, 310, 140))]
    )
    assert found[0].kind == "text"


def test_what_has_tables_in_it_is_no_figure() -> None:
    lines = [line("Price list", 100, 100, 260), *prose(100, 900, 5, right=900)]
    box = (90, 90, 900, 800)
    found = fused(lines, [seen("figure", box)], taken=[(100, 150, 700, 550)])
    assert "figure" not in kinds(found)


@pytest.mark.parametrize(("size", "kind"), [(20, "caption"), (40, "text")])
def test_a_title_over_a_table_is_no_caption(size: float, kind: BlockKind) -> None:
    title = line("An account", 100, 300, 400, size)
    table = (100, 300 + size + 10, 900, 800)
    found = fused(
        [title, *prose(100, 900, 5, right=900)],
        [seen("table_caption", (95, 295, 410, 300 + size + 5))],
        taken=[table],
    )
    assert found[0].kind in (kind, "heading" if kind == "text" else kind)


def test_an_area_that_reaches_into_the_next_column_takes_no_row_of_it() -> None:
    left, right = (prose(x, 100, 12, right=x + 372) for x in (100, 480))
    drafts = fused(
        [*left, *right], [seen("text", (98, 98, 850, 122)), seen("text", (98, 125, 472, 400))]
    )
    assert all(draft.box[2] <= 472 or draft.box[0] >= 480 for draft in drafts)


def test_what_is_called_a_table_and_has_none_is_text() -> None:
    drafts = fused(
        [line("Quay", 100, 300, 160), line("12", 400, 300, 420)],
        [seen("table", (90, 290, 500, 330))],
    )
    assert set(kinds(drafts)) == {"text"}


def test_a_number_by_itself_over_a_table_is_no_caption() -> None:
    drafts = fused(
        [line("681749", 300, 200, 400)],
        [seen("table_caption", (295, 195, 405, 225))],
        taken=[(100, 235, 900, 600)],
    )
    assert "caption" not in kinds(drafts)


def test_no_block_goes_on_below_a_table() -> None:
    pairs = [line("Client", 100, y, 180) for y in (200, 225, 700, 725)]
    pairs += [line("47", 400, y, 430) for y in (200, 225, 700, 725)]
    drafts = fused(pairs, [], taken=[(90, 300, 900, 650)])
    assert all(draft.box[3] <= 300 or draft.box[1] >= 650 for draft in drafts)


def test_no_list_that_the_model_missed_goes_on_below_a_heading() -> None:
    items = [
        line(f"({number}) {SENTENCE}", 100, y, 600)
        for number, y in ((1, 200), (2, 225), (1, 325), (2, 350))
    ]
    lines = [*items[:2], line("§ 3 Rent", 100, 275, 200, 24), *items[2:]]
    found = fused([*prose(100, 40, 4, right=900), *lines], [seen("title", (95, 270, 205, 304))])
    assert (kinds(found), sizes(found)) == (["text", "list", "heading", "list"], [4, 2, 1, 2])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Class: ____ Date: ____", "text"),
        ("force = mass times velocity", "formula"),
        ("lim sup x", "formula"),
        ("sin", "formula"),
    ],
)
def test_a_formula_of_nothing_but_words_is_text(text: str, kind: BlockKind) -> None:
    lines = [*prose(100, 40, 4, right=900), line(text, 100, 200, 500)]
    found = fused(lines, [seen("equation", (95, 195, 505, 225))])
    assert kinds(found)[-1] == kind
