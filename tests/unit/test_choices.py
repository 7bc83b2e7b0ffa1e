"""Check boxes and radio buttons with their labels, and what is asked by several of them."""

from __future__ import annotations

import msgspec

from pagetide.document import Document, Line, SelectionMark
from pagetide.document.field import Value
from pagetide.geometry import polygon_of
from pagetide.layout import Drawn
from pagetide.layout.check_marks import with_check_boxes
from pagetide.server.compat.azure.page_answer import Answering, Before
from pagetide.server.compat.azure.pairs import pairs_on
from tests.documents import document_of, page_of
from tests.unit.test_fields import at
from tests.unit.test_selection_marks import FORM, RADIO, widget
from tests.unit.test_selection_marks import read as read_form

Said = list[tuple[str | None, list[tuple[str | None, bool]]]]


def read(*lines: Line) -> Document:
    told, marks = with_check_boxes(lines, Drawn())
    page = msgspec.structs.replace(page_of(list(told)), selection_marks=marks)
    return document_of(page)


def text_of(value: Value | None) -> str | None:
    return value.text if value else None


def said(document: Document) -> Said:
    """What is asked, and each label with whether its box is ticked."""
    return [
        (
            text_of(choice.label),
            [(text_of(each.label), each.selected) for each in choice.options],
        )
        for choice in document.fields().choices
    ]


def test_a_box_alone_has_the_label_behind_it() -> None:
    assert said(read(at(0, 0, "☒ I agree"))) == [(None, [("I agree", True)])]


def test_or_before_it_where_nothing_is_behind() -> None:
    assert said(read(at(0, 0, "I agree: ☒"))) == [(None, [("I agree", True)])]
    assert said(read(at(0, 0, "Yes ☒ No ☐"))) == [
        (None, [("Yes", True)]),
        (None, [("No", False)]),
    ]


def test_boxes_in_a_row_have_the_question_before_them() -> None:
    document = read(at(0, 0, "Married:"), at(120, 0, "☐ Yes"), at(220, 0, "☒ No"))
    assert said(document) == [("Married", [("Yes", False), ("No", True)])]


def test_two_questions_in_a_row_are_two() -> None:
    lines = [at(0, 0, "Mast: ☐ wood ☒ steel"), at(300, 0, "Sail: ☒ new")]
    assert said(read(*lines)) == [
        ("Mast", [("wood", False), ("steel", True)]),
        ("Sail", [("new", True)]),
    ]


def test_boxes_below_each_other_have_the_question_above_or_before_the_first() -> None:
    above = [at(0, 0, "How shall we write?"), at(0, 20, "☐ By post"), at(0, 40, "☒ Never")]
    before = [at(0, 0, "Write:"), at(80, 0, "☐ By post"), at(80, 20, "☒ Never")]
    options = [("By post", False), ("Never", True)]
    assert said(read(*above)) == [("How shall we write?", options)]
    assert said(read(*before)) == [("Write", options)]


def test_boxes_below_a_sentence_are_each_alone() -> None:
    lines = [at(0, 0, "Mark what is right."), at(0, 20, "☐ Rope"), at(0, 40, "☒ Tar")]
    assert said(read(*lines)) == [(None, [("Rope", False)]), (None, [("Tar", True)])]


def test_a_pair_is_not_told_where_a_choice_is() -> None:
    fields = read(at(0, 0, "Married: ☐ Yes ☒ No"), at(0, 40, "Vessel: Minnow")).fields()
    assert [pair.label.text for pair in fields.pairs] == ["Vessel"]


def test_labels_of_a_form_are_those_beside_its_fields() -> None:
    document = document_of(read_form(*FORM))
    assert said(document) == [
        (None, [("By post", True)]),
        (None, [("By telephone", False)]),
        (None, [("Never", True)]),
    ]
    assert [choice.name for choice in document.fields().choices] == ["post", "phone", "never"]


def test_buttons_of_one_field_are_one_choice() -> None:
    flag = b"/Ff %d" % RADIO
    page = read_form(
        widget(72, 668, b"write", b"post", b"post", flag),
        widget(172, 668, b"write", b"Off", b"phone", flag),
        widget(72, 638, b"write", b"Off", b"never", flag),
    )
    [choice] = document_of(page).fields().choices
    assert (choice.kind, choice.name) == ("radio", "write")
    assert [(each.value, each.selected) for each in choice.options] == [
        ("post", True),
        ("phone", False),
        ("never", False),
    ]


def test_each_box_is_told_once_and_stands_where_it_does() -> None:
    document = read(at(0, 0, "☐ a ☒ b"), at(0, 20, "c ☐"), at(0, 300, "☐"))
    page = document.pages[0]
    told = [each for choice in document.fields().choices for each in choice.options]
    assert [each.mark.polygon for each in told] == [
        mark.polygon for mark in page.selection_marks
    ]
    assert told[-1].label is None and all(each.mark.confidence == 0.9 for each in told)


def test_a_mark_without_a_sign_is_told_too() -> None:
    mark = SelectionMark(
        kind="radio", selected=True, polygon=polygon_of((0, 0, 9, 9)), name="x"
    )
    page = msgspec.structs.replace(page_of([at(0, 300, "no sign")]), selection_marks=(mark,))
    [choice] = document_of(page).fields().choices
    assert choice.name == "x" and choice.options[0].selected


def test_azures_pairs_have_boxes_with_their_states() -> None:
    page = read(at(0, 0, "☒ I agree"), at(0, 40, "Vessel: Minnow")).pages[0]
    answering = Answering(
        page, Before(), markdown=False, index_type="unicodeCodePoint", inches=False
    )
    pairs = list(pairs_on(page, answering))
    told = [(each.key.content, each.value.content, each.confidence) for each in pairs]
    assert told == [("Vessel", "Minnow", 0.9), ("I agree", ":selected:", 0.9)]
    assert [(span.offset, span.length) for span in pairs[1].value.spans] == [(0, 1)]
