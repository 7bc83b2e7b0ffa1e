"""Documents reviewed on the page, by keyboard alone: accepted, corrected, left, taken back."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from pagetide.server.jobs.review import Rules
from tests.browser import Watched, grave_findings, screenshot, watched
from tests.known_pages import DOUBTED, KnownSite, known_pdf
from tests.page_steps import THEMES, ask
from tests.waiting import until

PASSWORD = "sesame"  # noqa: S105 - of a test
PHONE = {"width": 390, "height": 844}
DOUBTFUL = f"and closes at {DOUBTED}"


def waiting(site: KnownSite, name: str, pages: int = 2, password: str = "") -> str:
    """The id of a job of which a line on each page is doubtful, once it waits for a person."""
    content, given = known_pdf(pages, password), {"password": password or None}
    asked = site.place.submit(content, name=name, review=Rules(below=0.8), **given)
    until(lambda: ask(f"{site.url}/v1/jobs/{asked.id}/review")["state"] == "waiting" or None)
    return asked.id


@contextmanager
def reviewing(browser: Browser, site: KnownSite, **options: Any) -> Iterator[Page]:
    """The page, once the next document is there; it loads and breaks nothing."""
    with watched(browser, reduced_motion="reduce", bypass_csp=True, **options) as seen:
        start(seen, site)
        yield seen.page
        assert seen.complaints == []
        assert [url for url in seen.requests if not url.startswith(f"{site.url}/")] == []


def start(seen: Watched, site: KnownSite) -> None:
    seen.page.goto(f"{site.url}/#/review")
    expect(seen.page.get_by_role("button", name="Start")).to_be_focused()
    seen.page.get_by_label("Your name").fill("Ann")
    seen.page.get_by_label("Your name").press("Enter")
    expect(field(seen.page)).to_be_focused()


def field(page: Page) -> Locator:
    return page.locator("#reading")


def review_of(site: KnownSite, job_id: str) -> Any:
    return ask(f"{site.url}/v1/jobs/{job_id}/review")


@pytest.fixture(autouse=True)
def _nothing_is_left(site: KnownSite) -> Iterator[None]:
    """Each test has the line to itself."""
    yield
    for review in ask(f"{site.url}/v1/reviews")["reviews"]:
        site.place.service.erase(review["job_id"])


@pytest.mark.parametrize("theme", THEMES)
def test_a_document_is_corrected_by_keyboard_on_a_phone(
    browser: Browser, site: KnownSite, theme: Any
) -> None:
    job_id = waiting(site, f"{theme}.pdf")
    with reviewing(browser, site, viewport=PHONE, color_scheme=theme) as page:
        expect(page.get_by_role("heading", name=f"{theme}.pdf")).to_be_visible()
        expect(field(page)).to_have_value(DOUBTFUL)
        expect(page.get_by_text("42 % sure")).to_be_visible()
        expect(page.locator("canvas.near")).to_be_visible()
        page.keyboard.type("and closes at dawn")
        page.keyboard.press("Enter")
        expect(page.get_by_text("2 of 2 places")).to_be_visible()
        page.keyboard.press("Alt+ArrowUp")
        expect(field(page)).to_have_value("and closes at dawn")
        page.keyboard.press("Alt+ArrowDown")
        expect(field(page)).to_have_value(DOUBTFUL)
        assert grave_findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        screenshot(page, f"review-{theme}-phone")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Nothing waits for a review.")).to_be_visible()
        assert grave_findings(page) == []
    review = review_of(site, job_id)
    assert (review["state"], review["by"]) == ("corrected", "Ann")
    assert [(one["page"], one["old"], one["new"]) for one in review["corrections"]] == [
        (1, DOUBTFUL, "and closes at dawn")
    ]
    document = ask(f"{site.url}/v1/jobs/{job_id}/result?corrected=true")
    assert document["pages"][0]["lines"][2]["text"] == "and closes at dawn"
    assert "closes at dawn" in document["pages"][0]["blocks"][1]["text"]
    assert document["pages"][1]["lines"][2]["text"] == DOUBTFUL
    row = line_of_corrections(site, job_id)
    assert row["box"] == [50.0, 160.0, 350.0, 190.0]


def line_of_corrections(site: KnownSite, job_id: str) -> Any:
    with urllib.request.urlopen(f"{site.url}/v1/reviews/corrections") as reply:  # noqa: S310
        rows = [json.loads(line) for line in reply]
    [row] = [row for row in rows if row["job_id"] == job_id]
    return row


def test_single_letters_do_the_same_outside_of_the_field(
    browser: Browser, site: KnownSite
) -> None:
    first, second = waiting(site, "first.pdf"), waiting(site, "second.pdf", 1)
    with reviewing(browser, site) as page:
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        expect(page.get_by_text("2 of 2 places")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("b")
        expect(page.get_by_text("1 of 2 places")).to_be_visible()
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert grave_findings(page) == []
            screenshot(page, f"review-{theme}")
        page.keyboard.press("Escape")
        page.keyboard.press("s")  # to somebody else: it comes behind the second
        expect(page.get_by_role("heading", name="second.pdf")).to_be_visible()
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("heading", name="first.pdf")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("c")
        expect(field(page)).to_be_focused()
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        expect(page.get_by_text("Nothing waits for a review.")).to_be_visible()
    assert [review_of(site, one)["state"] for one in (first, second)] == ["accepted"] * 2


def test_a_line_that_was_read_for_certain_is_corrected_as_well(
    browser: Browser, site: KnownSite
) -> None:
    job_id = waiting(site, "every line.pdf")
    with reviewing(browser, site) as page:
        page.keyboard.type("and closes at noon")
        page.keyboard.press("Escape")
        page.keyboard.press("l")
        expect(page.get_by_text("3 of 8 places: a line like any other")).to_be_visible()
        expect(field(page)).to_have_value("and closes at noon")
        page.keyboard.press("Alt+ArrowUp")
        expect(field(page)).to_have_value("The Café Übersee opens at nine")
        page.keyboard.type("The Café Übersee opens at ten")
        page.reload()
        expect(page.get_by_text("2 of 8 places")).to_be_visible()
        expect(field(page)).to_have_value(
            "The Café Übersee opens at nine"
        )  # it was not accepted
        page.keyboard.type("The Café Übersee opens at ten")
        page.keyboard.press("Escape")
        page.keyboard.press("l")
        expect(page.get_by_text("1 of 2 places")).to_be_visible()
        expect(field(page)).to_have_value("and closes at noon")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("Nothing waits for a review.")).to_be_visible()
    corrected = {(one["line"], one["new"]) for one in review_of(site, job_id)["corrections"]}
    assert corrected == {(1, "The Café Übersee opens at ten"), (2, "and closes at noon")}


def test_who_accepted_too_soon_goes_back_and_corrects_it(
    browser: Browser, site: KnownSite
) -> None:
    first, second = waiting(site, "too soon.pdf", 1), waiting(site, "in between.pdf", 1)
    with reviewing(browser, site) as page:
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("heading", name="in between.pdf")).to_be_visible()
        page.keyboard.type("half written")
        page.keyboard.press("Alt+ArrowUp")
        expect(page.get_by_role("heading", name="too soon.pdf")).to_be_visible()
        expect(field(page)).to_have_value(DOUBTFUL)
        page.keyboard.type("and closes at noon")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("heading", name="in between.pdf")).to_be_visible()
        expect(field(page)).to_have_value("half written")
        page.keyboard.type(DOUBTFUL)
        page.keyboard.press("Control+Enter")
        page.get_by_role("button", name="Back to the last document").click()
        expect(page.get_by_role("heading", name="in between.pdf")).to_be_visible()
        page.keyboard.type("and closes at dawn")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("Nothing waits for a review.")).to_be_visible()
    said = [review_of(site, one)["corrections"][0]["new"] for one in (first, second)]
    assert said == ["and closes at noon", "and closes at dawn"]


def test_a_tab_that_is_loaded_anew_goes_on_where_it_was(
    browser: Browser, site: KnownSite
) -> None:
    job_id = waiting(site, "loaded anew.pdf")
    with reviewing(browser, site) as page:
        page.keyboard.type("and closes at noon")
        page.keyboard.press("Enter")
        expect(page.get_by_text("2 of 2 places")).to_be_visible()
        page.reload()
        expect(page.get_by_text("2 of 2 places")).to_be_visible()
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("Nothing waits for a review.")).to_be_visible()
    assert [one["new"] for one in review_of(site, job_id)["corrections"]] == [
        "and closes at noon"
    ]


def test_what_has_no_picture_any_more_is_corrected_all_the_same(
    browser: Browser, site: KnownSite
) -> None:
    """An encrypted document's password is forgotten when its job has ended."""
    job_id = waiting(site, "locked.pdf", 1, password=PASSWORD)
    with reviewing(browser, site) as page:
        expect(page.get_by_text("You can still correct the text.")).to_be_visible()
        expect(page.locator("canvas.near")).to_be_hidden()
        page.keyboard.type("and closes at noon")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Nothing waits for a review.")).to_be_visible()
    assert review_of(site, job_id)["state"] == "corrected"


