"""A server that speaks the protocol without reading anything.

Time is its clients' waiting: for each second that one would wait, a page is done. So nothing
here sleeps, and a test sees every state.
"""

from __future__ import annotations

import email
import email.policy
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

import httpx
import msgspec

from pagetide.document import Document, Failure, Page, page_ranges
from pagetide.exports import FORMATS, packed
from pagetide.exports.packing import zipped
from tests.documents import document_of, line, page_of

SIGNED = "http://127.0.0.1/v1/files/x?signature=opens-it"
WEBHOOK_LOG = {"at": "2026-11-21T03:00:00.000Z", "elapsed_ms": 12.5, "status": 204, "error": ""}


@dataclass
class Answer:
    status: int
    body: bytes | Iterator[bytes] = b""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def chunks(self) -> Iterator[bytes]:
        return iter((self.body,)) if isinstance(self.body, bytes) else self.body


class Dropped(Exception):
    """The connection breaks instead of an answer."""


@dataclass
class Asked:
    """A request as the server received it."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of a form or of JSON; a file as its name and content."""
        kind = self.headers["content-type"]
        if kind == "application/json":
            return dict(json.loads(self.body))
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        message = email.message_from_bytes(head + self.body, policy=email.policy.HTTP)
        return dict(_part(part) for part in message.iter_parts())


def _part(part: Any) -> tuple[str, Any]:
    content = part.get_payload(decode=True)
    name = part.get_param("name", header="content-disposition")
    if part.get_filename() is None:
        return name, content.decode()
    return name, (part.get_filename(), content)


@dataclass
class FakeJob:
    id: str
    name: str
    pages: int
    options: dict[str, Any]
    status: str = "queued"
    done: int = 0
    error: Failure | None = None
    fails_at: int | None = None
    made: set[str] = field(default_factory=set)

    @property
    def numbers(self) -> tuple[int, ...]:
        return page_ranges.chosen(self.options.get("pages"), self.pages)

    @property
    def ended(self) -> bool:
        return self.status not in ("queued", "running")

    @property
    def document(self) -> Document:
        pages = [page(self.name, number) for number in self.numbers]
        return document_of(*pages, name=self.name, page_count=self.pages)

    def advance(self) -> None:
        """Something happens while somebody waits."""
        if self.ended:
            return
        self.status = "running"
        self.done += 1
        if self.done == self.fails_at:
            self.status = "failed"
            self.error = Failure(code="damaged", message="The input is damaged.")
        elif self.done >= len(self.numbers):
            self.status = "succeeded"


def page(name: str, number: int) -> Page:
    return page_of([line(f"{name} {number}", (0, 0, 90, 20))], number=number)


