"""A real browser for the tests of the page: the machine's Chromium, without background jobs.

Without Chromium the tests are skipped; where `PAGETIDE_TEST_REQUIRE` is `all` they
fail.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    Page,
    expect,
    sync_playwright,
)

from tests.waiting import until

CHECKOUT = Path(__file__).parents[1]
AXE = CHECKOUT / ".parts" / "node_modules" / "axe-core" / "axe.min.js"
SCREENS = CHECKOUT / "out" / "screens"
PATIENCE_MS = 60_000
# The first is the browser without windows: the same pages for two thirds of the work.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium without a window."""
    with sync_playwright() as playwright:
        browser = launched(playwright.chromium)
        try:
            yield browser
        finally:
            browser.close()


def launched(kind: BrowserType) -> Browser:
    """A Chromium in its own processes; close it when done."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        missing("there is no Chromium on this machine")
    return kind.launch(executable_path=program, args=list(_ARGUMENTS))


class Watched:
    """A page of the browser, with all its requests and complaints.

    Attributes:
        page: The page.
        requests: The addresses of all its requests, except those to its own data.
        complaints: The errors it reported: scripts, the content policy, missing files.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        context.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        self.page: Page = context.new_page()
        self.page.on("request", self._ask)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._hear)
        self.page.on("response", self._see)

    def _ask(self, request: Any) -> None:
        if not request.url.startswith(("blob:", "data:")):
            self.requests.append(request.url)

    def _hear(self, message: Any) -> None:
        # Some tests are about an API that refuses or cannot be reached.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            self.complaints.append(message.text)

    def _see(self, response: Any) -> None:
        if "/ui/" in response.url and not response.ok and response.status != 304:
            self.complaints.append(f"{response.url} is answered with {response.status}")


@contextmanager
def watched(browser: Browser, **options: Any) -> Iterator[Watched]:
    """A page in a window of its own, without other pages' cookies or storage."""
    context = browser.new_context(**options)
    try:
        yield Watched(context)
    finally:
        for page in context.pages:  # an open request is not the next test's error
            page.unroute_all(behavior="wait")
        context.close()


def grave_findings(page: Page) -> list[str]:
    """What axe reports as serious or critical in the current view, once colours are settled."""
    if not AXE.exists():
        missing("axe is not here: `make parts` installs it")
    until(lambda: page.evaluate("document.getAnimations().length") == 0)
    page.evaluate(AXE.read_text(encoding="utf-8") + "; undefined")
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['html'][:200]} ({node['failureSummary'][:300]})"
        for one in found["violations"]
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]


def screenshot(page: Page, name: str) -> None:
    """Save the current view in `out/screens`."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENS / f"{name}.png", full_page=True, animations="disabled")


def missing(what: str) -> NoReturn:
    """A requirement of a test is missing: skip it, or fail where all are required."""
    if os.environ.get("PAGETIDE_TEST_REQUIRE") == "all":
        pytest.fail(what)
    pytest.skip(what)
