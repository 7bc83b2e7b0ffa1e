"""The page in Firefox, with what reads documents as it is shipped, as a person would use it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.browser import missing
from tests.served import serving

CHECKOUT = Path(__file__).parents[2]
PARTS = CHECKOUT / ".parts"
SCRIPT = CHECKOUT / "tests" / "clients" / "firefox_page.mjs"
TABS = {
    *("document", "text", "markdown", "tables", "figures", "chunks", "json", "code"),
    *("find", "check", "files"),
}


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What was seen on a way through the page."""
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    if firefox is None:
        missing("there is no Firefox on this machine")
    if not (PARTS / "node_modules" / "puppeteer-core").is_dir():
        missing("what drives Firefox is not here: `make parts` installs it")
    folder = tmp_path_factory.mktemp("firefox")
    with serving(folder / "data", keys=0) as server:
        sample = CHECKOUT / "samples" / "mixed.pdf"
        command = ["node", SCRIPT, PARTS, firefox, server.url, sample]
        ended = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, timeout=600
        )
    assert ended.returncode == 0, ended.stderr
    told: dict[str, Any] = json.loads(ended.stdout)
    assert told["version"].startswith("firefox/")
    return told


def test_a_document_is_given_read_seen_and_erased(seen: dict[str, Any]) -> None:
    assert "Northwick Rope & Sail GmbH" in seen["text"]
    assert seen["chosen"] > 0
    assert set(seen["tabs"]) == {f"panel-{name}" for name in TABS}
    assert min(seen["tabs"].values()) > 0
    assert seen["erased"]


def test_nothing_is_complained_of(seen: dict[str, Any]) -> None:
    assert seen["complaints"] == []


def test_axe_finds_nothing_grave_on_a_desk_and_a_phone(seen: dict[str, Any]) -> None:
    looked = {view.split()[0] for view in seen["grave"]}
    assert looked == {"start", "viewer", "jobs", "operations"}
    assert {view: found for view, found in seen["grave"].items() if found} == {}
    assert seen["wider"] == []
