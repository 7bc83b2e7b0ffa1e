"""HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Block, Cell, Document, Failure, Notice, Table
from pagetide.exports import export
from pagetide.geometry import polygon_of
from pagetide.languages import find
from tests.documents import document_of, grouped_page, line, page_of

_BOX = polygon_of((0, 0, 10, 10))
_VOID = {"meta", "br", "link", "img", "input", "hr"}
_MAY_STAND = {
    *("html", "head", "meta", "title", "style", "body", "main", "section", "a", "br"),
    *("h1", "h2", "h3", "h4", "p", "ul", "li", "table", "tr", "td", "th", "figure"),
    *("figcaption", "pre", "code", "aside", "header", "footer", "small"),
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


def written(document: Document) -> str:
    ((suffix, content),) = export(document, "html")
    assert suffix == ".html"
    return content.decode()


def parsed(document: Document) -> Element:
    return Tree(written(document)).root


def block(kind: str, text: str, order: int = 0, table: Table | None = None) -> Block:
    return Block(kind=kind, polygon=_BOX, order=order, text=text, table=table)  # type: ignore[arg-type]


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
        line(f"line {i} of a long para-", (100, 200 + 25 * i, 500, 220 + 25 * i))
        for i in range(30)
    ]
    page = grouped_page([line("A Heading", (100, 130, 320, 166)), *lines])
    loose = msgspec.structs.replace(page, lines=(*page.lines, line("stray", (0, 0, 9, 9))))
    (section,) = parsed(document_of(loose)).all("section")
    shown_lines = [part.strip() for part in section.text.split("\n") if part.strip()]
    assert shown_lines == ["Page 1", *(one.text for one in page.lines), "stray"]


@pytest.mark.parametrize(
    ("kind", "tags"),
    [
        ("title", ["h3"]),
        ("heading", ["h4"]),
        ("text", ["p"]),
        ("list", ["ul", "li"]),
        ("code", ["pre", "code"]),
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


def test_a_caption_stands_in_the_figure_or_table_beside_it() -> None:
    table = Table(rows=1, columns=1, cells=(Cell(row=0, column=0, text="cell"),))
    section = shown(
        block("figure", "", 0),
        block("caption", "Fig. 1", 1),
        block("text", "words", 2),
        block("caption", "Table 1", 3),
        block("table", "", 4, table),
    )
    first, second = section.all("figure")
    assert [c.text for c in first.all("figcaption")] == ["Fig. 1"]
    assert [c.text for c in second.all("figcaption")] == ["Table 1"]
    assert [c.text for c in second.all("td")] == ["cell"]
    assert section.text.count("Fig. 1") == section.text.count("Table 1") == 1


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
    assert head.attributes == {"colspan": "2"}
    assert tall.attributes == {"rowspan": "2"}


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
    assert find(code).tag == tag


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
    blocks = [block(kind, text, i) for i, kind in enumerate(kinds)]
    page = msgspec.structs.replace(
        page_of([line(text, (0, 0, 9, 9))], blocks=(*blocks, block("table", "", 99, table))),
        error=Failure(code="x", message=text),
        warnings=(Notice(code="x", message=text),),
    )
    root = parsed(document_of(page, name=text))  # `Tree` refuses elements we never write
    places = len(kinds) + 4 + 2  # a cell, a line, an error, a warning; the name twice
    assert root.text.count(text) == places


@given(st.text(), st.sampled_from(["text", "list", "code", "heading", "figure"]))
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