class FakeServer:
    """Answers requests.

    Attributes:
        pages: How many pages the documents submitted from now on have.
        trouble: What comes before anything else: an answer, a broken connection, or nothing.
        after: Broken connections that come after a request has been processed.
        asked: All requests.
        names_pages: Whether a job says which pages were requested.
    """

    def __init__(self) -> None:
        self.pages = 3
        self.key: str | None = None
        self.inline = True
        self.names_pages = False
        self.fails_at: int | None = None
        self.trouble: list[Answer | Dropped | None] = []
        self.after: list[Dropped] = []
        self.asked: list[Asked] = []
        self.jobs: dict[str, FakeJob] = {}
        self.gone: set[str] = set()
        self._by_key: dict[str, str] = {}
        self._lock = threading.RLock()

    def asks(self, method: str, path: str) -> list[Asked]:
        """Requests of this kind."""
        return [one for one in self.asked if (one.method, one.path) == (method, path)]

    def answer(self, asked: Asked) -> Answer:
        with self._lock:
            self.asked.append(asked)
            trouble = self.trouble.pop(0) if self.trouble else None
            if isinstance(trouble, Dropped):
                raise trouble
            if trouble:
                return trouble
            if self.key and asked.headers.get("authorization") != f"Bearer {self.key}":
                return problem(401, "unauthorized", "An API key is needed.")
            answer = self._routed(asked)
            if self.after:
                raise self.after.pop(0)
            return answer

    def _routed(self, asked: Asked) -> Answer:
        parts = [unquote(part) for part in asked.path.split("/")[2:]]
        match (asked.method, *parts):
            case ("POST", "jobs"):
                return self._submit(asked)
            case ("GET", "jobs"):
                return self._list(asked.query)
            case ("GET", "models"):
                return said(
                    {"models": [{"name": "fake", "summary": "makes up", "pool": "cpu"}]}
                )
            case ("POST", "chat", "completions"):  # a model that finds nothing
                return said({"choices": [{"message": {"content": "{}"}}]})
            case ("POST", "extract"):  # likewise
                return said({"value": {}})
            case ("POST", "reviews", "next"):  # nothing is waiting
                return Answer(204)
            case ("GET", "backlog"):
                return said({"pools": {"cpu": {"waiting": 3, "leased": 1, "oldest_s": 0.5}}})
            case (_, "jobs", job_id, *_) if job_id in self.gone:
                return problem(410, "job_gone", "The job was erased or has expired.")
            case (_, "jobs", job_id, *rest) if job_id in self.jobs:
                return self._of_job(asked, self.jobs[job_id], rest)
        return problem(404, "job_unknown", "There is no such job.")

    def _submit(self, asked: Asked) -> Answer:
        fields = asked.fields
        key = asked.headers["idempotency-key"]
        if key not in self._by_key:
            name, content = fields.pop("file", (fields.get("name", "fetched"), b"%PDF"))
            if not content.startswith(b"%PDF"):
                return problem(415, "unsupported_type", "It is neither a PDF nor a picture.")
            job = FakeJob(f"job{len(self.jobs) + 1}", name, self.pages, fields)
            job.fails_at = self.fails_at
            job.made |= {"json", "raw", *fields.get("formats", "").split(",")} - {""}
            self.jobs[job.id] = job
            self._by_key[key] = job.id
        return said(self._shown(self.jobs[self._by_key[key]]), 202)

    def _list(self, query: Mapping[str, str]) -> Answer:
        wanted = query.get("status")
        jobs = [j for j in reversed(self.jobs.values()) if wanted in (None, j.status)]
        start = int(query.get("cursor", "0"))
        after = str(start + 2) if start + 2 < len(jobs) else None
        shown = [self._shown(job) for job in jobs[start : start + 2]]
        return said({"jobs": shown, "next_cursor": after})

    def _of_job(self, asked: Asked, job: FakeJob, rest: list[str]) -> Answer:
        match (asked.method, *rest):
            case ("GET",):
                return self._poll(asked, job)
            case ("DELETE",):
                self.gone.add(job.id)
                return Answer(204)
            case ("GET", "events"):
                return Answer(200, self._events(job), {"Content-Type": "text/event-stream"})
            case ("GET", "pages", number):
                return self._page(asked, job, int(number))
            case ("GET", "pages", number, "figures", name):
                return Answer(200, b"\x89PNG " + f"{number} {name}".encode())
            case ("GET", "result"):
                return self._result(asked, job)
            case ("POST", "cancel"):
                return self._cancel(job)
            case (_, "deliveries"):
                return said({"deliveries": [WEBHOOK_LOG]})
        return problem(404, "not_found", "There is nothing here.")

    def _poll(self, asked: Asked, job: FakeJob) -> Answer:
        wait = float(asked.query.get("wait", 0))
        for _ in range(job.pages if wait > 1 else round(wait)):
            job.advance()
        return said(self._shown(job, full=True))

    def _cancel(self, job: FakeJob) -> Answer:
        if job.ended and job.status != "cancelled":
            return problem(409, "job_ended", f"The job has already ended: {job.status}.")
        job.status = "cancelled"
        return said(self._shown(job))

    def _events(self, job: FakeJob) -> Iterator[bytes]:
        yield b"retry: 2000\n\n"
        yield b": still here\n\n"
        yield event("status", self._shown(job))
        while not job.ended:
            with self._lock:
                job.advance()
            yield event("page", {"pages_done": job.done, "pages_total": len(job.numbers)})
        yield event("status", self._shown(job))

    def _page(self, asked: Asked, job: FakeJob, number: int) -> Answer:
        if number not in job.numbers:
            return problem(422, "page_out_of_range", f"Page {number} is not to be read.")
        while "wait" in asked.query and not job.ended and job.numbers.index(number) >= job.done:
            job.advance()
        if job.status in ("failed", "cancelled"):
            return problem(409, "job_ended", f"The job has no pages: {job.status}.")
        if job.numbers.index(number) >= job.done:
            return problem(409, "result_not_ready", "Not yet.", {"Retry-After": "1"})
        read = job.document.pages[job.numbers.index(number)]
        return Answer(200, document_json(read), {"Content-Type": "application/json"})

    def _result(self, asked: Asked, job: FakeJob) -> Answer:
        job.advance()
        name = asked.query["format"]
        if job.status in ("failed", "cancelled"):
            return problem(409, "job_ended", f"The job has no result: {job.status}.")
        if not job.ended or name not in job.made:
            job.made |= {name} if job.ended else set()
            return said({"status": job.status}, 202, {"Retry-After": "0"})
        content, media_type = _content(job, name)
        return Answer(200, content, {"Content-Type": media_type})

    def _shown(self, job: FakeJob, full: bool = False) -> dict[str, Any]:
        document = job.document
        shown = {
            "id": job.id,
            "status": job.status,
            "model": job.options.get("model", "pp-ocrv6"),
            "languages": [],
            "priority": job.options.get("priority", "interactive"),
            "created_at": "2026-11-21T03:00:00.123Z",
            "started_at": None,
            "finished_at": None,
            "expires_at": None,
            "pages_total": len(job.numbers),
            "pages_done": job.done,
            "pages_failed": 0,
            "queue_position": 4 if job.status == "queued" else None,
            "source": json.loads(document_json(document.source)),
            "metadata": {},
            "cached": False,
            "cached_from": None,
            "review": "waiting" if job.ended and "review_sample" in job.options else "none",
            "error": json.loads(document_json(job.error)) if job.error else None,
            "links": {"self": f"/v1/jobs/{job.id}"},
            "results": {"json": {"bytes": 9, "media_type": "application/json", "url": SIGNED}},
            "a_later_version": "says more",
        }
        if self.names_pages:
            shown["pages"] = job.options.get("pages")
        if full and self.inline and job.status == "succeeded":
            shown["result"] = json.loads(document.to_json())
        return shown


