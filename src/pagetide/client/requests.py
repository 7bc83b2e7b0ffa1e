"""A request to a server, and how httpx sends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO, Any
from urllib.parse import quote, urlsplit

import httpx

from pagetide.client.answers import RemoteJob

AnyJob = RemoteJob | str
OnProgress = Callable[[RemoteJob], object]

# How long a server may take on purpose.
LONG_POLL_S = 20.0
PROGRESS_EVERY_S = 1.0
LISTEN_S = 30.0
SUBMIT_S = 90.0  # it may take a minute to fetch a document, and some more to open it
EXTRACT_S = 600.0  # a model server is asked, perhaps after others' turns
SEND_S = 600.0  # another host may take long to acknowledge much


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request; every request of ours may be sent twice.

    Attributes:
        path: Below the server's address; or where else it goes, which may not see our key.
        json: The body, where it is JSON.
        form: Fields of a multipart body.
        file: Name and content of its `file`; read from the start for each attempt.
        waits_s: How long the server may take on purpose.
        elsewhere: The path is a whole URL.
    """

    method: str = "GET"
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    json: bytes | None = None
    form: Mapping[str, str] | None = None
    file: tuple[str, IO[bytes]] | None = None
    waits_s: float = 0.0
    elsewhere: bool = False

    def built(self, http: httpx.Client | httpx.AsyncClient, timeout_s: float) -> httpx.Request:
        """The request as httpx sends it; our key goes to our server alone."""
        made = http.build_request(**self._options(timeout_s))
        if self.elsewhere:
            made.headers.pop("Authorization", None)
        return made

    def host(self, server: str) -> str:
        """Where it goes, as an error may say it: `server`, unless it goes elsewhere."""
        url = urlsplit(self.path)
        return f"{url.scheme}://{url.hostname}" if self.elsewhere else server

    def _options(self, timeout_s: float) -> dict[str, Any]:
        options: dict[str, Any] = {
            "method": self.method,
            "url": self.path,
            "headers": dict(self.headers),
            "timeout": httpx.Timeout(timeout_s, read=timeout_s + self.waits_s),
        }
        if self.query:
            options["params"] = dict(self.query)
        if self.json is not None:
            options["content"] = self.json
            options["headers"]["Content-Type"] = "application/json"
        if self.file is not None:
            options["data"] = dict(self.form or {})
            options["files"] = {"file": (*self.file, "application/octet-stream")}
        return options


def about(job: AnyJob, *rest: str, **options: Any) -> Request:
    """A request about a job: below `/v1/jobs/ID`, with a `Request`'s other attributes."""
    name = job.id if isinstance(job, RemoteJob) else job
    return Request(path="/".join(["/v1/jobs", quote(name, safe=""), *rest]), **options)


def long_poll(wait_s: float, **query: str) -> dict[str, Any]:
    """Attributes of a `Request` that the server may take so long over, until it has news."""
    wait = {"wait": f"{wait_s:g}"} if wait_s else {}
    return {"query": {**query, **wait}, "waits_s": wait_s}
