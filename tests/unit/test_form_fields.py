"""A form's text fields: kinds, names, values and places as the file has them."""

from __future__ import annotations

import io

import pypdf

from pagetide.document import Page
from pagetide.inputs import Sandbox, open_input
from pagetide.reading.pages_in_work import Work, prepare
from tests.documents import document_of
from tests.written_pdf import text, written_pdf

SAID = text(b"Berth", 72, 700) + text(b"Vessel", 72, 670)
HIDDEN = b"/F 2"


def widget(kind: bytes, name: bytes, low: int, entries: bytes = b"") -> bytes:
    return b"<</Type/Annot/Subtype/Widget/FT/%s/T(%s)/Rect[172 %d 272 %d]/DA(/F 10 Tf)%s>>" % (
        kind,
        name,
        low,
        low + 16,
        entries,
    )


FORM = (
    widget(b"Tx", b"berth", 696, b"/V(42)/TU(Customer number)"),
    widget(b"Tx", b"vessel", 666, b"/V(\xfe\xff\x00M\x00a\x00r\x00\xe9)"),
    widget(b"Ch", b"season", 636, b"/Ff 131072/Opt[(2023)(2024)]/V(2024)"),
    widget(b"Tx", b"empty", 606),
    widget(b"Sig", b"signed", 576),
    widget(b"Tx", b"secret", 546, b"/V(x)" + HIDDEN),
)


def pdf_of(*widgets: bytes) -> bytes:
    fields = b" ".join(b"%d 0 R" % (6 + place) for place in range(len(widgets)))
    return written_pdf(
        SAID,
        page=b"/Annots[%s]" % fields,
        catalog=b"/AcroForm<</Fields[%s]>>" % fields,
        extra=widgets,
    )


def read(pdf: bytes) -> Page:
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as opened:
        page = prepare(Work(), opened, 1, dpi=144, text_layer="auto").page()
    assert page and not page.error
    return page


def test_fields_have_kind_name_value_label_and_place() -> None:
    fields = read(pdf_of(*FORM)).form_fields
    assert [(each.kind, each.name, each.value, each.label) for each in fields] == [
        ("text", "berth", "42", "Customer number"),
        ("text", "vessel", "Maré", ""),
        ("choice", "season", "2024", ""),
        ("text", "empty", "", ""),
        ("signature", "signed", "", ""),
    ]
    assert fields[0].polygon == ((344.0, 160.0), (544.0, 160.0), (544.0, 192.0), (344.0, 192.0))


def test_they_are_what_another_library_finds() -> None:
    pdf = pdf_of(*FORM[:4])
    known = pypdf.PdfReader(io.BytesIO(pdf)).get_fields() or {}
    told = {each.name: each.value for each in read(pdf).form_fields}
    assert told == {name: str(field.get("/V", "")) for name, field in known.items()}


def test_what_was_entered_is_told_as_pairs() -> None:
    pairs = document_of(read(pdf_of(*FORM))).fields().pairs
    by_form = [pair for pair in pairs if pair.found_by == "form"]
    assert [(pair.name, pair.label.text, pair.value.text) for pair in by_form] == [
        ("customer_number", "Customer number", "42"),
        ("", "vessel", "Maré"),
        ("", "season", "2024"),
    ]


def test_a_page_with_very_many_says_so() -> None:
    many = [widget(b"Tx", b"f%d" % n, 700 - n % 600) for n in range(2001)]
    page = read(pdf_of(*many))
    assert len(page.form_fields) == 2000
    assert "form_fields_left_out" in [notice.code for notice in page.warnings]


def test_a_page_without_a_form_has_none() -> None:
    assert read(written_pdf(SAID)).form_fields == ()
