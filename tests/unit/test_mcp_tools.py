"""The tools of `pagetide mcp`, without the protocol: what is read, kept, cut and refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
from msgspec.structs import replace

from pagetide.document import Failure, Page, SourceInfo
from pagetide.errors import AddressRefused, Forbidden, NotFound
from pagetide.inspection import Inspector
from pagetide.mcp.readings import How, Library, Wanted, ranges
from pagetide.mcp.shelf import Shelf
from pagetide.mcp.telling import MOST_LETTERS
from pagetide.mcp.tools import GetPage, ReadDocument, SearchDocument, schema_of
from pagetide.settings import Settings
from tests.unit.api_fake import page

LONG = 30


class Counted:
    """Reads made-up pages, and notes which."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fails = True

    def pages(self, path: Path, numbers: str, how: How, wanted: Wanted) -> Iterator[Page]:
        self.asked.append(numbers)
        for part in numbers.split(","):
            first, _, last = part.partition("-")
            for number in range(int(first), int(last or first) + 1):
                if not wanted():
                    return
                yield self._page(number)

    def close(self) -> None:
        pass

    def _page(self, number: int) -> Page:
        made = page(number)
        block = replace(made.blocks[0], text=f"Words of page {number}", caption_of=None)
        if number == 5 and self.fails:
            return replace(made, error=Failure(code="page_timeout", message="Too slow."))
        if number == 7:
            block = replace(block, text="long " * MOST_LETTERS)
        return replace(made, blocks=(block,))


class Inspected:
    def inspect(self, path: Path, name: str, password: str | None) -> SourceInfo:
        kind = "application/pdf"
        return SourceInfo(name=name, sha256="1", bytes=1, media_type=kind, page_count=LONG)

    def close(self) -> None:
        pass


@pytest.fixture
def counted() -> Counted:
    return Counted()


@pytest.fixture
def library(tmp_path: Path, counted: Counted) -> Iterator[Library]:
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    shelf = Shelf([tmp_path], Settings())
    made = Library(shelf, cast(Inspector, Inspected()), counted)
    yield made
    made.close()


def told(library: Library, pages: str) -> str:
    return ReadDocument(source="a.pdf", pages=pages).answer(library, "fake", lambda: True).text


def test_pages_are_read_once_and_failed_ones_again(library: Library, counted: Counted) -> None:
    first = told(library, "1-6")
    assert "Pages that could not be read: 5." in first and "Too slow." in first
    counted.fails = False
    again = told(library, "2-9")
    assert counted.asked == ["1-6", "5,7-9"]
    assert "Words of page 5" in again and "could not be read" not in again


def test_what_does_not_go_in_is_named(library: Library) -> None:
    text = told(library, "1,6-9")
    assert "pages 1,6 of 30" in text
    assert "NOT INCLUDED: pages 7-9. Call again with pages='7-9'" in text
    alone = told(library, "7-8")
    assert "get_page gives the rest, with start=60000" in alone
    assert "NOT INCLUDED: pages 8." in alone
    assert len(alone) < MOST_LETTERS + 500


def test_a_cut_page_goes_on_where_it_was_cut(library: Library) -> None:
    def part(start: int) -> str:
        tool = GetPage(source="a.pdf", page=7, format="text", start=start)
        return tool.answer(library, "fake", lambda: True).text

    whole, start = "", 0
    while True:
        body = part(start).partition("\n\n")[2]
        text, cut, _ = body.partition("\n\nNOT INCLUDED")
        whole += text
        if not cut:
            break
        start += MOST_LETTERS
    assert whole == "long " * MOST_LETTERS


def test_nothing_more_is_read_when_nobody_waits(library: Library, counted: Counted) -> None:
    answers = iter([True, True, False])
    tool = SearchDocument(source="a.pdf", text="words  OF", pages="1-4")
    text = tool.answer(library, "fake", lambda: next(answers)).text
    assert "pages 1-2 of 30" in text
    assert text.count("Words of page") == 2


@pytest.mark.parametrize("source", ["../b.pdf", "/etc/hostname", "file:///etc/hostname"])
def test_only_what_is_below_a_root_is_read(tmp_path: Path, source: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "b.pdf").write_bytes(b"%PDF")
    shelf = Shelf([root], Settings())
    with pytest.raises(Forbidden):
        shelf.find(source)
    (root / "b.pdf").symlink_to(tmp_path / "b.pdf")
    with pytest.raises(Forbidden):
        shelf.find("b.pdf")
    shelf.close()


def test_files_are_found_below_each_root(tmp_path: Path) -> None:
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        root.mkdir()
    (roots[1] / "a b.pdf").write_bytes(b"%PDF")
    shelf = Shelf(roots, Settings())
    for source in ("a b.pdf", str(roots[1] / "a b.pdf"), f"file://{roots[1]}/a%20b.pdf"):
        assert shelf.find(source) == (roots[1] / "a b.pdf", "a b.pdf")
    with pytest.raises(NotFound):
        shelf.find("c.pdf")
    with pytest.raises(AddressRefused):
        shelf.find("http://169.254.169.254/latest/meta-data")
    shelf.close()


class _Site(BaseHTTPRequestHandler):
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"%PDF")

    def log_message(self, *_: object) -> None:
        pass


def test_a_url_is_fetched_once_and_forgotten_in_the_end(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as site:
        serving = threading.Thread(target=site.serve_forever)
        serving.start()
        try:
            shelf = Shelf([tmp_path], Settings(allow_hosts="127.0.0.1"))
            urls = [f"http://127.0.0.1:{site.server_port}/{i}.pdf" for i in range(9)]
            path, name = shelf.find(urls[0])
            assert (path.read_bytes(), name) == (b"%PDF", "0.pdf")
            assert shelf.find(urls[0]) == (path, name)
            assert _Site.asked == ["/0.pdf"]
            others = [shelf.find(url)[0] for url in urls[1:]]
            assert not path.exists() and all(other.exists() for other in others)
            shelf.close()
            assert not any(other.exists() for other in others)
        finally:
            site.shutdown()
            serving.join()


def test_numbers_are_written_as_people_do() -> None:
    assert ranges([1, 2, 3, 7, 9, 10]) == "1-3,7,9-10"
    assert ranges([]) == ""


def test_a_tool_says_what_it_takes() -> None:
    schema: dict[str, Any] = schema_of(GetPage)
    assert schema["required"] == ["source", "page"]
    assert schema["properties"]["page"] | {"description": ""} == {
        "type": "integer",
        "minimum": 1,
        "description": "",
    }
    assert schema["properties"]["format"]["enum"] == ["json", "markdown", "text"]
