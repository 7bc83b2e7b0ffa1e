"""Paragraphs that their column's end broke are told as one, and both parts keep their rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest
from msgspec.structs import replace

from pagetide.document import Block, BlockKind, BlockPlace, Line, Page
from pagetide.exports.text import markdown
from pagetide.exports.text.reflow import reflowed
from pagetide.geometry import Polygon, polygon_of, union
from pagetide.structure import with_continued
from tests.documents import document_of, page_of

LETTER, HEIGHT = 10, 20
FIRST = ("Sanding machines shall have a dust", "catcher, and no paint may be washed")
AFTER = ("off over the grid and nowhere else.",)


def _page(
    *parts: tuple[float, float, Sequence[str]],
    kinds: Sequence[BlockKind] = (),
    turn: int = 0,
    set_in: Collection[int] = (),
) -> Page:
    """Blocks at their left and top edges, in this order; each is text unless told.

    The first rows of those at the places `set_in` are set in by the height of a row.
    """
    lines: list[Line] = []
    blocks: list[Block] = []
    for order, (left, top, rows) in enumerate(parts):
        boxes = [
            (left, top + 30 * row, left + LETTER * len(text), top + 30 * row + HEIGHT)
            for row, text in enumerate(rows)
        ]
        if order in set_in:
            boxes[0] = (boxes[0][0] + HEIGHT, *boxes[0][1:])
        indexes = tuple(range(len(lines), len(lines) + len(rows)))
        lines += [
            Line(text=text, polygon=_turned(polygon_of(box), turn), source="text_layer")
            for text, box in zip(rows, boxes, strict=True)
        ]
        blocks.append(
            Block(
                kind=kinds[order] if kinds else "text",
                polygon=_turned(polygon_of(union(boxes)), turn),
                order=order,
                text="\n".join(rows),
                line_indexes=indexes,
            )
        )
    return page_of(lines, blocks=with_continued(lines, blocks, 1))


def _turned(polygon: Polygon, turn: int) -> Polygon:
    """By quarters, clockwise."""
    for _ in range(turn):
        polygon = tuple((1000 - y, x) for x, y in polygon)
    return polygon


def _befores(page: Page) -> list[int | None]:
    befores = (block.continued_from for block in page.blocks)
    return [before.order if before else None for before in befores]


def test_a_sentence_goes_on_where_the_page_stands_a_little_askew() -> None:
    page = _page((0, 600, FIRST), (500, 100, AFTER))
    blocks = [
        replace(block, polygon=tuple((x, y + x / (900 + order)) for x, y in block.polygon))
        for order, block in enumerate(
            replace(each, continued_from=None) for each in page.blocks
        )
    ]
    assert with_continued(page.lines, blocks, 1)[1].continued_from is not None


@pytest.mark.parametrize("turn", range(4))
def test_a_sentence_goes_on_in_the_next_column(turn: int) -> None:
    page = _page((0, 600, FIRST), (500, 100, AFTER), turn=turn)
    assert _befores(page) == [None, 0]
    assert [block.text for block in page.blocks] == ["\n".join(FIRST), *AFTER]


@pytest.mark.parametrize("between", ["figure", "caption", "table", "footnote", "page_number"])
def test_what_stands_at_the_columns_ends_may_come_between(between: BlockKind) -> None:
    parts = (0, 600, FIRST), (500, 30, ("Figure 3",)), (500, 100, AFTER)
    assert _befores(_page(*parts, kinds=("text", between, "text"))) == [None, None, 0]


@pytest.mark.parametrize(
    ("first", "after", "left", "top"),
    [
        (
            (FIRST[0], "catcher, and no paint is washed off."),
            AFTER,
            500,
            100,
        ),  # a sentence ends
        (FIRST, ("Off over the grid and nowhere else",), 500, 100),  # one begins
        ((FIRST[0], "catcher"), AFTER, 500, 100),  # there was room
        (FIRST, AFTER, 500, 700),  # not further up
        (FIRST, AFTER, 100, 100),  # not beside it
        (FIRST[:1], AFTER, 500, 100),  # a row alone is a label
    ],
)
def test_what_does_not_go_on(
    first: Sequence[str], after: Sequence[str], left: float, top: float
) -> None:
    assert _befores(_page((0, 600, first), (left, top, after))) == [None, None]


def test_neither_a_heading_between_nor_text_that_runs_another_way() -> None:
    parts = (0, 600, FIRST), (500, 50, ("Rules",)), (500, 100, AFTER)
    assert _befores(_page(*parts, kinds=("text", "heading", "text"))) == [None] * 3
    page = _page((0, 600, FIRST), (500, 100, AFTER))
    stamp = replace(page.blocks[1], polygon=_turned(page.blocks[1].polygon, 1))
    blocks = [replace(block, continued_from=None) for block in (page.blocks[0], stamp)]
    assert with_continued(page.lines, blocks, 1)[1].continued_from is None


BELOW = ("off over the grid and nowhere else but where the warden of the hall allows it.",)


@pytest.mark.parametrize("turn", range(4))
def test_a_sentence_goes_on_below_a_box_in_the_text(turn: int) -> None:
    """And its part above is not taken to go on in the box."""
    box = (450, 590, ("which is set beside it and",) * 2)
    page = _page((0, 600, FIRST), box, (0, 660, BELOW), turn=turn)
    assert _befores(page) == [None, None, 0]


def test_so_it_does_below_a_box_at_the_left() -> None:
    wide = len(BELOW[0]) * LETTER
    left = wide - max(map(len, FIRST)) * LETTER
    page = _page((0, 590, ("which is set there",) * 2), (left, 600, FIRST), (0, 660, BELOW))
    assert _befores(page) == [None, None, 1]


@pytest.mark.parametrize(
    ("box", "below", "top"),
    [
        ((450, 900), BELOW, 660),  # nothing is beside it
        ((450, 590), BELOW, 675),  # not the next row
        ((450, 590), ("Off over the grid and nowhere else but in the wide old hall.",), 660),
        ((450, 590), AFTER, 660),  # as wide as the part above
    ],
)
def test_what_does_not_go_on_below_a_box(
    box: tuple[float, float], below: Sequence[str], top: float
) -> None:
    page = _page((0, 600, FIRST), (*box, ("A word",)), (0, top, below))
    assert _befores(page) == [None] * 3


def test_a_sentence_does_not_go_on_in_other_letters() -> None:
    page = _page((0, 600, FIRST), (500, 100, AFTER))
    small = [replace(page.lines[2], polygon=polygon_of((500, 100, 850, 116)))]
    blocks = [replace(block, continued_from=None) for block in page.blocks]
    assert with_continued([*page.lines[:2], *small], blocks, 1)[1].continued_from is None


def test_it_is_written_as_one_paragraph_over_any_number_of_columns() -> None:
    page = _page((0, 600, FIRST), (400, 100, (*AFTER[0:1], FIRST[1])), (800, 100, AFTER))
    whole = " ".join([*FIRST, AFTER[0], FIRST[1], AFTER[0]])
    texts = [block.text for block in reflowed(document_of(page)).pages[0].blocks]
    assert [" ".join(text.split()) for text in texts] == [whole, "", ""]
    assert markdown.write(document_of(page)).count("nowhere else") == 2
    kept = markdown.write(document_of(page), line_breaks="keep")
    assert kept.count("nowhere else") == 2
    assert "goes on" not in kept


def test_a_word_parted_by_the_column_is_whole() -> None:
    rows = (FIRST[0], "catcher, and no paint may be wash-")
    page = _page((0, 600, rows), (500, 100, ("ed off over the grid.",)))
    assert "washed off" in markdown.write(document_of(page))


def test_parts_that_point_nowhere_or_at_themselves_are_told_as_they_are() -> None:
    page = _page((0, 600, FIRST), (500, 100, AFTER))
    for place in (BlockPlace(page=1, order=9), BlockPlace(page=1, order=1)):
        lost = replace(page.blocks[1], continued_from=place)
        changed = replace(page, blocks=(page.blocks[0], lost))
        assert reflowed(document_of(changed)).pages[0].blocks[1].text == AFTER[0]


WIDE = ("Sanding machines shall have a dust", "catcher, and those who use one wash", "no paint")
FULL = (*WIDE[:2], "before the offices of the Ministry")
NEXT = ("Labour have said that they may, and", "nowhere else.")


def test_a_capital_goes_on_where_a_full_row_ends_no_sentence() -> None:
    assert _befores(_page((0, 600, FULL), (500, 100, NEXT))) == [None, 0]


@pytest.mark.parametrize(
    ("first", "after"),
    [
        (WIDE, NEXT),  # there was room
        ((*FULL[:2], "before the offices of the Minister."), NEXT),  # a sentence ends
        (FULL, NEXT[:1]),  # one row
        (FULL[1:], NEXT),  # two rows
        ((FULL[0], "Name", FULL[2]), NEXT),  # no running text
    ],
)
def test_a_capital_does_not_go_on(first: Sequence[str], after: Sequence[str]) -> None:
    assert _befores(_page((0, 600, first), (500, 100, after))) == [None, None]


def test_a_paragraph_that_is_set_in_begins() -> None:
    assert _befores(_page((0, 600, FULL), (500, 100, NEXT), set_in=[1])) == [None, None]


def test_where_paragraphs_are_set_in_one_that_is_not_goes_on() -> None:
    ended = (*FULL[:2], "before the offices of the Minister.")
    above = [(0.0, 100.0 * n, ended) for n in range(4)]
    parts = [*above, (0, 600, ended), (500, 100, NEXT)]
    assert _befores(_page(*parts, set_in=range(5))) == [None] * 5 + [4]
    assert _befores(_page(*parts, set_in=range(6))) == [None] * 6
    assert _befores(_page(*parts)) == [None] * 6


@pytest.mark.parametrize("start", ["i. A.", "p. p.", "a)"])
def test_a_letter_and_its_stop_are_not_inside_a_sentence(start: str) -> None:
    page = _page((0, 400, FIRST), (420, 100, [f"{start} the buyer", "for the yard"]))
    assert _befores(page) == [None, None]


@pytest.mark.parametrize(("away", "goes_on"), [(20, True), (60, True), (400, False)])
def test_columns_are_nearer_to_each_other_than_they_are_wide(away: int, goes_on: bool) -> None:
    right = LETTER * max(map(len, FIRST))
    page = _page((0, 400, FIRST), (right + away, 100, AFTER))
    assert _befores(page) == [None, 0 if goes_on else None]
