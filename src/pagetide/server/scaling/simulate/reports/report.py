"""What a replay came to, as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.server.scaling.simulate.measures import Measures

NO_PRICE = "no price known"
_HEAD = (
    "", "$/1,000 pages", "idle", "P50", "P95", "P99", "kills", "redone", "replica-h", "most"
)  # fmt: skip


def lines(measures: Measures) -> list[str]:
    """One replay, a measure a line."""
    rows = [
        ("jobs, pages", f"{measures.jobs:,}, {measures.pages:,}"),
        ("cost", money(measures.cost_usd)),
        ("cost per 1,000 pages", money(measures.usd_a_1000_pages)),
        ("idle share of what was paid for", f"{measures.idle_share:.1%}"),
        ("wait until the results: P50", seconds(measures.wait_p50_s)),
        ("                        P95", seconds(measures.wait_p95_s)),
        ("                        P99", seconds(measures.wait_p99_s)),
        ("until the first page is begun: P95", seconds(measures.begun_p95_s)),
        ("workers killed at work", f"{measures.kills:,}"),
        ("work done again", seconds(measures.redone_s)),
        ("replica-hours", f"{measures.replica_hours:,.2f}"),
        ("workers started, most at once", f"{measures.starts:,}, {measures.most_replicas:,}"),
    ]
    if measures.unfinished:
        rows.append(("JOBS THAT NEVER END", f"{measures.unfinished:,}"))
    width = max(len(name) for name, _ in rows)
    return [f"{name:<{width}}  {value}" for name, value in rows]


def table(runs: Sequence[tuple[str, Measures]]) -> list[str]:
    """Several replays, one a line, beneath a head."""
    rows = [_HEAD, *(_row(name, measures) for name, measures in runs)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
    shown = [
        "  ".join(
            [row[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        ).rstrip()
        for row in rows
    ]
    never = [
        f"{name}: {measures.unfinished:,} of its jobs never end."
        for name, measures in runs
        if measures.unfinished
    ]
    return shown + never


def _row(name: str, measures: Measures) -> tuple[str, ...]:
    return (
        name,
        money(measures.usd_a_1000_pages, "unknown"),
        f"{measures.idle_share:.0%}",
        seconds(measures.wait_p50_s),
        seconds(measures.wait_p95_s),
        seconds(measures.wait_p99_s),
        f"{measures.kills:,}",
        seconds(measures.redone_s),
        f"{measures.replica_hours:,.1f}",
        f"{measures.most_replicas:,}",
    )


def money(usd: float | None, unknown: str = NO_PRICE) -> str:
    """Dollars, to the cent or to three digits."""
    if usd is None:
        return unknown
    return f"${usd:,.2f}" if usd >= 1 or usd == 0 else f"${usd:.3g}"


def seconds(value: float) -> str:
    """A time in seconds, to a digit that means something."""
    return f"{value:,.2f} s" if value < 10 else f"{value:,.0f} s"
