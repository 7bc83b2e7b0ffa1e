"""When jobs come, and of how many pages: from a file, or made with a seed."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pagetide.errors import BadOption, nearest

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
HOUR_S, DAY_S = 3600.0, 86_400.0
MOST_JOBS = 20_000_000  # 16 bytes each here, and some microseconds of a processor
MOST_PAGES = 5000  # of one job, as the settings have it
MOST_DAYS = 366  # a scaler looks every few seconds: a year of that takes a minute or so
BIN_S = 60.0  # a made trace's rate is the same for so long
# How an office's day goes, hour by hour, as parts of its mean: asleep until six, two humps.
_DAY = (2, 1, 1, 1, 1, 2, 4, 9, 17, 22, 22, 19, 15, 18, 20, 19, 16, 11, 7, 5, 4, 4, 3, 2)
_MONDAY_PEAK_S, _MONDAY_WIDTH_S, _MONDAY_SHARE = 9 * HOUR_S, 0.35 * HOUR_S, 0.4
_BURSTS_A_DAY, _BURST_S, _BURST_SHARE = 12.0, 120.0, 0.9


@dataclass(frozen=True, kw_only=True)
class Trace:
    """Arrivals of one pool's jobs.

    Attributes:
        name: Where it is from.
        at_s: When each job comes, rising from 0.
        pages: How many pages each has.
        span_s: How long is looked at; none comes later.
    """

    name: str
    at_s: Floats = field(repr=False)
    pages: Counts = field(repr=False)
    span_s: float

    @property
    def page_count(self) -> int:
        """Pages of all jobs together."""
        return int(self.pages.sum())


def trace_of(
    at_s: Iterable[float], pages: Iterable[int], *, name: str = "given", span_s: float = 0.0
) -> Trace:
    """A trace of arrivals in any order.

    Raises:
        BadOption: One comes before 0, or has no page, or there are unlike many of both.
    """
    times = np.fromiter(at_s, np.float64)
    counts = np.fromiter(pages, np.int64)
    if len(times) != len(counts):
        raise BadOption("A trace needs the pages of each job.")
    if len(times) and (not np.isfinite(times).all() or times.min() < 0 or counts.min() < 1):
        raise BadOption("A trace's jobs must start at 0 s or later and have at least one page.")
    order = np.argsort(times, kind="stable")
    last_s = float(times.max()) if len(times) else 0.0
    return Trace(name=name, at_s=times[order], pages=counts[order], span_s=max(span_s, last_s))


def read_csv(path: Path, pool: str = "") -> Trace:
    """A trace from a file with the columns `at_s`, `pages` and, if you like, `pool`.

    Args:
        path: The file, UTF-8, with a line that names the columns.
        pool: Only this pool's jobs; empty means all.

    Raises:
        BadOption: The file cannot be read, or one of its lines; the message says which.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            if not {"at_s", "pages"} <= set(rows.fieldnames or ()):
                raise BadOption(f"{path}, line 1: the columns must be named at_s,pages[,pool].")
            kept = [_row(path, rows.line_num, row, pool) for row in rows]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or "it is not a CSV in UTF-8"
        raise BadOption(f"The trace {path} cannot be read: {reason}.") from error
    jobs = [row for row in kept if row]
    if not jobs:
        whose = f" of the pool {pool}" if pool else ""
        raise BadOption(f"The trace {path} has no job{whose}.")
    return trace_of((at for at, _ in jobs), (pages for _, pages in jobs), name=path.name)


def _row(
    path: Path, line: int, row: dict[str | None, str], pool: str
) -> tuple[float, int] | None:
    """When a line's job comes and its pages; None where it is another pool's."""
    try:
        at_s, pages = float(row["at_s"]), int(row["pages"])
    except (TypeError, ValueError, KeyError):
        raise BadOption(f"{path}, line {line}: at_s and pages must be numbers.") from None
    if not (0 <= at_s < math.inf and 1 <= pages <= MOST_PAGES):
        raise BadOption(
            f"{path}, line {line}: at_s must be 0 or more, and pages from 1 to {MOST_PAGES}."
        )
    if at_s > MOST_DAYS * DAY_S:
        raise BadOption(
            f"{path}, line {line}: at_s counts seconds from the trace's start, at"
            f" most {MOST_DAYS} days."
        )
    if line > MOST_JOBS + 1:
        raise BadOption(f"{path} has more than {MOST_JOBS:,} jobs, which is the maximum.")
    return None if pool and (row.get("pool") or "cpu") != pool else (at_s, pages)


