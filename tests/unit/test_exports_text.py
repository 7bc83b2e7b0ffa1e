"""Text, Markdown and JSON."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pagetide.document import Block, Cell, Document, Failure, Line, Notice, Table
from pagetide.errors import BadOption
from pagetide.exports import FORMATS, Style, export
from pagetide.exports.text.markdown import escape
from pagetide.geometry import polygon_of
from tests.documents import document_of, line, page_of

_BOX = polygon_of((0, 0, 10, 10))


def _written(document: Document, name: str) -> str:
    ((suffix, content),) = export(document, name)
    assert suffix == FORMATS[name].suffix
    return content.decode()


def _prose(number: int = 1) -> Document:
    text = "\n".join(f"line {i} of a long para-" for i in range(6))
    blocks = [_block("heading", "A Heading"), _block("text", text)]
    return document_of(page_of([], number=number, blocks=_ordered(*blocks)))


def _block(kind: str, text: str = "", table: Table | None = None, **more: Any) -> Block:
    fields = {"polygon": _BOX, "order": 0, "text": text, "table": table, **more}
    return Block(kind=kind, **fields)  # type: ignore[arg-type]


def _ordered(*blocks: Block) -> tuple[Block, ...]:
    """The blocks, each with its place as its order."""
    return tuple(msgspec.structs.replace(each, order=i) for i, each in enumerate(blocks))


def _markdown(*blocks: Block, lines: Sequence[Line] = (), figures: str | None = None) -> str:
    """What stands below the page's comment."""
    page = page_of(lines, blocks=_ordered(*blocks))
    ((_, content),) = export(document_of(page), "md", style=Style(figures=figures))
    return content.decode().removeprefix("<!-- page 1 -->\n\n").removesuffix("\n")


def _shown(markdown: str) -> str:
    """What CommonMark with tables makes of it, as HTML."""
    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))


def _rows(*rows: Sequence[str], headers: int = 0) -> Table:
    cells = tuple(
        Cell(row=r, column=c, text=text, header=r < headers)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    return Table(rows=len(rows), columns=len(rows[0]), cells=cells)


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
        "<!-- page 3 -->\n\n## A Heading\n\nline 0 of a long para-  \nline 1"
    )


@pytest.mark.parametrize(
    ("kind", "level", "mark"),
    [
        ("title", None, "#"),
        ("heading", None, "##"),
        ("heading", 1, "##"),
        ("heading", 3, "####"),
        ("heading", 6, "######"),
    ],
)
def test_a_heading_stands_one_below_the_title(kind: str, level: int | None, mark: str) -> None:
    heading = _block(kind, "1. On *tides*,\nand ports #", level=level)
    written = _markdown(heading)
    assert written == f"{mark} 1. On \\*tides\\*, and ports \\#"
    tag = f"h{len(mark)}"
    assert _shown(written) == f"<{tag}>1. On *tides*, and ports #</{tag}>\n"


def test_markdown_lists_lose_their_bullets_and_keep_their_lines() -> None:
    page = page_of([], blocks=(_block("list", "• one\ngoes on\n• two"),))
    assert "- one\n  goes on\n- two" in _written(document_of(page), "md")


def test_a_plain_table_is_a_pipe_table() -> None:
    cells = (
        Cell(row=0, column=0, text="a|b", header=True),
        Cell(row=0, column=1, text="c\nd", header=True),
        Cell(row=1, column=1, text="-1. #5"),
    )
    written = _markdown(_block("table", "", Table(rows=2, columns=2, cells=cells)))
    assert written == "| a\\|b | c<br>d |\n| --- | --- |\n|  | -1. #5 |"
    assert _shown(written).count("<td>") == 2


def test_a_table_without_known_headers_has_none() -> None:
    written = _markdown(_block("table", "", _rows(["a", "b"], ["1", "2"])))
    assert written == "|  |  |\n| --- | --- |\n| a | b |\n| 1 | 2 |"
    assert _shown(written).count("<td>") == 4
    assert "<th></th>" in _shown(written)


@pytest.mark.parametrize(
    "table",
    [
        _rows(["a"], ["b"], ["c"], headers=2),
        Table(
            rows=2,
            columns=1,
            cells=(Cell(row=0, column=0), Cell(row=1, column=0, header=True)),
        ),
    ],
    ids=["two rows of headers", "a header at the side"],
)
def test_a_table_with_headers_that_pipes_cannot_say_is_html(table: Table) -> None:
    assert _markdown(_block("table", "", table)).startswith("<table>\n")


def test_a_table_that_has_no_cells_keeps_its_columns() -> None:
    empty = Table(rows=0, columns=0, cells=())
    assert _markdown(_block("table", "a\tb\nc\td", empty)) == "```\na\tb\nc\td\n```"


