"""HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Block, BlockKind, Cell, Document, Failure, Notice, Table
from pagetide.exports import Style, export
from pagetide.geometry import polygon_of
from pagetide.languages import find
from tests.documents import document_of, line, page_of

_BOX = polygon_of((0, 0, 10, 10))
_VOID = {"meta", "br", "link", "img", "input", "hr"}
_MAY_STAND = {
    *("html", "head", "meta", "title", "style", "body", "main", "section", "a", "br"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "figure", "figcaption"),
    *("table", "caption", "thead", "tbody", "tr", "td", "th"),
    *("pre", "code", "aside", "header", "footer", "small"),
}


class Element:
    def __init__(self, tag: str, attributes: dict[str, str | None]) -> None:
        self.tag, self.attributes = tag, attributes
        self.inside: list[Element | str] = []

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.inside)

    def all(self, tag: str) -> list[Element]:
        below = [part for part in self.inside if isinstance(part, Element)]
        found = [part for part in below if part.tag == tag]
        return found + [deeper for part in below for deeper in part.all(tag)]


class Tree(HTMLParser):
    """Builds the tree, and refuses what is not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.root = Element("", {})
        self._open = [self.root]
        self.feed(text)
        self.close()
        assert self._open == [self.root], "something is left open"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _MAY_STAND
        element = Element(tag, dict(attrs))
        self._open[-1].inside.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self._open[-1].inside.append(data)


def written(document: Document, figures: str | None = None) -> str:
    ((suffix, content),) = export(document, "html", style=Style(figures=figures))
    assert suffix == ".html"
    return content.decode()


def parsed(document: Document) -> Element:
    return Tree(written(document)).root


def block(
    kind: str, text: str, order: int = 0, table: Table | None = None, **more: Any
) -> Block:
    fields = {"polygon": _BOX, "order": order, "text": text, "table": table, **more}
    return Block(kind=kind, **fields)  # type: ignore[arg-type]


def shown(*blocks: Block) -> Element:
    (section,) = parsed(document_of(page_of([], blocks=blocks))).all("section")
    return section


def test_a_page_is_a_section_with_an_anchor() -> None:
    root = parsed(document_of(page_of([], number=3), page_of([], number=7), name="a & b.pdf"))
    assert [one.text for one in (*root.all("title"), *root.all("h1"))] == ["a & b.pdf"] * 2
    assert [s.attributes["id"] for s in root.all("section")] == ["page-3", "page-7"]
    links = [a.attributes["href"] for a in root.all("a")]
    assert links == ["#page-3", "#page-7"]
    assert [h.text for h in root.all("h2")] == ["Page 3", "Page 7"]


def test_every_line_is_there_once_and_in_reading_order() -> None:
    lines = [
        line(f"line {i} of a long paragraph", (100, 200 + 25 * i, 500, 220 + 25 * i))
        for i in range(30)
    ]
    text = block("text", "\n".join(one.text for one in lines), line_indexes=tuple(range(30)))
    page = page_of([*lines, line("stray", (0, 0, 9, 9))], blocks=(text,))
    (section,) = parsed(document_of(page)).all("section")
    shown_lines = [part.strip() for part in section.text.split("\n") if part.strip()]
    assert shown_lines == ["Page 1", " ".join(one.text for one in lines), "stray"]


@pytest.mark.parametrize(
    ("kind", "tags"),
    [
        ("title", ["h3"]),
        ("heading", ["h4"]),
        ("text", ["p"]),
        ("list", ["ul", "li"]),
        ("code", ["pre", "code"]),
        ("formula", ["p", "code"]),
        ("table", ["pre", "code"]),
        ("chart", ["figure", "p"]),
        ("seal", ["figure", "p"]),
        ("aside", ["aside", "p"]),
        ("header", ["header", "small"]),
        ("footer", ["footer", "small"]),
        ("page_number", ["footer", "small"]),
        ("footnote", ["p", "small"]),
        ("figure", ["figure", "p"]),
        ("caption", ["p"]),
    ],
)
def test_a_block_is_the_element_of_its_kind(kind: str, tags: list[str]) -> None:
    found = shown(block(kind, "some words"))
    for tag in tags:
        (found,) = found.all(tag)
    assert found.text == "some words"


def test_blocks_stand_in_their_order() -> None:
    section = shown(block("text", "second", 1), block("text", "first", 0))
    assert [p.text for p in section.all("p")] == ["first", "second"]


@pytest.mark.parametrize(
    ("level", "tag"), [(None, "h4"), (1, "h4"), (2, "h5"), (3, "h6"), (6, "h6")]
)
def test_a_heading_stands_below_the_pages_own(level: int | None, tag: str) -> None:
    assert [h.text for h in shown(block("heading", "some words", level=level)).all(tag)] == [
        "some words"
    ]


