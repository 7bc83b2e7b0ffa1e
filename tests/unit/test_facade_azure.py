"""Azure's facade without a server: what is asked for, how errors and pages are told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import httpx
import msgspec
import pytest
from starlette.requests import Request

from pagetide import errors
from pagetide.document import Block, Cell, Line, Page, Table, TextLayerDecision, Word
from pagetide.errors import (
    AddressRefused,
    BadOption,
    Busy,
    DownloadFailed,
    JobUnknown,
    PagetideError,
    UnknownModel,
)
from pagetide.geometry import polygon_of
from pagetide.net import network
from pagetide.net.vetted import Answer
from pagetide.server.compat.azure.batches import containers
from pagetide.server.compat.azure.batches.containers import (
    BLOCK_BYTES,
    Container,
    _in_blocks,
    _names_in,
)
from pagetide.server.compat.azure.content.page_content import Written
from pagetide.server.compat.azure.content.sections import Sections
from pagetide.server.compat.azure.content.string_index import StringIndex
from pagetide.server.compat.azure.page_answer import Answering, Before, PageAnswer
from pagetide.server.compat.azure.refusals import error_response
from pagetide.server.compat.azure.request import (
    AnalyzeRequest,
    Parameters,
    check_version,
    request_and_options,
    request_of,
)
from pagetide.server.compat.azure.wire import Span
from pagetide.server.jobs.job import JobOptions
from pagetide.settings import Settings
from tests.loopback import answering, loopback

BOX = polygon_of((100.0, 100.0, 300.0, 140.0))
REQUEST = Request({"type": "http", "method": "GET", "path": "/", "headers": []})


def kinds(root: type[PagetideError] = PagetideError) -> Iterator[type[PagetideError]]:
    yield root
    for kind in root.__subclasses__():
        if kind.__module__ == errors.__name__:
            yield from kinds(kind)


class TestErrors:
    @pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.__name__)
    def test_each_has_a_code_and_a_status_of_its_class(self, kind: type[PagetideError]) -> None:
        told = error_response(kind("It is so."), REQUEST)
        body = msgspec.json.decode(told.body)["error"]
        assert body["innererror"]["message"] == "It is so."
        assert body["code"] and body["message"]
        assert told.status_code // 100 == min(kind.http_status // 100, 5)

    def test_who_is_too_early_is_told_when_to_come_again(self) -> None:
        told = error_response(Busy("Too much.", retry_after_s=7), REQUEST)
        assert (told.status_code, told.headers["Retry-After"]) == (429, "7")


class TestAsked:
    def test_all_of_it(self) -> None:
        given = Parameters(
            pages="1-3, 5",
            locale="de-AT",
            index_type="utf16CodeUnit",
            features="ocrHighResolution",
            content_format="markdown",
            output="pdf,figures",
        )
        asked, options = request_and_options(Settings(), "prebuilt-layout", given)
        assert asked == AnalyzeRequest(
            model_id="prebuilt-layout",
            index_type="utf16CodeUnit",
            content_format="markdown",
            output=("pdf", "figures"),
        )
        assert options == JobOptions(
            model="structure-lite",
            languages=("de-AT",),
            pages="1-3, 5",
            dpi=288,
            formats=("pdf",),
        )

    def test_a_name_stands_for_what_the_operator_says(self) -> None:
        settings = Settings(aliases={"prebuilt-read": "text-layer", "prebuilt-invoice": "fake"})
        _, options = request_and_options(settings, "prebuilt-read", Parameters())
        assert (options.model, options.text_layer) == ("text-layer", "only")
        _, options = request_and_options(settings, "prebuilt-invoice", Parameters())
        assert options.model == "fake"
        with pytest.raises(UnknownModel):
            request_and_options(settings, "prebuilt-passport", Parameters())

    def test_only_one_version_is_spoken(self) -> None:
        check_version("2024-11-30")
        with pytest.raises(BadOption, match="required"):
            check_version(None)
        with pytest.raises(BadOption, match="2024-11-30"):
            check_version("2023-07-31")

    def test_a_job_remembers(self) -> None:
        asked = AnalyzeRequest(model_id="prebuilt-read", output=("pdf",))

        class Remembering:
            metadata = asked.note()

        class Other:
            metadata = {"azure": "{}"}  # noqa: RUF012 - of one test

        assert request_of(Remembering()) == asked  # type: ignore[arg-type]
        with pytest.raises(JobUnknown):
            request_of(Other())  # type: ignore[arg-type]


def test_sections_nest_by_the_rank_of_their_headings() -> None:
    sections = Sections()
    for place, level in enumerate((None, 0, None, 1, None, 2, 1)):
        sections.add(f"/paragraphs/{place}", Span(offset=10 * place, length=5), level)
    found = [(each.elements, each.spans[0]) for each in sections.found()]
    assert found == [
        (["/paragraphs/0", "/sections/1"], Span(offset=0, length=65)),
        (
            ["/paragraphs/1", "/paragraphs/2", "/sections/2", "/sections/4"],
            Span(offset=10, length=55),
        ),
        (["/paragraphs/3", "/paragraphs/4", "/sections/3"], Span(offset=30, length=25)),
        (["/paragraphs/5"], Span(offset=50, length=5)),
        (["/paragraphs/6"], Span(offset=60, length=5)),
    ]
    assert list(Sections().found()) == []


def line(text: str, confidence: float | None = 0.5) -> Line:
    words = tuple(Word(text=word, polygon=BOX, confidence=confidence) for word in text.split())
    return Line(text=text, polygon=BOX, confidence=confidence, words=words)


def answered(
    *blocks: Block, lines: tuple[Line, ...] = (), markdown: bool = False
) -> PageAnswer:
    page = Page(
        number=3,
        width=595,
        height=842,
        dpi=144,
        width_pt=297.5,
        height_pt=421,
        text_layer=TextLayerDecision(used=False, reason="no_text"),
        lines=lines,
        blocks=blocks,
    )
    answering = Answering(
        page, Before(), markdown=markdown, index_type="unicodeCodePoint", inches=True
    )
    return answering.answer(layout=True)


class TestPages:
    def test_a_figure_has_its_caption_and_its_text(self) -> None:
        blocks = (
            Block(kind="figure", polygon=BOX, order=0, text="in it", line_indexes=(0,)),
            Block(
                kind="caption",
                polygon=BOX,
                order=1,
                text="below",
                line_indexes=(1,),
                caption_of=0,
            ),
        )
        lines = (line("in it"), line("below"))
        found = answered(*blocks, lines=lines)
        (figure,) = found.figures
        assert (figure.id, figure.elements) == ("3.1", ["/paragraphs/0"])
        assert figure.caption and figure.caption.elements == ["/paragraphs/1"]
        assert found.draft.text == "in it\nbelow"
        found = answered(*blocks, lines=lines, markdown=True)
        assert found.draft.text == (
            "<figure>\n<figcaption>below</figcaption>\n\nin it\n\n</figure>"
        )

    def test_signs_of_boxes_to_tick_are_selection_marks(self) -> None:
        block = Block(kind="text", polygon=BOX, order=0, text="☐ Yes ☒ No", line_indexes=(0,))
        found = answered(block, lines=(line("☐ Yes ☒ No"),))
        marks = found.page.selection_marks
        assert [(mark.state, mark.span) for mark in marks] == [
            ("unselected", Span(offset=0, length=1)),
            ("selected", Span(offset=6, length=1)),
        ]
        assert [word.content for word in found.page.words] == ["Yes", "No"]

    def test_a_table_with_words_beside_its_cells(self) -> None:
        table = Table(
            rows=1,
            columns=3,
            cells=(
                Cell(row=0, column=0, text="a & b", header=True, line_indexes=(0,)),
                Cell(row=0, column=2, text="c", line_indexes=(0,)),
            ),
        )
        block = Block(
            kind="table", polygon=BOX, order=0, text="a", line_indexes=(0,), table=table
        )
        found = answered(block, lines=(line("a & b c stray"),))
        assert found.draft.text == "a & b\nc\nstray"
        spans = found.page.lines[0].spans
        assert spans == [
            Span(offset=0, length=5),
            Span(offset=6, length=1),
            Span(offset=8, length=5),
        ]
        assert [cell.kind for cell in found.tables[0].cells] == ["rowHeader", "content"]
        told = answered(block, lines=(line("a & b c stray"),), markdown=True).draft.text
        assert told == (
            "<table>\n<tr>\n<th>a &amp; b</th>\n<td></td>\n<td>c</td>\n</tr>\n</table>\n\nstray"
        )

    def test_words_that_are_told_otherwise_stand_where_that_is(self) -> None:
        formula = Block(
            kind="formula", polygon=BOX, order=0, text=r"E = mc^2", line_indexes=(0,)
        )
        found = answered(formula, lines=(line("E=mc2"),), markdown=True)
        assert found.draft.text == "$$ E = mc^2 $$"
        assert found.page.words[0].span == Span(offset=3, length=8)
        assert found.paragraphs[0].role == "formulaBlock"

    def test_a_block_that_goes_on_is_told_once(self) -> None:
        found = answered(
            Block(kind="text", polygon=BOX, order=0, text="one two", line_indexes=(0,)),
            Block(kind="text", polygon=BOX, order=1, line_indexes=(1,), continues=0),
            lines=(line("one"), line("two")),
        )
        assert [each.content for each in found.paragraphs] == ["one two"]
        assert len(found.paragraphs[0].bounding_regions) == 2
        assert [each.spans for each in found.page.lines] == [
            [Span(offset=0, length=3)],
            [Span(offset=4, length=3)],
        ]

    def test_headers_are_comments_and_nothing_ends_them(self) -> None:
        header = Block(kind="header", polygon=BOX, order=0, text='a "--> b', line_indexes=(0,))
        found = answered(header, lines=(line('a "--> b'),), markdown=True)
        assert found.draft.text == '<!-- PageHeader="a &quot;--&gt; b" -->'
        assert found.draft.outline == []

    def test_lengths_are_inches_and_confidence_is_never_missing(self) -> None:
        found = answered(lines=(line("word", confidence=None),))
        page = found.page
        assert (page.width, page.height, page.unit) == (4.1319, 5.8472, "inch")
        assert page.words[0].confidence == 1
        assert page.words[0].polygon[:2] == [0.6944, 0.6944]


def test_hostile_texts_take_no_longer_than_others() -> None:
    # Looked at pair by pair, each of these would take hours.
    assert StringIndex("textElements", "\U0001f1e6" * 300_001).length == 150_001
    words = [f"w{i % 7}" for i in range(30_000)]
    stretch = Written().read(" ".join(words))
    places = [stretch.claim(word) for word in reversed(words)]
    assert len(set(places)) == len(words) and None not in places
    joined = Written().read("ab " * 30_000)
    assert [joined.claim(word) for word in "ba"] == [(1, 2), (3, 4)]
    assert joined.claim("missing") is None


class TestContainers:
    def test_long_lists_come_in_pages(self) -> None:
        pages = [
            b"<Blobs><Blob><Name>a&amp;b.pdf</Name></Blob></Blobs><NextMarker>m 1</NextMarker>",
            b"<Blobs><Blob><Name>c.pdf</Name></Blob></Blobs><NextMarker />",
        ]
        with loopback() as server:
            server.answers["/scans"] = lambda handler: answering(pages.pop(0))(handler)
            url = f"http://127.0.0.1:{server.port}/scans?sig=x"
            container = Container(url=url, timeout_s=60, allowed_hosts=frozenset({"127.0.0.1"}))
            assert list(container.names("p/")) == ["a&b.pdf", "c.pdf"]
            asked = [received.path for received in server.received]
        assert asked == [
            "/scans?restype=container&comp=list&prefix=p%2F&sig=x",
            "/scans?restype=container&comp=list&prefix=p%2F&marker=m%201&sig=x",
        ]

    def test_a_hostile_list_is_searched_but_once(self) -> None:
        # Searched anew from each tag, either would take days.
        assert list(_names_in("<Blob>" * 1_000_000)) == []
        assert list(_names_in("<Blob>" + "<Name " * 1_000_000)) == []
        encoded = '<Blob><Name Encoded="true">a%EF%BF%BE.pdf</Name></Blob>'
        assert list(_names_in(encoded)) == ["a\ufffe.pdf"]

    def test_a_list_has_one_deadline_whatever_its_parts(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now, given = [0.0], list[float]()

        @contextmanager
        def slow(method: str, url: str, *, timeout_s: float, **_: object) -> Iterator[Answer]:
            given.append(timeout_s)
            now[0] += 25
            page = b"<Blob><Name>a</Name></Blob><NextMarker>more</NextMarker>"
            yield Answer(url=httpx.URL(url), status=200, headers={}, chunks=iter([page]))

        monkeypatch.setattr(network, "time", SimpleNamespace(monotonic=lambda: now[0]))
        monkeypatch.setattr(containers, "exchange", slow)
        with pytest.raises(DownloadFailed, match="too long"):
            list(Container(url="https://host/scans", timeout_s=60).names(""))
        assert given == [60, 35, 10]

    def test_a_list_that_does_not_end(self) -> None:
        with loopback() as server:
            server.answers["/scans"] = answering(b"<NextMarker>again</NextMarker>")
            url = f"http://127.0.0.1:{server.port}/scans"
            container = Container(url=url, timeout_s=60, allowed_hosts=frozenset({"127.0.0.1"}))
            with pytest.raises(DownloadFailed, match="does not end"):
                list(container.names(""))

    @pytest.mark.parametrize(
        "url", ["http://10.0.0.1/scans", "http://[::1]/scans", "https://me:pa55@host/scans"]
    )
    def test_what_this_server_does_not_go_to_is_told_at_once(self, url: str) -> None:
        with pytest.raises(AddressRefused) as told:
            Container(url=url, timeout_s=60).check()
        assert "pa55" not in told.value.message

    def test_what_is_shown_has_no_signature(self) -> None:
        container = Container(url="https://host/scans?sig=x", timeout_s=60)
        assert container.address("a b/c.pdf") == "https://host/scans/a%20b/c.pdf"
        assert container.signed("c") == "https://host/scans/c?sig=x"

    def test_large_results_go_in_blocks(self) -> None:
        parts = [bytes(BLOCK_BYTES - 1), b"12", b"3"]
        assert [len(block) for block in _in_blocks(iter(parts))] == [BLOCK_BYTES, 2]

    @pytest.mark.parametrize(
        "url", ["", "container", "ftp://host/a", "https://host", "http://["]
    )
    def test_what_is_no_container(self, url: str) -> None:
        with pytest.raises(BadOption):
            Container(url=url, timeout_s=60).check()
