"""The viewer with what people read: a long document, and the picture that the README shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from pagetide import Client
from tests.browser import CHECKOUT, SCREENS, watched
from tests.known_pages import known_site
from tests.served import serving

LONG = 60
MOST_AT_ONCE = 12
KEEP = "() => { window.kept = [...document.querySelectorAll('canvas')]; }"


@pytest.mark.slow("a browser shows 300 pages")
def test_only_pages_near_the_eye_are_there(browser: Browser, tmp_path: Path) -> None:
    with known_site(tmp_path) as site, watched(browser) as seen:
        page = seen.page
        page.goto(f"{site.url}/#/jobs/{site.read(LONG, name='long.pdf')}")
        expect(page.locator(".sheet")).to_have_count(LONG)
        expect(drawn(page, 1)).to_be_visible()
        page.locator(".pictures").hover()
        for _ in range(8):  # to the middle: the pages behind it are passed by at one stroke
            page.mouse.wheel(0, 2500)
            assert page.locator(".sheet .picture").count() <= MOST_AT_ONCE
            assert page.locator(".reading-page[style='']").count() <= MOST_AT_ONCE
        field = page.get_by_role("spinbutton", name="Page")
        field.fill(str(LONG))
        page.keyboard.press("Enter")
        expect(drawn(page, LONG)).to_be_in_viewport()
        last = page.get_by_role("region", name=f"Page {LONG}", exact=True)
        expect(last).to_contain_text(f"Known boxes {LONG}")  # the text has come along
        expect(drawn(page, 1)).to_have_count(0)
        expect(page).to_have_url(re.compile(f"/{LONG}$"))
        pictures = [url for url in seen.requests if url.endswith("/image")]
        assert len(pictures) < LONG
        page.keyboard.press("/")
        page.get_by_role("searchbox", name="Find in the document").fill(f"boxes {LONG - 1}")
        hit = page.get_by_role("list", name="Hits").get_by_role("button")
        expect(hit).to_have_text(f"Page {LONG - 1}Known boxes {LONG - 1}")
        assert page.locator(".sheet .picture").count() <= MOST_AT_ONCE
        assert seen.complaints == []


def test_what_is_out_of_sight_is_let_go_of(browser: Browser, tmp_path: Path) -> None:
    """Pictures, those of the strip, too; pages that are only searched have no polygons."""
    with known_site(tmp_path) as site, watched(browser) as seen:
        page = seen.page
        page.goto(f"{site.url}/#/jobs/{site.read(LONG, name='long.pdf')}")
        expect(drawn(page, 1)).to_be_visible()
        small = page.locator(".thumbs button[aria-label='Page 1'] canvas")
        expect(small).to_be_visible()
        page.evaluate(KEEP)
        page.get_by_role("spinbutton", name="Page").fill(str(LONG))
        page.keyboard.press("Enter")
        expect(drawn(page, LONG)).to_be_in_viewport()
        expect(small).to_have_count(0)
        page.wait_for_function("kept.every(({width}) => width === 0)")
        page.keyboard.press("/")
        page.get_by_role("searchbox", name="Find in the document").fill("boxes")
        hits = page.get_by_role("list", name="Hits").get_by_role("button")
        expect(hits).to_have_count(LONG - 1)  # one of them could not be read
        assert page.locator(".sheet, .reading-page").filter(has=page.locator("*")).count() <= (
            2 * MOST_AT_ONCE
        )
        asked = [url for url in seen.requests if re.search(r"/pages/\d+(\?|$)", url)]
        whole = [url for url in asked if not url.endswith("?polygons=false")]
        assert len(asked) >= LONG - 1
        assert len(whole) <= MOST_AT_ONCE
        assert seen.complaints == []


def test_a_sample_as_the_readme_shows_it(browser: Browser, tmp_path: Path) -> None:
    window = {"width": 1440, "height": 900}
    with (
        serving(tmp_path, keys=0) as served,
        watched(browser, viewport=window, device_scale_factor=1.5) as seen,
    ):
        page = seen.page
        sample = CHECKOUT / "samples" / "table.png"
        with Client(served.url) as client:
            job = client.submit(sample)
        page.goto(f"{served.url}/#/jobs/{job.id}")
        expect(page.locator(".badge")).to_have_text("Read", timeout=240_000)  # by a real model
        expect(drawn(page, 1)).to_be_visible()
        names = page.locator(".tag")
        expect(names.filter(has_text=re.compile("^Table$"))).to_have_count(2)
        page.get_by_role("button", name="Layers").click()
        page.locator("[data-layer=cells]").check()
        page.keyboard.press("Escape")
        page.locator(".panel-document td", has_text="+16.8 %").click()
        expect(page.locator(".mark.chosen")).to_be_in_viewport()
        page.mouse.move(4, 4)
        SCREENS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENS / "viewer.png", animations="disabled")
        assert seen.complaints == []


def drawn(page: Page, number: int) -> Locator:
    return page.locator(f".sheet[data-page='{number}'] .picture")