def test_a_caption_stands_in_what_it_belongs_to_wherever_it_is_read() -> None:
    table = Table(rows=1, columns=1, cells=(Cell(row=0, column=0, text="cell"),))
    section = shown(
        block("figure", "", 0),
        block("text", "words", 1),
        block("caption", "Fig. 1", 2, caption_of=0),
        block("caption", "Table 1\nof all", 3, caption_of=4),
        block("table", "", 4, table),
        block("caption", "Source", 5, caption_of=4),
        block("caption", "of nothing", 6, caption_of=99),
    )
    (figure,), (grid,) = section.all("figure"), section.all("table")
    assert [c.text for c in figure.all("figcaption")] == ["Fig. 1"]
    assert [c.text for c in grid.all("caption")] == ["Table 1\nof all\nSource"]
    assert [p.text for p in section.all("p")] == ["words", "of nothing", ""]
    assert section.text.count("Fig. 1") == section.text.count("Table 1") == 1


def test_a_block_whose_text_another_holds_is_not_told_twice() -> None:
    notice = Notice(code="x", message="It was cut.")
    section = shown(
        block("text", "both parts", 0),
        block("text", "parts", 1, continues=0, warnings=(notice,)),
    )
    assert [p.text for p in section.all("p")] == ["both parts", "It was cut."]


def test_a_figures_picture_is_linked_where_that_is_asked_for() -> None:
    page = page_of([], number=3, blocks=(block("figure", "label", 12), block("seal", "", 13)))
    plain, linked = (written(document_of(page), f) for f in (None, 'a "b"/'))
    assert "<img" not in plain and "img-src" not in plain
    addresses = ["a%20%22b%22/p0003-b12.png", "a%20%22b%22/p0003-b13.png"]
    assert re.findall('<img src="(.*?)"', linked) == addresses
    assert re.findall('<a href="(a.*?)"', linked) == addresses
    assert "img-src 'self' file:\"" in linked
    assert 'img-src https://x.example"' in written(document_of(page), "https://x.example/f/")


def test_an_arabic_list_begins_at_the_right() -> None:
    rows = shown(block("list", "• الأول\n• الثاني", 0), block("list", "• one", 1)).all("ul")
    assert [row.attributes for row in rows] == [{"dir": "rtl"}, {}]


def test_numbers_of_a_list_stay_as_they_are() -> None:
    section = shown(block("list", "1. one\n2. two\n5. five\n• more", 0))
    ordered = [(ol.attributes, [li.text for li in ol.all("li")]) for ol in section.all("ol")]
    assert ordered == [({}, ["one", "two"]), ({"start": "5"}, ["five"])]
    assert [li.text for ul in section.all("ul") for li in ul.all("li")] == ["more"]


def test_items_further_in_stand_in_the_item_above() -> None:
    rows = [(0, "• one"), (40, "– inner"), (0, "• two")]
    lines = [line(text, (x, 30 * i, 300, 30 * i + 20)) for i, (x, text) in enumerate(rows)]
    text = "\n".join(text for _, text in rows)
    page = page_of(lines, blocks=(block("list", text, line_indexes=(0, 1, 2)),))
    (outer, inner) = parsed(document_of(page)).all("ul")
    assert len(outer.all("li")) == 3
    assert [li.text for li in inner.all("li")] == ["inner"]


def test_a_list_loses_its_bullets_and_keeps_its_lines() -> None:
    items = shown(block("list", "• one\ngoes on\n• two")).all("li")
    assert [item.text for item in items] == ["one\ngoes on", "two"]


def test_a_table_has_spans_and_header_cells() -> None:
    cells = (
        Cell(row=0, column=0, column_span=2, text="both", header=True),
        Cell(row=1, column=0, row_span=2, text="tall"),
        Cell(row=2, column=1, text="1\n2"),
    )
    (table,) = shown(block("table", "", 0, Table(rows=3, columns=2, cells=cells))).all("table")
    rows = [
        [(c.tag, c.text) for c in row.inside if isinstance(c, Element)]
        for row in table.all("tr")
    ]
    assert rows == [[("th", "both")], [("td", "tall"), ("td", "")], [("td", "12")]]
    (head,), (tall, *_) = table.all("th"), table.all("td")
    assert head.attributes == {"scope": "col", "colspan": "2"}
    assert tall.attributes == {"rowspan": "2"}
    assert [len(part.all("tr")) for name in ("thead", "tbody") for part in table.all(name)] == [
        1,
        2,
    ]


def test_headers_say_what_they_are_headers_of() -> None:
    cells = (
        Cell(row=0, column=0, row_span=2, text="port", header=True),
        Cell(row=0, column=1, text="height", header=True),
        Cell(row=1, column=1, text="low", header=True),
        Cell(row=2, column=0, text="Dover", header=True),
        Cell(row=2, column=1, text="1"),
    )
    (table,) = shown(block("table", "", 0, Table(rows=3, columns=2, cells=cells))).all("table")
    assert [len(head.all("tr")) for head in table.all("thead")] == [2]
    assert [(h.text, h.attributes["scope"]) for h in table.all("th")] == [
        ("port", "col"),
        ("height", "col"),
        ("low", "col"),
        ("Dover", "row"),
    ]


