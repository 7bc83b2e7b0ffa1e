"""200 documents, two browsers at once, one of them killed: none reviewed twice, none lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Response, expect

from tests.browser import launched, watched
from tests.page_steps import ask, submit
from tests.served import Served, serving
from tests.serving import pdf
from tests.waiting import until

DOCUMENTS = 200
KILLED_AFTER = 40  # documents that it has reviewed
LEASE_S = 4.0


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that soon notices when nobody renews."""
    given: dict[str, Any] = {"review_lease_s": LEASE_S, "lease_s": LEASE_S, "sweep_s": 0.5}
    folder: Path = tmp_path_factory.mktemp("reviewed")
    with serving(folder, keys=0, max_workers=1, **given) as running:
        yield running


class Reviewer:
    """A browser in which somebody reviews, and what the server has answered it.

    Attributes:
        claimed: The jobs that it was given.
        closed: The jobs that it has reviewed.
    """

    def __init__(self, page: Page, url: str, name: str) -> None:
        self.page = page
        self.claimed: list[str] = []
        self.closed: list[str] = []
        page.on("response", self._see)
        page.goto(f"{url}/#/review")
        page.get_by_label("Your name").fill(name)
        page.get_by_label("Your name").press("Enter")

    def _see(self, response: Response) -> None:
        if response.request.method != "POST" or response.status != 200:
            return
        if response.url.endswith("/v1/reviews/next"):
            self.claimed.append(response.json()["job_id"])
        elif response.url.endswith("/review"):
            self.closed.append(response.json()["job_id"])

    def accept(self) -> None:
        """Accept a document, and see the next."""
        heading = self.page.get_by_role("heading", level=2)
        name = heading.inner_text()
        self.page.keyboard.press("Control+Enter")
        expect(heading).not_to_have_text(name)

    def holds(self) -> int:
        """How many documents it was given and has not reviewed."""
        self.page.evaluate("true")  # what was answered is heard of
        return len(self.claimed) - len(self.closed)

    @property
    def rests(self) -> bool:
        """Whether nothing waits, as far as it is shown."""
        return self.page.get_by_text("Nothing waits for a review.").is_visible()


def waiting(url: str) -> int:
    listed = ask(f"{url}/v1/reviews")
    return int(listed["waiting"]) + int(listed["claimed"])


@pytest.mark.slow("has two browsers review 200 documents")
def test_none_is_reviewed_twice_and_none_is_lost(browser: Browser, served: Served) -> None:
    jobs = [
        submit(served.url, pdf(1), name=f"{number}.pdf", review_sample=1)["id"]
        for number in range(DOCUMENTS)
    ]
    until(lambda: waiting(served.url) == DOCUMENTS or None)
    doomed = launched(browser.browser_type)
    with watched(browser) as seen:
        ann = Reviewer(seen.page, served.url, "Ann")
        ben = Reviewer(doomed.new_page(), served.url, "Ben")
        expect(ben.page.locator("#reading")).to_be_visible()
        for _ in range(KILLED_AFTER):
            ann.page.keyboard.press("Control+Enter")  # whatever it does just then
            ben.accept()
        until(lambda: ben.holds() == 1 or None)
        crash(doomed)
        while not ann.rests or waiting(served.url):
            ann.page.keyboard.press("Control+Enter")
            if ann.rests:
                ann.page.get_by_role("button", name="Check again").click()
        assert seen.complaints == []
    closed = Counter(ann.closed) + Counter(ben.closed)
    states = {job: ask(f"{served.url}/v1/jobs/{job}/review") for job in jobs}
    assert {one["state"] for one in states.values()} == {"accepted"}, "one is lost"
    assert len(states) == DOCUMENTS
    assert max(closed.values()) == 1, "one was reviewed twice"
    assert set(closed) == set(jobs)
    assert Counter(one["by"] for one in states.values()) == {
        "Ann": len(ann.closed),
        "Ben": len(ben.closed),
    }
    # What the killed one had in hand, and nothing else, was given to two.
    both = set(ann.claimed) & set(ben.claimed)
    assert both == set(ben.claimed) - set(ben.closed)
    assert len(both) == 1
    assert max(Counter(ann.claimed).values()) == max(Counter(ben.claimed).values()) == 1


def crash(browser: Browser) -> None:
    """End all of a browser's processes at once; it closes nothing and says nothing."""
    with suppress(Error):
        browser.new_browser_cdp_session().send("Browser.crash")
    until(lambda: not browser.is_connected() or None)
