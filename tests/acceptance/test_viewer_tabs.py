"""What the viewer shows beside the pages: each tab, how it follows them, and how it fits."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.acceptance.test_viewer import (
    TABS,
    WINDOW,
    copy,
    marked,
    open_tab,
    opened,
    part,
    point,
    sheet,
    show,
)
from tests.browser import watched
from tests.known_pages import FIGURE, KnownSite, known_pdf
from tests.waiting import until


@pytest.fixture(scope="module")
def job(site: KnownSite) -> str:
    """A job of five pages, read, but for the third."""
    return site.read(5)


@pytest.fixture
def page(browser: Browser, site: KnownSite) -> Iterator[Page]:
    """An empty window; whatever is done in it, it loads and breaks nothing."""
    with watched(browser, viewport=WINDOW, color_scheme="light") as seen:
        seen.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield seen.page
        assert seen.complaints == []
        assert [url for url in seen.requests if not url.startswith(f"{site.url}/")] == []


@pytest.fixture
def viewer(page: Page, site: KnownSite, job: str) -> Page:
    """The viewer with page 1 before it."""
    return opened(page, site, job)


def twisted(page: Page, change: Any) -> None:
    """Have page 1 told otherwise than it is."""

    def twist(route: Route) -> None:
        told = route.fetch().json()
        change(told)
        route.fulfill(json=told)

    page.route("**/pages/1", twist)


def test_markdown_is_shown_as_it_looks_and_as_it_is_written(viewer: Page) -> None:
    panel = open_tab(viewer, "Markdown")
    first = panel.get_by_role("region", name="Page 1")
    expect(first.get_by_role("heading", name="Known boxes 1")).to_be_visible()
    expect(first.locator("th")).to_have_attribute("colspan", "2")
    expect(first.locator("td")).to_have_text(["High", "4.61", "Low", "1.38"])
    expect(first.locator("figure img")).to_be_visible()
    expect(first.locator("pre")).to_be_hidden()
    panel.get_by_role("button", name="Both").click()
    expect(first.locator("pre")).to_contain_text("## Known boxes 1")
    looks, written = (first.locator(one).bounding_box() for one in (".md-view", ".md-source"))
    assert looks and written and looks["x"] + looks["width"] <= written["x"]  # side by side
    panel.get_by_role("button", name="Source").click()
    expect(first.get_by_role("heading", name="Known boxes 1")).to_be_hidden()
    copy(panel)
    assert "## Known boxes 5" in viewer.evaluate("navigator.clipboard.readText()")
    viewer.reload()
    expect(open_tab(viewer, "Markdown").locator("pre").first).to_be_visible()


def test_markdown_and_pictures_lead_to_each_other(viewer: Page) -> None:
    open_tab(viewer, "Markdown")
    part(viewer, "1:b1").hover()
    assert marked(viewer, "pointed") == [45, 115, 455, 195]
    part(viewer, "1:b3").click()
    assert marked(viewer, "chosen") == list(FIGURE)
    viewer.mouse.click(*point(viewer, 60, 305))
    expect(part(viewer, "1:b2")).to_contain_class("is-chosen")


@pytest.mark.parametrize("tab", ["Document", "Text", "Markdown"])
def test_what_is_read_follows_the_page(viewer: Page, tab: str) -> None:
    panel = open_tab(viewer, tab)
    last = panel.get_by_role("region", name="Page 5")
    expect(last).not_to_be_in_viewport()
    viewer.get_by_role("navigation", name="Pages").get_by_role("button", name="Page 5").click()
    expect(viewer.get_by_role("spinbutton", name="Page")).to_have_value("5")
    expect(last).to_contain_text("Known boxes 5")
    expect(last.get_by_text("Known boxes 5").first).to_be_in_viewport()
    current = viewer.locator(".thumbs [aria-current]")
    expect(current).to_have_attribute("aria-label", "Page 5")
    expect(current.locator("canvas")).to_be_visible()
    heights = "one => [one.offsetHeight, one.parentElement.offsetHeight]"
    picture, place = current.locator("canvas").evaluate(heights)
    assert picture == place  # the whole page, and not only its upper part


@pytest.mark.parametrize("tab", ["Text", "Markdown"])
def test_a_tab_that_is_opened_late_begins_at_the_page(viewer: Page, tab: str) -> None:
    number = 2  # of which some is in sight from the first on
    viewer.get_by_role("spinbutton", name="Page").fill(str(number))
    viewer.keyboard.press("Enter")
    expect(sheet(viewer, number)).to_be_in_viewport()
    panel = open_tab(viewer, tab)
    if tab == "Markdown":
        panel.get_by_role("button", name="Both").click()
    page = panel.get_by_role("region", name=f"Page {number}")
    expect(page.get_by_text(f"Known boxes {number}").first).to_be_in_viewport()
    top = "one => one.getBoundingClientRect().top"
    until(lambda: abs(page.evaluate(top) - panel.evaluate(top)) < 60)


def test_formulas_are_drawn_and_markup_is_only_text(
    page: Page, site: KnownSite, job: str
) -> None:
    formula = (
        r"\frac{a_1^2}{\sqrt{b}} = \sum_{i=0}^n x_i \begin{matrix} 1 & 2 \\ 3 & 4 \end{matrix}"
    )
    hostile = "<img src=x onerror=alert(1)> [x](javascript:void) [y](https://example.org)"
    broken = r"} ^ \frac{" + 3000 * "{"
    written = (
        f"<!-- page 1 -->\n\n$$ {formula} $$\n\n$$ {broken} $$\n\n{hostile}\n\n"
        "- one\n  1. two\n- three\n"
    )
    page.route(
        "**/result?format=md*",
        lambda route: route.fulfill(body=written, content_type="text/markdown"),
    )
    opened(page, site, job)
    first = open_tab(page, "Markdown").get_by_role("region", name="Page 1")
    expect(first.locator("math")).to_have_count(2)
    for tag, count in {"mfrac": 2, "msqrt": 1, "msubsup": 2, "mtd": 4}.items():
        expect(first.locator(tag)).to_have_count(count)
    expect(first).to_contain_text("<img src=x onerror=alert(1)> x y")
    assert first.locator("a").evaluate_all("all => all.map(a => a.href)") == [
        "https://example.org/"
    ]
    expect(first.locator("ul > li")).to_have_count(2)
    expect(first.locator("ul > li > ol > li")).to_have_text("two")


def test_figures_are_shown_and_kept(viewer: Page) -> None:
    panel = open_tab(viewer, "Figures")
    headings = panel.get_by_role("heading")
    expect(headings).to_have_text([f"Figure {n}" for n in range(1, 5)])  # page 3 was not read
    first = panel.locator(".table-box").first
    expect(first.locator("img")).to_have_js_property("naturalWidth", FIGURE[2] - FIGURE[0])
    expect(first).to_contain_text("Figure 1. A black box")
    first.locator("img").hover()
    assert marked(viewer, "pointed") == list(FIGURE)
    with viewer.expect_download() as waiting:
        panel.get_by_role("button", name="Download all").click()
    archive = zipfile.ZipFile(io.BytesIO(Path(waiting.value.path()).read_bytes()))
    assert len(archive.namelist()) == 4


def test_chunks_name_the_blocks_that_they_are_made_of(viewer: Page) -> None:
    panel = open_tab(viewer, "Chunks")
    first = panel.get_by_role("listitem").first
    expect(first).to_contain_text("Known boxes 1")
    expect(first.locator("table").first).to_contain_text("4.61")
    first.get_by_role("button", name="Text, page 1").hover()
    assert marked(viewer, "pointed") == [45, 115, 455, 195]
    first.get_by_role("button", name="Table, page 1").click()
    assert marked(viewer, "chosen") == [50, 230, 450, 380]
    viewer.mouse.click(*point(viewer, 60, 125))
    expect(first.get_by_role("button", name="Text, page 1")).to_contain_class("is-chosen")


def test_the_tree_holds_the_whole_document(viewer: Page) -> None:
    panel = open_tab(viewer, "JSON")
    expect(panel.get_by_role("button", name="source known.pdf")).to_be_visible()
    panel.get_by_role("button", name="model fake").click()
    expect(panel.locator("[data-key='engine']")).to_contain_text('"fake"')
    expect(panel.locator("[data-key='schema_version']")).to_contain_text(re.compile(r'"\d'))
    with viewer.expect_download() as waiting:
        panel.get_by_role("button", name="Download").click()
    assert len(json.loads(Path(waiting.value.path()).read_bytes())["pages"]) == 5


@pytest.mark.parametrize("language", ["curl", "Python", "JavaScript"])
def test_the_programs_shown_do_what_the_page_did(
    viewer: Page, site: KnownSite, tmp_path: Path, language: str
) -> None:
    panel = open_tab(viewer, "Code")
    panel.get_by_role("button", name=language).click()
    copy(panel)
    program = viewer.evaluate("navigator.clipboard.readText()")
    assert site.url in program
    (tmp_path / "known.pdf").write_bytes(known_pdf(2))
    assert "## Known boxes 2" in ran(language, program, tmp_path)


def ran(language: str, program: str, folder: Path) -> str:
    """What a program says, or writes."""
    if language == "curl":
        submit, fetch = program.split("# Its result")
        job = json.loads(run([shutil.which("sh") or "sh", "-c", submit], folder))["id"]
        return run(["sh", "-c", f"ID={job}\n#{fetch}"], folder)
    if language == "Python":
        run([sys.executable, "-c", program], folder)
        return (folder / "known.md").read_text(encoding="utf-8")
    (folder / "known.mjs").write_text(program, encoding="utf-8")
    node = shutil.which("node")
    assert node, "the tests need Node.js, as the parts do"
    return run([node, "known.mjs"], folder)


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_pages_stand_upright_as_they_were_read(page: Page, site: KnownSite, job: str) -> None:
    twisted(page, lambda told: told.update(orientation=90))
    opened(page, site, job)
    first = sheet(page, 1)
    expect(first.locator(".paper")).to_have_attribute("data-turn", "270")
    box = first.bounding_box()
    assert box and box["width"] > box["height"]
    # The figure's middle is at 200, 480 of 500 by 700 pixels; the page is turned to the left.
    page.mouse.click(box["x"] + box["width"] * 480 / 700, box["y"] + box["height"] * 300 / 500)
    assert marked(page, "chosen") == list(FIGURE)
    page.get_by_role("button", name="Layers").click()
    page.get_by_label("Pages upright, as they were read").uncheck()
    page.keyboard.press("Escape")
    expect(first.locator(".paper")).to_have_attribute("data-turn", "0")
    page.reload()
    expect(first.locator(".block").first).to_be_attached()
    expect(first.locator(".paper")).to_have_attribute("data-turn", "0")  # it is remembered


def test_a_table_that_is_read_from_right_to_left_stands_so(
    page: Page, site: KnownSite, job: str
) -> None:
    def mirror(told: dict[str, Any]) -> None:
        for cell in told["blocks"][2]["table"]["cells"]:
            xs, ys = zip(*cell["polygon"], strict=True)
            left, right, top, bottom = 500 - max(xs), 500 - min(xs), min(ys), max(ys)
            cell["polygon"] = [[left, top], [right, top], [right, bottom], [left, bottom]]

    twisted(page, mirror)
    opened(page, site, job)
    for tab, box, count in ("Document", ".reading-page", 5), ("Tables", ".table-box", 4):
        expect(open_tab(page, tab).locator(box)).to_have_count(count)  # all are laid out
        high, number = (part(page, f"1:c2-{k}").bounding_box() for k in (1, 2))
        assert high and number and number["x"] < high["x"], tab
    tables = page.locator(".panel:not([hidden]) table")
    expect(tables.nth(1)).to_have_attribute("dir", "ltr")  # the others are as they were


def test_names_of_blocks_cover_nothing_that_is_written(
    page: Page, site: KnownSite, job: str
) -> None:
    def widen(told: dict[str, Any]) -> None:
        for block, (top, bottom) in zip(
            told["blocks"][:3], ((40, 115), (115, 230), (230, 420)), strict=True
        ):
            block["polygon"] = [[0, top], [500, top], [500, bottom], [0, bottom]]
        told["lines"][0]["polygon"] = [[0, 40], [500, 40], [500, 115], [0, 115]]

    twisted(page, widen)
    opened(page, site, job)
    show(page, "blocks", "lines")
    tags = boxes(sheet(page, 1).locator(".tag"))
    lines = sheet(page, 1).evaluate(LINE_BOXES, LINES)
    assert len(tags) >= 3
    for left, top, right, bottom in tags:
        for line in lines:
            beside = left >= line[2] - 1 or right <= line[0] + 1
            assert beside or top >= line[3] - 1 or bottom <= line[1] + 1


LINES = [[0, 40, 500, 115], [50, 120, 450, 150], [50, 160, 350, 190], [100, 560, 300, 590]]
LINE_BOXES = """(sheet, lines) => {
    const paper = sheet.getBoundingClientRect();
    const zoom = paper.width / 500;
    return lines.map(([l, t, r, b]) =>
        [paper.x + l * zoom, paper.y + t * zoom, paper.x + r * zoom, paper.y + b * zoom]);
}"""


def boxes(found: Locator) -> list[list[float]]:
    """Where elements are in the window: left, top, right, bottom."""
    edges: list[list[float]] = found.evaluate_all(
        """all => all.map((one) => one.getBoundingClientRect())
            .map(({left, top, right, bottom}) => [left, top, right, bottom])"""
    )
    return edges


LEFT_OUT = "all => all.map(one => one.scrollWidth - one.clientWidth)"  # of their names
MANY = "document.querySelector('#tab-check .count').textContent = ' (99+)'"


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_every_tab_is_in_sight(browser: Browser, site: KnownSite, job: str, width: int) -> None:
    with watched(browser, viewport={"width": width, "height": 844}) as seen:
        viewer = opened(seen.page, site, job)
        if width == 390:
            viewer.get_by_role("button", name="Result", exact=True).click()
        tabs = viewer.get_by_role("tab")
        expect(tabs).to_have_count(len(TABS))
        viewer.evaluate(MANY)
        panel = boxes(viewer.locator(".tablist"))[0]
        for left, _, right, bottom in boxes(tabs):
            assert panel[0] <= left and right <= panel[2] and bottom <= panel[3]
        rows = {top for _, top, _, _ in boxes(tabs)}
        assert len(rows) == (1 if width == 1440 else 2)
        assert max(tabs.evaluate_all(LEFT_OUT)) <= 0
        assert viewer.evaluate("document.documentElement.scrollWidth") == width
