"""Bold, italic, code, raised and lowered text, as Markdown and HTML tell it."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import groupby

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace

from pagetide.document import (
    Block,
    BlockKind,
    Cell,
    Line,
    Page,
    StyleKind,
    Table,
    TextStyle,
    Word,
)
from pagetide.exports.text import html, markdown
from pagetide.exports.text.inline_marks import STYLES
from pagetide.geometry import polygon_of
from pagetide.structure import footnotes
from tests.documents import document_of, page_of

TAGS: dict[str, StyleKind] = {
    "strong": "bold",
    "em": "italic",
    "code": "code",
    "sup": "superscript",
    "sub": "subscript",
}
Letters = list[tuple[str, frozenset[StyleKind]]]
# A letter and its styles; a space ends a word, a bar ends it without a space.
LETTERS = st.lists(
    st.tuples(
        st.sampled_from("aB1 |*_`.,()[]<>&#-+!\\$~:\"'“”你。é²†"),
        st.frozensets(st.sampled_from(STYLES), max_size=2),
    ),
    min_size=1,
    max_size=14,
)


class Shown(HTMLParser):
    """The letters of a rendered text, with the styles that they are shown in."""

    def __init__(self) -> None:
        super().__init__()
        self.letters: Letters = []
        self._open: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._hidden += tag in ("head", "h1", "h2")
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("head", "h1", "h2")
        if tag in self._open:
            assert self._open.pop() == tag or tag not in TAGS

    def handle_data(self, data: str) -> None:
        styles = frozenset(TAGS[tag] for tag in self._open if tag in TAGS)
        if not self._hidden:
            self.letters += [(letter, styles) for letter in data if not letter.isspace()]


def shown(markup: str) -> Letters:
    parser = Shown()
    parser.feed(markup)
    parser.close()
    return parser.letters


def rendered(text: str) -> Letters:
    return shown(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


def line_of(letters: Letters) -> Line:
    """A line of these letters."""
    text, words, marks = "", [""], []
    for letter, styles in letters:
        if letter in " |":
            words.append("")
            text += letter.replace("|", "") if text and not text.endswith(" ") else ""
        else:
            words[-1] += letter
            text += letter
            marks += [(len(text) - 1, style) for style in styles]
    runs = [
        TextStyle(kind=kind, start=run[0], end=run[-1] + 1)
        for kind in sorted(STYLES)
        for run in _stretches([at for at, style in marks if style == kind])
    ]
    where = polygon_of((10, 10, 400, 30))
    return Line(
        text=text.rstrip(),
        polygon=where,
        words=tuple(Word(text=word, polygon=where) for word in words if word),
        source="text_layer",
        styles=tuple(runs),
    )


def _stretches(places: list[int]) -> list[list[int]]:
    groups = groupby(enumerate(places), key=lambda each: each[1] - each[0])
    return [[place for _, place in group] for _, group in groups]


def page_with(*lines: Line, kind: BlockKind = "text") -> Page:
    block = Block(
        kind=kind,
        polygon=polygon_of((10, 10, 400, 400)),
        order=0,
        text="\n".join(line.text for line in lines),
        line_indexes=tuple(range(len(lines))),
    )
    return page_of(lines, blocks=(block,))


def expected(line: Line) -> Letters:
    return [
        (letter, frozenset(each.kind for each in line.styles if each.start <= at < each.end))
        for at, letter in enumerate(line.text)
        if letter != " "
    ]


@given(LETTERS)
@example([("a", frozenset(["bold"])), ("B", frozenset())])
@example([("`", frozenset(["code"]))])
@example([("!", frozenset()), ("a", frozenset(["code"])), ("1", frozenset(["italic"]))])
def test_every_letter_is_shown_once_and_in_its_style(letters: Letters) -> None:
    line = line_of(letters)
    document = document_of(page_with(line))
    assert rendered(markdown.write(document)) == expected(line)
    assert shown(html.write(document)) == expected(line)


def styled(text: str, *styles: tuple[StyleKind, str]) -> Line:
    """A line with the first place of some words in a style."""
    where = polygon_of((10, 10, 400, 30))
    return Line(
        text=text,
        polygon=where,
        words=tuple(Word(text=word, polygon=where) for word in text.split()),
        source="text_layer",
        styles=tuple(
            TextStyle(kind=kind, start=text.index(part), end=text.index(part) + len(part))
            for kind, part in styles
        ),
    )


def told(line: Line, kind: BlockKind) -> str:
    return markdown.write(document_of(page_with(line, kind=kind))).split("-->\n\n")[1].strip()


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("text", "**Some bold** *and* H<sub>2</sub>O, `a_b`"),
        ("heading", "## **Some bold** *and* H<sub>2</sub>O, `a_b`"),
        ("caption", "**Some bold** *and* H<sub>2</sub>O, `a_b`"),
        ("code", "```\nSome bold and H2O, a_b\n```"),
        ("formula", "$$ Some bold and H2O, a_b $$"),
    ],
)
def test_styles_stand_where_a_block_can_have_them(kind: BlockKind, shown: str) -> None:
    line = styled(
        "Some bold and H2O, a_b",
        ("bold", "Some bold"),
        ("italic", "and"),
        ("subscript", "2"),
        ("code", "a_b"),
    )
    assert told(line, kind) == shown


def test_a_heading_all_in_bold_has_no_marks_and_a_paragraph_has() -> None:
    line = styled("All of it.", ("bold", "All of it."))
    assert told(line, "heading") == "## All of it."
    assert told(line, "text") == "**All of it.**"


@pytest.mark.parametrize("bold", [("Article", ": The quay"), ("1",)])
def test_a_number_in_a_heading_has_no_style_of_its_own(bold: tuple[str, ...]) -> None:
    line = styled("Article 1: The quay", *(("bold", part) for part in bold))
    assert told(line, "heading") == "## Article 1: The quay"


@pytest.mark.parametrize(
    ("text", "part", "shown"),
    [
        ("1. The first", "1. The", "1. **The** first"),
        ("1. The first", "1.", "1. The first"),
        ("• The first", "• The first", "- **The first**"),
    ],
)
def test_the_mark_of_an_item_is_not_styled(text: str, part: str, shown: str) -> None:
    assert told(styled(text, ("bold", part)), "list") == shown


def test_a_cell_has_its_styles_and_a_head_only_what_is_its_own() -> None:
    lines = [styled("Sum of all", ("bold", "Sum of all")), styled("12 *", ("superscript", "*"))]
    table = Table(
        rows=2,
        columns=2,
        cells=(
            Cell(row=0, column=0, text="Sum of all", header=True, line_indexes=(0,)),
            Cell(row=0, column=1, text="12 *", header=True, line_indexes=(1,)),
            Cell(row=1, column=0, text="Sum of all", line_indexes=(0,)),
            Cell(row=1, column=1, text="12 *", line_indexes=(1,)),
        ),
    )
    page = page_with(*lines, kind="table")
    page = replace(page, blocks=(replace(page.blocks[0], table=table),))
    told = markdown.write(document_of(page))
    assert "| Sum of all | 12 <sup>\\*</sup> |" in told
    assert "| **Sum of all** | 12 <sup>\\*</sup> |" in told
    assert "<td><strong>Sum of all</strong></td>" in html.write(document_of(page))


@pytest.mark.parametrize("owner", [0, 1])
def test_both_cells_of_a_line_have_its_styles_whichever_lists_it(owner: int) -> None:
    halves = [polygon_of((10, 10, 100, 30)), polygon_of((300, 10, 400, 30))]
    words = [
        Word(text=text, polygon=half) for text, half in zip(("12", "kg"), halves, strict=True)
    ]
    line = replace(styled("12 kg", ("bold", "12"), ("italic", "kg")), words=tuple(words))
    cells = [
        Cell(
            row=0,
            column=n,
            text=word.text,
            polygon=word.polygon,
            line_indexes=(0,) * (n == owner),
        )
        for n, word in enumerate(words)
    ]
    page = page_with(line, kind="table")
    table = Table(rows=1, columns=2, cells=tuple(cells))
    page = replace(page, blocks=(replace(page.blocks[0], table=table),))
    told = html.write(document_of(page))
    assert "<strong>12</strong>" in told and "<em>kg</em>" in told


def test_text_cannot_style_itself() -> None:
    forged = "\ufdd2\U00100000click\ufdd3\U00100000 it"
    line = styled(forged, ("italic", "it"))
    assert "**" not in told(line, "text") and "*it*" not in told(line, "text")
    assert "<strong>" not in html.write(document_of(page_with(line)))


def test_a_mark_leads_to_its_note() -> None:
    text = styled("They said so.1", ("superscript", "1"))
    note = styled("1 In a letter.", ("superscript", "1"))
    page = page_with(text, note)
    blocks = tuple(
        replace(page.blocks[0], order=at, text=line.text, line_indexes=(at,))
        for at, line in enumerate(page.lines)
    )
    page = replace(page, number=7, blocks=blocks, footnotes=footnotes(page.lines, blocks))
    told = markdown.write(document_of(page))
    assert "They said so.[<sup>1</sup>](#note-7-1)" in told
    assert '<a id="note-7-1"><sup>1</sup></a> In a letter.' in told
    shown = html.write(document_of(page))
    assert 'so.<a href="#note-7-1"><sup>1</sup></a>' in shown
    assert '<a id="note-7-1"><sup>1</sup></a> In a letter.' in shown
