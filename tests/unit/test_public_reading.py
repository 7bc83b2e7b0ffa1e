"""Pages as the public benchmarks want them told, and what is taken from that."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bench.public.as_markdown import as_markdown
from bench.public.normal import formula, letters, told
from bench.public.pieces import rows_of_array, tables_and_pieces
from pagetide.document import (
    Block,
    Cell,
    Failure,
    Footnote,
    Line,
    Link,
    Notice,
    Page,
    Table,
    TextPlace,
    TextStyle,
    Word,
)
from pagetide.geometry import polygon_of
from tests.documents import document_of, page_of

_BOX = polygon_of((0, 0, 100, 20))


def _block(kind: str, text: str = "", **more: Any) -> Block:
    fields = {"polygon": _BOX, "order": 0, "text": text, **more}
    return Block(kind=kind, **fields)  # type: ignore[arg-type]


def _page(*blocks: Block, **more: Any) -> Page:
    ordered = (msgspec.structs.replace(each, order=i) for i, each in enumerate(blocks))
    return msgspec.structs.replace(page_of((), blocks=tuple(ordered)), **more)


def _told(*blocks: Block, **more: Any) -> str:
    return as_markdown(document_of(_page(*blocks, **more)))


def test_headers_footers_and_warnings_are_left_out() -> None:
    page = [_block("header", "Gazette"), _block("text", "All are well."), _block("footer", "7")]
    assert _told(*page, warnings=(Notice(code="read_badly", message="x"),)) == "All are well.\n"


def test_no_sign_is_shielded() -> None:
    assert (
        _told(_block("text", "# 5 * 3_2 [a] <b> $4 & 1. \\x"))
        == "# 5 * 3_2 [a] <b> $4 & 1. \\x\n"
    )


def test_a_table_is_html_whatever_it_holds() -> None:
    table = Table(rows=1, columns=2, cells=(_cell(0, "a_b"), _cell(1, "<5")))
    assert _told(_block("table", table=table)) == (
        "<table>\n<tr><td>a_b</td><td>&lt;5</td></tr>\n</table>\n"
    )


def _cell(column: int, text: str) -> Cell:
    return Cell(row=0, column=column, text=text)


@pytest.mark.parametrize(
    ("source", "confidence", "written"),
    [
        ("vl", None, "$$ x^2 $$\n"),
        ("ocr", None, "$$ x^2 $$\n"),  # PaddleOCR's formulas have none
        ("ocr", 0.9, "x^2\n"),
        ("text_layer", None, "x^2\n"),
    ],
)
def test_only_latex_is_written_as_a_formula(
    source: str, confidence: float | None, written: str
) -> None:
    line = Line(text="x^2", polygon=_BOX, confidence=confidence, source=source)  # type: ignore[arg-type]
    assert _told(_block("formula", "x^2", line_indexes=(0,)), lines=(line,)) == written


def test_links_and_quotes_are_plain_words() -> None:
    line = Line(text="see there", polygon=_BOX)
    link = Link(polygon=_BOX, address="https://example.org/")
    page = [_block("text", "see there", line_indexes=(0,)), _block("figure", "in the picture")]
    assert _told(*page, lines=(line,), links=(link,)) == "see there\n\nin the picture\n"


def test_styles_and_footnotes_are_plain_words() -> None:
    styles = (
        TextStyle(kind="bold", start=0, end=4),
        TextStyle(kind="superscript", start=9, end=10),
    )
    words = tuple(Word(text=text, polygon=_BOX) for text in ("Mind", "tide1"))
    line = Line(text="Mind tide1", polygon=_BOX, words=words, styles=styles)
    place = TextPlace(line=0, start=9, end=10)
    page = {
        "lines": (line,),
        "footnotes": (Footnote(mark="1", place=place, marked=(place,)),),
    }
    assert _told(_block("text", "Mind tide1", line_indexes=(0,)), **page) == "Mind tide1\n"


def test_a_page_that_could_not_be_read_says_nothing() -> None:
    failed = Failure(code="engine_failed", message="It broke.")
    assert as_markdown(document_of(_page(error=failed))).strip() == ""


def test_texts_formulas_and_tables_are_told_apart() -> None:
    markdown = (
        "# One\n\n<table><tr><td>5</td></tr></table>\n\n$$ a = b $$\n\nwith $x_1$ in it\n"
    )
    tables, pieces = tables_and_pieces(markdown)
    assert tables == ["<table><tr><td>5</td></tr></table>"]
    assert [(piece.text, piece.kind) for piece in pieces] == [
        ("One", "text"),
        ("a=b", "formula"),
        ("withx_1init", "text"),
        ("x_1", "inline"),
    ]
    assert [piece.place for piece in pieces] == sorted(piece.place for piece in pieces)


def test_a_page_without_blank_lines_is_parted_by_lines() -> None:
    assert [piece.text for piece in tables_and_pieces("one\ntwo")[1]] == ["one", "two"]


def test_letters_and_figures_alone_are_compared() -> None:
    assert letters("It’s 5 % — «so», 北京!\tYes") == "Its5so北京Yes"


def test_formulas_in_a_text_are_their_letters() -> None:
    assert letters(r"of $\alpha_{1} \le \sin x$ and $5$") == "ofα_1sinxand5"
    assert told(r"\frac{\Delta v}{\mathrm{s}}") == "Δvs"


def test_formulas_are_compared_without_styles_and_spaces() -> None:
    assert formula(r"\[ \mathbf{X} = \left( a \right) \tag{3} \]") == "{x}=(a)"


def test_an_array_of_one_column_is_its_rows() -> None:
    assert rows_of_array(r"\begin{array}{l} a \\ b \end{array}") == ["a", "b"]
    matrix = r"\begin{array}{cc} a & b \end{array}"
    assert rows_of_array(matrix) == [matrix]
