"""Paragraphs that go on over pages: told as parts of one, and joined in formats."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from pagetide.document import (
    Block,
    BlockKind,
    BlockPlace,
    Document,
    Line,
    Link,
    Page,
    TextStyle,
    Word,
)
from pagetide.exports.text import html, markdown, plain_text
from pagetide.geometry import box_of, polygon_of, union
from pagetide.structure import settled
from tests.documents import document_of, line, page_of

LETTER, HEIGHT = 10, 20
FIRST = (
    "The mill stood idle after the flood of that year, and",
    "its owner, who had moved to the town in the meantime,",
    "said that he had no wish to rebuild it for the few who",
)
AFTER = (
    "still brought their grain to the valley in the autumn.",
    "So it was sold to the council for a very small amount,",
    "which nobody thought was too much.",
)
Part = tuple[BlockKind, float, Sequence[str]]


def _page(number: int, *parts: Part, height: int = HEIGHT, left: float = 100) -> Page:
    """Blocks of a kind each, with their top edges and rows, in this order."""
    lines: list[Line] = []
    blocks: list[Block] = []
    for order, (kind, top, rows) in enumerate(parts):
        boxes = [
            (left, top + 30 * n, left + LETTER * len(row), top + 30 * n + height)
            for n, row in enumerate(rows)
        ]
        indexes = tuple(range(len(lines), len(lines) + len(rows)))
        lines += [line(row, box) for row, box in zip(rows, boxes, strict=True)]
        blocks.append(
            Block(
                kind=kind,
                polygon=polygon_of(union(boxes)),
                order=order,
                text="\n".join(rows),
                line_indexes=indexes,
            )
        )
    return page_of(lines, number=number, blocks=tuple(blocks))


def _read(first: Sequence[Part], after: Sequence[Part], *, height: int = HEIGHT) -> Document:
    pages = settled([_page(1, *first), _page(2, *after, height=height)])
    return document_of(*pages)


def _befores(document: Document) -> list[BlockPlace | None]:
    return [block.continued_from for page in document.pages for block in page.blocks]


def _parts(*, first: Sequence[str] = FIRST, after: Sequence[str] = AFTER) -> Document:
    return _read([("text", 1200, first)], [("text", 100, after)])


def test_a_sentence_goes_on_on_the_next_page() -> None:
    document = _parts()
    assert _befores(document) == [None, BlockPlace(page=1, order=0)]
    assert [page.blocks[0].text for page in document.pages] == [
        "\n".join(FIRST),
        "\n".join(AFTER),
    ]


def test_so_does_one_with_a_name_that_had_no_room() -> None:
    after = ("Berlin, Bremen and the other towns sent to the valley.", *AFTER[1:])
    assert _befores(_parts(after=after))[1] is not None
    short = (*FIRST[:2], "said that he had no wish to rebuild it")
    assert _befores(_parts(first=short, after=after))[1] is None


@pytest.mark.parametrize("between", ["figure", "caption", "table", "footnote", "page_number"])
def test_what_stands_at_the_pages_ends_may_come_between(between: BlockKind) -> None:
    document = _read(
        [("text", 1100, FIRST), (between, 1250, ["12 The mill"])],
        [(between, 40, ["Flour"]), ("text", 100, AFTER)],
    )
    assert _befores(document) == [None, None, None, BlockPlace(page=1, order=0)]


ENDED = (*FIRST[:2], "said that he did not wish to rebuild it at any time.")
ROOM = ("The flood", "took the mill", "and the man")


@pytest.mark.parametrize(
    ("first", "after"),
    [
        ([("text", 1200, ENDED)], [("text", 100, AFTER)]),
        ([("text", 1200, FIRST)], [("text", 100, ("Still more", *AFTER))]),
        ([("text", 1200, ROOM)], [("text", 100, AFTER)]),
        ([("text", 100, FIRST)], [("text", 100, AFTER)]),
        ([("text", 1200, FIRST)], [("text", 900, AFTER)]),
        ([("text", 1200, FIRST)], [("heading", 40, ["A sale"]), ("text", 100, AFTER)]),
        ([("text", 1200, FIRST), ("list", 1300, ["a stone"])], [("text", 100, AFTER)]),
        ([("text", 1200, FIRST)], [("text", 100, ("still brought it", "in autumn"))]),
    ],
    ids=["ended", "new", "room", "high", "low", "heading", "list", "narrow"],
)
def test_what_does_not_go_on(first: Sequence[Part], after: Sequence[Part]) -> None:
    assert not any(_befores(_read(first, after)))


def test_a_page_that_ends_within_a_row_goes_on() -> None:
    first = (*FIRST[:2], "said that he")
    assert _befores(_parts(first=first))[1] is not None


def test_a_sentence_does_not_go_on_in_other_letters() -> None:
    assert not any(_befores(_read([("text", 1200, FIRST)], [("text", 100, AFTER)], height=12)))


def test_a_running_header_is_no_part() -> None:
    pages = [
        _page(n, ("text", 30, ["The mill in the valley"]), ("text", top, rows))
        for n, (top, rows) in enumerate(
            [(1200, FIRST), (100, AFTER), (700, AFTER), (700, AFTER), (700, AFTER)], 1
        )
    ]
    found = _befores(document_of(*settled(pages)))
    assert found[3] == BlockPlace(page=1, order=1)
    assert found.count(None) == len(found) - 1


def test_it_is_written_as_one_paragraph() -> None:
    document = _parts()
    whole = " ".join([*FIRST, *AFTER])
    assert whole in markdown.write(document)
    assert whole in html.write(document)
    assert markdown.write(document).count(AFTER[0]) == 1
    assert html.write(document).count("<p>") == 1
    kept = markdown.write(document, line_breaks="keep")
    assert AFTER[0] in kept.partition("<!-- page 2 -->")[2]


def test_a_lists_last_item_goes_on() -> None:
    items = [f"- {FIRST[0]}", f"- {FIRST[2]}"]
    document = _read([("list", 1200, items)], [("text", 100, AFTER)])
    assert f"\n- {FIRST[2]} {' '.join(AFTER)}\n" in markdown.write(document)
    ended = _read([("list", 1200, [*items, "- A stone."])], [("text", 100, AFTER)])
    assert not any(_befores(ended))


def test_a_text_has_each_part_on_its_page() -> None:
    first, after = plain_text.write(_parts()).split("\f")
    assert (first, after) == (" ".join(FIRST), " ".join(AFTER) + "\n")


def test_a_chunk_stands_on_both_pages() -> None:
    [chunk] = _parts().chunks()
    assert [place.page for place in chunk.places] == [1, 2]


def test_a_chunk_of_a_long_one_stands_where_its_text_does() -> None:
    places = [
        [place.page for place in chunk.places] for chunk in _parts().chunks(max_tokens=20)
    ]
    assert places[0] == [1] and places[-1] == [2]
    assert all(1 <= len(pages) <= 2 for pages in places)


def test_chunks_by_page_end_with_it() -> None:
    found = _parts().chunks(by="page")
    assert [chunk.pages for chunk in found] == [(1,), (2,)]


def test_a_paragraph_may_fill_pages() -> None:
    middle = [AFTER[0][:-1] + ",", AFTER[1]] * 20
    pages = settled(
        [
            _page(1, ("text", 1200, FIRST)),
            _page(2, ("text", 100, middle)),
            _page(3, ("text", 100, [f"and {AFTER[0]}"])),
        ]
    )
    whole = " ".join([*FIRST, *middle, f"and {AFTER[0]}"])
    assert whole in markdown.write(document_of(*pages))


def test_a_page_that_is_missing_leaves_the_rest_as_it_is() -> None:
    document = _parts()
    alone = replace(document, pages=document.pages[1:])
    assert " ".join(AFTER) in markdown.write(alone)


def test_a_word_parted_by_the_page_is_whole() -> None:
    document = _parts(
        first=(*FIRST[:2], "said that he had no wish to rebuild it for the few re-"),
        after=("maining farmers who brought their grain in the autumn.", *AFTER[1:]),
    )
    assert "the few remaining farmers" in markdown.write(document)


@pytest.mark.parametrize("styled", [(1, 2), (2,)])
def test_its_styles_come_along(styled: Sequence[int]) -> None:
    pages = [
        replace(page, lines=(_bold(page.lines[0]), *page.lines[1:]))
        if page.number in styled
        else page
        for page in _parts().pages
    ]
    assert "the few who **still** brought" in markdown.write(document_of(*pages))
    assert "<strong>still</strong>" in html.write(document_of(*pages))


def test_its_links_come_along_to_a_page_that_has_none() -> None:
    first, after = _parts().pages
    bold = _bold(after.lines[0])
    box = box_of(bold.words[0].polygon)
    link = Link(polygon=polygon_of(box), address="https://example.org/mill")
    lines = (replace(bold, styles=()), *after.lines[1:])
    document = document_of(first, replace(after, lines=lines, links=(link,)))
    assert "the few who [still](https://example.org/mill) brought" in markdown.write(document)


def test_a_page_number_right_below_the_text_is_no_text() -> None:
    document = _read([("text", 1100, FIRST), ("text", 1240, ["12"])], [("text", 100, AFTER)])
    assert _befores(document)[2] == BlockPlace(page=1, order=0)


def _bold(row: Line) -> Line:
    """A line whose first word is bold."""
    words = [
        Word(text=text, polygon=polygon_of((n, 0, n + 1, 1)))
        for n, text in enumerate(row.text.split())
    ]
    end = len(words[0].text)
    return replace(row, words=tuple(words), styles=(TextStyle(kind="bold", start=0, end=end),))
