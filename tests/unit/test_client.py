"""The client against a server that is not there; every case for threads and for event loops."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagetide
from pagetide import errors
from pagetide.client import AsyncClient, Client, Event, RemoteJob, answers
from pagetide.client.event_lines import EventLines
from pagetide.client.patience import LONGEST_PAUSE_S, Patience, waits_s
from pagetide.client.problems import KINDS
from pagetide.errors import (
    BadOption,
    Busy,
    CannotWrite,
    Damaged,
    JobEnded,
    JobGone,
    JobUnknown,
    NotFound,
    PagetideError,
    ResultNotReady,
    ServerError,
    ServerUnreachable,
    TooLarge,
    Unauthorized,
    UnsupportedType,
)
from pagetide.server.jobs import job as server_job
from tests import fake_server
from tests.fake_server import Answer, Dropped, FakeServer, problem, said

PDF = b"%PDF-1.7 stand-in"
KEY = "pt_abcdefgh_" + "s" * 32


class Waited:
    """An `AsyncClient` that looks like a `Client`."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self._runner = asyncio.Runner()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(*args: Any, **options: Any) -> Any:
            given = method(*args, **options)
            return self._each(given) if hasattr(given, "__anext__") else self._runner.run(given)

        return call

    def _each(self, given: Any) -> Iterator[Any]:
        async def following() -> Any:
            return await anext(given)

        while True:
            try:
                value = self._runner.run(following())
            except StopAsyncIteration:
                return
            yield value

    def __repr__(self) -> str:
        return repr(self._client)

    def end(self) -> None:
        self._runner.run(self._client.close())
        self._runner.close()


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture(params=["threads", "event loop"])
def open_client(request: pytest.FixtureRequest, server: FakeServer) -> Iterator[Any]:
    opened: list[Any] = []

    def opener(*args: Any, **options: Any) -> Any:
        options.setdefault("transport", fake_server.transport(server))
        if request.param == "threads":
            client: Any = Client(*args, **options)
        else:
            client = Waited(AsyncClient(*args, **options))
        opened.append(client)
        return client

    yield opener
    for client in opened:
        client.close() if isinstance(client, Client) else client.end()


@pytest.fixture
def client(open_client: Any) -> Any:
    return open_client()


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    path = tmp_path / "scan.pdf"
    path.write_bytes(PDF)
    return path


def texts(pages: Any) -> list[str]:
    return [page.text for page in pages]


# Submitting


def test_a_file_is_submitted_with_its_name_and_options(
    client: Any, server: FakeServer, scan: Path
) -> None:
    job = client.submit(
        scan,
        model="fake",
        languages=["en", "de"],
        formats="md",
        pages="1-2",
        dpi=200,
        text_layer="never",
        password="sesame",  # noqa: S106
        priority="batch",
        ttl_s=60.5,
        metadata={"order": "7"},
        webhook_url=None,
    )
    (asked,) = server.asks("POST", "/v1/jobs")
    assert asked.fields == {
        "file": ("scan.pdf", PDF),
        "model": "fake",
        "languages": "en,de",
        "formats": "md",
        "pages": "1-2",
        "dpi": "200",
        "text_layer": "never",
        "password": "sesame",
        "priority": "batch",
        "ttl_s": "60.5",
        "metadata": '{"order":"7"}',
    }
    assert (job.id, job.status, job.pages_total, job.queue_position) == ("job1", "queued", 2, 4)
    assert job.created_at == datetime(2026, 11, 21, 3, 0, 0, 123000, UTC)
    assert job.source.name == "scan.pdf"
    assert repr(job) == "<RemoteJob job1 queued 0/2>"


def test_an_address_is_submitted_as_json(client: Any, server: FakeServer) -> None:
    client.submit("https://example.org/a.pdf", languages="en", metadata={"a": "b"}, name="a")
    (asked,) = server.asks("POST", "/v1/jobs")
    assert asked.fields == {
        "file_url": "https://example.org/a.pdf",
        "name": "a",
        "languages": ["en"],
        "metadata": {"a": "b"},
    }