def _content(job: FakeJob, name: str) -> tuple[bytes, str]:
    if name == "raw":
        return b'{"raw": true}', "application/json"
    if name == "pdf":
        return b"%PDF-1.7 searchable " + job.name.encode(), "application/pdf"
    if name == "figures":
        return b"".join(zipped([("figures/p0001-b0.png", b"\x89PNG")])), "application/zip"
    content = b"".join(packed(job.document, name))
    media_type = FORMATS[name].packed_media_type
    return content, media_type + "; charset=utf-8" * media_type.startswith("text/")


def document_json(value: Any) -> bytes:
    return msgspec.json.encode(value)


def said(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    body = json.dumps(value).encode()
    return Answer(status, body, {"Content-Type": "application/json", **(headers or {})})


def problem(
    status: int, code: str, detail: str, headers: dict[str, str] | None = None, **more: Any
) -> Answer:
    fields = {"type": "about:blank", "title": code, "status": status, "detail": detail}
    fields |= {"code": code, "retryable": False, "instance": "/"} | more
    body = json.dumps(fields).encode()
    kind = {"Content-Type": "application/problem+json"}
    return Answer(status, body, {**kind, **(headers or {})})


def event(name: str, fields: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps(fields)}\n\n".encode()


class _Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body for both of httpx's clients; a `Dropped` in it breaks the connection."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._chunks
        except Dropped:
            raise httpx.ReadError("foreign words") from None

    async def __aiter__(self) -> Any:
        for chunk in self:
            yield chunk


def transport(server: FakeServer) -> httpx.MockTransport:
    """The server without a network."""

    def handle(request: httpx.Request) -> httpx.Response:
        asked = Asked(
            method=request.method,
            path=request.url.path,
            query=dict(request.url.params),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=request.content,
        )
        try:
            answer = server.answer(asked)
        except Dropped:
            raise httpx.ReadError("foreign words") from None
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer.chunks)
        )

    return httpx.MockTransport(handle)


class Listening:
    """The server on a port of this machine, while the context is open."""

    def __init__(self, server: FakeServer) -> None:
        self.server = server
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(server))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def _handler_of(server: FakeServer) -> type[BaseHTTPRequestHandler]:
    class Answering(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            url = urlsplit(self.path)
            length = int(self.headers.get("Content-Length", "0"))
            asked = Asked(
                method=self.command,
                path=url.path,
                query={name: values[-1] for name, values in parse_qs(url.query).items()},
                headers={name.lower(): value for name, value in self.headers.items()},
                body=self.rfile.read(length),
            )
            self.close_connection = True
            try:
                answer = server.answer(asked)
            except Dropped:
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            for chunk in answer.chunks:
                self.wfile.write(chunk)

        do_GET = do_POST = do_PUT = do_DELETE = _answer

        def log_message(self, *_: object) -> None:
            pass

    return Answering
