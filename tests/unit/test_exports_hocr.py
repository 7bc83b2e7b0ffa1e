"""hOCR."""

import math
import re
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Document, Line, Word
from pagetide.exports import export
from pagetide.geometry import polygon_of, turned
from tests.documents import document_of, grouped_page, line, page_of

_XHTML = "{http://www.w3.org/1999/xhtml}"


def _parsed(document: Document) -> ElementTree.Element:
    ((_, content),) = export(document, "hocr")
    return ElementTree.fromstring(content)  # noqa: S314  # our own output


def _all(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [found for found in root.iter() if found.get("class") == name]


def _properties(element: ElementTree.Element) -> dict[str, str]:
    return dict(re.findall(r"(\w+) ([^;]+)", element.get("title", "")))


def test_pages_areas_paragraphs_lines_and_words_stand_in_one_another() -> None:
    page = grouped_page([line("Hello wide world", (100, 200, 400, 220))], number=3)
    root = _parsed(document_of(page))
    (found,) = _all(root, "ocr_page")
    assert _properties(found)["bbox"] == "0 0 1000 1400"
    assert _properties(found)["ppageno"] == "2"
    assert _properties(found)["scan_res"] == "144 144"
    (area,) = _all(found, "ocr_carea")
    (paragraph,) = _all(area, "ocr_par")
    (row,) = _all(paragraph, "ocr_line")
    words = _all(row, "ocrx_word")
    assert [word.text for word in words] == ["Hello", "wide", "world"]
    assert _properties(row)["bbox"] == "100 200 400 220"
    assert {_properties(word)["x_wconf"] for word in words} == {"90"}
    assert "".join(row.itertext()).strip() == "Hello wide world"


def test_words_without_spaces_between_them_get_none() -> None:
    words = tuple(
        Word(text=text, polygon=polygon_of((100 + 20 * i, 200, 120 + 20 * i, 220)))
        for i, text in enumerate("世界")
    )
    found = Line(text="世界", polygon=polygon_of((100, 200, 140, 220)), words=words)
    (row,) = _all(_parsed(document_of(grouped_page([found]))), "ocr_line")
    assert "".join(row.itertext()).strip() == "世界"


def test_a_line_up_the_page_has_its_angle() -> None:
    found = Line(text="up", polygon=((40, 900), (40, 500), (60, 500), (60, 900)))
    (row,) = _all(_parsed(document_of(grouped_page([found]))), "ocr_line")
    assert _properties(row)["textangle"] == "90"


def test_a_slanted_line_has_its_baseline() -> None:
    polygon = turned(polygon_of((100, 100, 500, 120)), math.atan(0.05))
    (row,) = _all(
        _parsed(document_of(page_of([Line(text="slanted", polygon=polygon)]))), "ocr_line"
    )
    slope, offset = _properties(row)["baseline"].split()
    assert float(slope) == 0.05
    assert int(offset) == -20  # the left end lies higher than the box's bottom


def test_ids_are_unique() -> None:
    page = grouped_page([line("a b", (100, 200 + 40 * i, 200, 220 + 40 * i)) for i in range(9)])
    ids = [e.get("id") for e in _parsed(document_of(page)).iter() if e.get("id")]
    assert len(ids) == len(set(ids)) > 20


@given(st.text(st.characters(codec="utf-8"), min_size=1), st.text(st.characters(codec="utf-8")))
def test_any_text_and_name_give_valid_xml(text: str, name: str) -> None:
    page = page_of([line(text, (0, 0, 100, 20))])
    assert _parsed(document_of(page, name=name)).tag == f"{_XHTML}html"
