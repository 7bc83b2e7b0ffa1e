"""A document submitted: in a request, or past a server that will not take it in one."""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack
from functools import partial
from typing import IO

import msgspec
from anyio.to_thread import run_sync

from pagetide.client import uploads
from pagetide.client.answers import RemoteJob, Upload, decoded
from pagetide.client.asynchronous.connection import AsyncConnection
from pagetide.client.requests import SEND_S, SUBMIT_S, Request
from pagetide.client.uploads import Source, SubmitOptions
from pagetide.errors import NotFound, ServerError, TooLarge


async def submit(
    connection: AsyncConnection, source: Source, options: SubmitOptions
) -> RemoteJob:
    """See `AsyncClient.submit`."""
    fields = uploads.fields_of(options)
    headers = {"Idempotency-Key": options.get("idempotency_key") or secrets.token_hex(16)}
    post = partial(Request, method="POST", path="/v1/jobs", headers=headers, waits_s=SUBMIT_S)
    name = options.get("name")
    if uploads.is_url(source):
        body = {"file_url": source, **({"name": name} if name else {}), **fields}
        return await connection.ask(post(json=msgspec.json.encode(body)), RemoteJob)
    with ExitStack() as stack:
        content = await run_sync(stack.enter_context, uploads.opened(source))
        file = (name or uploads.name_of(source), content)
        request = post(form=uploads.form_of(fields), file=file)
        try:
            return await connection.ask(request, RemoteJob)
        except TooLarge as refused:
            upload = await _send_past(connection, file, refused)
    body = {"upload": upload, "name": file[0], **fields}
    return await connection.ask(post(json=msgspec.json.encode(body)), RemoteJob)


async def _send_past(
    connection: AsyncConnection, file: tuple[str, IO[bytes]], refused: TooLarge
) -> str:
    """Send a document to where the server says; the id by which the server finds it."""
    upload = await _offer(connection, file[1], refused)
    request = Request(
        method="POST",
        path=upload.url,
        form=upload.fields,
        file=file,
        waits_s=SEND_S,
        elsewhere=True,
    )
    await connection.send(request)
    return upload.id


async def _offer(connection: AsyncConnection, content: IO[bytes], refused: TooLarge) -> Upload:
    size = content.seek(0, os.SEEK_END)
    try:
        reply = await connection.send(Request(method="POST", path="/v1/uploads"))
    except (NotFound, ServerError):  # a server that knows of no uploads
        raise refused from None
    upload = decoded(reply.content, Upload)
    # By `PUT` it would go the same way, through whatever refused it.
    if upload.method != "POST" or size > upload.max_bytes:
        raise refused
    return upload
