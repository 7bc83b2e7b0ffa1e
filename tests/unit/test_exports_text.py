"""Text, Markdown and JSON."""

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Block, Cell, Document, Failure, Table
from pagetide.errors import BadOption
from pagetide.exports import FORMATS, export
from pagetide.exports.markdown import escape
from pagetide.geometry import polygon_of
from tests.documents import document_of, grouped_page, line, page_of

_BOX = polygon_of((0, 0, 10, 10))


def _written(document: Document, name: str) -> str:
    ((suffix, content),) = export(document, name)
    assert suffix == FORMATS[name].suffix
    return content.decode()


def _prose(number: int = 1) -> Document:
    lines = [
        line(f"line {i} of a long para-", (100, 200 + 25 * i, 500, 220 + 25 * i))
        for i in range(6)
    ]
    return document_of(grouped_page([line("A Heading", (100, 130, 320, 166)), *lines], number))


def _block(kind: str, text: str, table: Table | None = None) -> Block:
    return Block(kind=kind, polygon=_BOX, order=0, text=text, table=table)  # type: ignore[arg-type]


def _unread(number: int) -> Document:
    failure = Failure(code="page_timeout", message="The page took *too* long.")
    return document_of(msgspec.structs.replace(page_of([], number=number), error=failure))


def test_text_has_blank_lines_between_blocks_and_a_form_feed_between_pages() -> None:
    page = _prose().pages[0]
    text = _written(document_of(page, page), "txt")
    first, second = text.split("\f")
    assert first.startswith("A Heading\n\nline 0 of a long para-\nline 1")
    assert second == first + "\n"


@pytest.mark.parametrize("name", ["txt", "md"])
def test_a_page_that_was_not_read_says_so(name: str) -> None:
    written = _written(_unread(7), name)
    assert "Page 7 could not be read" in written
    assert "too" in written


def test_json_is_the_documents_own() -> None:
    document = _prose()
    assert Document.from_json(_written(document, "json")) == document


def test_markdown_has_page_comments_headings_and_lines_as_they_break() -> None:
    written = _written(_prose(3), "md")
    assert written.startswith(
        "<!-- page 3 -->\n\n## A Heading\n\nline 0 of a long para-\nline 1"
    )


def test_markdown_lists_lose_their_bullets_and_keep_their_lines() -> None:
    page = page_of([], blocks=(_block("list", "• one\ngoes on\n• two"),))
    assert "- one\n  goes on\n- two" in _written(document_of(page), "md")


def test_a_plain_table_is_a_pipe_table() -> None:
    cells = (
        Cell(row=0, column=0, text="a|b"),
        Cell(row=0, column=1, text="c\nd"),
        Cell(row=1, column=1, text="1"),
    )
    table = Table(rows=2, columns=2, cells=cells)
    page = page_of([], blocks=(_block("table", "", table),))
    assert "| a\\|b | c<br>d |\n| --- | --- |\n|  | 1 |" in _written(document_of(page), "md")


def test_a_table_with_spans_is_html() -> None:
    cells = (
        Cell(row=0, column=0, column_span=2, text="<both>", header=True),
        Cell(row=1, column=0, row_span=2, text="tall"),
        Cell(row=2, column=1, text="1"),
    )
    table = Table(rows=3, columns=2, cells=cells)
    page = page_of([], blocks=(_block("table", "", table),))
    assert (
        '<table>\n<tr><th colspan="2">&lt;both&gt;</th></tr>\n'
        '<tr><td rowspan="2">tall</td><td></td></tr>\n<tr><td>1</td></tr>\n</table>'
    ) in _written(document_of(page), "md")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("# no heading", "\\# no heading"),
        ("1. no list", "1\\. no list"),
        ("- no item", "\\- no item"),
        ("> no quote", "\\> no quote"),
        ("=====", "\\====="),
        ("*a* _b_ `c` [d](e) <f>", "\\*a\\* \\_b\\_ \\`c\\` \\[d\\](e) \\<f>"),
        ("AT&T &amp; co", "AT&T \\&amp; co"),
        ("     no code", "no code"),
        ("$5 and $6", "\\$5 and \\$6"),
    ],
)
def test_text_that_looks_like_markup_stays_text(text: str, escaped: str) -> None:
    assert escape(text) == escaped


@given(st.text())
def test_escaping_only_adds_backslashes_and_evens_white_space(text: str) -> None:
    shown = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", escape(text))
    assert shown.split() == text.split()


def test_an_unknown_format_gets_the_nearest_names() -> None:
    with pytest.raises(BadOption, match="did you mean json"):
        export(_prose(), "jsn")


@pytest.mark.parametrize("name", ["pdf", "png"])
def test_a_format_that_needs_the_input_says_so(name: str) -> None:
    with pytest.raises(BadOption, match="input itself"):
        export(_prose(), name)
