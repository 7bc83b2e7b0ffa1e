from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document.page_ranges import parse
from pagetide.errors import BadOption, PageOutOfRange, PagetideError


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("7", (7,)),
        ("-1", (9,)),
        ("2-4", (2, 3, 4)),
        ("2--2", (2, 3, 4, 5, 6, 7, 8)),
        ("7-", (7, 8, 9)),
        ("-3-", (7, 8, 9)),
        ("-3--2", (7, 8)),
        ("1-3,7,-1", (1, 2, 3, 7, 9)),
        (" 1 - 3 , 7 ", (1, 2, 3, 7)),
        ("9", (9,)),
        ("1-", tuple(range(1, 10))),
    ],
)
def test_a_range_names_these_pages_of_nine(text: str, pages: tuple[int, ...]) -> None:
    assert pages == parse(text, 9)


def test_pages_come_in_document_order_and_once() -> None:
    assert parse("-1,3,1-2,2", 9) == (1, 2, 3, 9)


@pytest.mark.parametrize(
    "text",
    ["", ",", "1,", "a", "1-2-3", "--1", "-", "1 2", "1.5", "0", "0-2", "٣", "+1", "4-2"],
)
def test_what_is_no_range_is_refused_with_one_sentence(text: str) -> None:
    with pytest.raises(BadOption) as caught:
        parse(text, 9)
    assert caught.value.message.endswith(".")
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(("text", "count"), [("10", 9), ("-10", 9), ("3-10", 9), ("2", 1)])
def test_a_page_that_is_not_there_is_named_with_the_count(text: str, count: int) -> None:
    with pytest.raises(PageOutOfRange) as caught:
        parse(text, count)
    assert f"{count} page" in caught.value.message


def test_no_page_is_in_an_empty_document() -> None:
    with pytest.raises(PageOutOfRange):
        parse("1-", 0)


@given(st.text(alphabet="0123456789-, ab", max_size=12), st.integers(0, 40))
def test_any_text_gives_sorted_pages_of_the_document_or_a_bad_input(text: str, n: int) -> None:
    try:
        pages = parse(text, n)
    except PagetideError as error:
        assert isinstance(error, BadOption | PageOutOfRange)
    else:
        assert pages
        assert sorted(set(pages)) == list(pages)
        assert pages[0] >= 1
        assert pages[-1] <= n


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n))))
def test_counting_from_the_end_meets_counting_from_the_start(case: tuple[int, int]) -> None:
    count, page = case
    assert parse(str(page), count) == parse(str(page - count - 1), count)


@given(st.sets(st.integers(1, 60), min_size=1))
def test_a_set_of_pages_written_out_comes_back(pages: set[int]) -> None:
    written = ",".join(map(str, sorted(pages, key=lambda p: p % 7)))
    assert tuple(sorted(pages)) == parse(written, 60)


@given(st.integers(1, 60), st.integers(1, 60))
def test_a_range_is_every_page_between_its_ends(a: int, b: int) -> None:
    first, last = sorted((a, b))
    assert tuple(range(first, last + 1)) == parse(f"{first}-{last}", 60)
