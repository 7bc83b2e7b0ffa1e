"""The score of drawn pages: full marks for the truth itself, fewer for every kind of fault."""

from __future__ import annotations

import msgspec
import pytest

from bench.drawn.matching import matched, seen_of
from bench.drawn.score import PageScore, page_score
from bench.drawn.totals import Total, rows
from bench.drawn.truth import DrawnBlock, DrawnCell, DrawnPage, DrawnTable, DrawnWord
from pagetide.document import Block, BlockKind, Page, Table
from pagetide.geometry import Point, union
from tests.ideal_page import ideal

WIDE, HIGH = 60.0, 20.0


def _words(text: str, order: int, top: float) -> list[DrawnWord]:
    return [
        DrawnWord(text=word, box=(40 + WIDE * i, top, 90 + WIDE * i, top + 12), block=order)
        for i, word in enumerate(text.split())
    ]


def _truth() -> DrawnPage:
    said = (
        "title|Yearly report",
        "heading|Harbours",
        "text|Ships came and went",
        "text|So did we",
    )
    blocks, words = [], []
    for order, one in enumerate((*said, "table|Town Ships Lin 4 Ox 9")):
        kind, text = one.split("|")
        own = _words(text, order, 40 * order + HIGH)
        words += own
        made = {"kind": kind, "box": union(w.box for w in own), "text": text, "order": order}
        made |= {"level": 1} if kind == "heading" else {}
        made |= {"table": _grid(text.split())} if kind == "table" else {}
        blocks.append(msgspec.convert(made, DrawnBlock))
    return DrawnPage(number=1, width=600, height=800, words=tuple(words), blocks=tuple(blocks))


def _grid(said: list[str]) -> DrawnTable:
    cells = (
        DrawnCell(row=place // 2, column=place % 2, text=one, box=(0, 0, 1, 1))
        for place, one in enumerate(said)
    )
    return DrawnTable(rows=len(said) // 2, columns=2, cells=tuple(cells))


def _same(point: Point) -> Point:
    return point


def _score(page: Page) -> Total:
    return Total((page_score("it", _truth(), page, _same),))


def _with(page: Page, place: int, **changes: object) -> Page:
    blocks = list(page.blocks)
    blocks[place] = msgspec.structs.replace(blocks[place], **changes)
    return msgspec.structs.replace(page, blocks=tuple(blocks))


def test_the_truth_itself_has_full_marks() -> None:
    total = _score(ideal(_truth()))
    figures = (
        total.kinds,
        total.words_right,
        total.teds,
        total.order,
        total.heads,
        total.astray,
    )
    assert figures == (1, 1, 1, 0, 1, 0)


def test_a_swapped_kind_costs_the_f1_of_both_kinds() -> None:
    total = _score(_with(ideal(_truth()), 2, kind="list"))
    assert total.f1_of("text") == pytest.approx(2 * 3 / (3 + 7))
    assert total.kinds < 1
    assert total.words_right < 1


def test_a_kind_that_is_right_too_costs_nothing() -> None:
    truth = _truth()
    blocks = list(truth.blocks)
    blocks[2] = msgspec.structs.replace(blocks[2], also=("list",))
    page = _with(ideal(truth), 2, kind="list")
    truth = msgspec.structs.replace(truth, blocks=tuple(blocks))
    assert Total((page_score("it", truth, page, _same),)).kinds == 1


def test_a_dropped_row_costs_teds_and_a_table_less_is_missed() -> None:
    page = ideal(_truth())
    table = page.blocks[4].table
    assert table
    short = Table(rows=2, columns=2, cells=table.cells[:4])
    assert _score(_with(page, 4, table=short)).teds == pytest.approx(1 - 3 / 9)
    none = _score(_with(page, 4, table=None)).tables
    assert (none.missed, none.extra, none.text) == (1, 0, 0)


def test_the_reversed_order_is_an_error() -> None:
    page = ideal(_truth())
    turned = msgspec.structs.replace(page, lines=page.lines[::-1])
    places = {place: len(page.lines) - 1 - place for place in range(len(page.lines))}
    for place, block in enumerate(page.blocks):
        lines = tuple(places[line] for line in block.line_indexes)
        turned = _with(turned, place, line_indexes=lines)
    assert _score(turned).order == pytest.approx(4 / 5)
    assert _score(turned).kinds == 1


def test_a_heading_of_another_level_is_not_right() -> None:
    page = ideal(_truth())
    assert _score(_with(page, 1, level=2)).heads == pytest.approx(1 / 2)
    assert _score(_with(page, 1, kind="text")).heads == pytest.approx(2 / 3)


def test_the_rank_of_a_level_on_its_page_is_right_too() -> None:
    truth = _truth()
    blocks = list(truth.blocks)
    blocks[1] = msgspec.structs.replace(blocks[1], level=3)
    page = ideal(truth)
    truth = msgspec.structs.replace(truth, blocks=tuple(blocks))
    assert Total((page_score("it", truth, page, _same),)).heads == 1


def test_words_that_are_missing_or_said_twice_are_counted() -> None:
    page = ideal(_truth())
    without = msgspec.structs.replace(page.lines[2], words=page.lines[2].words[:2])
    again = (*page.lines[:2], without, *page.lines[3:], page.lines[3])
    found = matched(_truth(), seen_of(msgspec.structs.replace(page, lines=again), _same))
    assert (found.missing, found.doubled) == (2, 3)


def test_a_word_read_wrong_or_parted_elsewhere_is_found_by_its_place() -> None:
    page = ideal(_truth())
    line = page.lines[2]
    whole = msgspec.structs.replace(line, text="5hips came and went", words=())
    lines = (*page.lines[:2], whole, *page.lines[3:])
    assert _score(msgspec.structs.replace(page, lines=lines)).words_right == 1


def test_late_blocks_may_be_read_at_the_end() -> None:
    kinds: tuple[BlockKind, ...] = ("text", "footnote", "text", "page_number")
    blocks = tuple(
        DrawnBlock(kind=kind, box=(0, 0, 1, 1), text="", order=order, late=kind == "footnote")
        for order, kind in enumerate(kinds)
    )
    page = DrawnPage(number=1, width=9, height=9, words=(), blocks=blocks)
    assert page.orders == ((0, 1, 2, 3), (0, 2, 1, 3))


def test_a_table_of_the_halves_says_both_figures() -> None:
    good = page_score("it", _truth(), ideal(_truth()), _same)
    bad = page_score("it", _truth(), _with(ideal(_truth()), 2, kind="list"), _same)
    sets: dict[str, dict[str, list[PageScore]]] = {
        "developed": {"letter": [good]},
        "measured": {"letter": [good, bad], "form": [bad]},
    }
    found = {row.measure: row for row in rows("PDFs", sets)}
    row = found["drawn PDFs, words in a block of the right kind"]
    assert row.value == "developed 100.0%, measured 83.3%"
    assert not row.holds
    assert "drawn PDFs, form: kinds" in found


def test_a_block_without_words_of_the_truth_changes_nothing_but_tables() -> None:
    page = ideal(_truth())
    table = Table(rows=1, columns=1, cells=())
    more = Block(kind="table", polygon=((0, 0), (1, 0), (1, 1)), order=9, table=table)
    total = _score(msgspec.structs.replace(page, blocks=(*page.blocks, more)))
    assert (total.tables.extra, total.kinds) == (1, 1)
