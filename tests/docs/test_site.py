"""The documentation site: built in full, no link broken, nothing missing in its search."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from playwright.sync_api import expect

from pagetide.errors import PagetideError
from pagetide.settings import Settings
from tests.browser import chromium
from tests.docs.site import ELSEWHERE
from tests.docs.test_reference import leaves
from tests.parts.fixtures import required

ROOT = Path(__file__).parents[2]
SITE = ROOT / "out" / "site"
GENERATOR = ROOT / ".venv-docs"


class Links(HTMLParser):
    """Where a page leads, what it loads, and the places on it that can be led to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.leads: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.places |= {one for one in (given.get("id"), given.get("name")) if one}
        if href := given.get("href"):
            (self.leads if tag == "a" else self.loads).append(href)
        if source := given.get("src"):
            self.loads.append(source)


@pytest.fixture(scope="module")
def pages() -> dict[Path, Links]:
    """Every page of the site, which is built as `make docs` does."""
    if not (GENERATOR / "ready").exists():
        required("what builds the documentation is missing: `make docs-env` installs it")
    ours = [f"ENV={sys.prefix}", "-o", f"{sys.prefix}/ready", "-o", ".venv-docs/ready"]
    built = subprocess.run(
        ["make", "docs", *ours],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return {page: Links(page) for page in sorted(SITE.rglob("*.html")) if page.stem != "404"}


def targets(pages: dict[Path, Links]) -> Iterator[tuple[Path, str, Path, str]]:
    """Every link within the site: its page, itself, the file it leads to, the place there."""
    for page, links in pages.items():
        for link in links.leads + links.loads:
            parts = urlsplit(link)
            if not parts.scheme and not parts.netloc:
                file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
                yield page, link, file, unquote(parts.fragment)


def test_every_link_leads_somewhere(pages: dict[Path, Links]) -> None:
    found = list(targets(pages))
    assert len(found) > 5000
    lost = [
        f"{page.relative_to(SITE)}: {link}"
        for page, link, file, place in found
        if not file.exists() or (place and file in pages and place not in pages[file].places)
    ]
    assert lost == []


def test_no_page_asks_another_host(pages: dict[Path, Links]) -> None:
    assert {load for links in pages.values() for load in links.loads if "//" in load} == set()


def test_it_is_searched_without_a_server(pages: dict[Path, Links]) -> None:
    with chromium() as browser:
        page = browser.new_page()
        page.goto((SITE / "index.html").as_uri())
        page.keyboard.press("Control+k")
        page.keyboard.type("PAGETIDE_LEASE_S")
        expect(page.get_by_role("option", name="Workers and the sweep")).to_be_visible()


def test_every_document_is_a_page_that_can_be_found(pages: dict[Path, Links]) -> None:
    documents = {
        each.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        for each in (ROOT / "docs").rglob("*.md")
    }
    wanted = documents | {each.replace(".md", ".html") for each in ELSEWHERE.values()}
    start = SITE / "index.html"
    reached, waiting = {start}, [start]
    while waiting:
        page = waiting.pop()
        for _, _, file, _ in targets({page: pages[page]}):
            if file in pages and file not in reached:
                reached.add(file)
                waiting.append(file)
    assert wanted <= {page.relative_to(SITE).as_posix() for page in reached}


def test_the_pages_are_in_an_order_that_names_most_of_them() -> None:
    """All but the decisions, which their own page lists."""

    def named(entry: object) -> Iterator[str]:
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, dict):
            yield from named(list(entry.values()))
        else:
            assert isinstance(entry, list)
            for each in entry:
                yield from named(each)

    order = list(named(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))
    docs = ROOT / "docs"
    documents = {each.relative_to(docs).as_posix() for each in docs.rglob("*.md")}
    assert len(set(order)) == len(order)
    assert {each for each in documents - set(order) if "decisions/" not in each} == set()


def test_the_search_finds_every_setting_and_every_error(pages: dict[Path, Links]) -> None:
    index = json.loads((SITE / "search.json").read_text(encoding="utf-8"))
    text = " ".join(item["text"] for item in index["items"])
    settings = {each.variable for each in Settings.known().values()}
    wanted = settings | {kind.code for kind in leaves(PagetideError)} | {"pagetide.read_pages"}
    found = text + " ".join(item["title"] for item in index["items"])
    assert {each for each in wanted if each not in found} == set()
