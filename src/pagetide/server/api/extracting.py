"""Extracts values from a job's result by a model server, for our API and other protocols."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import Request

from pagetide.document import Document
from pagetide.document.extraction import Extraction
from pagetide.errors import BlobMissing, TooLarge
from pagetide.reading.extraction import ModelServer, ask, extract, form_of
from pagetide.server.api.answers.streamed import unless_left
from pagetide.server.api.context import Context
from pagetide.server.api.model_server import asking, model_server
from pagetide.server.jobs.job import Job
from pagetide.server.service.service import Service
from pagetide.system.ready_types import ready

MOST_BYTES = 64 << 20  # of a document's JSON: it is in memory while the server is asked


class ExtractionRequest(Struct, frozen=True, kw_only=True):
    """A schema, or questions."""

    schema: dict[str, Any] | None = None
    queries: tuple[str, ...] = ()

    @classmethod
    def by(cls, schema: dict[str, Any]) -> ExtractionRequest:
        """A request by a schema of another protocol's client.

        Raises:
            BadSchema: It cannot be filled in.
        """
        form_of(schema)
        return cls(schema=schema)


async def values_in(
    request: Request,
    context: Context,
    job: Job,
    wanted: ExtractionRequest,
    *,
    keep: bool = False,
) -> Extraction:
    """The values that a model server finds in a job's result, in its owner's turn.

    Args:
        request: Of whoever waits.
        context: What every route works with.
        job: One that has a result.
        wanted: What is looked for.
        keep: Whether it is kept beside the result, and asked once; for those who poll.

    Raises:
        PagetideError: There is no model server, it is of no use, or the result is too large.
        ClientDisconnect: The client left.
    """
    server = model_server(context.settings)
    key = _key(job, wanted, server) if keep else None
    work = context.extractions.run(job.owner, _found, context.service, job, wanted, server, key)
    return await unless_left(request.receive, work)


def kept_values(context: Context, job: Job, wanted: ExtractionRequest) -> Extraction:
    """The same for who waits in a thread: kept beside the result, and asked once.

    Raises:
        PagetideError: There is no model server, it is of no use, or the result is too large.
    """
    server = model_server(context.settings)
    return _found(context.service, job, wanted, server, _key(job, wanted, server))


def _found(
    service: Service, job: Job, wanted: ExtractionRequest, server: ModelServer, key: str | None
) -> Extraction:
    if key is not None:
        try:
            return msgspec.json.decode(service.blobs.get(key), type=ready(Extraction))
        except BlobMissing:
            pass
    info = service.result(job, "json")
    if info.bytes > MOST_BYTES:
        raise TooLarge(f"The result has more than {MOST_BYTES} bytes; read fewer pages.")
    document = Document.from_json(b"".join(service.stream(info, 0, info.bytes)))

    def picture(number: int) -> bytes:
        return service.pages.image(job, number, ending="jpeg")

    with asking():
        if wanted.schema is None:
            found = ask(document, wanted.queries, server, picture=picture)
        else:
            found = extract(document, wanted.schema, server, picture=picture)
    if key is not None:
        service.blobs.put(key, msgspec.json.encode(found))
    return found


def _key(job: Job, wanted: ExtractionRequest, server: ModelServer) -> str:
    """Where it is kept: with the job, which takes it along when it is erased."""
    asked = msgspec.json.encode([wanted, server.served_name, server.sees])
    return f"{job.prefix}results/extraction-{hashlib.sha256(asked).hexdigest()[:32]}.json"
