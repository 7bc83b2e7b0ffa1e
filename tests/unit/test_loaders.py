"""What loaders tell of a page."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pagetide.client import Client, RemoteJob
from pagetide.document import Failure, Notice
from pagetide.integrations import server_pages as loaders
from tests import fake_server
from tests.documents import line, page_of
from tests.fake_server import FakeServer

JOB = RemoteJob(id="job1", status="succeeded", model="fake")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    server = FakeServer()

    def client(url: str, *, key: str | None) -> Client:
        return Client(url, key=key, transport=fake_server.transport(server))

    monkeypatch.setattr(loaders, "Client", client)
    return server


def test_pages_come_in_order_and_are_named_by_their_source(server: FakeServer) -> None:
    pages = list(loaders.read_pages(b"%PDF-1.7", "http://x", None, model="fake"))
    assert [text for text, _ in pages] == [f"document {number}" for number in (1, 2, 3)]
    assert [known["page"] for _, known in pages] == [1, 2, 3]
    assert {known["source"] for _, known in pages} == {"document"}
    assert {known["page_count"] for _, known in pages} == {3}
    assert len(server.jobs) == 1


def test_an_address_is_what_the_source_is_called(server: FakeServer) -> None:
    url = "https://example.org/c.pdf"
    ((_, known), *_) = loaders.read_pages(url, "http://x", None, model="fake")
    assert known["source"] == url


def test_a_page_that_could_not_be_read_says_why() -> None:
    failure = Failure(code="page_failed", message="The page could not be read.")
    page = msgspec.structs.replace(page_of([], number=2), error=failure)
    assert known(page) == {
        "page": 2,
        "model": "fake",
        "job": "job1",
        "error": "The page could not be read.",
    }


def test_confidence_is_the_mean_of_the_lines_that_have_one() -> None:
    one, other = line("a", (0, 0, 9, 9)), line("b", (0, 9, 9, 18))
    lines = [
        msgspec.structs.replace(one, confidence=0.5),
        msgspec.structs.replace(other, confidence=0.9),
        msgspec.structs.replace(other, confidence=None),
    ]
    assert known(page_of(lines))["confidence"] == 0.7
    assert "confidence" not in known(page_of(lines[2:]))


def test_warnings_are_told() -> None:
    notices = (Notice(code="a", message="One thing."), Notice(code="b", message="Another."))
    page = msgspec.structs.replace(page_of([]), warnings=notices)
    assert known(page)["warnings"] == "One thing. Another."


def known(page: Any) -> dict[str, Any]:
    return loaders._known(page, JOB)
