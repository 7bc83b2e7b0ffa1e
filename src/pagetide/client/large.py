"""Documents that a server will not take in a request, and takes past itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from pagetide.client.answers import RemoteJob, decoded
from pagetide.client.steps import Reply, Request, Steps
from pagetide.errors import NotFound, ServerError, TooLarge

SEND_S = 600.0  # another host may take long to acknowledge much
Exchange = Callable[[Request], Steps[Reply]]


class _Upload(Struct, frozen=True, kw_only=True):
    id: str
    url: str
    method: str
    fields: dict[str, str] = {}
    max_bytes: int = 0


def submit(
    exchange: Exchange,
    file: tuple[str, BinaryIO],
    fields: Mapping[str, Any],
    job: Callable[[bytes], Request],
    refused: TooLarge,
) -> Steps[RemoteJob]:
    """Send a document to where the server says, and submit it then.

    Args:
        exchange: Sends a request, and gives its answer.
        file: The document's name and content.
        fields: How it is to be read.
        job: The request that submits, from its JSON.
        refused: What the server said of the document in a request; raised where it takes none
            in another way either.
    """
    upload = yield from _offered(exchange, file[1], refused)
    yield from exchange(
        Request(
            method="POST",
            path=upload.url,
            form=upload.fields,
            file=file,
            waits_s=SEND_S,
            elsewhere=True,
        )
    )
    body = {"upload": upload.id, "name": file[0], **fields}
    reply = yield from exchange(job(msgspec.json.encode(body)))
    return decoded(reply.body, RemoteJob)


def _offered(exchange: Exchange, content: BinaryIO, refused: TooLarge) -> Steps[_Upload]:
    size = content.seek(0, os.SEEK_END)
    try:
        reply = yield from exchange(Request(method="POST", path="/v1/uploads"))
    except (NotFound, ServerError):  # a server that knows of no uploads
        raise refused from None
    upload = decoded(reply.body, _Upload)
    # By `PUT` it would go the same way, through whatever refused it.
    if upload.method != "POST" or size > upload.max_bytes:
        raise refused
    return upload
