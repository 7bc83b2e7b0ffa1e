"""What PaddleOCR's pipelines really wrote of one page, as PaddleOCR 3.7 wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pagetide.document import Block, Page, Table, TextLayerDecision
from pagetide.engine import PageReading
from pagetide.engines.paddle.results.parsed import parse_ocr, parse_structurev3
from pagetide.geometry import box_of, center, contains

FOLDER = Path(__file__).parent / "paddle"
WIDTH, HEIGHT = 1200, 1500
FIRST_TABLE = [
    ["Segment", "Q1", "Q2", "Q3"],
    ["Cloud", "1,200", "1,350", "1,512"],
    ["Devices", "880", "910", "905"],
    ["Services", "430", "470", "533"],
    ["Total", "2,510", "2,730", "2,950"],
]
PARSERS = {
    "raw_pp_ocr": parse_ocr,
    "raw_pp_structurev3": parse_structurev3,
}


def raw(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def reading(name: str) -> PageReading:
    return PARSERS[name](raw(name), WIDTH, HEIGHT)


def blocks(name: str) -> tuple[Block, ...]:
    found = reading(name).blocks
    assert found is not None
    return found


def grid(table: Table) -> list[list[str]]:
    found = [[""] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        found[cell.row][cell.column] = cell.text
    return found


def test_pp_ocr_gives_lines_and_leaves_the_blocks_to_structure() -> None:
    found = reading("raw_pp_ocr")
    texts = [line.text for line in found.lines]
    assert texts == raw("raw_pp_ocr")["rec_texts"]
    assert len(texts) == 55
    assert texts[0] == "Quarterly Report 2026"
    assert found.lines[0].polygon == ((78, 63), (574, 61), (574, 108), (78, 110))
    assert found.lines[0].confidence == pytest.approx(0.99925, abs=1e-5)
    assert found.blocks is None


@pytest.mark.parametrize("name", ["raw_pp_ocr", "raw_pp_structurev3"])
def test_words_make_up_their_lines(name: str) -> None:
    for line in reading(name).lines:
        assert "".join(word.text for word in line.words) == line.text.replace(" ", "")


def test_structurev3s_blocks_have_kinds_labels_order_and_confidence() -> None:
    shown = [
        (block.kind, block.label, block.order, round(block.confidence or 0, 2))
        for block in blocks("raw_pp_structurev3")
    ]
    assert shown == [
        ("title", "doc_title", 0, 0.98),
        ("text", "text", 1, 0.97),
        ("table", "table", 2, 0.96),  # upstream gives it no order
        ("caption", "figure_title", 3, 0.9),  # nor this
        ("text", "text", 4, 0.9),
    ]


def test_text_comes_from_the_lines_since_block_content_glues_them() -> None:
    """Upstream: `Segment Q1Q2Q3Cloud 1,2001,3501,512Devices …`."""
    last = blocks("raw_pp_structurev3")[-1]
    assert "Q1Q2Q3Cloud" in raw("raw_pp_structurev3")["parsing_res_list"][-1]["block_content"]
    assert last.text.splitlines()[:2] == [
        "Segment\tQ1\tQ2\tQ3",
        "Cloud\t1,200\t1,350\t1,512",
    ]


def test_lines_stand_in_reading_order_and_belong_to_one_block_each() -> None:
    found = reading("raw_pp_structurev3")
    assert found.blocks
    owned = [index for block in found.blocks for index in block.line_indexes]
    assert owned == list(range(len(owned)))
    assert sorted(line.text for line in found.lines) == sorted(
        raw("raw_pp_structurev3")["overall_ocr_res"]["rec_texts"]
    )


def test_the_table_has_cells_with_places_and_lines() -> None:
    found = reading("raw_pp_structurev3")
    assert found.blocks
    table = found.blocks[2].table
    assert table and grid(table) == FIRST_TABLE
    assert found.blocks[2].text.splitlines()[1] == "Cloud\t1,200\t1,350\t1,512"
    for cell in table.cells:
        assert cell.polygon
        assert [found.lines[index].text for index in cell.line_indexes] == [cell.text]
        for index in cell.line_indexes:
            middle = center(box_of(found.lines[index].polygon))
            assert contains(box_of(cell.polygon), middle)


def test_a_caption_names_its_table() -> None:
    found = blocks("raw_pp_structurev3")
    assert found[3].caption_of == 2


@pytest.mark.parametrize("name", PARSERS)
def test_what_is_made_of_it_is_a_page_of_the_published_schema(name: str) -> None:
    found = reading(name)
    page = Page(
        number=1,
        width=WIDTH,
        height=HEIGHT,
        dpi=144,
        width_pt=600,
        height_pt=750,
        text_layer=TextLayerDecision(used=False, reason="image_input"),
        lines=found.lines,
        blocks=found.blocks or (),
    )
    assert msgspec.json.decode(msgspec.json.encode(page), type=Page) == page
