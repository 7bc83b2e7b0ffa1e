"""The viewer of one job, used as a person would, in a real browser."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pypdf
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser import Watched, grave_findings, screenshot, watched
from tests.known_pages import DOUBTED, FIGURE, KnownSite
from tests.waiting import until

WINDOW = {"width": 1500, "height": 1000}
THEMES = ("light", "dark")
TABS = (
    *("Document", "Text", "Markdown", "Tables", "Figures", "Chunks", "JSON", "Code", "Find"),
    *("Check", "Downloads"),
)
PASSWORD = "sésame €"  # noqa: S105 - of a test


@pytest.fixture(scope="module")
def job(site: KnownSite) -> str:
    """A job of five pages, read, but for the third."""
    return site.read(5, languages=("uz",))


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Watched]:
    """A window, which knows the page's files already from the second test on."""
    with watched(browser, viewport=WINDOW, color_scheme="light") as seen:
        seen.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield seen


@pytest.fixture
def page(window: Watched, site: KnownSite) -> Iterator[Page]:
    """The window, empty; whatever is done in it, it loads and breaks nothing."""
    yield window.page
    complaints, requests = window.complaints.copy(), window.requests.copy()
    window.page.evaluate("localStorage.clear()")
    window.page.unroute_all()
    window.page.goto("about:blank")
    window.page.mouse.move(0, 0)  # else the next test's page begins with something pointed at
    window.complaints.clear()
    window.requests.clear()
    assert complaints == []
    assert [url for url in requests if not url.startswith(f"{site.url}/")] == []


@pytest.fixture
def viewer(page: Page, site: KnownSite, job: str) -> Page:
    """The viewer with page 1 before it."""
    return opened(page, site, job)


def opened(page: Page, site: KnownSite, job: str) -> Page:
    page.goto(f"{site.url}/#/jobs/{job}")
    expect(sheet(page, 1).locator(".picture")).to_be_visible()
    expect(sheet(page, 1).locator(".block").first).to_be_attached()
    return page


def sheet(page: Page, number: int) -> Locator:
    return page.locator(f".sheet[data-page='{number}']")


def part(page: Page, at: str) -> Locator:
    """What stands for a part of a page in the pane that is shown."""
    return page.locator(f".panel:not([hidden]) [data-at='{at}']").first


def point(page: Page, x: float, y: float, number: int = 1) -> tuple[float, float]:
    """Where a pixel of a page is in the window."""
    box = sheet(page, number).bounding_box()
    assert box is not None
    zoom = box["width"] / (500 + 2 * (number - 1))
    return box["x"] + x * zoom, box["y"] + y * zoom


def marked(page: Page, name: str, number: int = 1) -> list[float]:
    """The box, in pixels of the page, around what is marked on it; empty where nothing is."""
    found: list[float] = sheet(page, number).evaluate(
        """(sheet, name) => {
            const mark = sheet.querySelector(`.mark.${name}`);
            if (!mark) return [];
            const { x, y, width, height } = mark.getBBox();
            return [x, y, x + width, y + height];
        }""",
        name,
    )
    return [round(edge, 3) for edge in found]


def open_tab(page: Page, name: str) -> Locator:
    page.get_by_role("tab", name=name).click()
    panel = page.get_by_role("tabpanel", name=name)
    expect(panel).to_be_visible()
    return panel


def show(page: Page, *layers: str) -> None:
    """Have these layers drawn, and no others."""
    page.get_by_role("button", name="Layers").click()
    boxes = page.locator("[data-layer]")
    expect(boxes.first).to_be_visible()  # they come together, a moment after the menu
    for box in boxes.all():
        box.set_checked(box.get_attribute("data-layer") in layers)
    page.keyboard.press("Escape")


def copy(panel: Locator) -> None:
    """Press what copies; that it says so, for two seconds only, is not missed."""
    button = panel.get_by_role("button", name="Copy").first
    button.evaluate(
        """button => {
            window.said = [];
            new MutationObserver(() => window.said.push(button.textContent)).observe(
                button, {childList: true, characterData: true, subtree: true});
        }"""
    )
    button.click()
    until(lambda: "Copied" in panel.evaluate("() => window.said"))


