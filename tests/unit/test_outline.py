"""A document's outline: its items by page, and the lines of a page that are those headings."""

from __future__ import annotations

import pytest

from pagetide.document import Line, Page
from pagetide.inputs import Sandbox, open_input
from pagetide.layout import OutlineItem
from pagetide.reading.pages_in_work import Work, prepare
from pagetide.structure import structure
from tests.documents import line
from tests.written_pdf import text, written_pdf

TEXT = b"".join(
    text(said, 72, top)
    for top, said in [
        (760, b"Field Notes"),
        (700, b"1. Soil"),
        (684, b"Most of the samples that were taken in spring came from the lower terraces,"),
        (670, b"where the water stands for weeks and the ground is heavy with clay and silt."),
        (630, b"Of water and"),
        (616, b"of wind"),
        (600, b"What the wind carries off in one dry week the river brings back in a year,"),
        (586, b"and so the bank has hardly moved since the first of the maps was drawn."),
    ]
)


def _item(number: int, title: bytes, entries: bytes) -> bytes:
    return b"<</Title(%s)/Parent %d 0 R" % (title, number) + entries + b">>"


def _read(*items: bytes) -> tuple[tuple[OutlineItem, ...], Page]:
    """What leads to the one page of a PDF with these items, from object 7 on, and the page."""
    pdf = written_pdf(TEXT, catalog=b"/Outlines 6 0 R", extra=items)
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as opened:
        prepared = prepare(Work(), opened, 1, dpi=144, text_layer="only")
    page = prepared.page()
    assert prepared.content and page
    return prepared.content.outline, page


ROOT = b"<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 1>>"
NESTED = (
    ROOT,
    _item(6, b"Field Notes", b"/First 8 0 R/Last 9 0 R/Count 2/Dest[3 0 R/Fit]"),
    _item(7, b"Soil", b"/Next 9 0 R/Dest[3 0 R/XYZ 72 712 0]"),
    _item(7, b"Of water and of wind", b"/Prev 8 0 R/A<</S/GoTo/D[3 0 R/FitH 642]>>"),
)


def test_items_come_with_their_level_and_the_place_on_the_page_that_they_lead_to() -> None:
    items, _ = _read(*NESTED)
    assert items == (
        OutlineItem(title="Field Notes", level=0),
        OutlineItem(title="Soil", level=1, top=160.0, left=144.0),
        OutlineItem(title="Of water and of wind", level=1, top=300.0, left=0.0),
    )


def test_what_the_outline_names_is_a_heading_of_its_level_whatever_it_looks_like() -> None:
    _, page = _read(*NESTED)
    told = [(b.kind, b.text, b.level) for b in page.blocks if b.label == "outline"]
    assert told == [
        ("title", "Field Notes", None),
        ("heading", "1. Soil", 1),
        ("heading", "Of water and\nof wind", 1),
    ]
    assert len(page.blocks) == 5


def test_an_outline_that_runs_in_circles_ends() -> None:
    items, _ = _read(
        ROOT,
        _item(6, b"Soil", b"/First 8 0 R/Last 8 0 R/Next 7 0 R/Count 1/Dest[3 0 R/Fit]"),
        _item(7, b"Clay", b"/First 7 0 R/Last 7 0 R/Next 8 0 R/Dest[3 0 R/Fit]"),
    )
    assert sorted(item.title for item in items) == ["Clay", "Soil"]


@pytest.mark.parametrize("target", [b"", b"/Dest[99 0 R/Fit]", b"/A<</S/URI/URI(http://a.b)>>"])
def test_an_item_that_leads_to_no_page_is_left_out(target: bytes) -> None:
    items, page = _read(ROOT, _item(6, b"Soil", target))
    assert items == ()
    assert page.blocks


def _prose() -> list[Line]:
    prose = "words that go on and on for as long as a line of text in this place can be"
    return [line(prose, (100, 900 + 24 * n, 860, 920 + 24 * n)) for n in range(6)]


def _headings(*texts: tuple[str, float], items: list[OutlineItem]) -> list[tuple[str, float]]:
    """The text and the top of each heading, of lines at these heights."""
    lines = [line(text, (100, top, 100 + 10 * len(text), top + 20)) for text, top in texts]
    lines += _prose()
    ordered, blocks = structure(lines, 1000, 1400, outline=items)
    return [
        (block.text, ordered[block.line_indexes[0]].polygon[0][1])
        for block in blocks
        if block.label == "outline"
    ]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Results", "3.2 Results"),
        ("3.2 Results", "Results"),
        ("III-A Dream", "A. Dream"),
        ("IV Text Data", "IV. TEXT DATA"),
        ("ﬁndings", "Findings"),
        ("第一章 概论", "第一章概论"),
    ],
)
def test_numbers_case_and_typesetting_make_no_difference(title: str, text: str) -> None:
    items = [OutlineItem(title=title, level=2)]
    assert _headings((text, 300), items=items) == [(text, 300)]


def test_of_two_places_it_is_the_one_that_the_item_leads_to() -> None:
    texts = ("Results", 60.0), ("Results", 500.0), ("Results are in", 700.0)
    at = [OutlineItem(title="Results", level=1, top=495)]
    assert _headings(*texts, items=at) == [("Results", 500)]


def test_a_place_left_of_the_target_is_in_another_column() -> None:
    texts = ("Results", 505.0), ("Results", 700.0), ("Results of all that was seen", 530.0)
    at = [OutlineItem(title="Results", level=1, top=500, left=left) for left in (90, 600)]
    assert _headings(*texts, items=at[:1]) == [("Results", 505)]
    beside = [line("Results", (620, 530, 690, 550)), line("Results", (100, 505, 170, 525))]
    _, blocks = structure([*beside, *_prose()], 1000, 1400, outline=at[1:])
    [heading] = [block for block in blocks if block.label == "outline"]
    assert heading.polygon[0][0] == 620


def test_nothing_else_is_taken_for_a_heading() -> None:
    items = [
        OutlineItem(title=title, level=1)
        for title in ("Words that go on", "Page 1", "Table 1. Yields", "", "1")
    ]
    assert _headings(("Table 1. Yields", 300), ("1", 400), items=items) == []


def test_an_outline_made_to_hang_us_is_read() -> None:
    # In a second; it took a minute while each line was held against all that follow.
    lines = [line("aa", (100, 300, 130, 320)) for _ in range(1500)]
    items = [OutlineItem(title="aa" * 200 + str(n), level=1) for n in range(100)]
    _, blocks = structure(lines, 1000, 1400, outline=items)
    assert not any(block.label == "outline" for block in blocks)
