"""Azure's answers: every span names the text that it says, however places are counted."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Block, BlockKind, Cell, Line, Page, Table, TextLayerDecision, Word
from pagetide.geometry import Polygon, polygon_of
from pagetide.server.compat.azure.content.string_index import (
    StringIndex,
    StringIndexType,
    text_elements,
)
from pagetide.server.compat.azure.page_answer import Answering, Before, PageAnswer
from pagetide.server.compat.azure.wire import Span

INDEX_TYPES: tuple[StringIndexType, ...] = (
    "textElements",
    "unicodeCodePoint",
    "utf16CodeUnit",
)
# Plain letters, marks of Markdown and HTML, astral letters, combining marks, joiners, flags.
LETTERS = (
    "ab1.)(*_#<>&|~$`[]\\\"'-+=:é漢字𝔘한"
    "\u0301\u0323\u200d\U0001f469\U0001f3fd\U0001f1e9\U0001f1ea\u1100\u1161"
)
WOMAN, SKIN, LAPTOP = "\U0001f469", "\U0001f3fd", "\U0001f4bb"
DE, FR = "\U0001f1e9\U0001f1ea", "\U0001f1eb\U0001f1f7"
TOKENS = st.text(alphabet=LETTERS, min_size=1, max_size=6)
KINDS: tuple[BlockKind, ...] = (
    "text", "title", "heading", "list", "code", "formula", "header", "page_number", "caption",
    "footnote", "figure",
)  # fmt: skip


def cut(text: str, kind: StringIndexType, offset: int, length: int) -> str:
    """What a caller who counts in this way finds at a place."""
    if kind == "utf16CodeUnit":
        units = text.encode("utf-16-le")[2 * offset : 2 * (offset + length)]
        return units.decode("utf-16-le")
    if kind == "textElements":
        return "".join(text_elements(text)[offset : offset + length])
    return text[offset : offset + length]


class TestStringIndex:
    @given(st.text(alphabet=LETTERS + " \n\r"), st.data())
    def test_a_span_names_its_text(self, text: str, data: st.DataObject) -> None:
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        for kind in INDEX_TYPES:
            found = cut(text, kind, *StringIndex(kind, text).span(start, end))
            if kind == "textElements" and start < end:
                edges = [0, *itertools.accumulate(map(len, text_elements(text)))]
                first = max(edge for edge in edges if edge <= start)
                last = min(edge for edge in edges if edge >= end)
                assert found == text[first:last]
            else:
                assert found == text[start:end]

    @given(st.text(alphabet=LETTERS + " \n\r"))
    def test_the_length_is_that_of_the_whole(self, text: str) -> None:
        assert StringIndex("textElements", text).length == len(text_elements(text))
        assert StringIndex("unicodeCodePoint", text).length == len(text)
        assert StringIndex("utf16CodeUnit", text).length == len(text.encode("utf-16-le")) // 2

    @pytest.mark.parametrize(
        ("text", "elements"),
        [
            ("e\u0301a", ["e\u0301", "a"]),
            (f"{WOMAN}{SKIN}\u200d{LAPTOP}!", [f"{WOMAN}{SKIN}\u200d{LAPTOP}", "!"]),
            (DE + FR, [DE, FR]),
            ("\u1112\u1161\u11ab한", ["\u1112\u1161\u11ab", "한"]),
            ("a\r\nb\n\u0301", ["a", "\r\n", "b", "\n", "\u0301"]),
            ("कि\u0301", ["कि\u0301"]),
        ],
    )  # fmt: skip
    def test_a_text_element_is_what_a_reader_takes_for_one(
        self, text: str, elements: list[str]
    ) -> None:
        assert text_elements(text) == elements


def box(number: int) -> Polygon:
    return polygon_of((10.0, 20.0 * number, 400.0, 20.0 * number + 15))


def line_of(number: int, tokens: list[str]) -> Line:
    words = tuple(Word(text=token, polygon=box(number), confidence=0.9) for token in tokens)
    return Line(text=" ".join(tokens), polygon=box(number), confidence=0.9, words=words)


@st.composite
def pages(draw: st.DrawFn) -> Page:
    """A page with blocks of many kinds, a table, a caption, and lines in no block."""
    lines: list[Line] = []
    blocks: list[Block] = []

    def some_lines(count: int) -> tuple[int, ...]:
        first = len(lines)
        for _ in range(count):
            tokens = draw(st.lists(TOKENS, min_size=1, max_size=4))
            lines.append(line_of(len(lines), tokens))
        return tuple(range(first, len(lines)))

    for order in range(draw(st.integers(0, 4))):
        if draw(st.booleans()):
            indexes = some_lines(draw(st.integers(1, 3)))
            text = "\n".join(lines[i].text for i in indexes)
            kind = draw(st.sampled_from(KINDS))
            blocks.append(
                Block(
                    kind=kind,
                    polygon=box(indexes[0]),
                    order=order,
                    text=text,
                    line_indexes=indexes,
                    caption_of=order + 1 if kind == "caption" else None,
                )
            )
            continue
        rows, columns = draw(st.integers(1, 2)), draw(st.integers(1, 3))
        cells, indexes = [], ()
        for row, column in itertools.product(range(rows), range(columns)):
            own = some_lines(draw(st.integers(0, 2)))
            cells.append(
                Cell(
                    row=row,
                    column=column,
                    text="\n".join(lines[i].text for i in own),
                    header=row == 0 and draw(st.booleans()),
                    line_indexes=own,
                )
            )
            indexes += own
        stray = some_lines(draw(st.integers(0, 1)))
        blocks.append(
            Block(
                kind="table",
                polygon=box(0),
                order=order,
                text="a table",
                line_indexes=(*indexes, *stray),
                table=Table(rows=rows, columns=columns, cells=tuple(cells)),
            )
        )
    some_lines(draw(st.integers(0, 2)))
    return Page(
        number=1,
        width=595,
        height=842,
        dpi=72,
        width_pt=595,
        height_pt=842,
        text_layer=TextLayerDecision(used=False, reason="no_text"),
        lines=tuple(lines),
        blocks=tuple(blocks),
    )


def answered(page: Page, kind: StringIndexType, form: str) -> PageAnswer:
    return Answering(
        page, Before(offset=7), markdown=form == "markdown", index_type=kind, inches=True
    ).answer(layout=True)


def texts(answer: PageAnswer, kind: StringIndexType, spans: list[Span]) -> list[str]:
    text = answer.draft.text
    return [cut(text, kind, span.offset - 7, span.length) for span in spans]


def as_shown(found: str) -> Iterator[str]:
    """What the content may mean: as it is, unescaped as Markdown, or as HTML."""
    yield found
    yield re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", found)
    yield html.unescape(found.replace("<br>", "\n"))
    yield re.sub(r"(<|\$) (?=[A-Za-z/!?$])", r"\1", found)


def plain(text: str) -> str:
    """Without white space, which may be another; a bullet may be a hyphen."""
    return "".join(text.split())


def tells(found: str, wanted: str, kind: StringIndexType) -> bool:
    same: Callable[[str], bool] = lambda shown: plain(shown) == plain(wanted)  # noqa: E731
    if (
        kind == "textElements"
    ):  # where text begins with a mark, the letter before it comes along
        same = lambda shown: plain(wanted) in plain(shown)  # noqa: E731
    return any(map(same, as_shown(found))) or _listed(found, wanted)


def _listed(found: str, wanted: str) -> bool:
    bullets = r"(?m)^[-–*+•](?=\s|$)"
    return any(
        plain(re.sub(bullets, "-", wanted)) in plain(re.sub(bullets, "-", shown))
        for shown in as_shown(found)
    )


@given(pages(), st.sampled_from(INDEX_TYPES), st.sampled_from(["text", "markdown"]))
def test_every_span_names_its_text(
    page: Page, kind: StringIndexType, form: Literal["text", "markdown"]
) -> None:
    answer = answered(page, kind, form)
    for word in answer.page.words:
        (found,) = texts(answer, kind, [word.span])
        assert tells(found, word.content, kind), (found, word.content, answer.draft.text)
    for line in answer.page.lines:
        found = " ".join(texts(answer, kind, line.spans))
        assert tells(found, line.content, kind), (found, line.content)
    for paragraph in answer.paragraphs:
        (found,) = texts(answer, kind, paragraph.spans)
        assert tells(found, paragraph.content, kind), (found, paragraph.content)
    for cell in (cell for table in answer.tables for cell in table.cells):
        found = "".join(texts(answer, kind, cell.spans))
        assert tells(found, cell.content, kind), (found, cell.content)


@given(pages(), st.sampled_from(["text", "markdown"]))
def test_every_line_and_every_word_is_told_once(page: Page, form: str) -> None:
    answer = answered(page, "unicodeCodePoint", form)
    assert sorted(line.content for line in answer.page.lines) == sorted(
        line.text for line in page.lines
    )
    spans = sorted((word.span.offset, word.span.length) for word in answer.page.words)
    assert len(spans) == sum(len(line.words) for line in page.lines)
    for (start, length), (after, _) in itertools.pairwise(spans):
        assert start + length <= after


@given(pages(), st.sampled_from(INDEX_TYPES))
def test_a_page_is_as_long_as_it_says(page: Page, kind: StringIndexType) -> None:
    answer = answered(page, kind, "text")
    assert answer.length == answer.page.spans[0].length
    assert answer.page.spans[0].offset == 7