def test_a_header_that_reaches_into_the_body_is_not_cut() -> None:
    cells = (
        Cell(row=0, column=0, row_span=2, text="port", header=True),
        Cell(row=0, column=1, text="height", header=True),
        Cell(row=1, column=1, text="1"),
    )
    (table,) = shown(block("table", "", 0, Table(rows=2, columns=2, cells=cells))).all("table")
    assert table.all("thead") == []
    assert len(table.all("th")) == 2


def test_a_line_beside_a_tables_cells_is_not_lost() -> None:
    cell = Cell(row=0, column=0, text="in a cell", line_indexes=(0,))
    grid = msgspec.structs.replace(
        block("table", "in a cell", 0, Table(rows=1, columns=1, cells=(cell,))),
        line_indexes=(0, 1),
    )
    lines = [line("in a cell", (0, 0, 9, 9)), line("beside", (0, 20, 9, 29))]
    (section,) = parsed(document_of(page_of(lines, blocks=(grid,)))).all("section")
    assert section.text.count("in a cell") == section.text.count("beside") == 1


def test_what_went_wrong_is_said() -> None:
    failure = Failure(code="page_timeout", message="The page took <too> long.")
    page = msgspec.structs.replace(
        page_of([], number=7),
        error=failure,
        warnings=(Notice(code="x", message="Something is odd."),),
        lines_below_confidence=4,
    )
    document = msgspec.structs.replace(
        document_of(page), warnings=(Notice(code="y", message="No language was given."),)
    )
    text = parsed(document).text
    assert "Page 7 could not be read: The page took <too> long." in text
    assert "Something is odd." in text
    assert "No language was given." in text
    assert "left out: 4." in text


@pytest.mark.parametrize(
    ("language", "attributes"),
    [
        ("en", {"lang": "en", "dir": "ltr"}),
        ("ch", {"lang": "zh", "dir": "ltr"}),
        ("fa", {"lang": "fa", "dir": "rtl"}),
        ("auto", {}),
        ("klingon", {}),
    ],
)
def test_the_language_is_named_where_it_is_known(
    language: str, attributes: dict[str, str]
) -> None:
    document = document_of(page_of([]))
    model = msgspec.structs.replace(document.model, language=language)
    (html,) = parsed(msgspec.structs.replace(document, model=model)).all("html")
    assert html.attributes == attributes


@pytest.mark.parametrize(
    ("code", "tag"),
    [("japan", "ja"), ("korean", "ko"), ("chinese_cht", "zh-hant"), ("rs_latin", "sr-latn")],
)
def test_a_code_of_paddles_own_has_the_tag_of_its_language(code: str, tag: str) -> None:
    assert find(code).tag.lower() == tag  # whose case means nothing


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style></title><script>",
    "&lt;b&gt; &amp;",
    "javascript:alert(1)",
    "]]>--><!--",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_not_obeyed(text: str) -> None:
    table = Table(rows=1, columns=1, cells=(Cell(row=0, column=0, text=text, header=True),))
    kinds = ["title", "heading", "text", "list", "code", "caption", "figure", "aside", "toc"]
    kinds += ["formula", "chart", "seal", "reference", "footnote", "header", "footer"]
    notice = Notice(code="x", message=text)
    blocks = [block(kind, text, i) for i, kind in enumerate(kinds)]
    blocks += [block("caption", text, 98, caption_of=99, warnings=(notice,))]
    page = msgspec.structs.replace(
        page_of([line(text, (0, 0, 9, 9))], blocks=(*blocks, block("table", "", 99, table))),
        error=Failure(code="x", message=text),
        warnings=(Notice(code="x", message=text),),
    )
    root = parsed(document_of(page, name=text))  # `Tree` refuses elements we never write
    # A cell, its caption and warning, a line, an error, a warning; the name twice.
    places = len(kinds) + 6 + 2
    assert root.text.count(text) == places


@given(st.text(), st.sampled_from(get_args(BlockKind)))
def test_any_text_is_a_well_formed_page(text: str, kind: str) -> None:
    root = parsed(document_of(page_of([], blocks=(block(kind, text),)), name=text))
    assert len(root.all("section")) == 1


def test_nothing_is_fetched_or_run() -> None:
    page = page_of([line("see https://example.org/a.png", (0, 0, 9, 9))])
    text = written(document_of(page))
    assert "<script" not in text
    assert "src=" not in text
    assert "default-src 'none'" in text
    assert [a.attributes["href"] for a in Tree(text).root.all("a")] == ["#page-1"]
