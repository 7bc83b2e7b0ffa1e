"""The page where keys are needed and no worker works: waiting, stopping, and who sees what."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import APIResponse, Browser, Page, Route, expect

from pagetide.server.jobs.keys import SCOPES, new_key
from pagetide.server.wiring import open_store
from pagetide.settings import Settings
from tests.acceptance.test_api import Server
from tests.browser import watched
from tests.loopback import Loopback, answering, loopback
from tests.page_steps import ask, badge, choose_model, drop, look_at_it, row, sign_in, submit
from tests.serving import pdf
from tests.waiting import until


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Loopback]:
    """Somebody else's server: documents to fetch, and webhooks."""
    with loopback() as running:
        yield running


@pytest.fixture(scope="module")
def unmanned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that asks for a key, and for which no worker works until a test starts one."""
    folder = tmp_path_factory.mktemp("unmanned")
    with closing(Server(folder, auth="keys", allow_hosts="127.0.0.1")) as running:
        yield running


@pytest.fixture(scope="module")
def keys(unmanned: Server) -> tuple[str, ...]:
    """Three keys that it knows."""
    return tuple(make_key(unmanned.folder, f"key{i}") for i in range(3))


def make_key(folder: Path, name: str, **limits: int) -> str:
    key_id, now = name.ljust(8, "0"), time.time()
    key, kept = new_key(name, key_id=key_id, secret="s" * 43, now=now, scopes=SCOPES, **limits)
    with closing(open_store(replace(Settings(), data_dir=str(folder)))) as store:
        store.put_key(kept)
    return key


def test_a_job_waits_is_cancelled_tried_again_and_read(
    browser: Browser, unmanned: Server, keys: tuple[str, ...]
) -> None:
    with watched(browser) as seen:
        page = seen.page
        page.route("**/v1/models", with_slow_one)
        page.goto(f"http://127.0.0.1:{unmanned.port}/")
        sign_in(page, keys[2])
        choose_model(page, SLOW)
        drop(page, {"ahead.pdf": pdf(24, first=320)})
        expect(row(page, "ahead.pdf")).to_contain_text(re.compile("Next in the queue|Waiting"))
        drop(page, {"behind.pdf": pdf(1, first=500)})
        expect(row(page, "behind.pdf")).to_contain_text(
            re.compile(r"Waiting behind \d+ task|Waiting for a worker of the pool cpu to start")
        )
        expect(row(page, "ahead.pdf")).to_contain_text("Waiting for a worker of the pool cpu")
        row(page, "behind.pdf").get_by_role("button", name="Cancel").click()
        expect(badge(page, "behind.pdf")).to_have_text("Cancelled")
        # The button that comes in its place is not pressed by the second click.
        row(page, "behind.pdf").get_by_role("button", name="Retry").dblclick()
        expect(badge(page, "behind.pdf")).to_have_text("Waiting")
        collect_lines(page, "ahead.pdf")
        with unmanned.worker():
            expect(badge(page, "ahead.pdf")).to_have_text("Read")
            expect(badge(page, "behind.pdf")).to_have_text("Read")
        counts = [int(text) for text in lines_that_say(page, r"(\d+) of 24 pages read")]
        assert counts == sorted(counts) and len(set(counts) - {0, 24}) >= 2, counts
        assert seen.complaints == []


def test_a_key_is_told_its_limits_and_what_is_over_them(
    browser: Browser, unmanned: Server
) -> None:
    key = make_key(unmanned.folder, "tight", active_pages=3, pages_per_day=50)
    with watched(browser) as seen:
        page = seen.page
        page.goto(f"http://127.0.0.1:{unmanned.port}/")
        sign_in(page, key)
        limits = page.locator("#limits")
        expect(limits).to_contain_text("They may have 3 pages; 3 were free")
        expect(limits).to_contain_text("50 pages read a day (UTC); 50 were left")
        choose_model(page)
        drop(page, {"fits.pdf": pdf(2, first=700)})
        expect(badge(page, "fits.pdf")).to_have_text("Waiting")
        drop(page, {"over.pdf": pdf(2, first=710)})
        expect(badge(page, "over.pdf")).to_have_text("Not sent")
        expect(row(page, "over.pdf")).to_contain_text("This key may have 3 pages")
        row(page, "fits.pdf").get_by_role("button", name="Cancel").click()
        expect(badge(page, "fits.pdf")).to_have_text("Cancelled")
        row(page, "over.pdf").get_by_role("button", name="Retry").click()
        expect(badge(page, "over.pdf")).to_have_text("Waiting")


def test_a_late_answer_about_a_job_says_nothing_of_the_one_tried_after_it(
    browser: Browser, unmanned: Server, keys: tuple[str, ...]
) -> None:
    held: list[tuple[Route, APIResponse]] = []
    with watched(browser) as seen:
        page = seen.page
        page.route("**/cancel", lambda route: held.append((route, route.fetch())), times=1)
        page.goto(f"http://127.0.0.1:{unmanned.port}/")
        sign_in(page, keys[2])
        choose_model(page)
        drop(page, {"again.pdf": pdf(1, first=540)})
        expect(badge(page, "again.pdf")).to_have_text("Waiting")
        row(page, "again.pdf").get_by_role("button", name="Cancel").click()
        expect(badge(page, "again.pdf")).to_have_text("Cancelled")  # by the job's events
        row(page, "again.pdf").get_by_role("button", name="Retry").click()
        expect(badge(page, "again.pdf")).to_have_text("Waiting")
        # What a route does goes on only while the page is asked something.
        until(lambda: page.evaluate("true") and held, why="no answer to the cancelling")
        [(route, answer)] = held
        with page.expect_request_finished(lambda request: request.url.endswith("/cancel")):
            route.fulfill(response=answer)
        page.evaluate("() => new Promise(requestAnimationFrame)")
        assert badge(page, "again.pdf").text_content() == "Waiting"
        row(page, "again.pdf").get_by_role("button", name="Cancel").click()
        expect(badge(page, "again.pdf")).to_have_text("Cancelled")
        assert seen.complaints == []


SLOW = "fake?slow=0.1"


def with_slow_one(route: Route) -> None:
    """The models, and one that takes its time."""
    reply = route.fetch()
    models = reply.json()["models"]
    fake = next(model for model in models if model["name"] == "fake")
    route.fulfill(response=reply, json={"models": [*models, {**fake, "name": SLOW}]})


def collect_lines(page: Page, name: str) -> None:
    """Remember whatever a row says from now on."""
    page.evaluate(
        """name => {
            const row = [...document.querySelectorAll('.tray li')].find(
                (one) => one.textContent.includes(name));
            const line = row.querySelector('.doc-line');
            window.said = [];
            new MutationObserver(() => window.said.push(line.textContent)).observe(
                line, {childList: true, characterData: true, subtree: true});
        }""",
        name,
    )


def lines_that_say(page: Page, pattern: str) -> list[str]:
    said = page.evaluate("window.said")
    return [match[1] for line in said if (match := re.search(pattern, line))]


def test_what_was_sent_is_stopped_though_the_answer_is_late(
    browser: Browser, unmanned: Server, keys: tuple[str, ...], elsewhere: Loopback
) -> None:
    url, late = f"http://127.0.0.1:{unmanned.port}", Event()

    def slowly(handler: BaseHTTPRequestHandler) -> None:
        late.wait(60)
        answering(pdf(1, first=520))(handler)

    elsewhere.answers["/late.pdf"] = slowly
    with watched(browser) as seen:
        page = seen.page
        page.goto(url)
        sign_in(page, keys[2])
        choose_model(page)
        field = page.get_by_label("Address of a document")
        field.fill(f"http://127.0.0.1:{elsewhere.port}/late.pdf")
        field.press("Enter")
        expect(row(page, "late.pdf")).to_contain_text("The server is processing the upload")
        row(page, "late.pdf").get_by_role("button", name="Cancel").click()
        expect(row(page, "late.pdf")).to_have_count(0)
        late.set()
        until(lambda: status_of(url, "late.pdf", keys[2]) == "cancelled")
        # A store that fails for a while ends nothing; what was erased elsewhere is told of.
        page.route("**/events", fail, times=1)
        with page.expect_response(lambda one: one.headers.get("x-accel-buffering") == "no"):
            drop(page, {"wiped.pdf": pdf(1, first=524)})
        expect(badge(page, "wiped.pdf")).to_have_text("Waiting")
        told = jobs_of(url, keys[2])["wiped.pdf"]
        ask(f"{url}/v1/jobs/{told['id']}", keys[2], "DELETE")
        expect(badge(page, "wiped.pdf")).to_have_text("Gone")
        assert seen.complaints == []


def fail(route: Route) -> None:
    problem = {"code": "store_failed", "status": 503, "detail": "No.", "retryable": True}
    body = f"event: problem\ndata: {json.dumps(problem)}\n\n"
    route.fulfill(content_type="text/event-stream", body=body)


def jobs_of(url: str, key: str) -> dict[str, Any]:
    return {job["source"]["name"]: job for job in ask(f"{url}/v1/jobs", key)["jobs"]}


def status_of(url: str, name: str, key: str) -> str | None:
    job = jobs_of(url, key).get(name)
    return job and job["status"]


def test_jobs_are_leafed_through_filtered_cancelled_and_erased(
    browser: Browser, unmanned: Server, keys: tuple[str, ...]
) -> None:
    url, key = f"http://127.0.0.1:{unmanned.port}", keys[2]
    made = [submit(url, pdf(1, first=600), key, name=f"heap {i}.pdf") for i in range(43)]
    with watched(browser) as seen:
        page = seen.page
        page.goto(f"{url}/#/jobs")
        sign_in(page, key)
        rows = page.locator("tbody tr")
        expect(rows).to_have_count(20)
        expect(rows.first).to_contain_text("heap 42.pdf")
        expect(page.get_by_role("button", name="Newer")).to_be_disabled()
        # A click that comes before the list does is no second one.
        page.evaluate(TWICE, "Older")
        expect(rows.first).to_contain_text("heap 22.pdf")
        page.evaluate(TWICE, "Newer")
        expect(rows.first).to_contain_text("heap 42.pdf")
        expect(page.get_by_role("button", name="Newer")).to_be_disabled()
        # What comes anew does not take the focus away.
        cancel = rows.first.get_by_role("button", name="Cancel")
        cancel.focus()
        submit(url, pdf(1, first=602), key, name="newest.pdf")
        expect(rows.first).to_contain_text("newest.pdf")
        expect(page.get_by_role("button", name="Cancel heap 42.pdf")).to_be_focused()
        page.keyboard.press("Enter")
        expect(rows.nth(1).locator(".badge")).to_have_text("Cancelled")
        expect(page.get_by_role("button", name="Erase heap 42.pdf")).to_be_focused()
        page.get_by_label("Status").select_option("cancelled")
        expect(rows.first).to_contain_text("heap 42.pdf")
        page.get_by_role("button", name="Erase heap 42.pdf").click()
        page.get_by_role("dialog").get_by_role("button", name="Erase").click()
        expect(page.get_by_role("link", name="heap 42.pdf")).to_have_count(0)
        expect(rows.first.locator(".badge")).to_have_text("Erased")
        page.get_by_label("Status").select_option("expired")
        expect(page.get_by_text("No job has the status")).to_be_visible()
        assert seen.complaints == []
    for job in made:
        if job is not made[42]:
            ask(f"{url}/v1/jobs/{job['id']}/cancel", key, "POST")


TWICE = """name => {
    const button = [...document.querySelectorAll('.pager button')].find(
        (one) => one.textContent === name);
    button.click();
    button.click();
}"""


def test_nothing_of_one_key_reaches_the_next(
    browser: Browser, unmanned: Server, keys: tuple[str, ...]
) -> None:
    mine, other, _ = keys
    with watched(browser) as seen:
        page = seen.page
        page.goto(f"http://127.0.0.1:{unmanned.port}/#/jobs")
        expect(page.get_by_label("API key")).to_be_focused()
        sign_in(page, "pt_aaaaaaaa_" + "b" * 43)
        expect(page.locator("#key-error")).to_have_text(
            "This API key is unknown, revoked or expired."
        )
        sign_in(page, "schlüssel")
        expect(page.locator("#key-error")).to_contain_text("letters and digits only")
        sign_in(page, mine)
        expect(page.get_by_text("There are no jobs yet")).to_be_visible()
        page.get_by_role("link", name="Read", exact=True).click()
        expect(page.locator("#limits")).to_contain_text("key0")
        choose_model(page)
        drop(page, {"private.pdf": pdf(1, first=420)})
        expect(badge(page, "private.pdf")).to_have_text("Waiting")
        expect(row(page, "private.pdf")).to_contain_text("pool cpu")  # its events are heard
        assert "private" in page.content()
        with page.expect_event("requestfailed", lambda one: one.url.endswith("/events")):
            page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_label("API key")).to_be_focused()
        assert "private" not in page.content()
        assert page.evaluate("sessionStorage.length") == 0
        sign_in(page, other)
        expect(page.locator("#limits")).to_contain_text("key1")
        assert page.get_by_role("radio", name="fake").is_checked() is False
        page.get_by_role("link", name="Jobs", exact=True).click()
        expect(page.get_by_text("There are no jobs yet")).to_be_visible()
        page.get_by_role("link", name="Operations").click()
        rate = page.get_by_role("region", name="Pages per minute").locator(".big")
        expect(rate).to_have_text("0")
        assert "private" not in page.content()
        assert all(mine not in url and other not in url for url in seen.requests)
        assert seen.complaints == []


def test_a_key_that_is_revoked_is_shown_the_way_in(
    browser: Browser, unmanned: Server, keys: tuple[str, ...]
) -> None:
    with watched(browser) as seen:
        page = seen.page
        page.goto(f"http://127.0.0.1:{unmanned.port}/")
        sign_in(page, keys[1])
        expect(page.locator("#limits")).to_contain_text("key1")
        page.evaluate(  # as if it had been revoked
            "for (const name of Object.keys(sessionStorage))"
            " sessionStorage.setItem(name, 'pt_aaaaaaaa_' + 'b'.repeat(43))"
        )
        page.evaluate("location.hash = '#/jobs'")
        expect(page.get_by_label("API key")).to_be_visible()
        expect(page.locator("#key-error")).to_contain_text("unknown, revoked")
        assert page.evaluate("sessionStorage.length") == 0


def test_the_way_in_is_usable_by_everybody(browser: Browser, unmanned: Server) -> None:
    with watched(browser, reduced_motion="reduce", bypass_csp=True) as seen:
        seen.page.goto(f"http://127.0.0.1:{unmanned.port}/")
        expect(seen.page.get_by_label("API key")).to_be_visible()
        look_at_it(seen.page, "sign-in")


def test_all_that_wait_are_cancelled_at_once(
    browser: Browser, unmanned: Server, keys: tuple[str, ...]
) -> None:
    with watched(browser) as seen:
        page = seen.page
        page.goto(f"http://127.0.0.1:{unmanned.port}/")
        sign_in(page, keys[2])
        choose_model(page)
        drop(page, {f"waits {i}.pdf": pdf(1, first=640 + i) for i in range(4)})
        expect(page.get_by_role("button", name="Under way 4")).to_be_visible()
        expect(page.locator(".tray .badge")).to_have_text(["Waiting"] * 4)
        page.get_by_role("button", name="Cancel all").click()
        expect(page.locator(".tray .badge")).to_have_text(["Cancelled"] * 4)
        expect(page.get_by_role("button", name="Not read 4")).to_be_visible()
        assert seen.complaints == []