def test_pointing_at_the_picture_marks_the_text(viewer: Page) -> None:
    show(viewer, "blocks", "words", "cells")
    viewer.mouse.move(*point(viewer, 60, 65))  # "Known"
    expect(part(viewer, "1:w0-0")).to_have_class("word is-pointed")
    assert marked(viewer, "pointed") == [50, 40, 183.333, 90]
    viewer.mouse.move(*point(viewer, 60, 300))  # the cell "High"
    expect(part(viewer, "1:c2-1")).to_have_class("is-pointed")
    expect(viewer.locator(".is-pointed")).to_have_text(["High"])
    viewer.mouse.move(*point(viewer, 20, 680))
    expect(viewer.locator(".is-pointed")).to_have_count(0)


def test_pointing_at_the_text_marks_the_picture(viewer: Page) -> None:
    part(viewer, "1:w2-3").hover()
    assert marked(viewer, "pointed") == [275, 160, 350, 190]
    part(viewer, "1:b3").hover(position={"x": 5, "y": 5})
    assert marked(viewer, "pointed") == list(FIGURE)
    open_tab(viewer, "Text")
    part(viewer, "1:l2").hover(position={"x": 1, "y": 5})
    assert marked(viewer, "pointed")[1:4:2] == [160, 190]
    viewer.mouse.move(*point(viewer, 60, 130))
    expect(part(viewer, "1:b1")).to_have_class("plain is-pointed")
    part(viewer, "1:w3-1").click()
    assert marked(viewer, "chosen") == [140, 560, 180, 590]


def test_choosing_goes_to_the_same_place_in_every_pane(viewer: Page) -> None:
    panel = open_tab(viewer, "Document")
    part(viewer, "5:b0").wait_for(state="detached")
    viewer.get_by_role("spinbutton", name="Page").fill("5")
    viewer.keyboard.press("Enter")
    expect(sheet(viewer, 5).locator(".block").first).to_be_attached()
    viewer.mouse.click(*point(viewer, 250, 65, number=5))
    chosen = part(viewer, "5:b0")
    expect(chosen).to_be_in_viewport()
    expect(chosen).to_contain_class("is-chosen")
    tree = open_tab(viewer, "JSON")
    node = tree.locator("[data-at='5:b0']")
    expect(node).to_be_in_viewport()
    expect(node).to_contain_text("heading")
    viewer.get_by_role("tab", name="Document").click()
    panel.evaluate("panel => { panel.scrollTop = 0; }")
    part(viewer, "1:w1-1").click()
    expect(sheet(viewer, 1).locator(".mark.chosen")).to_be_in_viewport()
    assert marked(viewer, "chosen") == [116.667, 120, 183.333, 150]


def test_the_tree_leads_to_the_picture(viewer: Page) -> None:
    tree = open_tab(viewer, "JSON")
    for twig in ("0 page 1", "lines [4]", "1 The Café Übersee opens at nine"):
        tree.get_by_role("button", name=twig).click()
    tree.get_by_role("button", name="words [6]").click()
    tree.locator("[data-at='1:w1-2'] > button").hover()
    assert marked(viewer, "pointed") == [183.333, 120, 250, 150]
    expect(tree.locator("[data-at='1:w1-2']")).to_contain_text("Übersee")
    expect(tree.locator("[data-key='timings_ms']").first).to_be_attached()


def test_keys_step_through_blocks_and_words(viewer: Page) -> None:
    sheet(viewer, 1).focus()
    viewer.keyboard.press("ArrowDown")
    assert marked(viewer, "chosen") == [50, 40, 450, 90]
    expect(viewer.locator("#live")).to_have_text("Known boxes 1")
    viewer.keyboard.press("ArrowDown")
    viewer.keyboard.press("ArrowRight")
    expect(part(viewer, "1:w1-0")).to_have_class("word is-chosen")
    viewer.keyboard.press("ArrowRight")
    expect(viewer.locator("#live")).to_have_text("Café")
    viewer.keyboard.press("ArrowUp")
    assert marked(viewer, "chosen") == [50, 40, 450, 90]
    viewer.keyboard.press("j")
    viewer.keyboard.press("j")
    assert marked(viewer, "chosen") == [50, 230, 450, 380]


