"""The page with one document, with locked ones, and with many, in a real browser."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import Watched, watched
from tests.known_pages import known_pdf
from tests.page_steps import (
    ask,
    badge,
    choose_model,
    drop,
    look_at_it,
    row,
    submit,
    wait_for,
)
from tests.served import Served, serving
from tests.serving import pdf

PASSWORD = "sesame"  # noqa: S105 - of a test


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that asks for no key."""
    with serving(tmp_path_factory.mktemp("many"), keys=0, max_workers=1) as running:
        yield running


@pytest.fixture
def seen(browser: Browser, served: Served) -> Iterator[Watched]:
    """The page as it is first seen; whatever it does, it loads and breaks nothing."""
    # Axe itself writes styles, which the page's policy forbids.
    with watched(browser, reduced_motion="reduce", bypass_csp=True) as seen:
        seen.page.goto(f"{served.url}/")
        expect(seen.page.locator(".model").first).to_be_visible()
        yield seen
        assert seen.complaints == []
        assert [url for url in seen.requests if not url.startswith(f"{served.url}/")] == []


@pytest.fixture
def page(seen: Watched) -> Page:
    return seen.page


def choose_fake(page: Page) -> None:
    page.get_by_role("radio", name="fake", exact=True).check()


def test_a_document_that_comes_alone_opens_by_itself(page: Page) -> None:
    choose_fake(page)
    drop(page, {"alone.pdf": pdf(2, first=700)})
    page.wait_for_url(re.compile(r"#/jobs/job_\w+"))
    expect(page.get_by_role("heading", name="alone.pdf")).to_be_visible()
    page.go_back()
    expect(badge(page, "alone.pdf")).to_have_text("Read")  # and once is enough


def test_documents_that_come_together_stay_in_the_list(page: Page) -> None:
    choose_fake(page)
    drop(page, {"left.pdf": pdf(1, first=704), "right.pdf": pdf(1, first=705)})
    for name in "left.pdf", "right.pdf":
        expect(badge(page, name)).to_have_text("Read")
    assert "jobs" not in page.url


def test_the_sample_is_read_with_one_click(page: Page) -> None:
    choose_fake(page)
    page.get_by_role("button", name="Try a sample").click()
    expect(page.get_by_role("heading", name="sample.pdf")).to_be_visible()
    expect(page.locator(".job-line")).to_contain_text("3 pages")


def test_a_password_is_asked_for_and_kept_nowhere(page: Page, served: Served) -> None:
    choose_model(page)
    drop(page, {"locked.pdf": known_pdf(1, PASSWORD), "free.pdf": pdf(1, first=710)})
    locked = row(page, "locked.pdf")
    expect(badge(page, "locked.pdf")).to_have_text("Needs a password")
    expect(locked.locator(".field-error")).to_contain_text("password")
    look_at_it(page, "locked")
    field = locked.get_by_label("Password of locked.pdf")
    field.fill("wrong")
    field.press("Enter")
    expect(locked.locator(".field-error")).to_contain_text("does not open")
    expect(field).to_have_value("")
    field.fill(PASSWORD)
    locked.get_by_role("button", name="Unlock").click()
    expect(badge(page, "locked.pdf")).to_have_text("Read")
    expect(field).to_be_hidden()
    kept = page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}])")
    assert "locked.pdf" in kept and PASSWORD not in kept


def test_many_are_counted_filtered_and_kept_as_one_archive(page: Page, tmp_path: Path) -> None:
    choose_model(page)
    given = {f"heap {i}.pdf": pdf(1, first=720 + i) for i in range(10)}
    drop(page, {**given, "notes.txt": b"notes"})
    filters = page.get_by_role("group", name="Which are shown").get_by_role("button")
    expect(filters).to_have_text(["All 11", "Under way 0", "Read 10", "Not read 1"])
    rows = page.locator(".tray li")
    for label, count in ("Not read", 1), ("Read", 10), ("All", 11):
        page.get_by_role("button", name=re.compile(rf"^{label} \d")).click()
        expect(rows).to_have_count(count)
    look_at_it(page, "many")
    page.get_by_label("Format of the files").select_option("txt")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download all").click()
    assert waiting.value.suggested_filename == "pagetide-txt.zip"
    waiting.value.save_as(tmp_path / "all.zip")
    archive = zipfile.ZipFile(tmp_path / "all.zip")
    assert archive.testzip() is None
    assert archive.namelist() == [f"heap {i}.txt" for i in range(10)]
    assert archive.read("heap 3.txt").strip() == b"723 by 200"


def test_results_of_one_name_are_kept_apart(page: Page, tmp_path: Path) -> None:
    choose_model(page)
    for first in 740, 741:
        drop(page, {"twin.pdf": pdf(1, first=first)})
    expect(page.locator(".tray .badge")).to_have_text(["Read", "Read"])
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download all").click()
    waiting.value.save_as(tmp_path / "twins.zip")
    archive = zipfile.ZipFile(tmp_path / "twins.zip")
    texts = [archive.read(name).decode() for name in ("twin.md", "twin (2).md")]
    assert [text.count("by 200") for text in texts] == [1, 1] and texts[0] != texts[1]


def test_what_was_going_on_is_there_again_after_a_reload(page: Page) -> None:
    choose_model(page)
    drop(page, {f"again {i}.pdf": pdf(1, first=750 + i) for i in range(3)})
    expect(page.locator(".tray .badge")).to_have_text(["Read"] * 3)
    drop(page, {"broken.pdf": b"%PDF-1.7 and nothing else"})
    expect(badge(page, "broken.pdf")).to_have_text("Not sent")
    page.reload()
    expect(badge(page, "again 1.pdf")).to_have_text("Read")
    expect(page.locator(".tray li")).to_have_count(4)
    expect(row(page, "broken.pdf")).to_contain_text("please choose it again")
    names = page.locator(".tray .doc-name").all_inner_texts()
    assert names == ["broken.pdf", "again 2.pdf", "again 1.pdf", "again 0.pdf"]
    row(page, "again 0.pdf").get_by_role("button", name="Erase").click()
    page.get_by_role("dialog").get_by_role("button", name="Erase").click()
    expect(row(page, "again 0.pdf")).to_have_count(0)


def test_a_row_begins_with_open_and_ends_with_erase(page: Page, served: Served) -> None:
    submitted = submit(served.url, pdf(1, first=770), name="listed.pdf")
    wait_for(served.url, submitted)
    assert ask(f"{served.url}/v1/jobs")["jobs"][0]["source"]["name"] == "listed.pdf"
    page.get_by_role("link", name="Jobs", exact=True).click()
    listed = page.locator("tbody tr", has_text="listed.pdf")
    expect(listed.locator(".thumb canvas")).to_be_visible()
    width = listed.locator(".thumb canvas").evaluate("image => image.width")
    assert 0 < width <= 160
    actions = listed.locator(".buttons > *")
    expect(actions).to_have_text(["Open", "Erase"])
    actions.first.click()
    expect(page.get_by_role("heading", name="listed.pdf")).to_be_visible()