def test_bytes_have_a_name_where_one_is_given(client: Any, server: FakeServer) -> None:
    client.submit(PDF)
    client.submit(PDF, name='a "b"\r\nX: ü.pdf')
    first, second = (asked.fields["file"] for asked in server.asks("POST", "/v1/jobs"))
    assert first == ("document", PDF)
    assert second[1] == PDF
    assert len(server.asks("POST", "/v1/jobs")[1].fields) == 1  # the name adds no field


def test_a_file_is_taken_from_where_it_stands(client: Any, server: FakeServer) -> None:
    file = io.BytesIO(b"skipped" + PDF)
    file.seek(len(b"skipped"))
    client.submit(file)
    assert server.asked[0].fields["file"] == ("document", PDF)


def test_a_pipe_is_taken_too_and_outlives_a_broken_connection(
    client: Any, server: FakeServer
) -> None:
    reading, writing = os.pipe()
    os.write(writing, PDF)
    os.close(writing)
    server.after.append(Dropped())
    with os.fdopen(reading, "rb") as file:
        client.submit(file)
    assert [asked.fields["file"][1] for asked in server.asked] == [PDF, PDF]


class Watched(io.BytesIO):
    """Remembers how much was asked for at once."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.asked: list[int] = []

    def read(self, size: int | None = -1, /) -> bytes:
        self.asked.append(-1 if size is None else size)
        return super().read(size)


def test_an_upload_is_read_in_small_parts(client: Any, server: FakeServer) -> None:
    file = Watched(PDF + bytes(3_000_000))
    client.submit(file)
    assert len(server.asked[0].fields["file"][1]) == len(PDF) + 3_000_000
    assert all(0 < size <= 1_000_000 for size in file.asked)


FORM = {"key": "jobs/up_1/input", "policy": "signed"}
OFFER: dict[str, Any] = {
    "id": "up_1",
    "url": "http://bucket.example.org/documents",
    "method": "POST",
    "fields": FORM,
    "max_bytes": 10_000_000,
}


def test_what_is_too_large_for_a_request_goes_past_the_server(
    open_client: Any, server: FakeServer, scan: Path
) -> None:
    refusing = Answer(413, b'{"Message": "Request Entity Too Large"}')
    server.trouble = [refusing, Answer(201, json.dumps(OFFER).encode()), Answer(201)]
    client = open_client(key=KEY)
    client.submit(scan, model="fake", idempotency_key="mine")
    first, offer, sent, job = server.asked
    assert (offer.method, offer.path) == ("POST", "/v1/uploads")
    assert (sent.method, sent.path) == ("POST", "/documents")
    assert "authorization" in offer.headers and "authorization" not in sent.headers
    assert sent.fields == {**FORM, "file": ("scan.pdf", PDF)}
    assert list(sent.fields)[-1] == "file"
    assert job.fields == {"upload": "up_1", "name": "scan.pdf", "model": "fake"}
    assert first.headers["idempotency-key"] == job.headers["idempotency-key"] == "mine"


def test_a_bucket_that_cannot_be_reached_is_called_by_its_own_name(
    open_client: Any, server: FakeServer, scan: Path
) -> None:
    server.trouble = [Answer(413, b"{}"), Answer(201, json.dumps(OFFER).encode()), Dropped()]
    with pytest.raises(ServerUnreachable, match=r"http://bucket\.example\.org cannot"):
        open_client(tries=1).submit(scan)


@pytest.mark.parametrize(
    "offer",
    [
        Answer(404, b"{}"),
        Answer(405, b"{}"),
        Answer(201, json.dumps({**OFFER, "method": "PUT"}).encode()),
        Answer(201, json.dumps({**OFFER, "max_bytes": 3}).encode()),
    ],
)
def test_what_is_too_large_either_way_is_refused(
    client: Any, server: FakeServer, scan: Path, offer: Answer
) -> None:
    server.trouble = [Answer(413, b"{}"), offer]
    with pytest.raises(TooLarge):
        client.submit(scan)
    assert len(server.asked) == 2


def test_a_broken_connection_does_not_submit_twice(
    client: Any, server: FakeServer, scan: Path
) -> None:
    server.after.append(Dropped())
    job = client.submit(scan)
    first, second = server.asks("POST", "/v1/jobs")
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert list(server.jobs) == [job.id]


def test_each_submission_has_its_own_idempotency_key_unless_given(
    client: Any, server: FakeServer
) -> None:
    jobs = [client.submit(PDF).id for _ in range(2)]
    given = [client.submit(PDF, idempotency_key="mine").id for _ in range(2)]
    assert len(set(jobs)) == 2
    assert len(set(given)) == 1
    assert len(server.asked[0].headers["idempotency-key"]) >= 32
    assert "idempotency_key" not in server.asked[-1].fields


def test_an_unknown_option_is_a_type_error(client: Any, server: FakeServer) -> None:
    with pytest.raises(TypeError, match="'langage'"):
        client.submit(PDF, langage="en")
    assert server.asked == []


def test_a_missing_file_is_said_before_anything_is_sent(
    client: Any, server: FakeServer, tmp_path: Path
) -> None:
    with pytest.raises(NotFound, match=r"none\.pdf does not exist"):
        client.submit(tmp_path / "none.pdf")
    with pytest.raises(NotFound, match="folder"):
        client.submit(tmp_path)
    assert server.asked == []


# Waiting


def test_wait_gives_the_job_as_it_ended(client: Any, server: FakeServer) -> None:
    ended = client.wait(client.submit(PDF))
    assert (ended.status, ended.pages_done, ended.ended) == ("succeeded", 3, True)
    assert all(asked.query == {"wait": "20"} for asked in server.asks("GET", "/v1/jobs/job1"))


def test_wait_tells_of_progress(client: Any) -> None:
    seen: list[RemoteJob] = []
    client.wait(client.submit(PDF).id, on_progress=seen.append)
    assert [(job.status, job.pages_done) for job in seen] == [
        ("queued", 0),
        ("running", 1),
        ("running", 2),
        ("succeeded", 3),
    ]


def test_wait_ends_when_time_is_up(client: Any) -> None:
    job = client.submit(PDF)
    with pytest.raises(ResultNotReady, match="job1 has not ended yet: queued"):
        client.wait(job, timeout_s=0)


def test_a_failed_job_is_no_error_to_wait_for(client: Any, server: FakeServer) -> None:
    server.fails_at = 2
    ended = client.wait(client.submit(PDF))
    assert (ended.status, ended.error.code) == ("failed", "damaged")


# Pages and events


@pytest.mark.parametrize("names_pages", [True, False])
def test_pages_come_in_order_while_they_are_read(
    client: Any, server: FakeServer, names_pages: bool
) -> None:
    server.pages, server.names_pages = 5, names_pages
    job = client.submit(PDF, name="a.pdf", pages="-1,2-3")
    seen = []
    for page in client.pages(job):
        seen.append((page.text, server.jobs[job.id].status))
    assert [text for text, _ in seen] == ["a.pdf 2", "a.pdf 3", "a.pdf 5"]
    assert seen[0][1] == "running"


def test_pages_by_id_of_a_job_that_has_ended(client: Any, server: FakeServer) -> None:
    job = client.wait(client.submit(PDF, name="a"))
    assert texts(client.pages(job.id)) == ["a 1", "a 2", "a 3"]


def test_pages_of_a_job_that_fails_end_with_its_error(client: Any, server: FakeServer) -> None:
    server.fails_at = 3
    pages = client.pages(client.submit(PDF))
    with pytest.raises(Damaged, match="The input is damaged"):
        list(pages)


def test_pages_of_a_cancelled_job_end_with_an_error(client: Any) -> None:
    job = client.submit(PDF)
    client.cancel(job)
    with pytest.raises(JobEnded, match="cancelled"):
        list(client.pages(job))


def test_a_page_that_takes_long_is_asked_for_again(client: Any, server: FakeServer) -> None:
    pages = client.pages(client.submit(PDF, name="a"))
    server.trouble = [problem(409, "result_not_ready", "Page 1 is not read yet.")]
    assert texts(pages) == ["a 1", "a 2", "a 3"]
    assert len(server.asks("GET", "/v1/jobs/job1/pages/1")) == 2


def broken_after(*chunks: bytes) -> Iterator[bytes]:
    yield from chunks
    raise Dropped


def test_pages_may_be_left_early(client: Any) -> None:
    for page in client.pages(client.submit(PDF, name="a")):
        assert page.text == "a 1"
        break


def test_a_page_that_never_comes_is_an_error(client: Any, server: FakeServer) -> None:
    job = client.submit(PDF)
    server.jobs[job.id].status = "succeeded"  # and no page is done
    with pytest.raises(ResultNotReady):
        list(client.pages(job))


def test_events_tell_all_up_to_the_end(client: Any) -> None:
    job = client.submit(PDF)
    events = list(client.events(job))
    assert [event.name for event in events] == ["status", "page", "page", "page", "status"]
    assert [event.fields["pages_done"] for event in events if event.name == "page"] == [1, 2, 3]
    assert (events[0].ended, events[-1].ended) == (False, True)


def test_events_go_on_after_a_broken_connection(client: Any, server: FakeServer) -> None:
    job = client.submit(PDF)
    server.trouble = [Answer(200, broken_after(b'event: page\ndata: {"a": 1}\n\nevent: pa'))]
    events = list(client.events(job))
    assert events[0].fields == {"a": 1}
    assert events[-1].ended


def test_an_event_may_tell_of_a_problem(client: Any, server: FakeServer) -> None:
    told = {"code": "job_gone", "detail": "The job was erased."}
    server.trouble = [Answer(200, iter([fake_server.event("problem", told)]))]
    with pytest.raises(JobGone, match="was erased"):
        list(client.events("job1"))


# Results


def test_a_small_document_comes_with_the_job(client: Any, server: FakeServer) -> None:
    ended = client.wait(client.submit(PDF, name="a"))
    before = len(server.asked)
    assert texts(client.document(ended).pages) == ["a 1", "a 2", "a 3"]
    assert len(server.asked) == before


def test_a_large_document_is_fetched(client: Any, server: FakeServer) -> None:
    server.inline = False
    assert texts(client.document(client.submit(PDF, name="a")).pages) == ["a 1", "a 2", "a 3"]


def test_read_is_all_at_once(client: Any) -> None:
    seen: list[RemoteJob] = []
    document = client.read(PDF, name="a", pages="2", on_progress=seen.append)
    assert isinstance(document, pagetide.Document)
    assert texts(document.pages) == ["a 2"]
    assert seen[-1].ended


def test_a_result_that_is_still_being_made_is_waited_for(client: Any) -> None:
    job = client.submit(PDF, name="a")
    assert client.result(job, "md").startswith("<!-- page 1 -->\n\na 1")
    assert client.result(job, "pdf") == b"%PDF-1.7 searchable a"
    assert client.result(job.id, "raw") == '{"raw": true}'
    assert client.result(job.id).startswith("{")


def test_a_result_that_is_refused_for_now_is_waited_for(
    client: Any, server: FakeServer
) -> None:
    job = client.submit(PDF, name="a", formats="txt")
    server.trouble = [problem(409, "result_not_ready", "Not yet.")]
    assert "a 1" in client.result(job, "txt")


@pytest.mark.parametrize("ask", ["document", "result", "read"])
def test_a_failed_job_has_its_error_for_a_result(
    client: Any, server: FakeServer, ask: str
) -> None:
    server.fails_at = 1
    with pytest.raises(Damaged, match="The input is damaged"):
        if ask == "read":
            client.read(PDF)
        else:
            getattr(client, ask)(client.wait(client.submit(PDF)))


def test_a_result_is_saved_in_the_format_of_its_ending(client: Any, tmp_path: Path) -> None:
    job = client.submit(PDF, name="a")
    client.save(job, tmp_path / "deep" / "a.md")
    client.save(job, str(tmp_path / "a.raw.json"))
    client.save(job, tmp_path / "a.bin", format="pdf")
    assert (tmp_path / "deep" / "a.md").read_text().startswith("<!-- page 1 -->")
    assert (tmp_path / "a.raw.json").read_text() == '{"raw": true}'
    assert (tmp_path / "a.bin").read_bytes().startswith(b"%PDF")
    with pytest.raises(BadOption, match=r"a\.docx"):
        client.save(job, tmp_path / "a.docx")


def test_a_download_that_breaks_off_is_begun_anew(
    client: Any, server: FakeServer, tmp_path: Path
) -> None:
    job = client.submit(PDF, name="a")
    server.trouble = [Answer(200, broken_after(b"half of something that is much longer"))]
    client.save(job, tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "a 1\fa 2\fa 3\n"


def test_a_failed_download_leaves_the_old_file(
    client: Any, server: FakeServer, tmp_path: Path
) -> None:
    server.fails_at = 1
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(Damaged):
        client.save(client.submit(PDF), tmp_path / "a.txt")
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("a.txt", "old")]


def test_a_file_that_cannot_be_written_is_said(client: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(CannotWrite):
        client.save(client.submit(PDF), tmp_path / "file" / "a.txt")


# The rest


def test_jobs_are_listed_over_all_cursors(client: Any, server: FakeServer) -> None:
    jobs = [client.submit(PDF).id for _ in range(5)]
    server.jobs["job3"].status = "succeeded"
    assert [job.id for job in client.jobs()] == jobs[::-1]
    assert [job.id for job in client.jobs(status="succeeded")] == ["job3"]


def test_cancel_gives_the_job_and_refuses_one_that_has_ended(client: Any) -> None:
    first, second = client.submit(PDF), client.wait(client.submit(PDF))
    assert client.cancel(first).status == "cancelled"
    assert client.cancel(first.id).status == "cancelled"
    with pytest.raises(JobEnded, match="already ended"):
        client.cancel(second)


def test_erase_may_be_repeated(client: Any, server: FakeServer) -> None:
    job = client.submit(PDF)
    client.erase(job)
    client.erase(job)
    with pytest.raises(JobGone):
        client.job(job)
    with pytest.raises(JobUnknown):
        client.erase("nowhere")


def test_an_id_cannot_lead_elsewhere(client: Any, server: FakeServer) -> None:
    with pytest.raises(JobUnknown):
        client.job("../models?x=1")
    assert server.asked[0].path in ("/v1/jobs/../models?x=1", "/v1/jobs/..%2Fmodels%3Fx%3D1")
    assert server.asked[0].query == {}


def test_deliveries_models_and_backlog(client: Any, server: FakeServer) -> None:
    job = client.submit(PDF)
    (attempt,) = client.deliveries(job)
    client.redeliver(job)
    assert (attempt.status, attempt.at.year, attempt.elapsed_ms) == (204, 2026, 12.5)
    assert len(server.asks("POST", f"/v1/jobs/{job.id}/deliveries")) == 1
    assert [model.name for model in client.models()] == ["fake"]
    assert client.backlog()["cpu"].waiting == 3


# Errors


@pytest.mark.parametrize("code", sorted(set(KINDS) - {"server_error"}))
def test_a_problem_becomes_the_error_of_its_code(
    code: str, open_client: Any, server: FakeServer
) -> None:
    kind = KINDS[code]
    server.trouble = [problem(kind.http_status, code, "What is wrong.")]
    with pytest.raises(PagetideError, match=r"^What is wrong\.$") as raised:
        open_client(tries=1).job("job1")
    assert type(raised.value) is kind


def test_every_error_is_known_to_the_client() -> None:
    kinds = {v for v in vars(errors).values() if isinstance(v, type)} - {type(None)}
    assert {k for k in kinds if issubclass(k, PagetideError)} == set(KINDS.values())


def test_an_unknown_code_is_a_server_error(client: Any, server: FakeServer) -> None:
    server.trouble = [problem(418, "teapot", "It is a teapot.")]
    with pytest.raises(ServerError, match="It is a teapot") as raised:
        client.job("job1")
    assert (raised.value.status, raised.value.server_code) == (418, "teapot")


@pytest.mark.parametrize(
    ("answer", "kind", "sentence"),
    [
        (Answer(413, b"<html>nginx"), TooLarge, "413 Request Entity Too Large"),
        (Answer(401, b""), Unauthorized, "401 Unauthorized"),
        (Answer(500, b"oops"), ServerError, "500 Internal Server Error"),
        (Answer(599, b'["list"]'), ServerError, "599"),
        (Answer(200, b"<html>"), ServerError, "has a form"),
        (Answer(200, b'{"id": 5}'), ServerError, "has a form"),
        (Answer(200, b'{"id": "\xff"}'), ServerError, "has a form"),
    ],
)
def test_an_answer_that_is_not_pagetides_is_told_as_such(
    client: Any, server: FakeServer, answer: Answer, kind: type[PagetideError], sentence: str
) -> None:
    server.trouble = [answer]
    with pytest.raises(PagetideError, match=sentence) as raised:
        client.job("job1")
    assert type(raised.value) is kind


def test_a_post_that_is_sent_elsewhere_says_where(client: Any, server: FakeServer) -> None:
    server.trouble = [Answer(301, b"", {"Location": "https://example.org/v1/jobs"})]
    with pytest.raises(ServerError, match=r"points to https://example\.org/v1/jobs"):
        client.submit(PDF)


def test_a_result_may_be_fetched_from_elsewhere(open_client: Any, server: FakeServer) -> None:
    server.trouble = [
        Answer(307, b"", {"Location": "http://blobs.example.org/signed"}),
        Answer(200, b"the text", {"Content-Type": "text/plain"}),
    ]
    assert open_client(key=KEY).result("job1", "txt") == "the text"
    assert "authorization" in server.asked[0].headers
    assert "authorization" not in server.asked[1].headers


def test_a_server_that_never_answers_is_unreachable(
    open_client: Any, server: FakeServer
) -> None:
    server.trouble = [Dropped()] * 2
    with pytest.raises(ServerUnreachable) as raised:
        open_client("http://u:secret@pages.example.org:81/path", tries=2).job("job1")
    assert raised.value.message == (
        "The server at http://pages.example.org:81 cannot be reached: the connection broke."
    )
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (httpx.ReadTimeout("x"), "it did not answer in time"),
        (httpx.ConnectError("x"), "the connection broke"),
    ],
)
def test_why_a_server_is_unreachable_is_said_in_our_words(
    open_client: Any, error: Exception, reason: str
) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise error

    with pytest.raises(ServerUnreachable, match=f"cannot be reached: {reason}"):
        open_client(tries=1, transport=httpx.MockTransport(refuse)).models()


def test_a_port_where_nothing_listens(open_client: Any, free_port: int) -> None:
    client = open_client(f"http://127.0.0.1:{free_port}", tries=1, transport=None)
    with pytest.raises(ServerUnreachable, match="nothing listens there"):
        client.models()


@pytest.fixture
def free_port() -> Iterator[int]:
    import socket

    with socket.socket() as bound:  # bound, but it does not listen
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(client: Any, server: FakeServer, status: int) -> None:
    job = client.submit(PDF)
    server.trouble = [Answer(status, b"", {"Retry-After": "0"})] * 3
    assert client.job(job).id == job.id
    assert len(server.asked) == 5


def test_a_key_that_asks_too_often_is_slowed_down_and_goes_on(
    client: Any, server: FakeServer
) -> None:
    slow = problem(429, "too_many_requests", "So many.", {"Retry-After": "0"}, retryable=True)
    server.trouble = [slow] * 2
    assert client.submit(PDF)
    assert len(server.asked) == 3
    assert len({asked.headers["idempotency-key"] for asked in server.asked}) == 1


def test_a_key_that_had_its_pages_is_told_when_there_are_more(
    client: Any, server: FakeServer
) -> None:
    """No client waits until midnight by itself; active pages it waits for."""
    day = problem(429, "pages_per_day_reached", "Too.", {"Retry-After": "3600"}, retryable=True)
    server.trouble = [day]
    with pytest.raises(errors.PagesPerDayReached) as caught:
        client.submit(PDF)
    assert caught.value.retry_after_s == 3600
    assert len(server.asked) == 1
    some = problem(429, "active_pages_reached", "Too.", {"Retry-After": "0"}, retryable=True)
    server.trouble = [some]
    assert client.submit(PDF)
    assert len(server.asked) == 3


def test_patience_has_an_end(open_client: Any, server: FakeServer) -> None:
    busy = problem(429, "busy", "Too much.", {"Retry-After": "0"}, retryable=True)
    server.trouble = [busy] * 9
    with pytest.raises(Busy, match="Too much"):
        open_client(tries=3).job("job1")
    assert len(server.asked) == 3


def test_a_model_server_that_was_of_no_use_is_not_asked_again_by_itself(
    client: Any, server: FakeServer
) -> None:
    """It was asked more than once for that answer, and each question costs."""
    server.trouble = [problem(502, "answer_unusable", "It says nothing.", retryable=True)]
    with pytest.raises(errors.AnswerUnusable):
        client.extract("job1", {"type": "object"})
    assert len(server.asked) == 1


def test_no_review_is_said_too(client: Any, server: FakeServer) -> None:
    """The server may have been set to have all reviewed."""
    client.submit(PDF, review_sums=False, review_below=0.0)
    (asked,) = server.asks("POST", "/v1/jobs")
    told = {name: asked.fields.get(name) for name in ("review_sums", "review_below")}
    assert told == {"review_sums": "false", "review_below": "0.0"}


def test_what_will_not_pass_is_not_asked_again(client: Any, server: FakeServer) -> None:
    server.trouble = [problem(503, "model_unavailable", "It is not here.")]
    with pytest.raises(errors.ModelUnavailable):
        client.submit(PDF)
    with pytest.raises(UnsupportedType):
        client.submit(b"no document")
    assert len(server.asked) == 2


# The key and the address


def test_the_key_is_shown_to_the_server_and_to_nobody_else(
    open_client: Any, server: FakeServer
) -> None:
    server.key = KEY
    with pytest.raises(Unauthorized):
        open_client().submit(PDF)
    client = open_client(key=KEY)
    assert client.submit(PDF).id == "job1"
    assert KEY not in repr(client)
    assert repr(client).endswith("Client http://127.0.0.1:8000>")


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:8000", "ftp://x", "http://", "http://\0", "//x"]
)
def test_what_is_no_address_is_refused(open_client: Any, url: str) -> None:
    with pytest.raises(BadOption, match="http://"):
        open_client(url)


def test_what_is_no_key_is_refused_without_showing_it(open_client: Any) -> None:
    with pytest.raises(BadOption) as raised:
        open_client(key="pt_secret\r\nX-Header: 1")
    assert "secret" not in raised.value.message


def test_an_address_may_have_a_path(open_client: Any, server: FakeServer) -> None:
    with pytest.raises(JobUnknown):
        open_client("http://example.org/pagetide/").job("x")
    assert server.asked[0].path == "/pagetide/v1/jobs/x"


def test_both_clients_have_the_same_methods() -> None:
    def public(kind: type) -> set[str]:
        return {name for name in dir(kind) if not name.startswith("_")}

    assert public(Client) == public(AsyncClient)


def test_importing_pagetide_does_not_load_the_client() -> None:
    code = (
        "import sys, pagetide; before = 'httpx' in sys.modules; pagetide.Client;"
        "print(before, 'httpx' in sys.modules, pagetide.AsyncClient.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.split() == [b"False", b"True", b"AsyncClient"]


# Pauses, without waiting for them


Reply = httpx.Response | httpx.RequestError
BROKEN = httpx.ReadError("it broke")


def busy(status: int, retry_after: str) -> Reply:
    return httpx.Response(status, headers={"Retry-After": retry_after})


def pauses(patience: Patience, answer: Reply) -> list[float]:
    """The pauses that are made where every attempt has the same answer."""
    made = (patience.pause_s(answer, tried) for tried in range(1, patience.tries + 1))
    return [pause_s for pause_s in made if pause_s is not None]


def test_pauses_double_and_spread() -> None:
    still = Patience(tries=5, first_s=1, jitter=lambda: 0)
    assert pauses(still, BROKEN) == [1, 2, 4, 8]
    assert pauses(Patience(tries=3, first_s=1, jitter=lambda: 1), BROKEN) == [1.25, 2.5]


def test_the_pause_that_a_server_asks_for_is_kept() -> None:
    patience = Patience(tries=3, first_s=1, jitter=lambda: 0)
    assert pauses(patience, busy(429, "7")) == [7, 7]
    assert pauses(patience, busy(503, str(int(LONGEST_PAUSE_S) + 1))) == []
    assert pauses(patience, busy(503, "Wed, 21 Oct 2026 07:28:00 GMT")) == [1, 2]


def test_a_wait_asks_for_no_more_than_is_left() -> None:
    now = iter([0.0, 0.0, 15.0, 25.0])
    assert list(waits_s(25.0, 20.0, 20.0, lambda: next(now))) == [20, 10, 0]


def test_the_first_look_of_a_wait_may_be_shorter() -> None:
    first = itertools.islice(waits_s(None, 0.0, 1.0), 3)
    assert list(first) == [0, 1, 1]


def test_the_words_of_a_job_are_those_of_the_server() -> None:
    assert answers.JobStatus == server_job.JobStatus
    assert answers.Priority == server_job.Priority
    assert set(answers.ENDED) == server_job.ENDED


# Events

STREAM = (
    b': hello\r\n\r\nretry: 5\n\nevent: page\r\ndata: {"a":\r\ndata: 1}\r\n\r\n'
    b'data:{"b": "\xc3\xa9"}\r\rid: 7\nevent: status\ndata: {"status": "failed"}\n\n'
    b'event: page\ndata: {"unfinished": 1}\n'
)
EVENTS = [
    Event(name="page", fields={"a": 1}),
    Event(name="message", fields={"b": "é"}),
    Event(name="status", fields={"status": "failed"}),
]


@given(st.lists(st.integers(0, len(STREAM)), max_size=30))
def test_events_are_found_wherever_the_bytes_are_cut(cuts: list[int]) -> None:
    lines = EventLines()
    found: list[Event] = []
    places = [0, *sorted(cuts), len(STREAM)]
    for start, end in itertools.pairwise(places):
        found += lines.feed(STREAM[start:end])
    assert found == EVENTS


def test_an_event_that_is_not_json_is_an_error() -> None:
    with pytest.raises(ServerError):
        list(EventLines().feed(b"data: <html>\n\n"))


def test_a_server_that_only_ends_events_is_given_up(
    open_client: Any, server: FakeServer
) -> None:
    server.trouble = [said({})] * 2
    with pytest.raises(ServerUnreachable, match="closes the event stream"):
        list(open_client(tries=2).events("job1"))
