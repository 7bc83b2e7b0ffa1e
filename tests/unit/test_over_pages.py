"""What all pages of a document together tell of each."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from pagetide.document import Block, BlockKind, Page
from pagetide.geometry import box_of, polygon_of, union
from pagetide.structure import settled
from pagetide.structure.draft import Draft
from pagetide.structure.headings.levels import levelled
from pagetide.structure.headings.outline import STATED
from pagetide.structure.rows import Row
from tests.documents import line, page_of

Said = tuple[BlockKind, str, float]
"""A block's kind, text and top."""


def _page(number: int, *said: Said, height: float = 20) -> Page:
    """A page with these blocks, over a text in the middle that differs from page to page."""
    body: Said = ("text", f"What is told on page {number}", 700)
    lines, blocks = [], []
    for place, (kind, text, top) in enumerate((*said, body)):
        tall = height if kind == "heading" else 20
        box = (100.0, top, 100 + tall / 2 * len(text), top + tall)
        lines.append(line(text, box))
        blocks.append(
            Block(
                kind=kind,
                polygon=polygon_of(box),
                order=place,
                text=text,
                line_indexes=(place,),
                level=1 if kind == "heading" else None,
            )
        )
    return page_of(lines, number=number, blocks=tuple(blocks))


def _kinds(pages: Sequence[Page]) -> list[list[str]]:
    return [[block.kind for block in page.blocks[:-1]] for page in settled(pages)]


def test_what_pages_have_in_common_at_their_edge_runs_along_it() -> None:
    pages = [
        _page(n, ("text", f"Annual report, part {n // 3}", 120), ("text", "Imprint", 1250))
        for n in range(1, 7)
    ]
    assert _kinds(pages) == [["header", "footer"]] * 6


def test_the_documents_name_at_the_top_of_further_pages_is_no_heading() -> None:
    pages = [_page(1, ("title", "Harbour bank", 60))]
    pages += [_page(n, ("heading", "Harbour bank", 60), height=34) for n in (2, 3)]
    assert _kinds(pages) == [["title"], ["header"], ["header"]]
    others = [_page(1, ("title", "Bill 1001", 60))]
    others += [_page(n, ("heading", f"Bill 100{n}", 60), height=34) for n in (2, 3)]
    assert _kinds(others) == [["title"], ["heading"], ["heading"]]
    others = [pages[0], *(_page(n, ("heading", "Landings", 60), height=34) for n in (2, 3))]
    assert _kinds(others) == [["title"], ["heading"], ["heading"]]


def _imprinted(number: int, text: str, left: float) -> Page:
    """A page with a line up its side, at its middle."""
    page = _page(number, ("text", text, 640))
    polygon = polygon_of((left, 520.0, left + 20, 820.0))
    lines = (replace(page.lines[0], polygon=polygon), *page.lines[1:])
    blocks = (replace(page.blocks[0], polygon=polygon), *page.blocks[1:])
    return replace(page, lines=lines, blocks=blocks)


def test_an_imprint_up_the_side_of_each_page_runs_along_it() -> None:
    wide = _page(1).width
    beside = [_imprinted(n, "Harbour bank, registered in Tarn", 0.02 * wide) for n in (1, 2)]
    assert _kinds(beside) in ([["header"]] * 2, [["footer"]] * 2)
    within = [_imprinted(n, "Harbour bank, registered in Tarn", 0.2 * wide) for n in (1, 2)]
    assert _kinds(within) == [["text"]] * 2
    other = [_imprinted(n, text, 0.02 * wide) for n, text in ((1, "Bolts"), (2, "Screws"))]
    assert _kinds(other) == [["text"]] * 2


def test_of_two_pages_both_have_to_say_it() -> None:
    same = [_page(n, ("text", "Harbour board", 90)) for n in (1, 2)]
    assert _kinds(same) == [["header"]] * 2
    other = [_page(1, ("text", "Harbour board", 90)), _page(2, ("text", "Dear Sir", 90))]
    assert _kinds(other) == [["text"]] * 2


def test_numbers_that_count_with_the_pages_are_page_numbers() -> None:
    pages = [_page(n, ("text", str(n + 16), 150)) for n in range(1, 6)]
    assert _kinds(pages) == [["page_number"]] * 5
    amounts = [_page(n, ("text", str(n * n), 150)) for n in range(1, 6)]
    assert _kinds(amounts) == [["text"]] * 5


@pytest.mark.parametrize("top", [300.0, 600.0])
def test_what_stands_in_the_text_does_not(top: float) -> None:
    pages = [_page(n, ("text", "Next of kin", top)) for n in range(1, 5)]
    assert _kinds(pages) == [["text"]] * 4


def test_what_stands_elsewhere_on_each_page_does_not() -> None:
    pages = [_page(n, ("text", "Continued", 30 + 40 * n)) for n in range(1, 5)]
    assert _kinds(pages) == [["text"]] * 4


def test_sections_may_begin_alike_on_two_pages_and_in_large_letters_on_many() -> None:
    few = [_page(n, ("heading", "Parts", 100)) for n in (1, 2)]
    assert _kinds(few) == [["heading"]] * 2
    large = [_page(n, ("heading", "INVOICE", 100), height=40) for n in range(1, 6)]
    assert _kinds(large) == [["heading"]] * 5


