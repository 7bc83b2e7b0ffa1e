# Written by `make sync-client` from asynchronous/extraction.py: change that, not this.
"""What a server's model server finds in a document."""

from __future__ import annotations

from collections.abc import Sequence
from time import sleep
from typing import Any

import msgspec

from pagetide.client.answers import RemoteJob, decoded
from pagetide.client.requests import EXTRACT_S, LONG_POLL_S, AnyJob, Request
from pagetide.client.synchronous.connection import Connection
from pagetide.document.extraction import Extraction


def extract(connection: Connection, job: AnyJob, schema: object) -> Extraction:
    """See `Client.extract`."""
    describe = getattr(schema, "model_json_schema", None)
    return _found(connection, job, schema=describe() if callable(describe) else schema)


def ask(connection: Connection, job: AnyJob, questions: str | Sequence[str]) -> Extraction:
    """See `Client.ask`."""
    queries = [questions] if isinstance(questions, str) else list(questions)
    return _found(connection, job, queries=queries)


def _found(connection: Connection, job: AnyJob, **wanted: Any) -> Extraction:
    name = job.id if isinstance(job, RemoteJob) else job
    body = msgspec.json.encode({"job": name, "wait": LONG_POLL_S, **wanted})
    request = Request(method="POST", path="/v1/extract", json=body, waits_s=EXTRACT_S)
    while True:
        reply = connection.send(request)
        if reply.status_code == 200:
            return decoded(reply.content, Extraction)
        sleep(connection.patience.first_s)  # it has not been read yet
