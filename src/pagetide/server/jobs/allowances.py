"""Limits on the pages an API key may have read: in unfinished jobs, and per day.

Both are decided in the transaction in which the store keeps the job. A page counts once,
when its job is accepted: however often it is tried, and whatever becomes of the job. As an
active one it counts until the job ends. What is answered from the cache counts nothing.

A day is one of UTC.
"""

from __future__ import annotations

from msgspec import Struct

from pagetide.errors import ActivePagesReached, PagesPerDayReached, TooManyPages

DAY_S = 86400
ENDING_S = 15  # nobody knows when jobs will end; whoever waits for it asks so often


class Allowance(Struct, frozen=True, kw_only=True, gc=False):
    """The limits of a key; None means no limit.

    Attributes:
        active_pages: Most pages of jobs that have not ended.
        pages_per_day: Most pages of jobs that are accepted within a day.
    """

    active_pages: int | None = None
    pages_per_day: int | None = None

    @property
    def limited(self) -> bool:
        """Whether there is anything to count."""
        return self.active_pages is not None or self.pages_per_day is not None


UNLIMITED = Allowance()


class Usage(Struct, frozen=True, kw_only=True, gc=False):
    """The usage of a key, by jobs that were submitted under an allowance.

    Attributes:
        active_pages: Pages of its jobs that have not ended.
        day: The day that was counted last.
        day_pages: Pages of jobs that were accepted on it.
    """

    active_pages: int = 0
    day: int = 0
    day_pages: int = 0

    def today(self, now: float) -> int:
        """Pages of jobs that were accepted today; another clock's day may be ahead of ours."""
        return self.day_pages if self.day >= day_of(now) else 0


def day_of(now: float) -> int:
    """The number of a moment's day."""
    return int(now // DAY_S)


def day_left_s(now: float) -> int:
    """Seconds until the next day begins, at least one."""
    return max(1, int(DAY_S - now % DAY_S))


def used(usage: Usage, pages: int, now: float) -> Usage:
    """The usage after a job of so many pages has been accepted."""
    day = max(usage.day, day_of(now))
    return Usage(
        active_pages=usage.active_pages + pages,
        day=day,
        day_pages=usage.today(now) + pages,
    )


def check(allowance: Allowance, usage: Usage, pages: int, now: float) -> None:
    """Check that a job of so many pages may be accepted, given the usage so far.

    Raises:
        TooManyPages: It has more pages than the key may ever use at once, or in a day.
        ActivePagesReached: It fits once others have ended.
        PagesPerDayReached: It fits tomorrow.
    """
    _check_size(allowance, pages)
    most, free = allowance.active_pages, _free(allowance.active_pages, usage.active_pages)
    if free is not None and pages > free:
        raise ActivePagesReached(
            f"This key may have {most} pages in jobs that have not ended; {free} are"
            f" free, but this job has {pages}: try again when other jobs have ended.",
            retry_after_s=ENDING_S,
        )
    most, free = allowance.pages_per_day, _free(allowance.pages_per_day, usage.today(now))
    if free is not None and pages > free:
        raise PagesPerDayReached(
            f"This key may have {most} pages read per day; {free} are left, but this"
            f" job has {pages}: try again after 00:00 UTC.",
            retry_after_s=day_left_s(now),
        )


def _check_size(allowance: Allowance, pages: int) -> None:
    for most, when in (
        (allowance.active_pages, "at once"),
        (allowance.pages_per_day, "a day"),
    ):
        if most is not None and pages > most:
            raise TooManyPages(f"This key may have {most} pages read {when}, not {pages}.")


def _free(most: int | None, taken: int) -> int | None:
    return None if most is None else max(0, most - taken)
