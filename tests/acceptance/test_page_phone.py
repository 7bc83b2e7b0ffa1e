"""Ten tasks on the page, by keyboard alone, on a phone's width, in both themes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FileChooser, Locator, Page, expect

from tests.browser import grave_findings, watched
from tests.known_pages import KnownSite, known_pdf
from tests.page_steps import THEMES
from tests.waiting import until

PHONE = {"width": 390, "height": 844}
MOST_FIRST, MOST_FILES = 300_000, 15  # of a first visit: bytes, and what is asked for
PASSWORD = "sesame"  # noqa: S105 - of a test


@pytest.mark.parametrize("theme", THEMES)
def test_ten_tasks_are_done_by_keyboard_on_a_phone(
    browser: Browser, site: KnownSite, tmp_path: Path, theme: Any
) -> None:
    files = []
    for name, password in {"open.pdf": "", "locked.pdf": PASSWORD}.items():
        files.append(tmp_path / f"{theme} {name}")
        files[-1].write_bytes(known_pdf(2, password))
    options: dict[str, Any] = {"viewport": PHONE, "color_scheme": theme, "bypass_csp": True}
    with watched(browser, reduced_motion="reduce", **options) as seen:
        page = seen.page
        page.goto(f"{site.url}/")
        expect(page.locator(".model").first).to_be_visible()
        give(page, files)
        keep_all(page)
        read_on(page, theme)
        assert seen.complaints == []


def give(page: Page, files: list[Path]) -> None:
    choosers: list[FileChooser] = []
    page.on("filechooser", lambda chooser: choosers.append(chooser))
    # 1: a model is chosen
    press_until(page, "Tab", page.locator("input[name=model]:checked"))
    press_until(page, "ArrowDown", page.get_by_role("radio", name="fake", exact=True))
    # 2: documents are given
    press_until(page, "Shift+Tab", page.get_by_role("button", name="Choose files"))
    page.keyboard.press("Enter")
    until(lambda: page.evaluate("true") and choosers)
    choosers[0].set_files(files)
    locked = page.get_by_label(f"Password of {files[1].name}")
    # 3: a password is told
    expect(locked).to_be_visible()
    press_until(page, "Tab", locked)
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator(".tray .badge")).to_have_text(["Read", "Read"])
    fits(page)


def keep_all(page: Page) -> None:
    # 4: those that are read are shown alone
    press_until(page, "Tab", page.get_by_role("button", name="Read 2"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Read 2")).to_have_attribute("aria-pressed", "true")
    # 5: all results are kept
    press_until(page, "Tab", page.get_by_role("button", name="Download all"))
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "pagetide-md.zip"


def read_on(page: Page, theme: str) -> None:
    # 6: one is opened, and its result shown
    press_until(page, "Tab", page.get_by_role("link", name=f"Open {theme} open.pdf"))
    page.keyboard.press("Enter")
    expect(page.locator(".sheet .block").first).to_be_attached()
    press_until(page, "Tab", page.get_by_role("button", name="Result", exact=True))
    page.keyboard.press("Enter")
    fits(page)
    # 7: the Markdown is shown as it is written
    press_until(page, "Tab", page.get_by_role("tab", name="Document"))
    press_until(page, "ArrowRight", page.get_by_role("tab", name="Markdown"))
    press_until(page, "Tab", page.get_by_role("button", name="Source"))
    page.keyboard.press("Enter")
    expect(page.get_by_label("Markdown of page 1")).to_contain_text("## Known boxes 1")
    fits(page)
    # 8: a word is found
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("dusk")
    expect(page.get_by_role("list", name="Hits").get_by_role("button")).to_have_count(2)
    fits(page)
    # 9: a file is kept
    press_until(page, "Shift+Tab", page.get_by_role("tab", name="Find"))
    press_until(page, "ArrowRight", page.get_by_role("tab", name="Downloads"))
    press_until(page, "Tab", page.get_by_role("button", name="Download").nth(1))
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == f"{theme} open.md"
    # 10: the document is erased
    press_until(page, "Shift+Tab", page.get_by_role("button", name="Erase"))
    page.keyboard.press("Enter")
    press_until(page, "Tab", page.get_by_role("dialog").get_by_role("button", name="Erase"))
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("#/jobs$"))
    expect(page.locator("tbody tr").first).to_be_visible()
    fits(page)


def press_until(page: Page, key: str, wanted: Locator) -> None:
    """Press a key until something has the focus."""
    expect(wanted).to_be_visible()
    for _ in range(80):
        if wanted.evaluate("one => document.activeElement === one"):
            return
        page.keyboard.press(key)
    focus = page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
    pytest.fail(f"{wanted} is not reached by {key}; {focus} has the focus")


def fits(page: Page) -> None:
    """Nothing scrolls sideways, and axe finds nothing grave."""
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    assert grave_findings(page) == []


def test_a_first_visit_is_small(browser: Browser, site: KnownSite) -> None:
    job = site.read(1)
    with watched(browser) as seen:
        page, sizes = seen.page, dict[str, int]()
        network = page.context.new_cdp_session(page)
        asked = dict[str, str]()

        def ask(event: dict[str, Any]) -> None:
            asked[event["requestId"]] = event["request"]["url"]

        def finish(event: dict[str, Any]) -> None:
            if "/v1/" not in asked.get(event["requestId"], "/v1/"):
                sizes[asked[event["requestId"]]] = event["encodedDataLength"]

        network.on("Network.requestWillBeSent", ask)
        network.on("Network.loadingFinished", finish)
        network.send("Network.enable")
        page.goto(f"{site.url}/")
        expect(page.locator(".model").first).to_be_visible()
        page.wait_for_function("document.fonts.check('16px Inter')")
        page.goto(f"{site.url}/#/jobs/{job}")
        expect(page.locator(".sheet .block").first).to_be_attached()
        page.wait_for_load_state("networkidle")
        assert f"{site.url}/ui/viewer/viewer.js" in sizes
        assert len(sizes) <= MOST_FILES
        assert sum(sizes.values()) <= MOST_FIRST