def test_the_document_reads_as_it_is_built(viewer: Page) -> None:
    panel = open_tab(viewer, "Document")
    first = panel.get_by_role("region", name="Page 1")
    expect(first.get_by_role("heading", level=3)).to_have_text("Known boxes 1")
    expect(first.locator("p[data-at='1:b1']")).to_have_text(
        "The Café Übersee opens at nine and closes at dusk"
    )
    expect(first.locator("th")).to_have_attribute("colspan", "2")
    expect(first.locator("td")).to_have_text(["High", "4.61", "Low", "1.38"])
    figure = first.locator("figure img")
    expect(figure).to_be_visible()
    expect(figure).to_have_js_property("naturalWidth", FIGURE[2] - FIGURE[0])
    expect(figure).to_have_js_property("naturalHeight", FIGURE[3] - FIGURE[1])
    expect(first.locator(".caption")).to_have_text("Figure 1. A black box")


def test_words_are_found_whatever_their_case_and_accents(viewer: Page) -> None:
    viewer.keyboard.press("/")
    field = viewer.get_by_role("searchbox", name="Find in the document")
    expect(field).to_be_focused()
    field.fill("CAFE ubersee")
    hits = viewer.get_by_role("list", name="Hits").get_by_role("button")
    expect(hits).to_have_count(4)  # page 3 was not read
    expect(hits.first).to_have_text("Page 1The Café Übersee opens at nine")
    assert marked(viewer, "hit") == [116.667, 120, 250, 150]
    viewer.keyboard.press("Enter")
    viewer.keyboard.press("Enter")
    viewer.keyboard.press("Enter")
    expect(viewer.get_by_text("3 of 4")).to_be_visible()
    expect(sheet(viewer, 4).locator(".mark.hit-now")).to_be_in_viewport()
    viewer.keyboard.press("Shift+Enter")
    expect(viewer.get_by_text("2 of 4")).to_be_visible()
    field.fill("nine and closes")  # over two lines
    expect(hits).to_have_count(4)
    viewer.keyboard.press("Enter")
    expect(sheet(viewer, 1).locator(".mark.hit-now")).to_be_in_viewport()
    assert marked(viewer, "hit-now") == [50, 120, 450, 190]
    field.fill("not there")
    expect(viewer.get_by_text("Not found.")).to_be_visible()


def test_ctrl_f_finds_in_the_document(viewer: Page) -> None:
    viewer.keyboard.press("Control+f")
    expect(viewer.get_by_role("searchbox", name="Find in the document")).to_be_focused()


def test_layers_are_named_and_coloured(viewer: Page) -> None:
    names = sheet(viewer, 1).locator(".tag")
    expect(names).to_have_text(["Heading 1", "Text", "Table", "Figure", "Caption"])
    viewer.get_by_role("button", name="Layers").click()
    legend = viewer.locator(".legend li")
    expect(legend).to_have_text(["Caption", "Figure", "Heading 1", "Table", "Text"])
    colour = (
        legend.nth(1).locator(".swatch").evaluate("one => getComputedStyle(one).borderColor")
    )
    drawn = sheet(viewer, 1).locator(".block.kind-figure")
    assert drawn.evaluate("one => getComputedStyle(one).stroke") == colour == "rgb(21, 128, 61)"
    assert (
        float(sheet(viewer, 1).locator(".block").nth(1).get_attribute("stroke-opacity") or 0)
        < 1
    )
    viewer.locator("[data-layer=blocks]").uncheck()
    expect(drawn).to_have_count(0)
    viewer.reload()
    expect(sheet(viewer, 1).locator(".doubts")).to_be_attached()
    expect(sheet(viewer, 1).locator(".block")).to_have_count(0)  # it is remembered