def test_a_line_of_a_table_outside_its_cells_is_not_lost() -> None:
    cell = Cell(row=0, column=0, text="in a cell", line_indexes=(0,))
    table = Table(rows=1, columns=1, cells=(cell,))
    lines = [line("in a cell", (0, 0, 9, 9)), line("*beside*", (0, 20, 9, 29))]
    written = _markdown(_block("table", "", table, line_indexes=(0, 1)), lines=lines)
    assert written.count("in a cell") == 1
    assert written.endswith("\n\n\\*beside\\*")


def test_a_table_with_spans_is_html() -> None:
    cells = (
        Cell(row=0, column=0, column_span=2, text="<both>", header=True),
        Cell(row=1, column=0, row_span=2, text="tall"),
        Cell(row=2, column=1, text="1"),
    )
    table = Table(rows=3, columns=2, cells=cells)
    assert _markdown(_block("table", "", table)) == (
        "<table>\n<thead>\n"
        '<tr><th scope="col" colspan="2">&lt;both&gt;</th></tr>\n</thead>\n<tbody>\n'
        '<tr><td rowspan="2">tall</td><td></td></tr>\n<tr><td>1</td></tr>\n</tbody>\n</table>'
    )


def test_a_caption_stands_beside_what_it_belongs_to() -> None:
    written = _markdown(
        _block("caption", "1. Tides *of* today", caption_of=2),
        _block("text", "words"),
        _block("table", "", _rows(["a"], ["b"], headers=1)),
        _block("caption", "Source: us", caption_of=2),
        _block("caption", "of nothing", caption_of=77),
    )
    parts = ["words", "1\\. Tides \\*of\\* today", "| a |\n| --- |\n| b |", "Source: us"]
    assert written == "\n\n".join([*parts, "of nothing"])
    assert "<p>1. Tides *of* today</p>" in _shown(written)


def test_a_figure_is_a_comment_or_a_link_and_never_a_picture_inside() -> None:
    figure, caption = _block("figure", "- a label"), _block("caption", "Fig. 1", caption_of=0)
    comment = "<!-- figure: page 1, block 0 -->\n\n> \\- a label\n\nFig. 1"
    assert _markdown(figure, caption) == comment
    linked = _markdown(figure, caption, figures="a (b)/figures/")
    link = "![figure on page 1](a%20%28b%29/figures/p0001-b0.png)"
    assert linked == f"{link}\n\n> \\- a label\n\nFig. 1"
    assert 'src="a%20%28b%29/figures/p0001-b0.png"' in _shown(linked)


def test_a_figure_that_lies_beside_the_page_has_no_link() -> None:
    away = _block("figure", polygon=polygon_of((1000, 0, 1100, 50)))
    assert _markdown(away, figures="figures/") == "<!-- figure: page 1, block 0 -->"


def test_a_chart_that_was_read_is_a_table() -> None:
    written = _markdown(_block("chart", "Year\tTides", _rows(["Year"], ["2020"], headers=1)))
    assert written == ("<!-- chart: page 1, block 0 -->\n\n| Year |\n| --- |\n| 2020 |")


def test_a_formula_is_latex_on_one_line() -> None:
    written = _markdown(_block("formula", "\\frac{a}{b}\n- c <d> $$ [x](y)\n# 1"))
    assert written == "$$ \\frac{a}{b} - c < d> $ $ [x] (y) # 1 $$"
    assert re.fullmatch(r"<p>[^<]*</p>\n", _shown(written))


def test_code_is_fenced_whatever_it_holds() -> None:
    code = "def f(x):\n\n    return `x`  # ```\n````\n<b>"
    written = _markdown(_block("code", code))
    assert written == f"`````\n{code}\n`````"
    assert "<b>" not in _shown(written)


def test_what_is_not_body_text_is_kept_in_comments() -> None:
    written = _markdown(
        _block("header", "Harbour\tOffice"),
        _block("text", "words"),
        _block("footnote", "1 A note."),
        _block("footer", "a --> b <!-- c"),
        _block("page_number", "7"),
    )
    assert written.split("\n\n") == [
        "<!-- header: Harbour Office -->",
        "words",
        "1 A note.",
        "<!-- footer: a - -> b <!- - c -->",
        "<!-- page number: 7 -->",
    ]


def test_a_block_whose_text_another_holds_is_not_told_twice() -> None:
    notice = Notice(code="block_failed", message="It --> failed.")
    written = _markdown(
        _block("text", "first and second"),
        _block("text", "second", continues=0, warnings=(notice,)),
        _block("text", "third", continues=9),
        _block("text", "fourth", continues=4),
        _block("text", "fifth", continues=3),
    )
    warning = "<!-- warning block_failed: It - -> failed. -->"
    assert written.split("\n\n") == ["first and second", warning, "third", "fourth", "fifth"]


