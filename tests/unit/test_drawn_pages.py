"""Drawn documents: the same of a seed each time, with a truth that the PDF agrees with."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pypdfium2
import pytest

from bench.drawn.kinds import KINDS
from bench.drawn.printing import Drawn, documents, kind_of, made, made_in
from bench.drawn.score import page_score
from bench.drawn.totals import Total
from bench.drawn.truth import DrawnPage, loaded, written
from bench.drawn.words import LANGUAGES
from tests.ideal_page import ideal

SEEDS = (0, 2, 4)  # an invoice, a letter, a statement that goes on: of three scripts
TIGHT = 3.0  # CSS pixels, by which letters may stand out of their word's box


@pytest.fixture(scope="module")
def drawn() -> list[Drawn]:
    return list(documents(SEEDS))


@pytest.fixture
def pages(drawn: list[Drawn]) -> list[DrawnPage]:
    return [page for one in drawn for page in one.truth.pages]


@pytest.mark.parametrize("seed", range(12))
def test_the_same_seed_makes_the_same_document(seed: int) -> None:
    kind, writer, html, _ = made(seed)
    assert kind == list(KINDS)[seed]
    assert writer.language in LANGUAGES
    assert html == made(seed)[2]
    assert html != made(seed + 12)[2]


def test_twelve_kinds_are_drawn_in_every_language() -> None:
    assert len(KINDS) == 12
    assert {made(seed)[1].language for seed in range(48)} == set(LANGUAGES)


def test_every_word_of_the_truth_is_in_the_text_layer_there(drawn: list[Drawn]) -> None:
    for one in drawn:
        with pypdfium2.PdfDocument(one.pdf) as document:
            assert len(document) == len(one.truth.pages)
            for printed, truth in zip(document, one.truth.pages, strict=True):
                assert not list(_astray(printed, truth))


def _astray(printed: pypdfium2.PdfPage, truth: DrawnPage) -> Iterator[str]:
    """Words whose letters are not all in their place on the printed page."""
    layer, height = printed.get_textpage(), printed.get_height()
    scale = printed.get_width() / truth.width
    for word in truth.words:
        x0, y0, x1, y1 = (side * scale for side in word.box)
        there = layer.get_text_bounded(x0 - TIGHT, height - y1 - 1, x1 + TIGHT, height - y0 + 1)
        if _letters(word.text) - _letters(there):
            yield f"{word.text!r} is not in {there!r}"


def _letters(text: str) -> Counter[str]:
    text = text.replace("\x02", "-")  # PDFium's sign for a hyphen at the end of a line
    return Counter(re.sub(r"\s", "", unicodedata.normalize("NFKC", text)))


def test_every_word_stands_on_its_page_and_in_one_block(pages: list[DrawnPage]) -> None:
    for page in pages:
        for word in page.words:
            x0, y0, x1, y1 = word.box
            assert 0 <= x0 < x1 <= page.width
            assert 0 <= y0 < y1 <= page.height
            block = page.blocks[word.block]
            assert block.box[0] - 1 <= x0
            assert x1 <= block.box[2] + 1
            assert word.text in block.text.replace("\n", " ")


def test_orders_are_dense_and_follow_the_words(pages: list[DrawnPage]) -> None:
    for page in pages:
        assert [block.order for block in page.blocks] == list(range(len(page.blocks)))
        assert {word.block for word in page.words} == set(range(len(page.blocks)))
        assert all(a.block <= b.block for a, b in pairwise(page.words))
        assert all(sorted(order) == list(range(len(page.blocks))) for order in page.orders)


def test_cells_fill_their_grid_without_a_gap(pages: list[DrawnPage]) -> None:
    tables = [block.table for page in pages for block in page.blocks if block.table]
    assert len(tables) >= 3
    for table in tables:
        places = Counter(
            (cell.row + down, cell.column + right)
            for cell in table.cells
            for down in range(cell.row_span)
            for right in range(cell.column_span)
        )
        whole = {(row, column) for row in range(table.rows) for column in range(table.columns)}
        assert set(places) == whole
        assert set(places.values()) == {1}


def test_a_table_that_goes_on_repeats_its_head(drawn: list[Drawn]) -> None:
    first, second, *_ = drawn[2].truth.pages
    heads = [
        [
            cell.text
            for block in page.blocks
            if block.table
            for cell in block.table.cells
            if cell.header
        ]
        for page in (first, second)
    ]
    assert heads[0]
    assert heads[0] == heads[1]


def test_a_result_made_from_the_truth_has_full_marks(drawn: list[Drawn]) -> None:
    for one in drawn:
        for page in one.truth.pages:
            total = Total((page_score("it", page, ideal(page), lambda point: point),))
            assert (total.kinds, total.teds, total.order, total.heads) == (1, 1, 0, 1)
            assert total.astray == 0


def test_the_truth_is_written_and_loaded(
    drawn: list[Drawn], tmp_path_factory: pytest.TempPathFactory
) -> None:
    truth = drawn[0].truth
    assert loaded(written(truth, tmp_path_factory.mktemp("truth"))) == truth


@pytest.mark.parametrize(
    ("language", "title"), [("es", "Factura"), ("it", "Fattura"), ("nl", "Factuur")]
)
def test_a_bill_is_drawn_in_a_language_that_is_asked_for(language: str, title: str) -> None:
    seed = next(seed for seed in range(12) if kind_of(seed) == "invoice")
    _, writer, html, _ = made_in(seed, language)
    assert writer.language == language
    assert title in html
    assert made_in(seed, language)[2] == html
