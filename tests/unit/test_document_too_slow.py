"""A document of which page after page takes too long is given up, and says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pagetide.document import Document, Page
from pagetide.errors import PageTimeout
from pagetide.inputs import Input, PageContent
from pagetide.reading.opening import open_reader
from pagetide.settings import Settings
from tests.serving import Place, inspector, pdf

SLOW, PAGES, MOST = range(2, 12), 14, 5


@pytest.fixture(scope="module")
def opener() -> Iterator[Any]:
    with closing(inspector()) as found:
        yield found


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The slow pages that were tried, where those of `SLOW` are."""
    found, page = list[int](), Input.page

    def slow(opened: Input, number: int, **how: Any) -> PageContent:
        if number in SLOW:
            found.append(number)
            raise PageTimeout
        return page(opened, number, **how)

    monkeypatch.setattr(Input, "page", slow)
    return found


def codes(pages: tuple[Page, ...]) -> list[str]:
    return [page.error.code if page.error else "" for page in pages]


def read(**settings: Any) -> Document:
    with open_reader("fake", threads=1, settings=Settings(**settings)) as reader:
        return reader.read(pdf(PAGES))


def test_the_pages_behind_so_many_are_not_tried(tried: list[int]) -> None:
    given = codes(read().pages)
    assert given[: MOST + 1] == ["", *["page_timeout"] * MOST]
    assert set(given[MOST + 1 :]) == {"document_too_slow"}
    assert tried == list(SLOW)[:MOST]


def test_with_no_bound_all_are_tried(tried: list[int]) -> None:
    assert codes(read(page_timeouts_max=0).pages).count("page_timeout") == len(SLOW)
    assert tried == list(SLOW)


def test_fewer_stop_nothing(tried: list[int]) -> None:
    assert codes(read(page_timeouts_max=len(SLOW) + 1).pages)[-1] == ""


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_job_has_one_count_over_its_tasks(
    tmp_path: Path, opener: Any, tried: list[int], concurrency: int
) -> None:
    place = Place(tmp_path, opener, task_pages=2, concurrency=concurrency)
    job = place.submit(pdf(PAGES))
    while not place.job(job).ended:
        place.work()
    done = place.job(job)
    assert (done.status, done.pages_failed) == ("partial", PAGES - 1)
    # Tasks that are read side by side begin with the count that there was then.
    assert MOST <= done.page_timeouts < MOST + 2 * concurrency
    given = codes(place.document(job).pages)
    assert given.count("page_timeout") == done.page_timeouts == len(tried)
    assert given.count("document_too_slow") == PAGES - 1 - len(tried)
