"""What tests of the page in a browser share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium
from tests.known_pages import KnownSite, known_site


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser without a window."""
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnownSite]:
    """A server whose jobs have pages that are known."""
    with known_site(tmp_path_factory.mktemp("known")) as site:
        yield site
