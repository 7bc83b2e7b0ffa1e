"""A service in memory, whose worker is the test, and a client without a network."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from fastapi import FastAPI

from pagetide.document import Block, Failure, Page, SourceInfo, TextLayerDecision
from pagetide.document.kinds import PictureEnding
from pagetide.engines.catalogue import Models
from pagetide.errors import PageOutOfRange, UnsupportedType
from pagetide.geometry import Polygon, polygon_of
from pagetide.inputs import Sandbox
from pagetide.net.addresses import vet_url
from pagetide.server.app import create_app
from pagetide.server.blobs import open_blobs
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import Job, JobOptions, Task, page_key
from pagetide.server.jobs.keys import new_key
from pagetide.server.jobs.moved import Moved
from pagetide.server.jobs.review import Reason
from pagetide.server.service.service import Service
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.server.service.submitting.submission import Submission, new_job_id
from pagetide.server.stores.memory import open_store
from pagetide.server.stores.notifications.memory import MemoryNotifications
from pagetide.server.wiring import open_cipher
from pagetide.server.worker.assembly import Finisher, page_blob
from pagetide.settings import Settings
from tests.serving import notifier_by
from tests.waiting import until

PATIENCE_S = 60.0
_ROUTES: dict[bool, list[Any]] = {}  # with and without the page
CORNER = polygon_of((10.0, 20.0, 30.0, 40.0))
JPEG = b"\xff\xd8\xff" + bytes(50)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


class StubInspector:
    """Takes `%PDF 3` for a PDF of three pages, and opens nothing."""

    def inspect(
        self, path: Path, name: str, password: str | None, owner: str = ""
    ) -> SourceInfo:
        data = path.read_bytes()
        if not data.startswith(b"%PDF "):
            raise UnsupportedType
        count = int(data.split()[1])
        return SourceInfo(
            name=name,
            sha256=secrets.token_hex(32) if b"unlike" in data else data.hex()[:64],
            bytes=len(data),
            media_type="application/pdf",
            page_count=count,
        )

    def page_picture(
        self,
        path: Path,
        number: int,
        dpi: float,
        password: str | None,
        owner: str = "",
        ending: PictureEnding = "png",
        width: int | None = None,
    ) -> bytes:
        if number > int(path.read_bytes().split()[1]):
            raise PageOutOfRange
        if ending == "jpeg":
            return JPEG
        return PNG if width is None else PNG[:50]

    def figure_png(
        self,
        path: Path,
        number: int,
        polygon: Polygon,
        dpi: float,
        password: str | None,
        owner: str = "",
    ) -> bytes:
        return PNG + str(polygon).encode()

    def close(self) -> None:
        pass


class Desk:
    """A service, and what workers would do for it."""

    def __init__(self, folder: Path, **changed: Any) -> None:
        self.settings = Settings(data_dir=str(folder), test_models=True, **changed)
        self.uploads = folder / "uploads"
        self.service = Service(
            settings=self.settings,
            store=open_store("memory:"),
            blobs=open_blobs("memory:"),
            notifier=notifier_by(MemoryNotifications()),
            models=Models(self.settings),
            inspector=cast(Inspector, StubInspector()),
            cipher=open_cipher(self.settings),
            vet_url=vet_url,
        )
        self._folder = folder

    def app(self, *, keys_needed: bool = False) -> FastAPI:
        made = create_app(self.service, self.settings, keys_needed=keys_needed)
        # FastAPI works out its routes at an application's first request, 40 ms: once is enough.
        made.router.routes = _ROUTES.setdefault(self.settings.page, made.router.routes)
        return made

    def key(self, name: str, **more: Any) -> str:
        """A new API key, kept in the store."""
        text, kept = new_key(
            name,
            key_id=secrets.token_hex(4),
            secret=secrets.token_urlsafe(32),
            now=time.time(),
            **more,
        )
        self.service.store.put_key(kept)
        return text

    def submit(self, pages: int = 1, name: str = "scan.pdf", **more: Any) -> Job:
        path = self._folder / secrets.token_hex(8)
        path.write_bytes(f"%PDF {pages} {path.name}".encode())
        options = JobOptions(model="fake", formats=more.pop("formats", ()))
        made = self.service.submit(
            Submission(document=path, name=name, options=options, **more)
        )
        # Those of the same millisecond would be listed in any order.
        until(lambda: new_job_id(time.time())[:15] > made.id[:15])
        return made

    def read(self, job_id: str, pages: int | None = None, made: Page | None = None) -> Job:
        """Read so many pages of a job, or all that are left, without ending it.

        Each is a page of figures, or the one that is given.
        """
        left = 10_000 if pages is None else pages
        while left > 0 and any(task.kind == "read" for task in self._waiting(job_id)):
            left -= self._read_task(self._lease(), left, made)
        return self.service.job(job_id)

    def _read_task(self, lease: Lease, most: int, made: Page | None) -> int:
        numbers = lease.task.pages_left[:most]
        for number in numbers:
            key = page_key(lease.job, number, lease.token)
            self.service.blobs.put(key, page_blob(made or page(number), None, None))
            lease.change(moves.record, {number: True}, 2e9)
        if len(numbers) < len(lease.task.pages_left):
            lease.change(moves.give_back, 0.0)
        else:
            lease.change(moves.complete_read, time.time())
        return len(numbers)

    def finish(self, job_id: str, made: Page | None = None) -> Job:
        """Read what is left of a job and make its results, or one more format of it."""
        job = self.read(job_id, made=made)
        lease = self._lease()
        finisher = Finisher(
            self.service.blobs, cast(Sandbox, None), self.service.cipher, lambda: None
        )
        reasons: tuple[Reason, ...] = ()
        if job.results:
            results = {name: finisher.export(job, name) for name in lease.task.formats}
        else:
            tasks = [task for task in self._tasks(job_id) if task.kind == "read"]
            results = finisher.assemble(job, tasks).results
            reasons = finisher.reasons(job)
        lease.change(partial(moves.complete_finish, reasons=reasons), results, time.time())
        return self.service.job(job_id)

    def fail(self, job_id: str, failure: Failure) -> None:
        self._lease().change(moves.fail, failure, time.time())

    def _lease(self) -> Lease:
        token = secrets.token_hex(4)
        taken = self.service.store.claim(
            "cpu", "desk", now=time.time(), until=2e9, token=token, beside=False
        )
        assert taken
        return Lease(self.service, *taken, token)

    def _tasks(self, job_id: str) -> tuple[Task, ...]:
        return self.service.store.tasks(job_id)

    def _waiting(self, job_id: str) -> list[Task]:
        return [task for task in self._tasks(job_id) if task.state == "waiting"]


@dataclass
class Lease:
    """A task that a worker holds."""

    service: Service
    job: Job
    task: Task
    token: str

    def change(self, move: Callable[..., Moved], *given: Any) -> None:
        moved = self.service.store.change(
            self.job.id, self.task.id, lambda job, task: move(job, task, self.token, *given)
        )
        self.service.notifier.moved(moved)


def page(number: int) -> Page:
    return Page(
        number=number,
        width=100,
        height=100,
        dpi=144,
        width_pt=50,
        height_pt=50,
        text_layer=TextLayerDecision(used=False, reason="not_requested"),
        blocks=(
            Block(kind="caption", polygon=CORNER, order=0, text="Fig. 1", caption_of=1),
            Block(kind="figure", polygon=CORNER, order=1),
        ),
    )


@dataclass
class Reply:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        assert self.headers["content-type"] == "application/problem+json"
        told = self.json()
        assert told["status"] == self.status
        return str(told["code"])


class Exchange:
    """One request to an application, which the test watches and can leave."""

    def __init__(
        self,
        app: FastAPI,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: Sequence[bytes],
    ) -> None:
        self.reply = Reply()
        self.taken = 0  # parts of the body that the application has asked for
        self._parts = list(body)
        self._notifier, self._left = asyncio.Event(), asyncio.Event()
        self._task = asyncio.create_task(
            app(_scope(method, url, headers), self._give, self._get)
        )

    def leave(self) -> None:
        self._left.set()

    async def ended(self) -> Reply:
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.shield(self._task)
        return self.reply

    async def heard(self, text: bytes) -> None:
        """Until the body so far has this in it."""
        async with asyncio.timeout(PATIENCE_S):
            while text not in self.reply.body:
                self._notifier.clear()
                await self._notifier.wait()

    async def _give(self) -> dict[str, Any]:
        if self.taken < max(1, len(self._parts)):
            part = self._parts[self.taken] if self._parts else b""
            self.taken += 1
            more = self.taken < len(self._parts)
            return {"type": "http.request", "body": part, "more_body": more}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _get(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.reply.status = message["status"]
            self.reply.headers = {k.decode(): v.decode() for k, v in message["headers"]}
        else:
            self.reply.body += message.get("body", b"")
            if not message.get("more_body"):
                self._left.set()
        self._notifier.set()


class Stopped(Exchange):
    """A request whose client goes away after what it has sent."""

    async def _give(self) -> dict[str, Any]:
        if self.taken < len(self._parts):
            self.taken += 1
            return {
                "type": "http.request",
                "body": self._parts[self.taken - 1],
                "more_body": True,
            }
        return {"type": "http.disconnect"}


class Stalled(Exchange):
    """A request whose client stays, but sends no more."""

    async def _give(self) -> dict[str, Any]:
        if self.taken < len(self._parts):
            self.taken += 1
            part = self._parts[self.taken - 1]
            return {"type": "http.request", "body": part, "more_body": True}
        await asyncio.Event().wait()
        raise AssertionError


class Deaf(Exchange):
    """A request whose client takes the head of the answer and nothing more."""

    async def _get(self, message: Any) -> None:
        await super()._get(message)
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()


class Site:
    """An application that runs, and a client of it."""

    def __init__(self, app: FastAPI, headers: Mapping[str, str] | None = None) -> None:
        self.app = app
        self._headers = {"host": "127.0.0.1:8000", **(headers or {})}

    def begin(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | Iterable[bytes] = b"",
        kind: type[Exchange] = Exchange,
    ) -> Exchange:
        parts = [body] if isinstance(body, bytes) else list(body)
        sent = {"content-length": str(sum(map(len, parts)))} if any(parts) else {}
        every = {**self._headers, **sent, **(headers or {})}
        return kind(self.app, method, url, every, parts)

    async def ask(self, method: str, url: str, **more: Any) -> Reply:
        return await self.begin(method, url, **more).ended()

    async def get(self, url: str, **headers: str) -> Reply:
        return await self.ask("GET", url, headers=_dashed(headers))

    async def post_form(self, url: str, fields: Iterable[Part], **headers: str) -> Reply:
        head, body = form(fields)
        return await self.ask("POST", url, headers={**head, **_dashed(headers)}, body=body)

    async def post_json(self, url: str, value: object, **headers: str) -> Reply:
        head = {"content-type": "application/json", **_dashed(headers)}
        return await self.ask("POST", url, headers=head, body=json.dumps(value).encode())


Part = tuple[str, str | bytes] | tuple[str, str | bytes, str]
BOUNDARY = "tide"


def form(fields: Iterable[Part]) -> tuple[dict[str, str], bytes]:
    """Headers and body of a multipart form: name, value, and a file's name."""
    body = b""
    for name, value, *file_name in fields:
        data = value if isinstance(value, bytes) else value.encode()
        named = f'; filename="{file_name[0]}"' if file_name else ""
        head = f'Content-Disposition: form-data; name="{name}"{named}\r\n'
        body += f"--{BOUNDARY}\r\n{head}\r\n".encode() + data + b"\r\n"
    body += f"--{BOUNDARY}--\r\n".encode()
    return {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}, body


@asynccontextmanager
async def running(app: FastAPI, **headers: str) -> AsyncIterator[Site]:
    """The application, started, and ended in the end."""
    async with app.router.lifespan_context(app):
        yield Site(app, _dashed(headers))


def play(
    desk: Desk,
    steps: Callable[[Site], Awaitable[None]],
    *,
    keys_needed: bool = False,
    **headers: str,
) -> None:
    """Run the application of a desk, and what a test does with it."""

    async def all_of_it() -> None:
        async with running(desk.app(keys_needed=keys_needed), **headers) as site:
            await steps(site)

    asyncio.run(all_of_it())


def _dashed(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def _scope(method: str, url: str, headers: Mapping[str, str]) -> dict[str, Any]:
    parts = urlsplit(url)
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(k.lower().encode(), v.encode("latin-1")) for k, v in headers.items()],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }
