"""Headings with a number before them, told from lists and from page numbers."""

from __future__ import annotations

import msgspec
import pytest

from pagetide.document import Block, Line, TextStyle
from pagetide.geometry import polygon_of
from pagetide.layout import OutlineItem
from pagetide.structure import settled, structure
from pagetide.structure.headings.levels import number_kind
from tests.documents import line, page_of

WIDTH, HEIGHT = 1000, 1400


def _line(text: str, x: float, y: float, *, bold: bool = False, size: float = 20) -> Line:
    box = (x, y, x + 0.5 * size * len(text), y + size)
    return Line(text=text, polygon=polygon_of(box), bold=bold, source="text_layer")


def _prose(y: float, rows: int = 4) -> list[Line]:
    box = (100.0, 0.0, 800.0, 20.0)
    return [
        line(
            "Words of a paragraph go on from here to there",
            (*box[:1], y + 25 * i, 800, y + 25 * i + 20),
        )
        for i in range(rows)
    ]


def _blocks(*lines: Line) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in structure(lines, WIDTH, HEIGHT)[1]]


@pytest.mark.parametrize("number", ["1", "2.1", "IV.", "B.", "(3)", "§ 5"])
@pytest.mark.parametrize("is_bold", [True, False])
def test_a_number_far_before_a_bold_row_is_of_the_heading(number: str, is_bold: bool) -> None:
    heading = [_line(number, 100, 300, bold=is_bold), _line("Scope of it", 170, 300, bold=True)]
    found = _blocks(*_prose(150), *heading, *_prose(340))
    assert ("heading", f"{number} Scope of it") in found
    assert [kind for kind, _ in found] == ["text", "heading", "text"]


def test_a_number_before_plain_words_is_no_heading() -> None:
    item = [_line("1", 100, 300), _line("Scope of it", 170, 300)]
    assert all(kind != "heading" for kind, _ in _blocks(*_prose(150), *item, *_prose(340)))


def test_a_row_that_is_bold_but_for_its_number_is_a_heading() -> None:
    text = "III. Purpose"
    styled = msgspec.structs.replace(
        _line(text, 100, 300), styles=(TextStyle(kind="bold", start=5, end=len(text)),)
    )
    assert ("heading", text) in _blocks(*_prose(150), styled, *_prose(340))
    plain = _line("Third purpose of all of it,", 100, 300)
    assert ("heading", plain.text) not in _blocks(*_prose(150), plain, *_prose(340))


@pytest.mark.parametrize(
    ("text", "italic", "kind"),
    [
        ("IV. TEXT AND ITS DATA", False, "heading"),
        ("B. Imitation of style", True, "heading"),
        ("B. Imitation of style", False, "text"),
        ("TEXT AND ITS DATA, AS", False, "text"),
    ],
)
def test_a_number_before_capitals_or_italics_begins_a_heading(
    text: str, italic: bool, kind: str
) -> None:
    styles = (TextStyle(kind="italic", start=0, end=len(text)),) if italic else ()
    row = msgspec.structs.replace(_line(text, 350, 300), styles=styles)
    assert dict((t, k) for k, t in _blocks(*_prose(150), row, *_prose(340)))[text] == kind


def test_of_two_rows_the_larger_is_a_heading() -> None:
    found = _blocks(_line("Introduction", 100, 100, size=40), _line("What it says", 100, 200))
    assert [kind for kind, _ in found] == ["title", "text"]


def test_the_outlines_level_is_not_made_a_title() -> None:
    lines = [_line("Introduction", 100, 100, size=40), _line("What it says", 100, 200)]
    item = OutlineItem(title="Introduction", level=1, top=100)
    first = structure(lines, WIDTH, HEIGHT, outline=(item,))[1][0]
    assert (first.kind, first.level) == ("heading", 1)


@pytest.mark.parametrize(
    ("text", "before", "kind"),
    [
        ("I. Policy", "", "I"),
        ("I. Policy", "H. Hotels", "A"),
        ("B. Hotels", "", "A"),
        ("3. Hotels", "", "1"),
        ("IBM hotels", "", ""),
        ("Hotels", "I. Policy", ""),
    ],
)
def test_what_a_headings_number_is(text: str, before: str, kind: str) -> None:
    assert number_kind(text, before) == kind


def test_letters_below_roman_numbers_are_a_level_deeper() -> None:
    said = [["I. Policy", "A. Scope", "B. Purpose"], ["II. Rules", "A. Hotels", "B. Roads"]]
    pages = []
    for number, texts in enumerate(said, 1):
        boxes = [(100.0, 100.0 * i, 400.0, 100.0 * i + 20) for i in range(1, len(texts) + 1)]
        blocks = tuple(
            Block(
                kind="heading",
                polygon=polygon_of(b),
                order=i,
                text=t,
                line_indexes=(i,),
                level=1,
            )
            for i, (t, b) in enumerate(zip(texts, boxes, strict=True))
        )
        lines = [line(t, b) for t, b in zip(texts, boxes, strict=True)]
        pages.append(page_of(lines, number=number, blocks=blocks))
    levels = [[block.level for block in page.blocks] for page in settled(pages)]
    assert levels == [[1, 2, 2], [1, 2, 2]]