def test_a_head_of_one_page_alone_among_many_is_text_but_for_the_first() -> None:
    pages = [_page(n) for n in range(1, 9)]
    pages[0] = _page(1, ("header", "Harbour board", 60))
    pages[3] = _page(4, ("header", "int main(void)", 100))
    kinds = _kinds(pages)
    assert (kinds[0], kinds[3]) == (["header"], ["text"])


def _levels(pages: Sequence[Page]) -> list[int | None]:
    return [b.level for page in settled(pages) for b in page.blocks if b.kind == "heading"]


def test_a_heading_has_one_level_on_whatever_page_it_stands() -> None:
    pages = [
        _page(1, ("heading", "Chapter", 300), height=40),
        _page(2, ("heading", "Section", 300), height=30),
        _page(3, ("heading", "Section", 300), height=30),
    ]
    assert [page.blocks[0].level for page in pages] == [1, 1, 1]
    assert _levels(pages) == [1, 2, 2]


def test_one_without_a_number_has_the_level_of_numbered_ones_in_its_type() -> None:
    pages = [
        _page(1, ("heading", "2.1 Method", 300), height=30),
        _page(2, ("heading", "2.2 Results", 300), height=30),
        _page(3, ("heading", "Summary", 300), height=30),
    ]
    assert _levels(pages) == [2, 2, 2]


def test_pages_that_say_nothing_of_each_other_stay_as_they_are() -> None:
    pages = [_page(1, ("heading", "One", 300)), _page(2, ("text", "Two", 300))]
    assert settled(pages) == tuple(pages)


def _stated(*pages: Sequence[tuple[str, int]]) -> list[tuple[str, int | None]]:
    """The kinds and levels of headings that the document states, page by page."""
    told = []
    for number, heads in enumerate(pages, 1):
        said = [("heading", text, 300.0 + 40 * place) for place, (text, _) in enumerate(heads)]
        page = _page(number, *said)  # type: ignore[arg-type]
        blocks = [
            replace(block, label=STATED, level=level)
            for block, (_, level) in zip(page.blocks, heads, strict=False)
        ]
        told.append(replace(page, blocks=(*blocks, page.blocks[-1])))
    return [(b.kind, b.level) for page in settled(told) for b in page.blocks[:-1]]


def test_the_only_heading_of_the_first_level_is_the_title() -> None:
    assert _stated([("Meters", 1)]) == [("title", None)]
    found = _stated([("Meters", 1), ("Reading", 2)], [("Moving", 2), ("Dates", 3)])
    assert found == [("title", None), ("heading", 1), ("heading", 1), ("heading", 2)]


def test_one_of_several_or_numbered_or_on_a_later_page_is_none() -> None:
    assert ("title", None) not in _stated([("One", 1)], [("Two", 1)])
    assert ("title", None) not in _stated([("3 Retrying", 1), ("3.1 When", 2)])
    assert ("title", None) not in _stated([("Preface", 2)], [("Meters", 1)])


def test_a_heading_by_its_look_stands_below_those_that_are_stated() -> None:
    heads = [("Questions", 40), ("Can I read it", 24), ("Moving house", 30), ("Whom", 24)]
    lines = [
        line(text, (100, 100 * n, 100 + high / 2 * len(text), 100 * n + high))
        for n, (text, high) in enumerate(heads, 1)
    ]
    drafts = [
        Draft(
            kind="heading", rows=(Row.of((n,), (each,), (box_of(each.polygon),)),), level=level
        )
        for n, (each, level) in enumerate(zip(lines, (1, None, 2, None), strict=True))
    ]
    assert [draft.level for draft in levelled(drafts)] == [1, 3, 2, 3]


def _many(rows: int) -> str:
    return "\n".join(f"Quay {row} West" for row in range(rows))


def test_a_foot_of_eight_rows_that_stands_on_each_page_runs_along_it() -> None:
    pages = [_page(n, ("text", _many(8), 1250)) for n in range(1, 4)]
    assert _kinds(pages) == [["footer"]] * 3


def test_rows_more_than_a_foot_has_do_not_though_they_stand_on_each_page() -> None:
    pages = [_page(n, ("text", _many(9), 1250)) for n in range(1, 4)]
    assert _kinds(pages) == [["text"]] * 3


def test_lines_of_another_page_s_foot_are_the_foot_in_whatever_blocks_they_stand() -> None:
    names = ("Visitors", "7 Tidal Row", "Post", "Box 1140")
    places = [(100.0, 1300), (100.0, 1320), (400.0, 1300), (400.0, 1320)]
    lines = [
        line(said, (x, y, x + 10 * len(said), y + 18.0))
        for said, (x, y) in zip(names, places, strict=True)
    ]

    def page(number: int, kind: BlockKind, parts: list[tuple[int, ...]]) -> Page:
        body = line(f"What is told on page {number}", (100, 700, 500, 720))
        own: list[tuple[BlockKind, tuple[int, ...]]] = [
            ("text", (4,)),
            *((kind, p) for p in parts),
        ]
        blocks = tuple(
            Block(
                kind=each,
                polygon=polygon_of(union([box_of([*lines, body][n].polygon) for n in part])),
                order=order,
                text=" ".join([*lines, body][n].text for n in part),
                line_indexes=part,
            )
            for order, (each, part) in enumerate(own)
        )
        return page_of([*lines, body], number=number, blocks=blocks)

    first = page(1, "footer", [(0, 1), (2, 3)])
    second = page(2, "text", [(0, 2), (1,), (3,)])
    told = [[block.kind for block in each.blocks[1:]] for each in settled([first, second])]
    assert told == [["footer"] * 2, ["footer"] * 3]
