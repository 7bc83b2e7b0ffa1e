"""Documents that are drawn with their truth say what stands on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pypdfium2
import pytest

from bench.drawn.kinds import KINDS
from bench.drawn.printing import Drawn, documents, made
from bench.drawn.truth import DrawnPage, DrawnTable

NEAR = 3.0  # points: letters' boxes differ between a browser and a PDF's reader


@pytest.fixture(scope="module")
def drawn() -> list[Drawn]:
    """One document of each kind."""
    return list(documents(range(len(KINDS))))


def pages(drawn: list[Drawn]) -> Iterator[DrawnPage]:
    for document in drawn:
        yield from document.truth.pages


@pytest.mark.parametrize("seed", range(24))
def test_a_seed_draws_the_same_again_and_another_something_else(seed: int) -> None:
    kind, writer, html, _ = made(seed)
    assert kind == list(KINDS)[seed % len(KINDS)]
    again = made(seed)
    assert (again[0], again[1].language, again[2]) == (kind, writer.language, html)
    assert made(seed + len(KINDS))[2] != html


def test_every_kind_has_pages_with_words(drawn: list[Drawn]) -> None:
    assert [document.truth.kind for document in drawn] == list(KINDS)
    assert all(page.words and page.blocks for page in pages(drawn))


def test_words_are_of_blocks_that_say_them_and_orders_are_dense(drawn: list[Drawn]) -> None:
    for page in pages(drawn):
        assert [block.order for block in page.blocks] == list(range(len(page.blocks)))
        for block in page.blocks:
            own = "".join(word.text for word in page.words if word.block == block.order)
            assert Counter(own) == Counter("".join(block.text.split())), block


def test_cells_fill_their_grids(drawn: list[Drawn]) -> None:
    tables = [block.table for page in pages(drawn) for block in page.blocks if block.table]
    assert len(tables) > 5
    for table in tables:
        assert units(table) == Counter(
            (row, column) for row in range(table.rows) for column in range(table.columns)
        )


def units(table: DrawnTable) -> Counter[tuple[int, int]]:
    return Counter(
        (cell.row + row, cell.column + column)
        for cell in table.cells
        for row in range(cell.row_span)
        for column in range(cell.column_span)
    )


def test_words_stand_in_the_pdf_where_the_truth_says(drawn: list[Drawn]) -> None:
    for document in drawn:
        if document.truth.language == "ar":
            continue  # PDFium gives its letters as they are drawn, from the left
        with pypdfium2.PdfDocument(document.pdf) as pdf:
            assert len(pdf) == len(document.truth.pages)
            for page, told in zip(pdf, document.truth.pages, strict=True):
                text, high = page.get_textpage(), page.get_height()
                for word in told.words[::7]:
                    x0, y0, x1, y1 = (side * 0.75 for side in word.box)
                    box = (x0 - NEAR, high - y1 - NEAR, x1 + NEAR, high - y0 + NEAR)
                    said = "".join(text.get_text_bounded(*box).split())
                    assert word.text.strip("-")[:4] in said, (document.truth.name, word)
