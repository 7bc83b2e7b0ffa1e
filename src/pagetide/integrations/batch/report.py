"""What became of a run, for people: Markdown and HTML. Pure."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from pagetide.integrations.batch.plan import Bad, Done, RunOptions

_MOST_BAD = 100


class Totals(Struct, frozen=True, kw_only=True):
    """The sums of a ledger.

    Attributes:
        items: Shards' work, done.
        pages: Pages that were read.
        failed: How many pages, or whole documents, were not, by error code.
        worker_s: Seconds that workers took, all together.
    """

    items: int
    documents: int
    pages: int
    failed: dict[str, int]
    worker_s: float

    @property
    def failures(self) -> int:
        """Pages and whole documents that could not be read."""
        return sum(self.failed.values())

    def cost(self, price_per_hour: float) -> float:
        """What the workers cost, each at this price an hour."""
        return self.worker_s / 3600 * price_per_hour


def totals(done: Iterable[Done]) -> Totals:
    """The sums of what is done."""
    items = documents = pages = 0
    worker_s, failed = 0.0, Counter[str]()
    for one in done:
        items += 1
        documents += one.documents
        pages += one.pages
        worker_s += one.seconds
        failed.update(one.failed)
    return Totals(
        items=items,
        documents=documents,
        pages=pages,
        failed=dict(failed.most_common()),
        worker_s=worker_s,
    )


def facts(
    sums: Totals, options: RunOptions, price_per_hour: float | None
) -> Iterator[tuple[str, str]]:
    """Names and values of what a report says first."""
    yield "Source", options.source
    yield "Model", options.model
    yield "Documents", f"{sums.documents:,}"
    yield "Pages read", f"{sums.pages:,}"
    yield "Failures", f"{sums.failures:,}"
    yield "Time of all workers", f"{sums.worker_s / 3600:.2f} h"
    if sums.worker_s > 0:
        rate = sums.pages / sums.worker_s * 60
        yield "Pages per minute and worker", f"{rate:,.1f}"
    if price_per_hour is not None:
        yield (
            "Cost",
            f"{sums.cost(price_per_hour):.2f}, at {price_per_hour:g} per hour and worker",
        )
        if sums.pages:
            thousand = 1000 * sums.cost(price_per_hour) / sums.pages
            yield "Cost of 1,000 pages", f"{thousand:.3f}"


def _bad(done: Iterable[Done]) -> list[Bad]:
    found = (bad for one in sorted(done, key=lambda one: one.item) for bad in one.examples)
    return [bad for bad, _ in zip(found, range(_MOST_BAD), strict=False)]


def _tables(
    done: dict[str, Done], options: RunOptions, price_per_hour: float | None
) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Titles and rows, the first of them the head."""
    sums = totals(done.values())
    yield "", [("What", "Value"), *facts(sums, options, price_per_hour)]
    if sums.failed:
        kinds = [(code, f"{count:,}") for code, count in sums.failed.items()]
        yield "Failures by kind", [("Code", "Count"), *kinds]
        bad = [
            (one.document, str(one.page or "all"), one.reason.code, one.reason.message)
            for one in _bad(done.values())
        ]
        yield "The first of them", [("Document", "Page", "Code", "Message"), *bad]


def markdown(
    done: dict[str, Done], options: RunOptions, price_per_hour: float | None = None
) -> str:
    """The report of a ledger."""
    parts = ["# Batch"]
    for title, (head, *rows) in _tables(done, options, price_per_hour):
        parts += [f"## {title}"] if title else []
        lines = [head, ("---",) * len(head), *rows]
        parts.append("\n".join(f"| {' | '.join(map(_in_cell, line))} |" for line in lines))
    return "\n\n".join(parts) + "\n"


def _in_cell(text: str) -> str:
    line = " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")
    return html.escape(line, quote=False)


def page(
    done: dict[str, Done], options: RunOptions, price_per_hour: float | None = None
) -> str:
    """The same as an HTML page that needs nothing else."""
    parts = []
    for title, (head, *rows) in _tables(done, options, price_per_hour):
        parts += [f"<h2>{html.escape(title)}</h2>"] if title else []
        parts += ["<table>", _row(head, "th"), *(_row(row, "td") for row in rows), "</table>"]
    return _PAGE.format("\n".join(parts))


def _row(cells: tuple[str, ...], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Pagetide: batch</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem }}
table {{ border-collapse: collapse }}
th, td {{ border-bottom: 1px solid #ccc; padding: .3rem .8rem .3rem 0; text-align: left }}
</style>
<h1>Batch</h1>
{}
</html>
"""
