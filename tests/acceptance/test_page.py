"""The page in a real browser, used as a person would: documents in, jobs, operations."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, FileChooser, Page, expect

from tests.browser import watched
from tests.loopback import Loopback, answering, loopback
from tests.page_steps import ask, badge, choose_model, drop, look_at_it, row, submit, wait_for
from tests.served import Served, serving
from tests.serving import pdf
from tests.waiting import until

MOST_BYTES = 3_000_000
# The browser tells nobody what stands in a form that holds a file.
NOTE_FORM = """() => {
    window.said = {};
    const { set } = FormData.prototype;
    FormData.prototype.set = function (name, ...given) {
        window.said[name] = String(given[0]);
        return set.call(this, name, ...given);
    };
}"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that asks for no key."""
    folder = tmp_path_factory.mktemp("open")
    given: dict[str, Any] = {
        "allow_hosts": "127.0.0.1",
        "max_bytes": MOST_BYTES,
        "max_pages": 400,
    }
    with serving(folder, keys=0, max_workers=1, **given) as running:
        yield running


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Loopback]:
    """Somebody else's server: documents to fetch, and webhooks."""
    with loopback() as running:
        yield running


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """The page as it is first seen; whatever it does, it loads and breaks nothing."""
    with watched(browser, color_scheme="light") as seen:
        seen.page.goto(f"{served.url}/")
        choose_model(seen.page)
        yield seen.page
        assert seen.complaints == []
        assert [url for url in seen.requests if not url.startswith(f"{served.url}/")] == []


def test_several_files_are_dropped_and_read(page: Page) -> None:
    drop(page, {"first.pdf": pdf(2), "second.pdf": pdf(3)})
    for name, pages in ("first.pdf", 2), ("second.pdf", 3):
        expect(badge(page, name)).to_have_text("Read")
        expect(row(page, name)).to_contain_text(f"{pages} of {pages} pages read")
        expect(row(page, name)).to_contain_text("fake")
    row(page, "first.pdf").click(position={"x": 400, "y": 20})  # anywhere on it
    page.wait_for_url(re.compile(r"#/jobs/job_\w+(/1)?$"))