def test_who_leaves_the_view_gives_the_document_back(browser: Browser, site: KnownSite) -> None:
    job_id = waiting(site, "given back.pdf")
    with reviewing(browser, site) as page:
        assert review_of(site, job_id)["state"] == "claimed"
        page.get_by_role("link", name="Jobs").click()
        row = page.locator("tbody tr", has_text="given back.pdf")
        expect(row).to_contain_text("Waits for review")
        until(lambda: review_of(site, job_id)["state"] == "waiting" or None)


def test_who_has_lost_a_document_is_told_and_goes_on(browser: Browser, site: KnownSite) -> None:
    job_id = waiting(site, "lost.pdf")
    with reviewing(browser, site) as page:
        site.place.lapse(ends_s=site.place.settings.review_lease_s + 1)
        assert review_of(site, job_id)["state"] == "waiting"
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("claim on this document expired")).to_be_visible()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="lost.pdf")).to_be_visible()
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("Nothing waits for a review.")).to_be_visible()
    assert review_of(site, job_id)["state"] == "accepted"


def test_a_duplicated_tab_leaves_the_document_to_the_first(
    browser: Browser, site: KnownSite
) -> None:
    job_id = waiting(site, "twice.pdf", 1)
    with reviewing(browser, site) as page:
        with page.expect_popup() as opened:  # which takes the session's notes along
            page.evaluate("() => { window.open(location.href) }")
        expect(opened.value.get_by_role("button", name="Start")).to_be_visible()
        page.keyboard.type("and closes at noon")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("Nothing waits for a review.")).to_be_visible()
    assert [one["new"] for one in review_of(site, job_id)["corrections"]] == [
        "and closes at noon"
    ]


def test_who_has_a_document_that_was_erased_is_told_and_goes_on(
    browser: Browser, site: KnownSite
) -> None:
    job_id = waiting(site, "erased.pdf")
    with reviewing(browser, site) as page:
        site.place.service.erase(job_id)
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("The job was erased.")).to_be_visible()
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_text("Nothing waits for a review.")).to_be_visible()


def test_a_view_whose_program_cannot_be_had_offers_to_load_the_page_anew(
    browser: Browser, site: KnownSite
) -> None:
    page = browser.new_page(bypass_csp=True)
    page.route("**/ui/review/review.js", lambda route: route.abort())
    page.goto(f"{site.url}/#/review")
    expect(page.get_by_role("alert")).to_contain_text("This view could not be opened")
    page.unroute("**/ui/review/review.js")
    page.get_by_role("button", name="Reload the page").click()
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    page.close()
