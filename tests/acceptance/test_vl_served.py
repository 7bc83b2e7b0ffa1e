"""PaddleOCR-VL end to end: documents in, pages read over HTTP, a server that has bad days."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.fake_vl_server import OTSL, Asked, FakeVlServer, Reply
from pagetide.document import BlockKind, Document
from pagetide.engine import PageImage
from pagetide.engines.vl import open_engine
from pagetide.engines.vl.crops import Pixels
from pagetide.engines.vl.server.client import ATTEMPTS, Clock
from pagetide.geometry import box_of, polygon_of
from pagetide.layout import Area
from pagetide.reading import Reader, ReadOptions
from pagetide.settings import Settings
from tests.serving import pdf

CAPTURED = Path(__file__).parents[1] / "golden" / "paddle" / "raw_paddleocr_vl.json"
KINDS: dict[str, BlockKind] = {
    "doc_title": "title",
    "text": "text",
    "table": "table",
    "figure_title": "caption",
    "number": "page_number",
    "display_formula": "formula",
}


def halves(pixels: Pixels) -> list[Area]:
    """Text above, a table below."""
    height, width = pixels.shape[:2]
    kinds: Sequence[tuple[BlockKind, float]] = (("text", 0), ("table", height / 2))
    return [
        Area(label=kind, kind=kind, polygon=polygon_of((0, top, width, top + height / 2)))
        for kind, top in kinds
    ]


class BadDays:
    """Fails the first few pictures in every way that is worth another attempt.

    None fails so often that no attempt is left, however they come.
    """

    def __init__(self) -> None:
        self._troubles = [
            Reply(status=429, headers={"Retry-After": "1"}),
            Reply(status=503),
            Reply(breaks=True),
        ]
        self._left: dict[object, list[Reply]] = {}

    def __call__(self, asked: Asked) -> Reply:
        picture = (asked.prompt, asked.picture.size)
        if picture not in self._left:
            trouble = [self._troubles.pop()] if self._troubles else []
            self._left[picture] = trouble * (ATTEMPTS - 1)
        if self._left[picture]:
            return self._left[picture].pop()
        width = asked.picture.size[0]
        return Reply(text=OTSL if asked.prompt.startswith("Table") else f"{width} wide")


async def at_once(seconds: float) -> None:
    """A retry that does not wait."""


@pytest.fixture
def reader() -> Iterator[Reader]:
    with FakeVlServer(BadDays()) as fake:
        settings = Settings(vl_url=fake.url, vl_concurrency=4, threads=2)
        with Reader(
            lambda: open_engine(settings, "", halves, clock=Clock(sleep=at_once)), settings
        ) as opened:
            yield opened


def test_documents_are_read_side_by_side_though_the_server_has_a_bad_day(
    reader: Reader,
) -> None:
    documents: dict[int, Document] = {}

    def read(first: int) -> None:
        options = ReadOptions(text_layer="never")
        documents[first] = reader.read(pdf(5, first=first), options)

    threads = [threading.Thread(target=read, args=(first,)) for first in (200, 300, 400)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for first, document in documents.items():
        assert document.model.name == "paddleocr-vl"
        assert [page.error for page in document.pages] == [None] * 5
        texts = [page.blocks[0].text for page in document.pages]
        assert texts == [f"{first + 2 * number} wide" for number in range(5)]
        assert all(page.blocks[1].table for page in document.pages)
        assert Document.from_json(document.to_json()) == document


def test_the_areas_of_a_captured_page_give_what_paddleocr_made_of_them() -> None:
    captured = json.loads(CAPTURED.read_text())
    blank = np.full((captured["height"], captured["width"], 3), 255, np.uint8)

    def answer(asked: Asked) -> Reply:
        said = {"Table Recognition:": OTSL, "Formula Recognition:": "\\[E=mc^2\\]"}
        return Reply(text=said.get(asked.prompt, f"text for {asked.prompt}"))

    with FakeVlServer(answer) as fake:
        settings = Settings(vl_url=fake.url, threads=2)
        engine = open_engine(settings, "", lambda _: areas_of(captured))
        [reading] = engine.read(iter([PageImage(pixels=blank, dpi=144)]), "en")
        engine.close()
    assert reading.blocks and not reading.warnings
    theirs = {tuple(block["block_bbox"]): block for block in captured["parsing_res_list"]}
    assert len(reading.blocks) == len(theirs)
    for block in reading.blocks:
        x0, y0, x1, y1 = map(round, box_of(block.polygon))
        expected = theirs[(x0, y0, x1, y1)]
        assert block.label == expected["block_label"]
        content = expected["block_content"].strip(" $")
        if block.table:
            spans = [(c.row_span, c.column_span, c.text) for c in block.table.cells]
            assert spans == cells_of(content)
        else:
            assert block.text == content


def areas_of(captured: dict[str, Any]) -> list[Area]:
    return [
        Area(
            label=box["label"],
            kind=KINDS[box["label"]],
            polygon=polygon_of(tuple(box["coordinate"])),
            confidence=box["score"],
            order=box["order"],
        )
        for box in captured["layout_det_res"]["boxes"]
    ]


def cells_of(html: str) -> list[tuple[int, int, str]]:
    """Row span, column span and text of each cell."""
    found = []
    for attributes, text in re.findall(r"<td([^>]*)>(.*?)</td>", html):
        spans = dict(re.findall(r'(\w+)="(\d+)"', attributes))
        down, across = int(spans.get("rowspan", 1)), int(spans.get("colspan", 1))
        found.append((down, across, text.replace("&amp;", "&")))
    return found
