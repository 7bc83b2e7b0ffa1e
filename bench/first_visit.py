"""The cost of a first visit: how long until the page can be used, and how many bytes.

Each run has a browser with an empty cache, on the server's own machine.
"""

from __future__ import annotations

import statistics

from bench.corpus import SAMPLES
from bench.rows import Row
from bench.served import served, wait_for_all
from tests.browser import chromium, watched

MOST_MS, MOST_BYTES = 1000, 300_000
# What exists once the page can be used; milliseconds since the address was entered.
USABLE = {
    "first page": "input[type=radio]:checked",
    "job of seven pages": ".overlay .block",
}
SEEN = "chosen => document.querySelector(chosen) && performance.now()"
LOADED = """() => [...performance.getEntriesByType('navigation'),
    ...performance.getEntriesByType('resource')].map(one => one.transferSize)"""


def first_visit(runs: int) -> list[Row]:
    """A row each for the first page and for a job's."""
    with served(workers=1) as server:
        job = server.submit(SAMPLES / "mixed.pdf", "mixed.pdf", model="structure-lite")
        wait_for_all(server, [job])
        pages = dict(zip(USABLE, (server.url, f"{server.url}/#/jobs/{job}"), strict=True))
        rows = [_row(name, address, runs) for name, address in pages.items()]
        server.stop()
    return rows


def _row(name: str, address: str, runs: int) -> Row:
    waits, sizes = [], [0]
    with chromium() as browser:
        for _ in range(runs):
            with watched(browser) as seen:
                seen.page.goto(address, wait_until="commit")
                waits.append(seen.page.wait_for_function(SEEN, arg=USABLE[name]).json_value())
                sizes = seen.page.evaluate(LOADED)
    ms = statistics.median(waits)
    return Row(
        measure=f"a first visit, until the page can be used: {name}",
        ours=f"{ms:.0f} ms ({min(waits):.0f}–{max(waits):.0f}); {len(sizes)} requests",
        peer="",
        value=f"{ms:.0f} ms, {sum(sizes) / 1000:.0f} KB",
        bar=f"≤ {MOST_MS} ms, ≤ {MOST_BYTES // 1000} KB",
        holds=ms <= MOST_MS and sum(sizes) <= MOST_BYTES,
    )