def test_the_reading_order_is_a_path_with_numbers(viewer: Page) -> None:
    show(viewer, "order")
    expect(sheet(viewer, 1).locator(".step")).to_have_text(["1", "2", "3", "4", "5"])
    path = sheet(viewer, 1).locator(".way").get_attribute("points")
    assert path == "250,65 250,155 250,305 200,480 200,575"


def test_uncertain_words_are_marked_and_listed(viewer: Page) -> None:
    doubts = sheet(viewer, 1).locator(".doubts path")
    expect(doubts).to_be_visible()
    assert doubts.evaluate("path => path.getBBox().x") == 275
    panel = open_tab(viewer, "Check")
    words = panel.get_by_role("list", name="Uncertain words").get_by_role("button")
    expect(words).to_have_text([f"Page {n}{DOUBTED}42 %" for n in (1, 2, 4, 5)])
    panel.get_by_role("button", name="Next uncertain word").click()
    panel.get_by_role("button", name="Next uncertain word").click()
    expect(sheet(viewer, 2).locator(".mark.chosen")).to_be_in_viewport()
    panel.get_by_role("slider").fill("40")
    expect(words).to_have_count(0)
    expect(doubts).to_have_count(0)


def test_warnings_are_told_in_plain_words(viewer: Page) -> None:
    panel = open_tab(viewer, "Check")
    warnings = panel.get_by_role("list", name="Warnings").get_by_role("listitem")
    expect(warnings).to_have_text(
        [
            "DocumentRead in Latin letters; uz-Cyrl is Uzbek in Cyrillic letters.",
            "Page 2Too much is drawn to find tables.",
            "Page 2The model's answer was cut at its limit.",
            "Page 3Could not be read. The engine failed, as told.",
        ]
    )
    expect(viewer.get_by_role("tab", name="Check (4)")).to_be_visible()
    panel.get_by_text("cut at its limit").click()
    expect(sheet(viewer, 2).locator(".mark.chosen")).to_be_in_viewport()
    panel.get_by_text("Could not be read").click()
    note = sheet(viewer, 3).get_by_text(
        "This page could not be read. The engine failed, as told."
    )
    expect(note).to_be_in_viewport()
    expect(viewer.locator(".badge")).to_have_text("Partly read")
    expect(viewer.locator(".job-line")).to_contain_text("of which 1 could not be read")


def test_tabs_are_moved_by_keys(viewer: Page) -> None:
    viewer.get_by_role("tab", name="Document").focus()
    viewer.keyboard.press("ArrowLeft")
    expect(viewer.get_by_role("tab", name="Downloads")).to_be_focused()
    expect(viewer.get_by_role("tabpanel", name="Downloads")).to_be_visible()
    viewer.keyboard.press("Home")
    viewer.keyboard.press("ArrowRight")
    text = viewer.get_by_role("tabpanel", name="Text")
    expect(text).to_contain_text("The Café Übersee opens at nine")
    panel = open_tab(viewer, "Markdown")
    expect(panel).to_contain_text("# Known boxes 1")
    copy(panel)
    assert "# Known boxes 5" in viewer.evaluate("navigator.clipboard.readText()")


def test_a_table_is_copied_as_text_and_as_a_table(viewer: Page) -> None:
    panel = open_tab(viewer, "Tables")
    expect(panel.get_by_role("heading", name="Table 4")).to_be_attached()
    copy(panel)
    copied = viewer.evaluate(
        """async () => {
            const [item] = await navigator.clipboard.read();
            const text = async type => (await item.getType(type)).text();
            return [await text('text/plain'), await text('text/html')];
        }"""
    )
    assert copied[0] == "Tide tables\t\nHigh\t4.61\nLow\t1.38"
    assert '<th colspan="2">Tide tables</th>' in copied[1] and "class" not in copied[1]
    part(viewer, "1:c2-2").first.hover()
    assert marked(viewer, "pointed") == [250, 280, 450, 330]


