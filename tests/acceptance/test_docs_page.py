"""The API's own page, in a real browser: its examples work, and requests are tried out."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import Watched, grave_findings, watched
from tests.known_pages import KnownSite, known_pdf
from tests.page_steps import THEMES
from tests.served import Served, serving

UNSUITED = {  # what this job cannot be asked, and how that is told
    "cancel_job": "job_ended",
    "redeliver": "job_ended",
    "extract_values": "model_unavailable",  # the server has none to ask
    **dict.fromkeys(("close_review", "renew_review", "release_review"), "lease_lost"),
}


@pytest.fixture(scope="module")
def job(site: KnownSite) -> str:
    return site.read(2)


@pytest.fixture
def seen(browser: Browser, site: KnownSite) -> Iterator[Watched]:
    """The page; whatever it does, it loads and breaks nothing."""
    # Axe itself writes styles, which the page's policy forbids.
    with watched(browser, reduced_motion="reduce", bypass_csp=True) as seen:
        seen.page.goto(f"{site.url}/docs")
        yield seen
        assert seen.complaints == []
        assert [url for url in seen.requests if not url.startswith(f"{site.url}/")] == []


def examples(url: str) -> dict[str, str]:
    """Each operation's example, by its name."""
    with urllib.request.urlopen(f"{url}/docs") as reply:  # noqa: S310
        text = reply.read().decode()
    shown = r'class="operation" id="(\w+)".*?<pre class="snippet".*?<code>(.*?)</code>'
    found = re.findall(shown, text, re.DOTALL)
    return {name: html.unescape(line) for name, line in found}


def test_every_example_works_against_this_server(site: KnownSite, tmp_path: Path) -> None:
    job = site.read(2)  # of its own: an example erases it
    (tmp_path / "scan.pdf").write_bytes(known_pdf(1))
    lines = examples(site.url)
    assert len(lines) == 37
    assert all(site.url in line or "$URL" in line for line in lines.values())
    told = json.loads(run(lines["show_job"], tmp_path, ID=job))
    run(lines["get_result"], tmp_path, ID=job)
    figures = json.loads(run(lines["list_figures"], tmp_path, ID=job))["figures"]
    upload = json.loads(run(lines["create_upload"], tmp_path))
    urls = {
        "open_link": told["results"]["json"]["url"],
        "open_figure_link": figures[0]["url"],
        "put_upload": next(value for value in upload.values() if str(value).startswith("http")),
    }
    for name, line in sorted(lines.items(), key=lambda one: one[0] == "erase_job"):
        said = run(line, tmp_path, ID=job, URL=urls.get(name, ""), TOKEN="none")  # noqa: S106
        code = json.loads(said).get("code") if said.startswith("{") else None
        assert code == UNSUITED.get(name), (name, line, said[:300])
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")


def run(line: str, folder: Path, **names: str) -> str:
    """What a line for a shell says."""
    environment = {**os.environ, **names}
    # The model that is bundled is not what a test's server has.
    command = line.replace("model=structure-lite", "model=fake")
    command = command.replace("-F format=md", "-F format=md -F model=fake")
    done = subprocess.run(  # noqa: S602
        command, shell=True, cwd=folder, env=environment, capture_output=True, timeout=120
    )
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout.decode()


def operation(page: Page, name: str) -> Locator:
    """An operation, opened."""
    found = page.locator(f"#{name}")
    found.locator("summary").click()
    expect(found.get_by_role("heading", name="Try it")).to_be_visible()
    return found


def test_a_request_is_tried_out(seen: Watched, job: str) -> None:
    shown = operation(seen.page, "get_page")
    expect(shown.get_by_label("job_id")).to_have_value(re.compile(r"job_\w+"))
    shown.get_by_label("job_id").fill(job)
    shown.get_by_role("button", name="Send GET").click()
    expect(shown.locator(".badge")).to_have_text(re.compile("200"))
    expect(shown.locator(".answer pre")).to_contain_text("Known boxes 1")
    shown.get_by_label("number").fill("99")
    shown.get_by_role("button", name="Send GET").click()
    expect(shown.locator(".answer pre")).to_contain_text("page_out_of_range")
    picture = operation(seen.page, "get_page_image")
    picture.get_by_label("job_id").fill(job)
    picture.get_by_label("width").fill("120")
    picture.get_by_role("button", name="Send GET").click()
    expect(picture.locator(".answer img")).to_have_js_property("naturalWidth", 120)


def test_a_document_is_submitted_from_it(seen: Watched, tmp_path: Path) -> None:
    (tmp_path / "tried.pdf").write_bytes(known_pdf(1))
    shown = operation(seen.page, "submit_job")
    shown.get_by_label("file").set_input_files(tmp_path / "tried.pdf")
    shown.get_by_label("model").fill("fake")
    shown.get_by_role("button", name="Send POST").click()
    expect(shown.locator(".badge")).to_have_text(re.compile("202"))
    expect(shown.locator(".answer pre")).to_contain_text('"name": "tried.pdf"')


def test_the_page_and_it_lead_to_each_other(seen: Watched, site: KnownSite, job: str) -> None:
    page = seen.page
    page.goto(f"{site.url}/docs#list_pages")
    expect(page.locator("#list_pages")).to_have_attribute("open", "")
    page.get_by_role("link", name="Read", exact=True).click()
    page.get_by_role("link", name="API", exact=True).click()
    expect(page.get_by_role("heading", name="Pagetide API")).to_be_visible()


def test_it_is_usable_by_everybody(seen: Watched) -> None:
    page = seen.page
    for name in "submit_job", "get_result":
        operation(page, name)
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        assert grave_findings(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_key_is_asked_for_where_one_is_needed(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("locked")
    with serving(folder, keys=1) as served, watched(browser) as seen:
        tried(seen.page, served)
        assert seen.complaints == []


def tried(page: Page, served: Served) -> None:
    page.goto(f"{served.url}/docs")
    page.get_by_label("API key").fill("pt_wrong")
    page.get_by_role("button", name="Use this key").click()
    expect(page.get_by_role("alert")).not_to_be_empty()
    page.get_by_label("API key").fill(served.key)
    page.get_by_role("button", name="Use this key").click()
    expect(page.get_by_text("sent with your key")).to_be_visible()
    shown: Any = operation(page, "list_jobs")
    shown.get_by_role("button", name="Send GET").click()
    expect(shown.locator(".badge")).to_have_text(re.compile("200"))
