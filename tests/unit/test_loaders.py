"""What loaders tell of a page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

import pagetide
from pagetide.client import Client
from pagetide.document import Failure, Notice, Page
from pagetide.errors import BadOption
from pagetide.integrations import loading
from pagetide.integrations.loading import Loading
from tests import fake_server
from tests.digital import digital_pdf
from tests.documents import line, page_of
from tests.fake_server import FakeServer

THERE = Loading(server="http://x", options={"model": "fake"})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    server = FakeServer()

    def client(url: str, *, key: str | None) -> Client:
        return Client(url, key=key, transport=fake_server.transport(server))

    monkeypatch.setattr(loading, "Client", client)
    return server


def test_pages_come_in_order_and_are_named_by_their_source(server: FakeServer) -> None:
    pages = list(THERE.load(b"%PDF-1.7"))
    assert [text for text, _ in pages] == [f"document {number}" for number in (1, 2, 3)]
    assert [known["page"] for _, known in pages] == [1, 2, 3]
    assert {known["source"] for _, known in pages} == {"document"}
    assert {known["page_count"] for _, known in pages} == {3}
    assert len(server.jobs) == 1


def test_an_address_is_what_the_source_is_called(server: FakeServer) -> None:
    url = "https://example.org/c.pdf"
    ((_, known), *_) = THERE.load(url)
    assert known["source"] == url


def test_a_page_that_could_not_be_read_says_why() -> None:
    failure = Failure(code="page_failed", message="The page could not be read.")
    page = msgspec.structs.replace(page_of([], number=2), error=failure)
    assert known(page) == {
        "page": 2,
        "model": "fake",
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


def known(page: Page) -> dict[str, Any]:
    told = loading._of_page(page, "fake")
    return {name: value for name, value in told.items() if value is not None}


def here(**how: Any) -> list[tuple[str, dict[str, Any]]]:
    """What is loaded in this process from a digital PDF."""
    options: Any = {"text_layer": "only", **how.pop("options", {})}
    return list(Loading(server=None, options=options, **how).load(digital_pdf()))


def test_pages_are_read_in_this_process() -> None:
    document = pagetide.read(digital_pdf(), text_layer="only", pages="1-2")
    loaded = here(options={"pages": "1-2", "name": "a.pdf"})
    assert [text for text, _ in loaded] == [page.text for page in document.pages]
    assert loaded[1][1] == {"source": "a.pdf", "page": 2, "model": "text-layer"}


def test_a_document_is_loaded_whole_or_in_chunks() -> None:
    document = pagetide.read(digital_pdf(), text_layer="only")
    ((text, known),) = here(by="document")
    assert text == document.to_text()
    assert (known["page_count"], known["model"]) == (len(document.pages), "text-layer")
    chunks = here(by="chunk", max_tokens=100, overlap=10)
    wanted = document.chunks(max_tokens=100, overlap=10)
    assert [text for text, _ in chunks] == [chunk.full_text for chunk in wanted]
    for (_, known), chunk in zip(chunks, wanted, strict=True):
        assert (known["chunk"], known["page"]) == (chunk.index, chunk.pages[0])
        assert known.get("headings") == (" > ".join(chunk.headings) or None)


def test_a_server_reads_documents_and_chunks_too(server: FakeServer) -> None:
    ((whole, known),) = replace(THERE, by="document").load(b"%PDF-1.7")
    assert "document 1" in whole and "document 3" in whole
    assert known["page_count"] == 3 and known["job"] == "job1"
    first, *_ = replace(THERE, by="chunk").load(b"%PDF-1.7")
    assert "document 1" in first[0] and first[1]["page"] == 1


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"by": "word"}, "by must be page, document, chunk"),
        ({"server": None, "options": {"ttl_s": 3}}, "`ttl_s` needs a server"),
    ],
)
def test_what_is_not_allowed_is_told_when_it_is_made(how: dict[str, Any], told: str) -> None:
    with pytest.raises(BadOption, match=told):
        Loading(**how)


def test_languages_are_those_of_read() -> None:
    for languages in ("de,fr", ["de", "fr"], "de+fr"):
        how = loading._read_options({"languages": languages})
        assert how == {"language": "de+fr"}
    assert loading._read_options({"model": "fake"}) == {"model": "fake", "language": "auto"}
