"""Scans, turned scans, blanks and digital pages in one file: each page right by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

import pagetide
from pagetide.document import Page
from pagetide.reading import Reader
from tests.drawn.files import FILES, drawn
from tests.drawn.lies import LIES
from tests.page_classes import faults, missing_share

MOST_MISSING = 0.012  # of a page's letters and digits, as on pages of the corpus
MOST_MISSING_OF_FILE = 0.002  # a page of four hundred letters cannot lack one in five hundred


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with pagetide.open_reader() as opened:
        yield opened


@pytest.mark.parametrize("name", FILES)
def test_every_page_is_of_its_class_upright_and_read(reader: Reader, name: str) -> None:
    file = drawn(name)
    document = reader.read(file.content)
    assert len(document.pages) == len(file.truth)
    for truth, page in zip(file.truth, document.pages, strict=True):
        assert list(faults(truth, page, MOST_MISSING)) == [], (truth["page"], truth["class"])
        check_lines([line["text"] for line in truth["lines"]], page)
    wanted = {"lines": [line for truth in file.truth for line in truth["lines"]]}
    lines = [line for page in document.pages for line in page.lines]
    assert missing_share(wanted, lines) <= MOST_MISSING_OF_FILE


def check_lines(wanted: list[str], page: Page) -> None:
    """All lines are there but one, for a wrong letter makes a line another; all in order."""
    read = [line.text for line in page.lines]
    missing = Counter(wanted) - Counter(read)
    assert missing.total() <= 1, missing
    once = [text for text in wanted if wanted.count(text) == read.count(text) == 1]
    assert [text for text in read if text in once] == once


@pytest.mark.parametrize("name", LIES)
def test_what_a_page_shows_is_read_whatever_it_says_of_itself(
    reader: Reader, name: str
) -> None:
    make, shown, reason = LIES[name]
    (page,) = reader.read(make()).pages
    assert (page.text_layer.used, page.text_layer.reason) == (False, reason)
    check_lines(shown().lines, page)
