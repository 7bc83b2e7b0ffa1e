# Written by `make sync-client` from asynchronous/submission.py: change that, not this.
"""A document submitted: in a request, or past a server that will not take it in one."""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack
from functools import partial
from operator import call
from typing import IO

import msgspec

from pagetide.client import uploads
from pagetide.client.answers import RemoteJob, Upload, decoded
from pagetide.client.requests import SEND_S, SUBMIT_S, Request
from pagetide.client.synchronous.connection import Connection
from pagetide.client.uploads import Source, SubmitOptions
from pagetide.errors import NotFound, ServerError, TooLarge


def submit(connection: Connection, source: Source, options: SubmitOptions) -> RemoteJob:
    """See `Client.submit`."""
    fields = uploads.fields_of(options)
    headers = {"Idempotency-Key": options.get("idempotency_key") or secrets.token_hex(16)}
    post = partial(Request, method="POST", path="/v1/jobs", headers=headers, waits_s=SUBMIT_S)
    name = options.get("name")
    if uploads.is_url(source):
        body = {"file_url": source, **({"name": name} if name else {}), **fields}
        return connection.ask(post(json=msgspec.json.encode(body)), RemoteJob)
    with ExitStack() as stack:
        content = call(stack.enter_context, uploads.opened(source))
        file = (name or uploads.name_of(source), content)
        request = post(form=uploads.form_of(fields), file=file)
        try:
            return connection.ask(request, RemoteJob)
        except TooLarge as refused:
            upload = _send_past(connection, file, refused)
    body = {"upload": upload, "name": file[0], **fields}
    return connection.ask(post(json=msgspec.json.encode(body)), RemoteJob)


def _send_past(connection: Connection, file: tuple[str, IO[bytes]], refused: TooLarge) -> str:
    """Send a document to where the server says; the id by which the server finds it."""
    upload = _offer(connection, file[1], refused)
    request = Request(
        method="POST",
        path=upload.url,
        form=upload.fields,
        file=file,
        waits_s=SEND_S,
        elsewhere=True,
    )
    connection.send(request)
    return upload.id


def _offer(connection: Connection, content: IO[bytes], refused: TooLarge) -> Upload:
    size = content.seek(0, os.SEEK_END)
    try:
        reply = connection.send(Request(method="POST", path="/v1/uploads"))
    except (NotFound, ServerError):  # a server that knows of no uploads
        raise refused from None
    upload = decoded(reply.content, Upload)
    # By `PUT` it would go the same way, through whatever refused it.
    if upload.method != "POST" or size > upload.max_bytes:
        raise refused
    return upload