def test_results_are_made_and_kept_as_files(viewer: Page, tmp_path: Path) -> None:
    panel = open_tab(viewer, "Downloads")

    def kept(name: str, file: str) -> io.BytesIO:
        row = panel.get_by_role("listitem").filter(has_text=name).first
        with viewer.expect_download() as waiting:
            row.get_by_role("button", name="Download").click()
        assert waiting.value.suggested_filename == file
        waiting.value.save_as(tmp_path / file)
        return io.BytesIO((tmp_path / file).read_bytes())

    read = pypdf.PdfReader(kept("Searchable PDF", "known-searchable.pdf"))
    assert "Übersee" in read.pages[0].extract_text()
    book = zipfile.ZipFile(kept("Tables as XLSX", "known.xlsx"))
    assert "xl/workbook.xml" in book.namelist()
    assert len(json.load(kept("JSON", "known.json"))["pages"]) == 5
    assert "pairs" in json.load(kept("Fields", "known.fields.json"))


def test_pages_appear_one_by_one_as_they_are_read(page: Page, site: KnownSite) -> None:
    with site.held_back() as gate:
        job = site.submit(4, name="slow.pdf")
        page.goto(f"{site.url}/#/jobs/{job}")
        expect(page.locator(".job-line")).to_contain_text("0 of 4 pages read")
        expect(sheet(page, 1)).to_contain_text("This page is not read yet.")
        expect(sheet(page, 1).locator(".picture")).to_be_visible()  # meanwhile
        for done in (1, 2):
            gate.release()
            expect(page.locator(".job-line")).to_contain_text(f"{done} of 4 pages read")
            expect(sheet(page, done).locator(".block").first).to_be_attached()
            expect(sheet(page, done + 1)).not_to_contain_text("Known")
        expect(page.locator(".badge")).to_have_text("Being read")
        expect(page.get_by_role("region", name="Page 2", exact=True)).to_contain_text(
            "Known boxes 2"
        )
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator(".badge")).to_have_text("Cancelled")
    expect(page.get_by_role("button", name="Read again")).to_be_visible()
    site.read(2, name="next.pdf")  # the worker is free: the next test may hold it back


