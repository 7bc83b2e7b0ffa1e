"""A user's steps on the page, and the API requests beside it, for its tests."""

from __future__ import annotations

import base64
import json
import urllib.request
from collections.abc import Mapping
from typing import Any, Literal

from playwright.sync_api import Locator, Page, expect

from tests.browser import grave_findings, screenshot
from tests.waiting import until

THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def choose_model(page: Page, name: str = "fake") -> None:
    """Choose the model; a single document stays in the list with the others."""
    page.get_by_role("radio", name=name, exact=True).check()
    page.get_by_label("Open a document that comes alone").uncheck()


def row(page: Page, name: str) -> Locator:
    return page.locator(".tray li", has_text=name)


def badge(page: Page, name: str) -> Locator:
    return row(page, name).locator(".badge")


def drop(page: Page, files: Mapping[str, bytes]) -> None:
    """Drop files on the window."""
    given = [[name, base64.b64encode(content).decode()] for name, content in files.items()]
    carried = page.evaluate_handle(
        """files => {
            const carried = new DataTransfer();
            for (const [name, content] of files) {
                const bytes = Uint8Array.from(atob(content), each => each.charCodeAt(0));
                carried.items.add(new File([bytes], name));
            }
            return carried;
        }""",
        given,
    )
    page.dispatch_event("body", "dragenter", {"dataTransfer": carried})
    expect(page.locator(".veil")).to_be_visible()
    page.dispatch_event("body", "drop", {"dataTransfer": carried})
    expect(page.locator(".veil")).to_be_hidden()


def ask(url: str, key: str | None = None, method: str = "GET", body: object = None) -> Any:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    data = None
    if body is not None:
        headers["Content-Type"], data = "application/json", json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310
    with urllib.request.urlopen(request) as reply:  # noqa: S310
        return json.loads(reply.read() or b"null")


def submit(url: str, content: bytes, key: str | None = None, **fields: object) -> Any:
    file = base64.b64encode(content).decode()
    return ask(f"{url}/v1/jobs", key, "POST", {"file": file, "model": "fake", **fields})


def wait_for(url: str, job: Any, key: str | None = None) -> Any:
    return ask(f"{url}/v1/jobs/{job['id']}?wait=60", key)


def sign_in(page: Page, key: str) -> None:
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()


def look_at_it(page: Page, name: str) -> None:
    """Axe finds nothing serious in either theme; on a phone nothing scrolls sideways."""
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        found = grave_findings(page)
        assert found == [], found  # pytest rewrites it only in the tests' own modules
        screenshot(page, f"{name}-{theme}")
    heights = page.get_by_role("button", name="Erase").evaluate_all(
        "all => all.map((one) => one.offsetHeight)"
    )
    assert max(heights, default=0) < 45, "a button's word is broken"
    size = page.viewport_size
    page.set_viewport_size({"width": 360, "height": 740})
    until(lambda: page.evaluate("document.documentElement.scrollWidth") <= 360, why=name)
    screenshot(page, f"{name}-phone")
    assert size
    page.set_viewport_size(size)
