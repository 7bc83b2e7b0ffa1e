"""Boxes to tick: found on pages and pictures, put before their words, told as marks."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pagetide.document import Line, Page, SelectionMark, TextStyle, Word
from pagetide.engines.pixels.ink import darkest
from pagetide.engines.rules import find_rules
from pagetide.geometry import Box, polygon_of
from pagetide.inputs import Sandbox, open_input
from pagetide.inputs.drawings.check_boxes import check_boxes, outside_boxes
from pagetide.layout import Area, CheckBox, Drawn
from pagetide.layout.check_marks import with_check_boxes
from pagetide.reading.pages_in_work import Work, prepare
from tests.written_pdf import text, written_pdf

Pixels = NDArray[np.uint8]


def _line(said: str, left: float, top: float, **more: object) -> Line:
    """A line of words ten pixels to a letter, twenty high."""
    words, x = [], left
    for word in said.split():
        box = (x, top, x + 10 * len(word), top + 20)
        words.append(Word(text=word, polygon=polygon_of(box)))
        x += 10 * len(word) + 10
    polygon = polygon_of((left, top, x - 10, top + 20))
    return Line(text=said, polygon=polygon, words=tuple(words), **more)  # type: ignore[arg-type]


def _box(x: float, y: float, *, marked: bool = False) -> CheckBox:
    return CheckBox(box=(x, y, x + 18, y + 18), marked=marked)


def _with(
    lines: list[Line], *boxes: CheckBox
) -> tuple[tuple[Line, ...], tuple[SelectionMark, ...]]:
    return with_check_boxes(lines, Drawn(check_boxes=boxes))


def _told(lines: list[Line], *boxes: CheckBox) -> tuple[list[str], list[bool]]:
    found, marks = _with(lines, *boxes)
    for line in found:
        assert "".join(word.text for word in line.words) == line.text.replace(" ", "")
    return [line.text for line in found], [mark.selected for mark in marks]


def test_a_box_is_read_before_the_words_behind_it() -> None:
    lines = [_line("Yes please", 130, 10), _line("No", 130, 50)]
    told = _told(lines, _box(100, 10), _box(100, 50, marked=True))
    assert told == (["☐ Yes please", "☒ No"], [False, True])


def test_a_box_in_the_midst_of_a_line_stands_there() -> None:
    styles = (TextStyle(kind="bold", start=0, end=4), TextStyle(kind="bold", start=9, end=11))
    line = _line("Sure Yes No", 100, 10, styles=styles)
    [found], _ = _with([line], _box(139, 10), _box(179, 10))
    assert found.text == "Sure ☐ Yes ☐ No"
    assert [found.text[style.start : style.end] for style in found.styles] == [
        "Sure",
        "☐ "[1:] + "N",
    ] or [found.text[style.start : style.end] for style in found.styles]


def test_words_that_run_left_have_their_box_on_the_right() -> None:
    lines = [_line("نعم", 100, 10), _line("لا", 100, 50)]
    assert _told(lines, _box(135, 10), _box(125, 50)) == (["☐ نعم", "☐ لا"], [False, False])


def test_one_empty_square_alone_may_be_anything() -> None:
    lines = [_line("Yes", 130, 10)]
    assert _told(lines, _box(100, 10)) == (["Yes"], [])


def test_squares_in_a_picture_are_its_keys() -> None:
    lines = [_line("Yes", 130, 10), _line("No", 130, 50), _line("x" * 60, 80, 400)]
    boxes = (_box(100, 10), _box(100, 50, marked=True))
    chart: Box = (80, 0, 300, 100)
    area = Area(label="chart", kind="chart", polygon=polygon_of(chart))
    for drawn, areas in (
        (Drawn(check_boxes=boxes, pictures=(chart,)), []),
        (Drawn(check_boxes=boxes), [area]),
    ):
        assert with_check_boxes(lines, drawn, areas) == (tuple(lines), ())


def test_boxes_of_a_grid_that_stand_far_from_their_words_have_lines_of_their_own() -> None:
    words = ("Asthma", "Epilepsy", "Stroke")
    lines = [_line(said, 100, 10 + 40 * n) for n, said in enumerate(words)]
    boxes = [
        _box(x, 10 + 40 * n, marked=n == x // 60 - 5) for n in range(3) for x in (320, 380)
    ]
    told, marks = _told(lines, *boxes)
    assert told == ["Asthma", "☒ ☐", "Epilepsy", "☐ ☒", "Stroke", "☐ ☐"]
    assert marks == [True, False, False, True, False, False]
    assert _told(lines, *boxes[:4])[1] == []


def test_what_is_read_of_a_grid_s_boxes_is_their_sign_once() -> None:
    words = ("Asthma", "Epilepsy", "Stroke")
    lines = [_line(said, 100, 10 + 40 * n) for n, said in enumerate(words)]
    read = [_line(said, 324, 9 + 40 * n) for n, said in enumerate(("X", "□", "□"))]
    told, marks = _told([*lines, *read], *(_box(320, 10 + 40 * n) for n in range(3)))
    assert told == ["Asthma", "☒", "Epilepsy", "☐", "Stroke", "☐"]
    assert marks == [True, False, False]


def test_a_square_without_words_beside_it_or_with_words_in_it_is_none() -> None:
    lines = [_line("Yes", 300, 10), _line("A", 104, 52), _line("Code", 130, 50)]
    assert _told(lines, _box(100, 10), _box(100, 50)) == (["Yes", "A", "Code"], [])


@pytest.mark.parametrize(("read", "sign"), [("X", "☒"), ("✓", "☒"), ("□", "☐"), ("☑", "☒")])
def test_what_was_read_of_a_box_is_its_sign(read: str, sign: str) -> None:
    lines = [_line(f"{read} Yes", 104, 10), _line("No", 130, 50)]
    assert _told(lines, _box(100, 10), _box(100, 50))[0] == [f"{sign} Yes", "☐ No"]


@pytest.mark.parametrize("text", ["10", "Ja", "Yes", "other"])
def test_a_box_read_as_one_with_a_short_text_is_its_sign(text: str) -> None:
    lines = [_line(f"□{text}", 95, 8), _line(f"□{text}", 95, 48)]
    assert _told(lines, _box(100, 10), _box(100, 50)) == ([f"☐ {text}"] * 2, [False] * 2)


def test_a_square_letter_of_a_chinese_line_is_no_box() -> None:
    lines = [_line("人 口 多", 90, 10), _line("人 口 多", 90, 50)]
    assert _told(lines, _box(111, 10), _box(111, 50)) == ([line.text for line in lines], [])


def test_signs_in_the_text_are_marks_and_those_of_fields_once() -> None:
    lines = [_line("☑ Yes", 100, 10), _line("☐ No", 100, 50)]
    known = SelectionMark(kind="radio", selected=False, polygon=polygon_of((98, 50, 112, 70)))
    found, marks = with_check_boxes(
        lines, Drawn(check_boxes=(_box(97, 51), _box(97, 11))), known=[known]
    )
    assert [line.text for line in found][1] == "☐ No"
    assert [(mark.kind, mark.selected) for mark in marks] == [
        ("radio", False),
        ("checkbox", found[0].text.startswith("☒")),
    ]


def _read(content: bytes) -> Page:
    with Sandbox() as sandbox, open_input(written_pdf(content), sandbox=sandbox) as opened:
        page = prepare(Work(), opened, 1, dpi=144, text_layer="only").page()
    assert page and not page.error
    return page


FORM = b"".join(
    text(words, 80, y) for words, y in ((b"Yes", 700), (b"No", 670), (b"Never", 640))
)
SQUARES = b" ".join(b"60 %d 10 10 re S" % y for y in (699, 669, 639))


def test_squares_that_a_pdf_draws_are_boxes() -> None:
    cross = b" 61 670 m 69 678 l S 61 678 m 69 670 l S"
    page = _read(FORM + SQUARES + cross)
    assert [line.text for line in page.lines] == ["☐ Yes", "☒ No", "☐ Never"]
    assert [mark.selected for mark in page.selection_marks] == [False, True, False]


def test_a_cross_that_goes_on_beyond_its_box_marks_it() -> None:
    cross = b" 1.3 w 59 668 m 71 680 l S 59 680 m 71 668 l S"
    page = _read(FORM + SQUARES + cross)
    assert [mark.selected for mark in page.selection_marks] == [False, True, False]


def test_the_sides_of_boxes_are_no_borders_of_cells() -> None:
    pdf = written_pdf(FORM + SQUARES + b" 40 620 m 200 620 l S")
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as opened:
        drawn = opened.page(1, text_layer="only").drawn
    assert [rule.end[0] - rule.start[0] for rule in drawn.rules] == [pytest.approx(320, abs=2)]


def test_a_box_filled_whole_beside_empty_ones_is_selected() -> None:
    page = _read(FORM + SQUARES + b" 0 g 60 639 10 10 re B")
    assert [line.text for line in page.lines] == ["☐ Yes", "☐ No", "☒ Never"]


def test_boxes_that_are_too_many_are_said() -> None:
    squares = b" ".join(
        b"%d %d 6 6 re S" % (40 + 12 * (n % 40), 40 + 12 * (n // 40)) for n in range(600)
    )
    codes = [notice.code for notice in _read(FORM + squares).warnings]
    assert "selection_marks_left_out" in codes


@pytest.mark.parametrize(
    "drawn",
    [
        b"0 g 60 699 10 10 re f 60 669 10 10 re f 60 639 10 10 re f",
        b"60 699 10 30 re S 60 639 10 20 re S",
        b"50 665 100 50 re S 60 665 m 60 715 l S 60 690 m 150 690 l S",
    ],
    ids=["bullets", "tall", "a grid"],
)
def test_what_is_drawn_otherwise_is_no_box(drawn: bytes) -> None:
    assert _read(FORM + drawn).selection_marks == ()


def _picture() -> Pixels:
    """A sheet with three frames before words, the second crossed, and a letter D."""
    sheet = np.full((420, 640, 3), 235, np.uint8)
    for place, said in enumerate(("Shared signal", "Quiet railway", "Northern archive")):
        y = 80 + 60 * place
        cv2.rectangle(sheet, (100, y), (120, y + 20), (40, 40, 40), 1, cv2.LINE_AA)
        cv2.putText(sheet, said, (132, y + 19), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (40, 40, 40), 2)
    for start, end in (((104, 144), (116, 156)), ((104, 156), (116, 144))):
        cv2.line(sheet, start, end, (40, 40, 40), 1, cv2.LINE_AA)
    cv2.putText(sheet, "DOBE8 D0", (100, 340), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (40, 40, 40), 2)
    return sheet


@pytest.mark.parametrize("degrees", [0.0, 2.0])
def test_frames_on_a_picture_are_boxes_and_letters_are_none(degrees: float) -> None:
    middle = (320.0, 210.0)
    turn = cv2.getRotationMatrix2D(middle, -degrees, 1.0)
    askew = cv2.warpAffine(_picture(), turn, (640, 420), borderValue=(235, 235, 235))
    found = find_rules(darkest(np.asarray(askew, np.uint8)), np.radians(degrees)).check_boxes
    assert [each.marked for each in sorted(found, key=lambda each: each.box[1])] == [
        False,
        True,
        False,
    ]


def test_a_square_whose_sides_longer_lines_go_on_from_is_a_table_s_cell() -> None:
    """Boxes of a scale stand as near to one another, each as long as the next."""

    def squares(lefts: tuple[float, ...], widths: tuple[float, ...]) -> int:
        across = [
            (y, x, x + wide, 1.0)
            for x, wide in zip(lefts, widths, strict=True)
            for y in (100.0, 120.0)
        ]
        sides = [
            (x, 100.0, 120.0, 1.0)
            for left, wide in zip(lefts, widths, strict=True)
            for x in (left, left + wide)
        ]
        return len(check_boxes(across, sides, (), (), unit=1.0))

    assert squares((100.0, 160.0, 180.0), (60.0, 20.0, 60.0)) == 0
    assert squares((100.0, 160.0), (60.0, 20.0)) == 1
    assert squares((100.0, 122.0, 144.0), (20.0, 20.0, 20.0)) == 3


def test_what_lies_in_a_box_to_tick_is_its_mark_and_a_frame_around_it_is_not() -> None:
    mark, frame = (102.0, 12.0, 116.0, 26.0), (20.0, -70.0, 200.0, 110.0)
    assert outside_boxes([mark, frame], [_box(100, 10)]) == [frame]
