"""Links: where they stand and lead, and how Markdown and HTML tell them."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from pagetide.document import Link, Page
from pagetide.exports.text import html, markdown
from pagetide.inputs import Sandbox, open_input
from pagetide.inputs.pdf.links import MOST_LINKS
from pagetide.reading.pages_in_work import Work, prepare
from tests.documents import document_of
from tests.written_pdf import text, written_pdf

# Helvetica of 12 points: "See the report" begins at 72 and "the" ends near 114.
TEXT = b"".join(
    text(said, 72, top)
    for top, said in [
        (700, b"See the report of 2024 for more, and what was written about it"),
        (686, b"elsewhere [1] by those who were there. It was a wet year."),
        (650, b"1. The first point of three"),
        (636, b"2. The second"),
        (622, b"3. The third"),
    ]
)
WEB = b"/A<</S/URI/URI(https://a.example/x?a=1&copy=2_%28b%29)>>"


def annotation(box: bytes, leads: bytes, entries: bytes = b"") -> bytes:
    return b"<</Type/Annot/Subtype/Link/Rect[%s]/Border[0 0 0]" % box + leads + entries + b">>"


def read(*links: bytes) -> Page:
    """The one page of a PDF with these links."""
    places = b" ".join(b"%d 0 R" % number for number in range(6, 6 + len(links)))
    pdf = written_pdf(TEXT, page=b"/Annots[%s]" % places, extra=links)
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as opened:
        page = prepare(Work(), opened, 1, dpi=144, text_layer="only").page()
    assert page and not page.error
    return page


def shown(text: str) -> list[tuple[str, str]]:
    """Text and address of each link, as a browser shows the Markdown."""
    rendered = MarkdownIt("commonmark").enable("table").render(text)
    return re.findall(r'<a href="(.*?)">(.*?)</a>', rendered, re.DOTALL)


def test_a_link_has_its_place_and_its_address() -> None:
    page = read(annotation(b"92 697 200 712", WEB))
    (link,) = page.links
    assert link.address == "https://a.example/x?a=1&copy=2_%28b%29" and link.page is None
    assert link.polygon == ((184.0, 160.0), (400.0, 160.0), (400.0, 190.0), (184.0, 190.0))


@pytest.mark.parametrize(
    "leads",
    [b"/Dest[3 0 R/Fit]", b"/A<</S/GoTo/D[3 0 R/XYZ 72 700 0]>>"],
    ids=["dest", "action"],
)
def test_a_link_leads_to_a_page(leads: bytes) -> None:
    page = read(annotation(b"92 697 200 712", leads))
    assert [(link.address, link.page) for link in page.links] == [(None, 1)]
    told = markdown.write(document_of(page))
    assert '<!-- page 1 --><a id="page-1"></a>' in told
    assert shown(told)[0][0] == "#page-1"
    assert '<a href="#page-1">the report of 2024</a>' in html.write(document_of(page))


@pytest.mark.parametrize(
    "leads",
    [
        b"",
        b"/A<</S/Launch/F(calc.exe)>>",
        b"/A<</S/GoToR/F(other.pdf)/D[0/Fit]>>",
        b"/A<</S/JavaScript/JS(app.alert\\(1\\))>>",
        b"/Dest[99 0 R/Fit]",
    ],
)
def test_what_leads_nowhere_is_no_link(leads: bytes) -> None:
    assert read(annotation(b"92 697 200 712", leads)).links == ()


def test_a_link_over_two_rows_stands_on_both_and_is_one_in_text() -> None:
    rows = b"/QuadPoints[320 712 480 712 320 697 480 697 72 698 140 698 72 683 140 683]"
    page = read(annotation(b"72 683 480 712", WEB, rows))
    assert len(page.links) == 2
    ((address, text),) = shown(markdown.write(document_of(page)))
    assert text.startswith("written about") and text.endswith("elsewhere [1]")
    assert address == "https://a.example/x?a=1&amp;copy=2_%28b%29"


def test_links_are_left_out_beyond_a_limit_and_that_is_said() -> None:
    page = read(*[annotation(b"92 697 200 712", WEB)] * (MOST_LINKS + 1))
    assert len(page.links) == MOST_LINKS
    assert "links_left_out" in [notice.code for notice in page.warnings]
    long = read(
        annotation(b"92 697 200 712", b"/A<</S/URI/URI(https://a/%s)>>" % (b"a" * 5000))
    )
    assert long.links == () and "links_left_out" in [each.code for each in long.warnings]


def test_a_numbered_items_link_begins_behind_its_number() -> None:
    page = read(annotation(b"70 647 240 662", WEB))
    told = markdown.write(document_of(page))
    assert [text for _, text in shown(told)] == ["The first point of three"]
    assert re.search(r"^1\. \[The first point of three\]\(https", told, re.MULTILINE)


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//a", "http://["],
)
def test_an_address_that_might_run_something_is_not_made_a_link(address: str) -> None:
    page = read(annotation(b"92 697 200 712", WEB))
    page = replace(page, links=(replace(page.links[0], address=address),))
    assert shown(markdown.write(document_of(page))) == []
    assert "<a href" not in html.write(document_of(page)).partition("</h2>")[2]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40))
def test_no_address_ends_before_its_end(tail: str) -> None:
    page = replace(PAGE, links=(replace(PAGE.links[0], address="https://a.example/" + tail),))
    ((address, text),) = shown(markdown.write(document_of(page)))
    assert text == "the report of 2024" and address.startswith("https://a.example/")
    told = html.write(document_of(page)).partition("</h2>")[2]
    (said,) = re.findall(r'<a href="([^"<>]*)">the report of 2024</a>', told)
    assert unquote(unescape(said)) == unquote(unescape(address))


PAGE = read(annotation(b"92 697 200 712", WEB))


def test_without_its_link_the_text_is_the_same() -> None:
    bare = replace(PAGE, links=())
    linked = markdown.write(document_of(PAGE))
    assert re.sub(r"\[(.*?)\]\(.*?\)", r"\1", linked) == markdown.write(document_of(bare))


def test_a_link_where_a_model_wrote_the_text_itself_is_left_out_of_it() -> None:
    block = replace(PAGE.blocks[0], text="What a model made of it.")
    page = replace(PAGE, blocks=(block, *PAGE.blocks[1:]))
    assert shown(markdown.write(document_of(page))) == []
    assert isinstance(page.links[0], Link)


@pytest.mark.parametrize("address", ["https://a.example/", "javascript:alert(1)"])
def test_text_cannot_make_itself_a_link(address: str) -> None:
    forged = "\ufdd2\U000f0000click\ufdd3\U000f0000 \ufdd2\U000f0009"
    line = replace(PAGE.lines[0], text=forged)
    page = replace(
        PAGE,
        lines=(line, *PAGE.lines[1:]),
        blocks=(replace(PAGE.blocks[0], text=forged), *PAGE.blocks[1:]),
        links=(replace(PAGE.links[0], address=address),),
    )
    assert shown(markdown.write(document_of(page))) == []
    assert "<a href" not in html.write(document_of(page)).partition("</h2>")[2]
