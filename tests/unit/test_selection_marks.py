"""A form's check boxes and radio buttons: as marks, and in the text before what they mark."""

from __future__ import annotations

import pytest

from pagetide.document import Page
from pagetide.exports.text import markdown
from pagetide.inputs import Sandbox, open_input
from pagetide.layout.check_marks import MOST_MARKS
from pagetide.reading.pages_in_work import Work, prepare
from tests.documents import document_of
from tests.written_pdf import stream, text, written_pdf

DINGBATS = b"<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>"
ON = stream(
    b"/Type/XObject/Subtype/Form/BBox[0 0 12 12]/Resources<</Font<</Z 6 0 R>>>>",
    b"BT /Z 10 Tf 2 2 Td (4) Tj ET",
)
OFF = stream(b"/Type/XObject/Subtype/Form/BBox[0 0 12 12]", b"0.5 0.5 11 11 re S")
TEXT = b"".join(
    text(said, left, top)
    for left, top, said in [
        (72, 700, b"How shall we write to you? Mark what is right."),
        (90, 670, b"By post"),
        (190, 670, b"By telephone"),
        (90, 640, b"Never"),
    ]
)
RADIO = 1 << 15


def widget(
    left: int, low: int, name: bytes, state: bytes, value: bytes = b"Yes", entries: bytes = b""
) -> bytes:
    return (
        b"<</Type/Annot/Subtype/Widget/FT/Btn/T(%s)/Rect[%d %d %d %d]/AS/%s/V/%s"
        % (name, left, low, left + 12, low + 12, state, state)
        + b"/AP<</N<</%s 7 0 R/Off 8 0 R>>>>" % value
        + entries
        + b">>"
    )


def read(*widgets: bytes, page: bytes = b"") -> Page:
    """The one page of a form with these fields."""
    fields = b" ".join(b"%d 0 R" % (9 + place) for place in range(len(widgets)))
    pdf = written_pdf(
        TEXT,
        page=b"/Annots[%s]" % fields + page,
        catalog=b"/AcroForm<</Fields[%s]>>" % fields,
        extra=(DINGBATS, ON, OFF, *widgets),
    )
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as opened:
        read = prepare(Work(), opened, 1, dpi=144, text_layer="auto").page()
    assert read and not read.error and read.text_layer.used
    return read


FORM = (
    widget(72, 668, b"post", b"Yes"),
    widget(172, 668, b"phone", b"Off"),
    widget(72, 638, b"never", b"none", b"none", b"/Ff %d" % RADIO),
)


def test_marks_have_state_name_value_and_place() -> None:
    marks = read(*FORM).selection_marks
    assert [(mark.kind, mark.selected, mark.name, mark.value) for mark in marks] == [
        ("checkbox", True, "post", "Yes"),
        ("checkbox", False, "phone", "Yes"),
        ("radio", True, "never", "none"),
    ]
    assert marks[0].polygon == ((144.0, 224.0), (168.0, 224.0), (168.0, 248.0), (144.0, 248.0))


def test_the_text_has_them_before_what_they_mark() -> None:
    page = read(*FORM)
    told = markdown.write(document_of(page))
    assert "☒ By post" in told and "☐ By telephone" in told and "☒ Never" in told
    assert "4" not in told and "✔" not in told, "the tick is the mark, and no word"


@pytest.mark.parametrize("rotate", [90, 180, 270])
def test_a_turned_page_has_them_in_their_places(rotate: int) -> None:
    texts = {line.text for line in read(*FORM, page=b"/Rotate %d" % rotate).lines}
    assert {"☒ By post", "☐ By telephone", "☒ Never"} <= texts


def test_hidden_fields_are_no_marks() -> None:
    page = read(widget(72, 668, b"post", b"Yes", entries=b"/F 2"))
    assert page.selection_marks == () and "☒" not in page.text


def test_a_mark_behind_what_it_marks_is_read_behind_it() -> None:
    assert "Never ☒" in read(widget(128, 638, b"never", b"Yes")).text


def test_a_page_without_a_form_has_none() -> None:
    assert read().selection_marks == ()


def test_marks_are_left_out_beyond_a_limit_and_that_is_said() -> None:
    page = read(*[widget(72, 668, b"n%d" % n, b"Off") for n in range(MOST_MARKS + 1)])
    assert len(page.selection_marks) == MOST_MARKS
    assert "selection_marks_left_out" in [notice.code for notice in page.warnings]
