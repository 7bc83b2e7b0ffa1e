"""What a server's model server finds in a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from anyio import sleep

from pagetide.client.answers import RemoteJob, decoded
from pagetide.client.asynchronous.connection import AsyncConnection
from pagetide.client.requests import EXTRACT_S, LONG_POLL_S, AnyJob, Request
from pagetide.document.extraction import Extraction


async def extract(connection: AsyncConnection, job: AnyJob, schema: object) -> Extraction:
    """See `AsyncClient.extract`."""
    describe = getattr(schema, "model_json_schema", None)
    return await _found(connection, job, schema=describe() if callable(describe) else schema)


async def ask(
    connection: AsyncConnection, job: AnyJob, questions: str | Sequence[str]
) -> Extraction:
    """See `AsyncClient.ask`."""
    queries = [questions] if isinstance(questions, str) else list(questions)
    return await _found(connection, job, queries=queries)


async def _found(connection: AsyncConnection, job: AnyJob, **wanted: Any) -> Extraction:
    name = job.id if isinstance(job, RemoteJob) else job
    body = msgspec.json.encode({"job": name, "wait": LONG_POLL_S, **wanted})
    request = Request(method="POST", path="/v1/extract", json=body, waits_s=EXTRACT_S)
    while True:
        reply = await connection.send(request)
        if reply.status_code == 200:
            return decoded(reply.content, Extraction)
        await sleep(connection.patience.first_s)  # it has not been read yet