def test_what_went_wrong_is_said_in_comments() -> None:
    notice = Notice(code="odd", message="Something\n\nis odd.")
    page = msgspec.structs.replace(page_of([]), warnings=(notice,), lines_below_confidence=4)
    document = msgspec.structs.replace(document_of(page), warnings=(notice,))
    odd = "<!-- warning odd: Something is odd. -->"
    left_out = "<!-- lines left out: 4 -->"
    parts = [odd, "<!-- page 1 -->", odd, left_out]
    assert _written(document, "md") == "\n\n".join(parts) + "\n"


def _list(*rows: tuple[float, str], from_right: bool = False) -> str:
    """A list whose rows begin so far in."""
    lines = [
        line(
            text,
            (100 - x, 30 * i, 400 - x, 30 * i + 20)
            if from_right
            else (x, 30 * i, 400, 30 * i + 20),
        )
        for i, (x, text) in enumerate(rows)
    ]
    text = "\n".join(text for _, text in rows)
    indexes = tuple(range(len(lines)))
    return _markdown(_block("list", text, line_indexes=indexes), lines=lines)


def test_items_further_in_stand_below() -> None:
    written = _list(
        (10, "• one"),
        (22, "goes on"),
        (40, "– inner"),
        (70, "1) deep"),
        (42, "– next"),
        (11, "• two"),
    )
    assert written == "- one goes on\n  - inner\n    1. deep\n  - next\n- two"


def test_items_further_in_stand_below_from_right_to_left_too() -> None:
    written = _list((10, "• الأول"), (50, "• الداخلي"), (10, "• الثاني"), from_right=True)
    assert written == "- الأول\n  - الداخلي\n- الثاني"


def test_numbers_stay_as_they_are() -> None:
    written = _list((0, "3. three"), (0, "4. four"), (0, "7) seven"), (0, "a) letter"))
    assert written == "3. three\n4. four\n\n<!-- -->\n\n7. seven\n- a) letter"
    assert [int(n) for n in re.findall('<ol start="(.)">', _shown(written))] == [3, 7]
    below = _list((0, "• two"), (40, "7. seven"))
    assert below == "- two\n\n  7. seven"
    assert '<ol start="7">' in _shown(below)


def test_a_minus_is_no_bullet() -> None:
    assert _list((0, "- at night"), (20, "-5 degrees")) == "- at night\n  \\-5 degrees"


@pytest.mark.parametrize("year", ["2022. It rained", "2022.1 It rained", "1998) and later"])
def test_a_year_that_begins_a_line_numbers_no_item(year: str) -> None:
    written = _list((0, "1. carried in March"), (20, year), (0, "2. denied"))
    assert [len(each) for each in re.findall(r"(?m)^( *)(?:-|\d+\.) ", written)] == [0, 0]


def test_rows_of_several_lines_count_as_one() -> None:
    lines = [
        line("1.", (0, 0, 9, 20)),
        line("one", (30, 0, 90, 20)),
        line("2. two", (0, 30, 9, 50)),
    ]
    block = _block("list", "1.\tone\n2. two", line_indexes=(0, 1, 2))
    assert _markdown(block, lines=lines) == "1. one\n2. two"


KINDS = ["title", "heading", "text", "list", "table", "figure", "formula", "caption", "header"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(KINDS),
            st.text("<>!-[]()*_`#|$&;:=+~\\\"'/ \n\r\tab1.)", max_size=24),
        ),
        max_size=4,
    )
)
def test_no_text_becomes_markup(texts: list[tuple[str, str]]) -> None:
    """CommonMark makes of it only elements that we write ourselves, and no link or picture."""
    blocks = [
        _block(
            kind,
            "" if kind == "table" else text,
            _rows([text, "x"]) if kind == "table" else None,
        )
        for kind, text in texts
    ]
    written = _markdown(*blocks)
    rendered = re.sub(r"<!--.*?-->", "", _shown(written))
    found = set(re.findall(r"<(/?\w+)", rendered))
    ours = "p h1 h2 em ul ol li table thead tbody tr th td br blockquote pre code"
    assert found <= {f"{slash}{tag}" for tag in ours.split() for slash in ("", "/")}
    if not any(kind == "table" for kind, _ in texts):
        assert "pre" not in found


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


@pytest.mark.parametrize("name", ["pdf", "png", "figures"])
def test_a_format_that_needs_the_input_says_so(name: str) -> None:
    with pytest.raises(BadOption, match="input itself"):
        export(_prose(), name)