def test_files_are_chosen_with_the_keyboard_alone(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "keyed.pdf"
    file.write_bytes(pdf(1, first=240))
    choosers: list[FileChooser] = []
    page.on("filechooser", lambda chooser: choosers.append(chooser))
    page.get_by_label("Open a document that comes alone").uncheck()
    page.reload()
    expect(page.locator(".model").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    assert not page.url.endswith("#main")
    radio = page.get_by_role("radio", name="fake", exact=True)
    until(lambda: press(page, "Tab", 'document.activeElement.name === "model"'))
    until(lambda: press(page, "ArrowDown", 'document.activeElement.value === "fake"'))
    expect(radio).to_be_checked()
    until(lambda: press(page, "Shift+Tab", button_has_focus("Choose files")))
    page.keyboard.press("Enter")
    until(lambda: page.evaluate("true") and choosers)
    choosers[0].set_files([file])
    expect(badge(page, "keyed.pdf")).to_have_text("Read")
    until(lambda: press(page, "Tab", 'document.activeElement.className === "cover"'))
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Open keyed.pdf")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Erase keyed.pdf")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Keep it")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(row(page, "keyed.pdf")).to_have_count(0)


def press(page: Page, key: str, then: str) -> bool:
    """Press a key; whether this is so then."""
    page.keyboard.press(key)
    return bool(page.evaluate(then))


def button_has_focus(text: str) -> str:
    return f"document.activeElement.textContent === {json.dumps(text)}"


def test_a_picture_and_an_address_are_pasted(
    browser: Browser, served: Served, elsewhere: Loopback
) -> None:
    elsewhere.answers["/kept/far.pdf"] = answering(pdf(1, first=260))
    rights = ["clipboard-read", "clipboard-write"]
    with watched(browser, permissions=rights) as seen:
        page = seen.page
        page.goto(f"{served.url}/")
        choose_model(page)
        page.evaluate(
            """async content => {
                const bytes = Uint8Array.from(atob(content), each => each.charCodeAt(0));
                const picture = new Blob([bytes], {type: 'image/png'});
                await navigator.clipboard.write([new ClipboardItem({'image/png': picture})]);
            }""",
            base64.b64encode(picture()).decode(),
        )
        page.keyboard.press("Control+V")
        expect(badge(page, "Pasted")).to_have_text("Read")
        address = f"http://127.0.0.1:{elsewhere.port}/kept/far.pdf"
        page.evaluate("text => navigator.clipboard.writeText(text)", address)
        page.keyboard.press("Control+V")
        expect(badge(page, "far.pdf")).to_have_text("Read")
        assert seen.complaints == []


def test_an_address_is_typed_and_a_wrong_one_told_of(page: Page, elsewhere: Loopback) -> None:
    elsewhere.answers["/typed.pdf"] = answering(pdf(1, first=262))
    field = page.get_by_label("Address of a document")
    field.fill("scan.pdf")
    field.press("Enter")
    expect(page.locator("#address-error")).to_contain_text("starts with http://")
    expect(field).to_be_focused()
    field.fill(f"http://127.0.0.1:{elsewhere.port}/typed.pdf")
    field.press("Enter")
    expect(badge(page, "typed.pdf")).to_have_text("Read")
    expect(field).to_be_focused()  # `/` and `/#/` are one view, which stays as it is
    field.fill(f"http://127.0.0.1:{elsewhere.port}/missing.pdf")
    field.press("Enter")
    expect(badge(page, "missing.pdf")).to_have_text("Not sent")
    expect(row(page, "missing.pdf").locator(".field-error")).to_contain_text("404")


def test_limits_are_said_and_kept_before_anything_is_sent(page: Page) -> None:
    expect(page.locator("#limits")).to_contain_text("up to 3 MB and 400 pages each")
    expect(page.locator("#limits")).to_contain_text("PDF")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    wrong = {"large.pdf": b"%PDF-" + bytes(MOST_BYTES), "notes.txt": b"notes", "none.pdf": b""}
    drop(page, wrong)
    whys = {
        "large.pdf": "the maximum here is 3 MB",
        "notes.txt": "neither a PDF nor",
        "none.pdf": "empty",
    }
    for name, why in whys.items():
        expect(badge(page, name)).to_have_text("Not sent")
        expect(row(page, name).locator(".field-error")).to_contain_text(why)
    assert "POST" not in sent
    row(page, "notes.txt").get_by_role("button", name="Remove").click()
    expect(row(page, "notes.txt")).to_have_count(0)


def test_models_that_are_missing_say_why_and_languages_are_searched(page: Page) -> None:
    page.get_by_text("not configured on this server").click()
    missing = page.get_by_role("radio", name="paddleocr-vl")
    expect(missing).to_be_disabled()
    expect(page.locator("#model-paddleocr-vl-about")).to_contain_text("PAGETIDE_VL_URL")
    page.locator(".languages summary").click()
    search = page.get_by_label("Search languages")
    for wanted in "german", "french":
        search.fill(wanted)
        page.get_by_role("checkbox", name=re.compile(wanted, re.I)).check()
    page.get_by_label("Pages").fill("1-x")
    page.get_by_label("Pages").blur()
    expect(page.locator("#pages-error")).to_contain_text("like 1-3,7,-1")
    page.get_by_label("Pages").fill("2,-1")
    drop(page, {"tongues.pdf": pdf(5, first=280)})
    expect(badge(page, "tongues.pdf")).to_have_text("Read")
    expect(row(page, "tongues.pdf")).to_contain_text("2 of 2 pages read")
    page.get_by_role("button", name="Take German away").click()
    expect(page.locator(".languages summary")).to_have_text("1 chosen")
    page.get_by_role("link", name="Jobs", exact=True).click()
    expect(page.locator("tbody tr").first).to_contain_text("fake · de, fr")


def test_a_person_is_asked_to_review_what_is_read(page: Page, served: Served) -> None:
    drop(page, {"unchecked.pdf": pdf(1, first=288)})
    expect(badge(page, "unchecked.pdf")).to_have_text("Read")
    page.get_by_text("Review by a person").click()
    below = page.get_by_label("Lines with confidence below")
    below.fill("150")
    expect(page.locator("#review_below-error")).to_contain_text("from 0 to 100")
    below.fill("7")
    expect(page.locator("#review_below-error")).to_be_empty()
    page.get_by_label("Bills whose sums").select_option("Yes")
    page.get_by_label("A sample of all").fill("100")
    page.evaluate(NOTE_FORM)
    drop(page, {"reviewed.pdf": pdf(1, first=289)})
    expect(badge(page, "reviewed.pdf")).to_have_text("Read")
    said = page.evaluate("Object.entries(said).filter(([name]) => name.startsWith('review'))")
    assert dict(said) == {"review_below": "0.07", "review_sums": "true", "review_sample": "1"}
    states = {
        job["source"]["name"]: job["review"] for job in ask(f"{served.url}/v1/jobs")["jobs"]
    }
    assert (states["unchecked.pdf"], states["reviewed.pdf"]) == ("none", "waiting")
    page.get_by_role("link", name="Jobs", exact=True).click()
    page.get_by_role("link", name="Read", exact=True).click()
    expect(below).to_have_value("7")  # as it was chosen
    look_at_it(page, "review-options")


def test_the_server_refuses_in_one_sentence(page: Page) -> None:
    drop(page, {"broken.pdf": b"%PDF-1.7 and nothing else"})
    expect(badge(page, "broken.pdf")).to_have_text("Not sent")
    told = row(page, "broken.pdf").locator(".field-error").inner_text()
    assert told.endswith(".") and "\n" not in told
    row(page, "broken.pdf").get_by_role("button", name="Retry").click()
    expect(badge(page, "broken.pdf")).to_have_text("Not sent")


def test_sending_shows_how_far_it_is_and_can_be_stopped(page: Page, served: Served) -> None:
    slow = page.context.new_cdp_session(page)
    speed = {"offline": False, "latency": 0, "downloadThroughput": -1}
    slow.send("Network.emulateNetworkConditions", {**speed, "uploadThroughput": 40_000})
    drop(page, {"slow.pdf": pdf(1, first=300) + bytes(2_500_000)})
    expect(badge(page, "slow.pdf")).to_have_text("Sending")
    expect(row(page, "slow.pdf")).to_contain_text(re.compile(r"[1-9]\d? % sent"))
    row(page, "slow.pdf").get_by_role("button", name="Cancel").click()
    expect(row(page, "slow.pdf")).to_have_count(0)
    names = [job["source"]["name"] for job in ask(f"{served.url}/v1/jobs")["jobs"]]
    assert "slow.pdf" not in names


def test_a_job_is_erased_once_that_was_confirmed(page: Page, served: Served) -> None:
    drop(page, {"secret.pdf": pdf(1, first=340)})
    expect(badge(page, "secret.pdf")).to_have_text("Read")
    erase = row(page, "secret.pdf").get_by_role("button", name="Erase")
    erase.click()
    page.get_by_role("button", name="Keep it").click()
    expect(badge(page, "secret.pdf")).to_have_text("Read")
    erase.click()
    expect(page.get_by_role("dialog")).to_contain_text("cannot be undone")
    page.get_by_role("dialog").get_by_role("button", name="Erase").click()
    expect(row(page, "secret.pdf")).to_have_count(0)
    names = [job["source"]["name"] for job in ask(f"{served.url}/v1/jobs")["jobs"]]
    assert "secret.pdf" not in names


def test_failed_pages_cache_hits_and_webhooks_are_shown(
    page: Page, served: Served, elsewhere: Loopback
) -> None:
    elsewhere.answers["/hook"] = answering(status=500)
    hook = f"http://127.0.0.1:{elsewhere.port}/hook"
    first = submit(served.url, pdf(3, first=360), name="patchy.pdf", model="fake?fail=2")
    wait_for(served.url, first)
    once = submit(served.url, pdf(2, first=380), name="once.pdf", webhook_url=hook)
    wait_for(served.url, once)
    submit(served.url, pdf(2, first=380), name="once.pdf")
    page.get_by_role("link", name="Jobs", exact=True).click()
    listed = page.locator("tbody tr")
    patchy = listed.filter(has_text="patchy.pdf")
    expect(patchy.locator(".badge")).to_have_text("Partly read")
    expect(patchy).to_contain_text("3 of 3, 1 failed")
    twice = listed.filter(has_text="answered from an earlier job")
    expect(twice).to_contain_text("once.pdf")
    told = twice.get_by_role("link", name="earlier job").get_attribute("href")
    assert told == f"#/jobs/{once['id']}"
    page.get_by_role("button", name="Webhook once.pdf").click()
    tries = listed.filter(has_text="once.pdf").locator(".deliveries li")
    expect(tries.first).to_contain_text("Not delivered.")
    elsewhere.answers["/hook"] = answering()
    listed.filter(has_text="once.pdf").get_by_role("button", name="Deliver again").click()
    expect(tries.last).to_contain_text("Delivered; it answered with 200.")


def test_operations_show_work_as_it_rises_and_ebbs(page: Page, served: Served) -> None:
    page.get_by_role("link", name="Operations").click()
    expect(page.get_by_role("heading", name="Pool cpu")).to_be_visible()
    tile = page.get_by_role("region", name="Tasks now").locator(".big")
    expect(tile).to_have_text(re.compile(r"^\d+$"))
    # It lasts for longer than anybody looks, and is cancelled once it was seen.
    job = submit(served.url, pdf(300, first=400), name="tide.pdf", model="fake?slow=0.4")
    expect(tile).not_to_have_text("0")
    expect(page.get_by_role("region", name="Workers now").locator(".big")).to_have_text("1")
    chart = page.locator(".chart", has=page.get_by_role("heading", name="Pool cpu"))
    chart.get_by_text("As a table").click()
    held = chart.locator("tbody td:nth-child(3)")
    seen = "no sample saw a task that was held"
    until(lambda: any(int(text) > 0 for text in held.all_inner_texts()), why=seen)
    at = f"{served.url}/v1/jobs/{job['id']}"
    until(lambda: ask(at)["pages_done"] > 1)
    ask(f"{at}/cancel", method="POST")
    expect(tile).to_have_text("0")
    expect(chart.locator("path.held")).to_have_attribute("d", re.compile("V"))
    expect(chart.locator(".hint")).to_contain_text(re.compile(r"Now 0 tasks.*At most [1-9]"))
    expect(page.get_by_role("region", name="At rest")).to_contain_text("only this server runs")
    page.reload()  # it asks for pages anew
    rate = page.locator(".chart", has=page.get_by_role("heading", name="Pages per minute"))
    expect(rate.locator(".hint")).to_contain_text(
        re.compile(r"[1-9]\d* pages in the last hour")
    )
    expect(rate.locator("rect.pages").first).to_be_visible()


def test_every_view_is_usable_by_everybody(browser: Browser, served: Served) -> None:
    # Axe itself writes styles, which the page's policy forbids.
    with watched(browser, reduced_motion="reduce", bypass_csp=True) as seen:
        page = seen.page
        wait_for(served.url, submit(served.url, pdf(2, first=440), name=LONG_NAME))
        for view, ready in VIEWS.items():
            page.goto(f"{served.url}/#/{view}")
            expect(page.locator(ready).first).to_be_visible()
            if not view:
                choose_model(page)
                drop(page, {"shown.pdf": pdf(2, first=444), "notes.txt": b"notes"})
                expect(badge(page, "shown.pdf")).to_have_text("Read")
                page.locator(".languages summary").click()
            look_at_it(page, view or "read")
        assert seen.complaints == []


LONG_NAME = "a_very_long_name_without_any_place_to_break_it_anywhere" * 2 + ".pdf"
VIEWS = {"": ".model", "jobs": "tbody tr", "operations": ".chart svg"}


def test_an_address_of_nothing_asks_for_nothing(page: Page) -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    for wrong in "jobs/%", "jobs/..%2f..%2fmetrics", "constructor", "jobs/../../x", "pages":
        page.evaluate("hash => (location.hash = hash)", f"#/{wrong}")
        expect(page.get_by_text("There is nothing at this address")).to_be_visible()
        page.get_by_role("link", name="All jobs").click()
        expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    asked = [url for url in sent if not url.endswith("/pages/1/image?width=160")]
    assert not [url for url in asked if "/v1/jobs/" in url or "metrics" in url]


def test_the_theme_is_chosen_and_kept(page: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Change to the dark theme").click()
    dark = page.evaluate(ground)
    assert light != dark
    page.reload()
    assert page.evaluate(ground) == dark


def test_it_works_below_a_path_of_a_proxy(browser: Browser, served: Served) -> None:
    with below("/ocr", served.url) as url, watched(browser) as seen:
        page = seen.page
        page.goto(f"{url}/")
        choose_model(page)
        drop(page, {"below.pdf": pdf(2, first=460)})
        expect(badge(page, "below.pdf")).to_have_text("Read")
        page.get_by_role("link", name="Jobs", exact=True).click()
        expect(page.locator("tbody tr").first).to_contain_text("below.pdf")
        assert [each for each in seen.requests if not each.startswith(f"{url}/")] == []
        assert seen.complaints == []


@contextmanager
def below(path: str, url: str) -> Iterator[str]:
    """A proxy that puts a server below a path; its address."""

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"  # an answer ends with its connection

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            with closing(HTTPConnection(url.removeprefix("http://"))) as server:
                server.request(
                    self.command, self.path.removeprefix(path), body, dict(self.headers)
                )
                reply = server.getresponse()
                self.send_response(reply.status)
                for name, value in reply.getheaders():
                    if name.lower() not in {"transfer-encoding", "connection"}:
                        self.send_header(name, value)
                self.end_headers()
                with suppress(OSError):  # the browser has left
                    while part := reply.read1():
                        self.wfile.write(part)

        do_GET = do_POST = do_DELETE = pass_on

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}{path}"
        finally:
            server.shutdown()
            thread.join()


def test_a_server_that_cannot_be_reached_is_told_of(page: Page) -> None:
    page.get_by_role("link", name="Jobs", exact=True).click()
    expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    page.context.set_offline(True)
    page.get_by_label("Status").select_option("failed")
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached.")
    page.context.set_offline(False)
    page.get_by_label("Status").select_option("")
    expect(page.get_by_role("alert")).to_be_hidden()


def picture() -> bytes:
    """A small PNG."""
    written = io.BytesIO()
    Image.new("RGB", (64, 48), "white").save(written, "PNG")
    return written.getvalue()
