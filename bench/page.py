"""The page in a real browser: `python -m bench.page [--only …]`.

The cost of a first visit; how long a user waits who drops a picture, against the job itself;
and the cost of 300 pages to the browser while they are scrolled through and searched.
"""

from __future__ import annotations

import argparse
import base64
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page
from pypdf import PdfReader, PdfWriter

from bench.corpus import CORPUS, SAMPLES
from bench.first_visit import first_visit
from bench.rows import Row, table
from bench.served import Server, served, wait_for_all
from pagetide.system.cpu import model_name
from tests.browser import chromium, watched

LONG = CORPUS / "pdf" / "sec10k_lyft-2021.pdf"
PAGES = 300
MOST_MB, MOST_TASK_MS, SLACK_MS = 400, 200, 300
OFF = {"cache": "no"}

# Drops a file, opens its job as soon as it has a link, and records when a block is drawn.
DROP = """([name, content]) => new Promise(resolve => {
    const file = new File([Uint8Array.from(atob(content), each => each.charCodeAt(0))], name);
    const carried = new DataTransfer();
    carried.items.add(file);
    let opened = false;
    const started = performance.now();
    const watch = new MutationObserver(() => {
        const link = document.querySelector('.tray a[href^="#/jobs/"]');
        if (link && !opened) { opened = true; link.click(); }
        if (!document.querySelector('.overlay .block')) return;
        watch.disconnect();
        requestAnimationFrame(() => resolve([performance.now() - started, location.hash]));
    });
    watch.observe(document.body, {childList: true, subtree: true, attributes: true});
    document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: carried, bubbles: true}));
})"""
NOTE_TASKS = """() => {
    window.longest = 0;
    new PerformanceObserver(list => {
        const all = list.getEntries().map(task => task.duration);
        window.longest = Math.max(window.longest, ...all);
    }).observe({type: 'longtask'});
}"""


def main() -> None:
    """Run the requested measures and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.page", description=__doc__)
    parser.add_argument("--only", action="append")
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    plan: dict[str, Callable[[int], list[Row]]] = {
        "first": first_visit,
        "drop": drop,
        "long": long_document,
    }
    rows: list[Row] = []
    for name, run in plan.items():
        if name in (arguments.only or plan):
            print(f"… {name}", flush=True)
            rows += run(arguments.runs)
    print(f"\n{table(rows)}\n\n{model_name()}; load {os.getloadavg()[0]:.1f}")


def drop(runs: int) -> list[Row]:
    """From dropping a picture to the first block drawn over it, with a warm worker."""
    waits, jobs = [], []
    content = base64.b64encode((SAMPLES / "receipt.jpg").read_bytes()).decode()
    with served(workers=1, min_workers=1, **OFF) as server, chromium() as browser:
        for run in range(runs + 2):
            with watched(browser) as seen:
                seen.page.goto(server.url)
                seen.page.wait_for_selector("input[type=radio]:checked", state="attached")
                ms, address = seen.page.evaluate(DROP, [f"receipt-{run}.jpg", content])
            if run >= 2:  # the first ones warm the worker and the browser
                waits.append(ms)
                jobs.append(_job_ms(server, address.split("/")[2]))
        server.stop()
    over = [wait - 1.5 * job for wait, job in zip(waits, jobs, strict=True)]
    return [
        Row(
            measure="one image: from drop to the first block drawn, warm, against the job",
            ours=f"{statistics.median(waits):.0f} ms",
            peer=f"{statistics.median(jobs):.0f} ms",
            value=f"1.5× {statistics.median(over):+.0f} ms, at most {max(over):+.0f} ms",
            bar=f"≤ 1.5× + {SLACK_MS} ms",
            holds=statistics.median(over) <= SLACK_MS,
        )
    ]


def long_document(_: int) -> list[Row]:
    """300 dense pages: memory of the browser's process, and its longest task."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(workers=1, **OFF) as server,
        chromium() as browser,
        watched(browser, viewport={"width": 1440, "height": 900}) as seen,
    ):
        job = server.submit(_long(Path(folder)), "long", text_layer="only")
        wait_for_all(server, [job])
        with _measured(browser, seen.page) as memory:
            seen.page.evaluate(NOTE_TASKS)
            seen.page.goto(f"{server.url}/#/jobs/{job}")
            seen.page.wait_for_selector(".overlay .block", state="attached")
            seen.page.evaluate(NOTE_TASKS)  # opening is finished; what follows is scrolling
            _scroll(seen.page, memory)
            longest, most = seen.page.evaluate("window.longest"), max(memory())
            seen.page.keyboard.press("/")
            seen.page.fill(".find", "lyft")
            seen.page.wait_for_function(
                "() => document.querySelector('.panel-find .progress-note').hidden",
                timeout=120_000,
            )
            searched = max(memory())
        server.stop()
    return [
        Row(
            measure=f"{PAGES} pages in the viewer, scrolled through: memory of its process",
            ours=f"{most:.0f} MB; {searched:.0f} MB once all were searched",
            peer="",
            value=f"{max(most, searched):.0f} MB",
            bar=f"≤ {MOST_MB} MB",
            holds=max(most, searched) <= MOST_MB,
        ),
        Row(
            measure=f"{PAGES} pages in the viewer: the longest task while scrolling",
            ours=f"{longest:.0f} ms" if longest else "none above 50 ms",
            peer="",
            value=f"{longest:.0f} ms",
            bar=f"≤ {MOST_TASK_MS} ms",
            holds=longest <= MOST_TASK_MS,
        ),
    ]


def _scroll(page: Page, memory: Callable[[], list[float]]) -> None:
    """Slowly through some pages, fast through all, and page by page near the end."""
    page.mouse.move(300, 600)
    for step, pause_ms, times in ((240, 16, 150), (3000, 30, 130), (800, 120, 40)):
        for turn in range(times):
            page.mouse.wheel(0, step)
            page.wait_for_timeout(pause_ms)
            if turn % 10 == 0:
                memory()


@contextmanager
def _measured(browser: Browser, page: Page) -> Iterator[Callable[[], list[float]]]:
    """Reports the megabytes of the page's process each time it is called."""
    session = browser.new_browser_cdp_session()
    told: Any = session.send("SystemInfo.getProcessInfo")
    pids = [one["id"] for one in told["processInfo"] if one["type"] == "renderer"]
    held: list[float] = []

    def look() -> list[float]:
        held.append(max(_resident_mb(pid) for pid in pids))
        return held

    yield look
    session.detach()


def _resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def _job_ms(server: Server, job_id: str) -> float:
    job = server.status(job_id, wait_s=20)
    first, last = (
        datetime.fromisoformat(str(job[name])) for name in ("created_at", "finished_at")
    )
    return 1000 * (last - first).total_seconds()


def _long(folder: Path) -> Path:
    writer, pages = PdfWriter(), PdfReader(LONG).pages
    for i in range(PAGES):
        writer.add_page(pages[i % len(pages)])
    path = folder / "long.pdf"
    writer.write(path)
    return path


if __name__ == "__main__":
    started = time.monotonic()
    main()
    print(f"{time.monotonic() - started:.0f} s in all")
