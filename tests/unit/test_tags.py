"""The headings that a tagged PDF names: found, with their levels, and doubted."""

from __future__ import annotations

import pytest

from pagetide.document import Page
from pagetide.inputs import Sandbox, open_input
from pagetide.layout import OutlineItem
from pagetide.reading.pages_in_work import Work, prepare
from tests.written_pdf import written_pdf

BODY = b"Most of the samples that were taken in spring came from the lower terraces, they say,"
MORE = b"and what was taken later came from the mill, where the river is slow in most summers."
ROWS = [
    (b"H1", 700, b"Field Notes"),
    (b"P", 670, BODY),
    (b"P", 656, MORE),
    (b"H2", 620, b"Of Water"),
    (b"P", 596, BODY),
    (b"P", 582, MORE),
]


def content(rows: list[tuple[bytes, int, bytes]]) -> bytes:
    return b"\n".join(
        b"/%s<</MCID %d>>BDC BT /F1 12 Tf 72 %d Td (%s) Tj ET EMC" % (tag, place, top, text)
        for place, (tag, top, text) in enumerate(rows)
    )


def tagged(
    rows: list[tuple[bytes, int, bytes]], extra: dict[int, bytes] | None = None
) -> tuple[tuple[OutlineItem, ...], Page]:
    """What the tags of a page's rows name, and the page; further entries by row."""
    first = 7
    numbers = [first + place for place in range(len(rows))]
    elements = [
        b"<</S/%s/P 6 0 R/Pg 3 0 R/K %d%s>>" % (tag, place, (extra or {}).get(place, b""))
        for place, (tag, _, _) in enumerate(rows)
    ]
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    root = b"<</Type/StructTreeRoot/K[%s]/ParentTree<</Nums[0[%s]]>>>>" % (kids, kids)
    pdf = written_pdf(
        content(rows),
        page=b"/StructParents 0",
        catalog=b"/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R",
        extra=(root, *elements),
    )
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as opened:
        prepared = prepare(Work(), opened, 1, dpi=144, text_layer="auto")
    page = prepared.page()
    assert prepared.content and page and page.text_layer.used
    return prepared.content.outline, page


def test_headings_come_with_their_levels_and_places() -> None:
    items, page = tagged(ROWS)
    assert [(item.title, item.level) for item in items] == [("Field Notes", 1), ("Of Water", 2)]
    assert items[0].top == pytest.approx(160, abs=12)
    found = [(block.text, block.level) for block in page.blocks if block.kind == "heading"]
    assert found == [("Field Notes", 1), ("Of Water", 2)]


def test_without_tags_there_is_nothing_to_tell_them_by() -> None:
    items, page = tagged([(b"P", top, text) for _, top, text in ROWS])
    assert items == () and all(block.label != "outline" for block in page.blocks)


def test_a_page_that_is_nearly_all_headings_is_not_believed() -> None:
    assert tagged([(b"H1", top, text) for _, top, text in ROWS])[0] == ()


def test_a_paragraph_is_no_heading_whatever_its_tag() -> None:
    long = [
        (b"H1" if place == 0 else tag, top, text)
        for place, (tag, top, text) in enumerate(
            [(b"H1", 700, b"W" * 201), *ROWS[1:], *ROWS[1:]]
        )
    ]
    assert all(len(item.title) <= 200 for item in tagged(long)[0])


def test_a_tree_that_runs_in_circles_ends() -> None:
    items, _ = tagged(ROWS, {0: b"/K[0 6 0 R 7 0 R]", 3: b"/K[3 10 0 R]"})
    assert {item.title for item in items} <= {"Field Notes", "Of Water"}
