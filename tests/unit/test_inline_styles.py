"""Bold, italic, code, raised and lowered text, as Markdown and HTML tell it."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import groupby

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pagetide.document import Block, BlockKind, Line, Page, StyleKind, TextStyle, Word
from pagetide.exports import html, markdown
from pagetide.exports.inline_marks import STYLES
from pagetide.geometry import polygon_of
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
