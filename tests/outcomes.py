"""How reading a hostile file ends: in time, with pages or with one clear sentence."""

from __future__ import annotations

import resource
import time
from pathlib import Path

from pagetide.errors import PagetideError
from pagetide.inputs import PageContent, Sandbox, open_input

MOST_SECONDS = 120  # to end at all, even on a busy machine; a single page may take 20
MOST_GROWTH = 100 * 1024**2


def pages_of(path: Path, sandbox: Sandbox, password: str | None = None) -> list[PageContent]:
    """All pages."""
    with open_input(path, sandbox=sandbox, password=password) as document:
        return [document.page(number) for number in range(1, document.info.page_count + 1)]


def ending(path: Path, sandbox: Sandbox) -> tuple[str, list[PageContent]]:
    """`ok` with the pages, or the error's name; neither disorderly nor late."""
    begun = time.monotonic()
    outcome, pages = "ok", []
    try:
        pages = pages_of(path, sandbox)
    except PagetideError as error:
        outcome = type(error).__name__
        assert error.message.endswith(".") and "\n" not in error.message, error.message
    else:
        assert pages, "no page"
        assert all(page.image is not None or page.text_layer.used for page in pages)
    assert time.monotonic() - begun < MOST_SECONDS, "late"
    return outcome, pages


def resident_bytes() -> int:
    """Memory held by this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()