def test_a_job_that_waits_says_for_what(
    page: Page, site: KnownSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    with site.held_back():
        first, _, third = (site.submit(1, name=f"{n}.pdf") for n in range(3))
        until(lambda: site.place.service.job(first).status == "running" or None)
        page.goto(f"{site.url}/#/jobs/{third}")
        expect(page.locator(".job-line")).to_contain_text("Waiting behind 1 task")
        expect(page.locator(".badge")).to_have_text("Waiting")
        monkeypatch.setattr(site.place.service.capacity, "starved_since", lambda job: 1.0)
        page.reload()
        expect(page.locator(".job-line")).to_contain_text(
            "Waiting for a worker of the pool cpu to start"
        )
        monkeypatch.undo()
    expect(page.locator(".badge")).to_have_text("Read")


def test_a_locked_document_takes_its_password(page: Page, site: KnownSite) -> None:
    job = site.read(2, "locked.pdf", PASSWORD)
    page.goto(f"{site.url}/#/jobs/{job}")
    lock = page.locator(".lock")
    expect(lock).to_contain_text("a password, which the server deleted when the job ended")
    expect(sheet(page, 1).locator(".sheet-note")).to_have_text(
        "The picture of this page is locked."
    )
    expect(sheet(page, 1).locator(".block").first).to_be_attached()  # its text is known
    expect(part(page, "1:b0")).to_have_text("Known boxes 1")
    open_tab(page, "Figures")
    expect(page.locator(".panel-figures .hint", has_text="needs a password")).to_have_count(2)
    assert grave_findings(page) == []
    lock.get_by_label("Password of the document").fill(PASSWORD[1:])
    lock.get_by_role("button", name="Unlock").click()
    expect(lock).to_contain_text("This password does not open the document.")
    lock.get_by_label("Password of the document").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(sheet(page, 1).locator(".picture")).to_be_visible()
    expect(page.locator(".thumbs canvas")).to_have_count(2)
    expect(page.locator(".thumbs canvas").first).to_be_visible()
    expect(sheet(page, 1).locator(".sheet-note")).to_be_hidden()
    expect(lock).to_be_hidden()
    expect(page.locator(".panel-figures .crop[src]")).to_have_count(2)


def test_what_a_locked_document_cannot_give_is_neither_offered_nor_asked_for(
    page: Page, site: KnownSite, window: Watched
) -> None:
    page.goto(f"{site.url}/#/jobs/{site.read(40, 'long-locked.pdf', PASSWORD)}")
    expect(page.locator(".lock")).to_be_visible()
    strip = page.get_by_role("navigation", name="Pages")
    for number in (40, 1, 40):
        page.get_by_role("spinbutton", name="Page").fill(str(number))
        page.keyboard.press("Enter")
        expect(strip.get_by_role("button", name=f"Page {number}", exact=True)).to_have_text(
            str(number)
        )
        expect(sheet(page, number).locator(".sheet-note")).to_contain_text("locked")
    asked = [url for url in window.requests if "image?width=" in url]
    assert len(asked) == len({*asked}) < 20  # those that were under way when it was told
    files = open_tab(page, "Downloads")
    for name in ("pdf", "figures"):
        lacking = files.locator(f"[data-format={name}]")
        expect(lacking).to_contain_text("whose password the server deleted when the job ended")
        expect(lacking.get_by_role("button")).to_have_count(0)
    expect(files.locator("[data-format=md]").get_by_role("button")).to_be_enabled()
    figures = open_tab(page, "Figures")
    expect(figures.locator(".pane-tools")).to_contain_text("whose password the server deleted")
    expect(figures.get_by_role("button", name="Download all")).to_have_count(0)
    assert grave_findings(page) == []


def test_a_password_that_comes_while_another_is_tried_is_taken(
    page: Page, site: KnownSite
) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        wrong = route.request.headers.get("pagetide-password") == quote(PASSWORD[1:])
        if wrong and "/1/" in route.request.url:
            held.append(route)
        else:
            route.continue_()

    job = site.read(2, "locked.pdf", PASSWORD)
    page.route("**/image", hold)
    page.goto(f"{site.url}/#/jobs/{job}")
    lock = page.locator(".lock")
    lock.get_by_label("Password of the document").fill(PASSWORD[1:])
    page.keyboard.press("Enter")
    expect(lock).to_contain_text("This password does not open the document.")  # of page 2
    lock.get_by_label("Password of the document").fill(PASSWORD)
    page.keyboard.press("Enter")
    held.pop().continue_()
    expect(sheet(page, 1).locator(".picture")).to_be_visible()
    expect(lock).to_be_hidden()


def test_a_job_that_failed_for_its_password_says_what_to_do(
    page: Page, site: KnownSite, job: str
) -> None:
    def fail(route: Route) -> None:
        error = {"code": "password_wrong", "message": "The password does not open the PDF."}
        route.fulfill(json=route.fetch().json() | {"status": "failed", "error": error})

    page.route(re.compile(r"/v1/jobs/\w+\?result=false$"), fail)
    page.goto(f"{site.url}/#/jobs/{job}")
    told = page.locator(".job-bar").get_by_role("alert")
    expect(told).to_contain_text(
        "does not open the PDF. Choose it again, and enter its password"
    )
    page.get_by_role("button", name="Read again").click()
    expect(page.get_by_role("button", name="Choose files")).to_be_visible()


def test_what_a_page_holds_is_text_and_stays_on_the_page(
    page: Page, site: KnownSite, job: str
) -> None:
    markup, hebrew = "<img src=x onerror=alert(1)>", "לוח גאות \u202eexe.fdp"

    def twist(route: Route) -> None:
        told = route.fetch().json()
        heading, text, table = told["blocks"][:3]
        told["lines"][0].update(text=markup, words=[])
        told["lines"][1].update(text=hebrew, words=[])
        heading.update(text=markup, line_indexes=[0, 99], polygon=[[-1e9, 40], [1e9, 40]] * 2)
        text.update(text=hebrew, line_indexes=[1], polygon=[[None, None]] * 4)
        table["table"]["cells"][1].update(line_indexes=[77], row_span=10**9, column_span=10**9)
        table["table"]["cells"][2].update(row=50, polygon=None)
        route.fulfill(json=told)

    page.route("**/pages/1", twist)
    opened(page, site, job)
    expect(part(page, "1:b0")).to_have_text(markup)
    expect(part(page, "1:l1")).to_have_text(hebrew)
    directions = "parts => parts.map(part => getComputedStyle(part).direction)"
    shown = page.locator("[data-at='1:b0'], [data-at='1:b1']")
    assert shown.evaluate_all(directions) == ["ltr", "rtl"]
    part(page, "1:b0").hover(position={"x": 500, "y": 5})  # beside its line
    assert marked(page, "pointed") == [0, 40, 500, 40]
    for tab in ("Text", "Tables", "JSON", "Check"):
        open_tab(page, tab)
    page.keyboard.press("/")
    page.get_by_role("searchbox", name="Find in the document").fill("onerror")
    expect(page.get_by_role("list", name="Hits").get_by_role("button")).to_have_count(1)
    assert page.locator("img[src='x']").count() == 0


def test_after_signing_out_nothing_of_the_document_is_left(viewer: Page) -> None:
    open_tab(viewer, "JSON")
    viewer.evaluate("import('/ui/shell.js').then(({ $api }) => $api.signOut())")
    expect(viewer.get_by_role("heading", name="Sign in")).to_be_visible()
    assert "Known" not in viewer.content() and "known.pdf" not in viewer.content()
    assert viewer.locator("canvas, .sheet, [data-at]").count() == 0


def test_a_job_is_erased_once_that_is_confirmed(page: Page, site: KnownSite) -> None:
    job = site.read(1, name="secret.pdf")
    opened(page, site, job)
    page.get_by_role("button", name="Erase").click()
    page.get_by_role("dialog").get_by_role("button", name="Keep it").click()
    expect(sheet(page, 1)).to_be_visible()
    page.get_by_role("button", name="Erase").click()
    page.get_by_role("dialog").get_by_role("button", name="Erase").click()
    page.wait_for_url("**/#/jobs")
    page.goto(f"{site.url}/#/jobs/{job}")
    expect(page.get_by_role("alert")).to_contain_text("The job was erased.")


def test_a_job_that_is_not_there_is_told_of(page: Page, site: KnownSite) -> None:
    page.goto(f"{site.url}/#/jobs/job_of_another_key")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("No such job")
    expect(alert.locator("code")).to_have_text("job_unknown")


@pytest.mark.parametrize("theme", THEMES)
def test_nothing_grave_bars_anybody(
    browser: Browser, site: KnownSite, job: str, theme: Any
) -> None:
    with watched(browser, viewport=WINDOW, color_scheme=theme) as seen:
        viewer = opened(seen.page, site, job)
        for tab in TABS:
            open_tab(viewer, tab)
            assert grave_findings(viewer) == [], tab
        viewer.get_by_role("button", name="Layers").click()
        assert grave_findings(viewer) == []
        screenshot(viewer, f"viewer-{theme}")


def test_it_works_on_a_phone(browser: Browser, site: KnownSite, job: str) -> None:
    phone = {"width": 360, "height": 740}
    with watched(browser, viewport=phone, has_touch=True, device_scale_factor=2) as seen:
        viewer = opened(seen.page, site, job)
        assert viewer.evaluate("document.documentElement.scrollWidth") == phone["width"]
        small = viewer.locator(".viewer button:visible").evaluate_all(
            """buttons => buttons.map(button => button.getBoundingClientRect())
                .filter(box => box.height < 40 || box.width < 40).length"""
        )
        assert small == 0
        screenshot(viewer, "viewer-phone")
        viewer.get_by_role("button", name="Result").tap()
        expect(viewer.get_by_role("region", name="Page 1", exact=True)).to_be_visible()
        assert grave_findings(viewer) == []
        screenshot(viewer, "viewer-phone-result")
