"""What PDFs draw besides text: rules, fills and pictures, from PDFs written by hand."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.geometry import Box, turn_back
from pagetide.inputs import Sandbox, open_input
from pagetide.inputs.drawings.canvas import Canvas
from pagetide.inputs.pdf.document import PdfDocument
from pagetide.layout import NOTHING_DRAWN, Drawn, Rule
from pagetide.layout.ruling import Piece, joined, rules_of
from samples import pdf
from tests.drawn import tables
from tests.written_pdf import picture, stream, text, written_pdf

IMAGE = b"/XObject<</Im 6 0 R>>"
FORM = b"/XObject<</Fm 6 0 R>>"
PROSE = b"".join(
    text(b"The tide rises and the tide falls, and so it does again", 60, 700 - 14 * row)
    for row in range(20)
)


def drawn(content: bytes, **more: object) -> Drawn:
    """What is drawn on a page of 612 × 792 points, at 72 dpi: a pixel is a point."""
    source = written_pdf(content, **more)
    document = PdfDocument(source, None)
    try:
        reply = document.page(0, 72, "only", 10_000_000).value
    finally:
        document.close()
    return reply.drawn  # type: ignore[attr-defined, no-any-return]


def across(page: Drawn) -> list[tuple[float, float, float]]:
    """`(y, x0, x1)` of the rules that run across."""
    return sorted(
        (rule.start[1], rule.start[0], rule.end[0])
        for rule in page.rules
        if rule.start[1] == rule.end[1]
    )


def down(page: Drawn) -> list[tuple[float, float, float]]:
    """`(x, y0, y1)` of the rules that run down."""
    return sorted(
        (rule.start[0], rule.start[1], rule.end[1])
        for rule in page.rules
        if rule.start[0] == rule.end[0]
    )


class TestRules:
    def test_a_stroke_is_a_rule(self) -> None:
        page = drawn(b"2 w 300 692 m 100 692 l S")
        assert page.rules == (Rule(start=(100, 100), end=(300, 100), thickness=2),)

    def test_a_thin_filled_box_is_a_rule(self) -> None:
        page = drawn(b"100 691.5 200 1 re f 50 92 0.5 300 re f")
        assert across(page) == [(100, 100, 300)]
        assert down(page) == [(50.25, 400, 700)]
        assert not page.fills

    def test_the_edges_of_a_stroked_box_are_rules(self) -> None:
        page = drawn(b"100 592 200 100 re S")
        assert across(page) == [(100, 100, 300), (200, 100, 300)]
        assert down(page) == [(100, 100, 200), (300, 100, 200)]

    def test_the_edges_of_a_filled_box_are_rules_without_thickness(self) -> None:
        page = drawn(b"0.8 g 100 592 200 100 re f")
        assert page.fills == ((100, 100, 300, 200),)
        assert across(page) == [(100, 100, 300), (200, 100, 300)]
        assert down(page) == [(100, 100, 200), (300, 100, 200)]
        assert {rule.thickness for rule in page.rules} == {0}

    def test_filled_cells_side_by_side_share_an_edge(self) -> None:
        page = drawn(b"0.8 g 100 592 100 100 re f 200 592 100 100 re f")
        assert down(page) == [(100, 100, 200), (200, 100, 200), (300, 100, 200)]
        assert across(page) == [(100, 100, 300), (200, 100, 300)]

    def test_one_path_may_hold_a_whole_grid(self) -> None:
        page = drawn(
            b"100 692 m 300 692 l 100 592 m 300 592 l 100 692 m 100 592 l 300 692 m 300 592 l S"
        )
        assert len(across(page)) == len(down(page)) == 2

    def test_a_path_of_many_thin_boxes_is_many_rules(self) -> None:
        boxes = b" ".join(b"100 %d 200 0.5 re" % (300 + 20 * row) for row in range(10))
        assert len(across(drawn(boxes + b" f"))) == 10

    def test_pieces_that_touch_are_one(self) -> None:
        pieces = b"".join(b"%d 692 m %d 692 l S\n" % (x, x + 50) for x in range(100, 300, 50))
        assert across(drawn(pieces)) == [(100, 100, 300)]

    def test_pieces_that_leave_out_the_corners_are_one(self) -> None:
        pieces = b"".join(b"%d 691.5 49 0.5 re f\n" % x for x in range(100, 300, 50))
        ((_, start, end),) = across(drawn(pieces))
        assert (start, end) == (100, 299)

    def test_a_gap_keeps_rules_apart(self) -> None:
        page = drawn(b"100 692 m 200 692 l S 206 692 m 300 692 l S")
        assert len(across(page)) == 2

    def test_dashes_are_one_rule(self) -> None:
        stroke = drawn(b"[3 3] 0 d 100 692 m 300 692 l S")
        pieces = drawn(b"".join(b"%d 692 3 0.5 re f\n" % x for x in range(100, 300, 6)))
        dots = drawn(b"".join(b"%d 692 1 1 re f\n" % x for x in range(100, 300, 2)))
        assert [len(across(page)) for page in (stroke, pieces, dots)] == [1, 1, 1]
        assert down(pieces) == down(dots) == []

    def test_slanted_lines_and_curves_are_none(self) -> None:
        page = drawn(b"100 100 m 300 200 l S 100 300 m 150 400 250 400 300 300 c S")
        assert page.rules == () and page.fills == ()

    def test_the_straight_sides_of_a_rounded_box_are(self) -> None:
        page = drawn(
            b"110 592 m 290 592 l 300 592 300 592 300 602 c 300 682 l"
            b" 300 692 300 692 290 692 c 110 692 l S"
        )
        assert across(page) == [(100, 110, 290), (200, 110, 290)]
        assert down(page) == [(300, 110, 190)]

    def test_letters_drawn_as_outlines_are_none(self) -> None:
        letter = b"%d 100 m %d 104 l %d 104 l %d 100 l f\n"
        letters = b"".join(letter % (x, x, x + 2, x + 2) for x in range(100, 400, 9))
        assert drawn(letters).rules == ()

    def test_a_filled_triangle_has_no_edges(self) -> None:
        page = drawn(b"100 100 m 300 100 l 200 300 l f")
        assert page.rules == () and page.fills == ()

    def test_a_very_thick_stroke_is_a_fill(self) -> None:
        page = drawn(b"0.5 G 20 w 100 692 m 300 692 l S")
        assert page.fills == ((100, 90, 300, 110),)


class TestDrawings:
    """Lines and shapes that make one figure: a chart, a logo, a map."""

    CURVE = b"130 150 m 180 230 l 230 170 l 300 280 l S "

    def test_a_chart_is_a_picture_with_the_lines_that_it_stands_on(self) -> None:
        page = drawn(b"120 120 m 340 120 l S 120 120 m 120 300 l S " + self.CURVE)
        [box] = page.pictures
        assert box[0] <= 120 and box[2] >= 340 and box[1] <= 492 and box[3] >= 672

    def test_what_is_small_is_none(self) -> None:
        star = b"%d 100 m %d 110 l %d 100 l f "
        stars = b"".join(star % (x, x + 5, x + 10) for x in range(60, 560, 60))
        assert drawn(stars).pictures == ()

    def test_a_card_with_round_corners_is_none(self) -> None:
        card = (
            b"110 592 m 290 592 l 300 592 300 592 300 602 c 300 682 l"
            b" 300 692 300 692 290 692 c 110 692 l S"
        )
        assert drawn(card).pictures == ()

    def test_white_on_white_is_none(self) -> None:
        assert drawn(b"1 G " + self.CURVE).pictures == ()

    def test_two_that_stand_apart_are_two(self) -> None:
        again = b"130 450 m 180 530 l 230 470 l 300 580 l S "
        assert len(drawn(self.CURVE + again).pictures) == 2


class TestWhatShows:
    @pytest.mark.parametrize(
        "content",
        [
            b"1 G 100 692 m 300 692 l S",
            b"1 g 100 592 200 100 re f",
            b"0.99 g 100 592 200 100 re f",
            b"700 692 m 900 692 l S",
            b"100 900 200 10 re f",
            b"q 0 0 50 50 re W n 100 692 m 300 692 l S Q",
            b"/Clear gs 100 692 m 300 692 l S 100 100 50 50 re f",
            b"100 692 m 300 692 l n",
        ],
    )
    def test_what_does_not_show_is_left_out(self, content: bytes) -> None:
        clear = b"/ExtGState<</Clear<</CA 0/ca 0>>>>"
        assert drawn(content, resources=clear) == NOTHING_DRAWN

    def test_white_shows_on_a_colour(self) -> None:
        page = drawn(b"0 0 1 rg 100 592 200 100 re f 1 G 100 642 m 300 642 l S")
        assert (150, 100, 300) in across(page)

    def test_white_does_not_show_beside_it(self) -> None:
        page = drawn(b"0 0 1 rg 100 592 200 100 re f 1 G 100 342 m 300 342 l S")
        assert {y for y, *_ in across(page)} == {100, 200}

    def test_a_fill_as_large_as_the_page_is_the_page(self) -> None:
        content = b"0 0 0.4 rg 0 0 612 792 re f "
        assert drawn(content) == NOTHING_DRAWN
        assert drawn(content + b"0 0 0.4 RG 100 692 m 300 692 l S") == NOTHING_DRAWN
        assert across(drawn(content + b"1 G 100 692 m 300 692 l S")) == [(100, 100, 300)]

    def test_a_rule_ends_where_its_clip_does(self) -> None:
        page = drawn(b"q 150 600 100 100 re W n 100 692 m 300 692 l S Q")
        assert across(page) == [(100, 150, 250)]

    def test_a_rule_ends_where_the_page_does(self) -> None:
        page = drawn(b"-50 692 m 900 692 l S 0.5 g 500 -50 300 100 re f")
        assert (100, 0, 612) in across(page)
        assert page.fills == ((500, 742, 612, 792),)

    def test_the_crop_box_is_the_page(self) -> None:
        page = drawn(b"0 692 m 612 692 l S", page=b"/CropBox[100 500 400 792]")
        assert across(page) == [(100, 0, 300)]


class TestSpaces:
    @pytest.mark.parametrize("rotation", [0, 90, 180, 270])
    def test_it_stands_as_the_page_is_displayed(self, rotation: int) -> None:
        content = b"2 w 100 692 m 300 692 l S 50 400 m 50 500 l S 0.5 g 400 100 80 40 re f"
        upright = drawn(content)
        page = drawn(content, page=b"/Rotate %d" % rotation)
        width, height = (612, 792) if rotation in {0, 180} else (792, 612)
        back = {
            frozenset(turn_back((rule.start, rule.end), -rotation % 360, 612, 792))
            for rule in page.rules
        }
        assert back == {frozenset((rule.start, rule.end)) for rule in upright.rules}
        for rule in page.rules:
            assert rule.start[0] <= rule.end[0]
            assert rule.start[1] <= rule.end[1]
            assert 0 <= rule.start[0] <= width
            assert 0 <= rule.end[1] <= height

    def test_matrices_apply(self) -> None:
        page = drawn(b"q 2 0 0 2 100 200 cm 1 w 0 246 m 100 246 l S Q")
        assert page.rules == (Rule(start=(100, 100), end=(300, 100), thickness=2),)

    def test_a_quarter_turn_makes_across_down(self) -> None:
        page = drawn(b"q 0 1 -1 0 300 100 cm 0 0 m 200 0 l S Q")
        assert down(page) == [(300, 492, 692)]

    def test_dpi_applies(self) -> None:
        with Sandbox() as sandbox:
            source = written_pdf(PROSE + b"1 w 100 692 m 300 692 l S")
            with open_input(source, sandbox=sandbox) as document:
                page = document.page(1, dpi=144)
        assert page.drawn.rules == (Rule(start=(200, 200), end=(600, 200), thickness=2),)
        assert "drawn" in page.timings_ms

    def test_forms_are_looked_into(self) -> None:
        form = stream(
            b"/Type/XObject/Subtype/Form/BBox[0 0 150 100]/Matrix[1 0 0 1 50 0]",
            b"0 50 m 200 50 l S 0.5 g 20 10 30 20 re f",
        )
        page = drawn(b"q 2 0 0 2 0 292 cm /Fm Do Q", resources=FORM, extra=(form,))
        # Scaled by two, moved by 100 + 0 and 292; what the BBox cuts off is gone.
        assert (400, 100, 400) in across(page)
        assert page.fills == ((140, 440, 200, 480),)

    def test_the_clip_of_a_form_clips_what_is_in_it(self) -> None:
        form = stream(b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]", b"100 692 m 300 692 l S")
        content = b"q 0 0 200 792 re W n /Fm Do Q"
        page = drawn(content, resources=FORM, extra=(form,))
        assert across(page) == [(100, 100, 200)]


class TestPictures:
    def test_a_picture_stands_where_it_is_drawn(self) -> None:
        page = drawn(
            b"q 200 0 0 100 100 592 cm /Im Do Q", resources=IMAGE, extra=(picture(8, 8),)
        )
        assert page.pictures == ((100, 100, 300, 200),)
        assert page.rules == ()

    def test_strips_are_one_picture(self) -> None:
        strips = b"".join(b"q 200 0 0 2 100 %d cm /Im Do Q\n" % y for y in range(500, 600, 2))
        page = drawn(strips, resources=IMAGE, extra=(picture(8, 8),))
        assert page.pictures == ((100, 192, 300, 292),)
        assert page.rules == ()

    def test_a_thin_picture_is_a_rule(self) -> None:
        page = drawn(
            b"q 200 0 0 1 100 691.5 cm /Im Do Q", resources=IMAGE, extra=(picture(8, 8),)
        )
        assert across(page) == [(100, 100, 300)]
        assert page.pictures == ()

    def test_a_scan_is_none(self) -> None:
        page = drawn(b"q 612 0 0 792 0 0 cm /Im Do Q", resources=IMAGE, extra=(picture(8, 8),))
        assert page == NOTHING_DRAWN

    def test_a_picture_is_clipped(self) -> None:
        content = b"q 100 592 100 100 re W n q 200 0 0 100 100 592 cm /Im Do Q Q"
        page = drawn(content, resources=IMAGE, extra=(picture(8, 8),))
        assert page.pictures == ((100, 100, 200, 200),)


class TestMany:
    def test_many_paths_are_left_off_and_said(self) -> None:
        page = drawn(b"".join(b"%d %d 20 20 re S\n" % (i % 500, i // 9) for i in range(6000)))
        assert page.too_many
        assert 0 < len(page.rules) <= 3000

    def test_a_path_of_very_many_segments_is_not_read(self) -> None:
        outline = b"".join(b"%d %d l " % (i % 600, i * 7 % 700) for i in range(50_000))
        page = drawn(b"50 50 m " + outline + b"S 100 692 m 300 692 l S")
        assert page.too_many
        assert across(page) == [(100, 100, 300)]

    def test_many_segments_in_many_paths_end(self) -> None:
        one = b"0 0 m " + b"".join(b"%d %d l " % (i % 600, i) for i in range(700)) + b"S\n"
        assert drawn(one * 100).too_many

    def test_many_pictures_are_left_off_and_said(self) -> None:
        one = b"q 9 0 0 9 %d %d cm /Im Do Q\n"
        content = b"".join(one % (i % 40 * 15, i // 40 * 15) for i in range(700))
        page = drawn(content, resources=IMAGE, extra=(picture(8, 8),))
        assert page.too_many
        assert len(page.pictures) == 500

    def test_few_are_all_there(self) -> None:
        page = drawn(b"".join(b"%d 100 20 20 re S\n" % (i * 25) for i in range(20)))
        assert not page.too_many

    def test_forms_within_forms_end(self) -> None:
        head = b"/Type/XObject/Subtype/Form/BBox[0 0 612 792]"
        inner = head + b"/Resources<</XObject<</Fm %d 0 R>>>>"
        forms = tuple(stream(inner % number, b"/Fm Do " * 30) for number in (7, 8))
        leaf = stream(head, b"100 692 m 300 692 l S")
        page = drawn(b"/Fm Do " * 30, resources=FORM, extra=(*forms, leaf))
        assert page.too_many
        assert across(page) == [(100, 100, 300)]

    @pytest.mark.parametrize("number", [b"1e38", b"-1e38", b"99999999999999999999", b"0"])
    def test_absurd_numbers_do_no_harm(self, number: bytes) -> None:
        one = b"q n 0 0 n 0 0 cm n w 0 0 m n 0 l n n l 0 0 n n re B Q 10 10 m n 10 l S\n"
        page = drawn(one.replace(b"n", number) + b"n n 50 50 re f".replace(b"n", number))
        sides = [side for rule in page.rules for side in (*rule.start, *rule.end)]
        sides += [side for box in page.fills for side in box]
        assert all(math.isfinite(side) and -1 <= side <= 793 for side in sides)


def test_a_page_read_as_a_picture_says_nothing() -> None:
    document = PdfDocument(written_pdf(b"100 692 m 300 692 l S"), None)
    reply = document.page(0, 72, "never", 10_000_000).value
    document.close()
    assert reply.drawn == NOTHING_DRAWN  # type: ignore[attr-defined]
    assert "drawn" not in reply.timings_ms  # type: ignore[attr-defined]


PIECES = st.lists(
    st.builds(
        lambda at, start, length, thickness: (at, start, start + length, thickness),
        st.integers(0, 20).map(float),
        st.floats(0, 500),
        st.floats(0, 100),
        st.floats(0, 3),
    ),
    max_size=30,
)


class TestJoined:
    @given(PIECES)
    def test_no_piece_is_lost(self, pieces: list[Piece]) -> None:
        whole = joined(pieces, unit=1)
        all_drawn = all(thickness for *_, thickness in pieces)
        for at, start, end, thickness in pieces:
            assert any(
                abs(at - piece[0]) < 1
                and piece[1] <= start
                and piece[2] >= end
                and (piece[3] >= thickness or not all_drawn)
                for piece in whole
            )

    @given(PIECES)
    def test_what_is_joined_stays_so(self, pieces: list[Piece]) -> None:
        whole = joined(pieces, unit=1)
        levels = [round(piece[0], 6) for piece in whole]
        assert len(whole) <= len(pieces)
        assert levels == sorted(levels)
        for one, other in pairwise(whole):
            if one[0] == other[0]:
                assert other[1] > one[2]

    @given(PIECES, st.floats(0.5, 8))
    def test_rules_are_as_long_as_asked(self, pieces: list[Piece], unit: float) -> None:
        for rule in rules_of(pieces, pieces, unit=unit, shortest=7):
            (x0, y0), (x1, y1) = rule.start, rule.end
            assert (x0 == x1) or (y0 == y1)
            assert x1 - x0 + y1 - y0 >= 7 - 0.02


@given(
    st.lists(
        st.tuples(st.floats(-99, 999), st.floats(-99, 999), st.floats(0, 99), st.floats(0, 99)),
        max_size=30,
    )
)
def test_strips_lose_no_picture(boxes: list[Box]) -> None:
    canvas = Canvas((0, 0, 10_000, 10_000), 1)
    pictures = [(x, y, x + width + 4, y + height + 4) for x, y, width, height in boxes]
    for box in pictures:
        canvas.picture(box)
    whole = canvas.drawn().pictures
    for x0, y0, x1, y1 in pictures:
        assert any(
            a <= x0 + 1.1 and b <= y0 + 1.1 and c >= x1 - 1.1 and d >= y1 - 1.1
            for a, b, c, d in whole
        )


@pytest.mark.parametrize("name", tables.PAGES)
def test_a_page_with_tables_has_the_rules_that_were_drawn(name: str) -> None:
    sheet, _ = tables.PAGES[name]
    document = PdfDocument(pdf.write([pdf.text_page(sheet)], jpeg_quality=60), None)
    page = document.page(0, 72, "auto", 10_000_000).value.drawn  # type: ignore[attr-defined]
    document.close()
    flat = {rule.y0 for rule in sheet.rules if rule.y0 == rule.y1}
    steep = {rule.x0 for rule in sheet.rules if rule.x0 == rule.x1}
    assert sorted({y for y, *_ in across(page)}) == pytest.approx(sorted(flat), abs=0.1)
    assert sorted({x for x, *_ in down(page)}) == pytest.approx(sorted(steep), abs=0.1)
    assert not page.too_many
