"""The tools of `pagetide mcp`, without the protocol: what is read, kept, cut and refused."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

import pytest
from msgspec.structs import replace

from pagetide.document import Block, Cell, Failure, Page, SourceInfo, Table, page_ranges
from pagetide.errors import AddressRefused, Forbidden, NotFound, PagetideError
from pagetide.integrations.mcp.answers import MOST_LETTERS
from pagetide.integrations.mcp.arguments import schema_of
from pagetide.integrations.mcp.document_cache import DocumentCache
from pagetide.integrations.mcp.readings import How, IsWanted, Library
from pagetide.integrations.mcp.tools import (
    GetChunks,
    GetPage,
    GetTables,
    ReadDocument,
    SearchDocument,
)
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.settings import Settings
from tests.unit.api_fake import CORNER, page

LONG = 30


class Counted:
    """Reads made-up pages, and notes which."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fails = True

    def pages(self, path: Path, numbers: str, how: How, wanted: IsWanted) -> Iterator[Page]:
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
        if number == 10:
            return replace(made, blocks=tuple(tables()))
        if number == 11:
            block = replace(block, text="\u0130\u0130 sought here")
        return replace(made, blocks=(block,))


def tables() -> Iterator[Block]:
    """Some of which several go in, and the last of which does not."""
    sizes = [MOST_LETTERS // 2 - 100] * 5 + [2 * MOST_LETTERS]
    for order, size in enumerate(sizes):
        cell = Cell(row=0, column=0, text=f"table{order} " + "x" * size)
        table = Table(rows=1, columns=1, cells=(cell,))
        yield Block(kind="table", polygon=CORNER, order=order, table=table)


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
    documents = DocumentCache([tmp_path], Settings())
    made = Library(documents, cast(Inspector, Inspected()), counted)
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
    assert "get_page returns the rest, with start=60000" in alone
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


@pytest.mark.parametrize("format", ["csv", "markdown", "json"])
def test_all_tables_come_in_the_end_though_they_lie_on_one_page(
    library: Library, format: Literal["csv", "markdown", "json"]
) -> None:
    start, seen, last = 0, "", ""
    while True:
        tool = GetTables(source="a.pdf", pages="10", format=format, start=start)
        last = tool.answer(library, "fake", lambda: True).text
        assert len(last) < MOST_LETTERS + 1000
        seen += last
        more = re.search(r"Call again with start=(\d+)", last)
        if not more:
            break
        assert int(more[1]) > start
        start = int(more[1])
    assert [seen.count(f"table{order} x") for order in range(6)] == [1] * 6
    assert "characters of this table; get_page returns" in last


def test_chunks_come_in_parts_with_their_pages(library: Library) -> None:
    tool = GetChunks(source="a.pdf", pages="1-4", max_tokens=20)
    answer = tool.answer(library, "fake", lambda: True)
    fields = answer.fields or {}
    assert "Part 0, pages 1-4:\n\nWords of page 1\n\nWords of page 2" in answer.text
    assert [chunk["pages"] for chunk in fields["chunks"]] == [(1, 2, 3, 4)]
    many = GetChunks(source="a.pdf", pages="7", max_tokens=5000)
    first = many.answer(library, "fake", lambda: True).text
    more = re.search(r"NOT INCLUDED: (\d+) more parts. Call again with start=(\d+)", first)
    assert more and len(first) < MOST_LETTERS + 500
    rest = replace(many, start=int(more[2])).answer(library, "fake", lambda: True)
    assert rest.text.count("Part ") == min(int(more[1]), int(more[2]))


def test_what_is_found_is_quoted_where_it_stands(library: Library) -> None:
    tool = SearchDocument(source="a.pdf", text="SOUGHT", pages="11")
    assert "…\u0130\u0130 sought here…" in tool.answer(library, "fake", lambda: True).text
    absent = SearchDocument(source="a.pdf", text="\u0130 x", pages="11-12")
    assert "Not found on these pages." in absent.answer(library, "fake", lambda: True).text


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
    documents = DocumentCache([root], Settings())
    with pytest.raises(Forbidden):
        documents.find(source)
    (root / "b.pdf").symlink_to(tmp_path / "b.pdf")
    with pytest.raises(Forbidden):
        documents.find("b.pdf")
    documents.close()


@pytest.mark.parametrize(
    "source", ["x" * 5000, "loop", "a\0b", "\ud800.pdf", "file:///\ud800", "a\nb" * 500]
)
def test_a_path_that_can_be_none_is_told_in_a_short_line(tmp_path: Path, source: str) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    documents = DocumentCache([tmp_path], Settings())
    with pytest.raises(NotFound if "file" not in source else PagetideError) as told:
        documents.find(source)
    assert len(told.value.message) < 300
    assert told.value.message.isprintable()
    documents.close()


def test_files_are_found_below_each_root(tmp_path: Path) -> None:
    roots = [tmp_path / "one", tmp_path / "two"]
    for root in roots:
        root.mkdir()
    (roots[1] / "a b.pdf").write_bytes(b"%PDF")
    documents = DocumentCache(roots, Settings())
    for source in ("a b.pdf", str(roots[1] / "a b.pdf"), f"file://{roots[1]}/a%20b.pdf"):
        assert documents.find(source) == (roots[1] / "a b.pdf", "a b.pdf")
    with pytest.raises(NotFound):
        documents.find("c.pdf")
    with pytest.raises(AddressRefused):
        documents.find("http://169.254.169.254/latest/meta-data")
    documents.close()


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
        serving = threading.Thread(target=site.serve_forever, args=(0.01,))
        serving.start()
        try:
            documents = DocumentCache([tmp_path], Settings(allow_hosts=("127.0.0.1",)))
            urls = [f"http://127.0.0.1:{site.server_port}/{i}.pdf" for i in range(9)]
            path, name = documents.find(urls[0])
            assert (path.read_bytes(), name) == (b"%PDF", "0.pdf")
            assert documents.find(urls[0]) == (path, name)
            assert _Site.asked == ["/0.pdf"]
            others = [documents.find(url)[0] for url in urls[1:]]
            assert not path.exists() and all(other.exists() for other in others)
            documents.close()
            assert not any(other.exists() for other in others)
        finally:
            site.shutdown()
            serving.join()


def test_numbers_are_written_as_people_do() -> None:
    assert page_ranges.written([1, 2, 3, 7, 9, 10]) == "1-3,7,9-10"
    assert page_ranges.written([]) == ""


def test_a_tool_says_what_it_takes() -> None:
    schema: dict[str, Any] = schema_of(GetPage)
    assert schema["required"] == ["source", "page"]
    assert schema["properties"]["page"] | {"description": ""} == {
        "type": "integer",
        "minimum": 1,
        "description": "",
    }
    assert schema["properties"]["format"]["enum"] == ["json", "markdown", "text"]