@dataclass(frozen=True, kw_only=True)
class Load:
    """How much comes, for the traces that are made.

    Attributes:
        pages_a_month: Of 30 days.
        days: How long is looked at.
        pages_a_job: The mean; most jobs have fewer, some many more. 1 means 1 each.
        seed: The same gives the same trace.
    """

    pages_a_month: float = 1e6
    days: float = 1.0
    pages_a_job: float = 4.0
    seed: int = 0


def made(shape: str, load: Load) -> Trace:
    """A trace of a shape: `poisson`, `daily`, `bursts` or `monday`.

    Raises:
        BadOption: There is no such shape, or it would be too much to hold.
    """
    if shape not in SHAPES:
        raise BadOption(f"There is no trace {shape!r}; {nearest(shape, SHAPES)}")
    if not (
        load.pages_a_month > 0
        and 0 < load.days <= MOST_DAYS
        and 1 <= load.pages_a_job <= MOST_PAGES
    ):
        raise BadOption(
            f"A trace needs pages per month above 0, 1 to {MOST_PAGES} pages per job,"
            f" and at most {MOST_DAYS} days."
        )
    jobs = load.pages_a_month * load.days / 30 / load.pages_a_job
    if jobs > MOST_JOBS:
        raise BadOption(
            f"That is a trace of {jobs:,.0f} jobs, but the maximum is {MOST_JOBS:,}:"
            " use fewer days, or more pages per job."
        )
    random = np.random.default_rng(load.seed)
    span_s = load.days * DAY_S
    edges = np.append(np.arange(0.0, span_s, BIN_S), span_s)
    weights = SHAPES[shape](edges[:-1], random) * np.diff(edges)
    counts = random.poisson(jobs * weights / weights.sum())
    at_s = np.repeat(edges[:-1], counts) + random.random(int(counts.sum())) * np.repeat(
        np.diff(edges), counts
    )
    at_s.sort()
    return Trace(
        name=shape, at_s=at_s, pages=_pages(len(at_s), load.pages_a_job, random), span_s=span_s
    )


def _pages(jobs: int, mean: float, random: np.random.Generator) -> Counts:
    """Pages of jobs: geometric about the mean, so that most are short and some long."""
    return np.minimum(random.geometric(1.0 / mean, jobs), MOST_PAGES)


def _poisson(starts_s: Floats, random: np.random.Generator) -> Floats:
    """The same rate all the time."""
    return np.ones_like(starts_s)


def _daily(starts_s: Floats, random: np.random.Generator) -> Floats:
    """An office's day, every day alike; a trace begins at midnight."""
    hours = np.arange(25)
    return np.interp(starts_s % DAY_S / HOUR_S, hours, (*_DAY, _DAY[0]))


def _bursts(starts_s: Floats, random: np.random.Generator) -> Floats:
    """Nearly all of it in bursts of two minutes, a dozen a day at times drawn by chance."""
    span_s = float(starts_s[-1]) + BIN_S
    count = max(1, random.poisson(_BURSTS_A_DAY * span_s / DAY_S))
    begins_s, heights = random.random(count) * span_s, random.exponential(1.0, count)
    rate = np.zeros_like(starts_s)
    for begin_s, height in zip(begins_s, heights, strict=True):
        rate[(starts_s >= begin_s - BIN_S) & (starts_s < begin_s + _BURST_S)] += height
    level = rate.mean() or 1.0
    mixed: Floats = _BURST_SHARE * rate / level + (1 - _BURST_SHARE)
    return mixed


def _monday(starts_s: Floats, random: np.random.Generator) -> Floats:
    """Office days from a Monday's midnight; at nine on Mondays comes what the weekend left."""
    rate = _daily(starts_s, random)
    rate = rate / rate.mean()
    weekday = (starts_s // DAY_S) % 7
    rate[weekday >= 5] *= 0.1
    since_s = (starts_s % DAY_S - _MONDAY_PEAK_S) / _MONDAY_WIDTH_S
    wave = np.where(weekday == 0, np.exp(-0.5 * since_s**2), 0.0)
    mixed: Floats = (
        1 - _MONDAY_SHARE
    ) * rate / rate.mean() + _MONDAY_SHARE * wave / wave.mean()
    return mixed


SHAPES: dict[str, Callable[[Floats, np.random.Generator], Floats]] = {
    "poisson": _poisson,
    "daily": _daily,
    "bursts": _bursts,
    "monday": _monday,
}
