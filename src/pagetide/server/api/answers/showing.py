"""Jobs as JSON for one request, with links that begin as it reached the server."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import PurePath
from typing import Annotated

import msgspec
from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from pagetide.exports import FORMATS
from pagetide.server.api.answers import links
from pagetide.server.api.answers.wire import JobView, ResultView, job_view
from pagetide.server.api.context import InContext, root_url
from pagetide.server.api.routes.events import Waits
from pagetide.server.jobs.job import Job, Result
from pagetide.server.service.service import Service
from pagetide.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Showing:
    """How jobs are shown; its methods may block."""

    service: Service
    settings: Settings
    root: str
    secret: bytes

    def job(self, job: Job, *, with_result: bool = True) -> JobView:
        """A job with what it waits for, and its document if that is small and wanted."""
        inline = self.service.inline(job) if job.ended and with_result else None
        return self._view(job, self._waits(job), inline)

    def listed(self, job: Job) -> JobView:
        """A job as in a list."""
        return self._view(job, Waits(), None)

    def news(self, job_id: str, sees: str | None) -> tuple[Job, Waits, bytes]:
        """A job as it is now, what it waits for, and its JSON without the document."""
        job = self.service.job(job_id, sees)
        waits = self._waits(job)
        return job, waits, msgspec.json.encode(self._view(job, waits, None))

    def signed(self, path: str) -> str:
        """A link to a path that opens without a key for a while."""
        return self.root + links.signed(
            self.secret, path, now=time.time(), valid_s=self.settings.link_s
        )

    def _waits(self, job: Job) -> Waits:
        return Waits(self.service.position(job), self.service.capacity.starved_since(job))

    def _view(self, job: Job, waits: Waits, inline: bytes | None) -> JobView:
        results = {
            name: ResultView(
                bytes=info.bytes, media_type=info.media_type, url=self._link(job, name, info)
            )
            for name, info in job.results.items()
        }
        return job_view(
            job,
            root=self.root,
            results=results,
            position=waits.position,
            starved_since=waits.starved_since,
            inline=inline,
        )

    def _link(self, job: Job, format_name: str, info: Result) -> str:
        """The blob's own link, where it can have one; else one that we sign."""
        elsewhere = self.service.blobs.link(
            info.key,
            expires_s=self.settings.link_s,
            name=result_name(job, format_name),
            media_type=info.media_type,
        )
        if elsewhere is not None:
            return elsewhere
        return self.signed(links.file_path(job.id, format_name))


async def showing(request: Request, context: InContext) -> Showing:
    """How this request is shown jobs."""
    return Showing(
        service=context.service,
        settings=context.settings,
        root=root_url(request, context.settings),
        secret=await context.link_secret.get(),
    )


Shown = Annotated[Showing, Depends(showing)]


def result_name(job: Job, format_name: str) -> str:
    """The name of a result's file, after the document."""
    suffix = ".raw.json" if format_name == "raw" else f".{format_name}"
    if format_name in FORMATS:
        suffix = FORMATS[format_name].packed_suffix
    if format_name == "pdf":
        suffix = f"-searchable{suffix}"  # so that it does not take the document's own place
    return stem_of(job) + suffix


def stem_of(job: Job) -> str:
    """The stem of a job's file names: the document's name, without its ending."""
    return PurePath(job.source.name).stem or "document"


def as_json(
    value: object, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """A value as a JSON answer."""
    body = msgspec.json.encode(value)
    return Response(body, status, headers=headers, media_type="application/json")
