"""What a key may use, and when it is told to come again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.errors import ActivePagesReached, PagesPerDayReached, TooManyPages
from pagetide.server.jobs.allowances import (
    DAY_S,
    Allowance,
    Usage,
    check,
    day_left_s,
    day_of,
    used,
)

NOW = 1_800_000_000.0
COUNTS = st.integers(0, 50)
MOSTS = st.none() | st.integers(1, 50)


def fits(allowance: Allowance, usage: Usage, pages: int, now: float = NOW) -> bool:
    try:
        check(allowance, usage, pages, now)
    except (ActivePagesReached, PagesPerDayReached, TooManyPages):
        return False
    return True


@given(MOSTS, MOSTS, st.lists(st.tuples(st.integers(1, 60), st.floats(0, DAY_S)), max_size=30))
def test_no_day_and_no_moment_has_more_than_may_be(
    active: int | None, daily: int | None, asked: list[tuple[int, float]]
) -> None:
    allowance = Allowance(active_pages=active, pages_per_day=daily)
    usage, now = Usage(), NOW
    by_day: dict[int, int] = {}
    for pages, later in asked:
        now += later
        if not fits(allowance, usage, pages, now):
            continue
        usage = used(usage, pages, now)
        by_day[day_of(now)] = by_day.get(day_of(now), 0) + pages
        assert usage.today(now) == by_day[day_of(now)]
    assert daily is None or all(pages <= daily for pages in by_day.values())
    assert active is None or usage.active_pages <= active


@given(COUNTS, COUNTS)
def test_what_is_not_limited_always_fits(pages: int, taken: int) -> None:
    assert fits(Allowance(), Usage(active_pages=taken, day=day_of(NOW), day_pages=taken), pages)


def test_what_fits_once_others_have_ended_is_told_so() -> None:
    with pytest.raises(ActivePagesReached, match=r"10 pages.*3 are free.*has 4") as told:
        check(Allowance(active_pages=10), Usage(active_pages=7), 4, NOW)
    assert told.value.retry_after_s > 0
    assert told.value.retryable


def test_what_fits_tomorrow_is_told_when_that_is() -> None:
    usage = Usage(day=day_of(NOW), day_pages=10)
    midnight = (day_of(NOW) + 1) * DAY_S
    with pytest.raises(PagesPerDayReached, match=r"0 are left.*00:00 UTC") as told:
        check(Allowance(pages_per_day=10), usage, 1, midnight - 3600)
    assert told.value.retry_after_s == 3600
    assert fits(Allowance(pages_per_day=10), usage, 10, midnight)


def test_a_limit_that_was_lowered_leaves_nothing_free() -> None:
    with pytest.raises(ActivePagesReached, match="0 are free"):
        check(Allowance(active_pages=5), Usage(active_pages=7), 1, NOW)


def test_what_never_fits_is_not_to_be_tried_again() -> None:
    for allowance in (Allowance(active_pages=5), Allowance(pages_per_day=5)):
        with pytest.raises(TooManyPages, match=r"5 pages.*not 6") as told:
            check(allowance, Usage(), 6, NOW)
        assert not told.value.retryable


def test_another_clock_that_is_ahead_of_ours_gives_no_second_day() -> None:
    usage = used(Usage(), 8, NOW + DAY_S)
    assert usage.today(NOW) == 8
    usage = used(usage, 1, NOW)
    assert (usage.day, usage.day_pages) == (day_of(NOW) + 1, 9)


@given(st.floats(0, 4e9))
def test_a_day_is_left_before_it_ends(now: float) -> None:
    assert 1 <= day_left_s(now) <= DAY_S
