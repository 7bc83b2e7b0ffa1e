"""Files that are sent before they are read; they are uploads of ours, and live as long.

Source: `mistralai.client.models.CreateFileResponse` and its like of mistralai 3.7.0.
"""

from __future__ import annotations

import re
import secrets
import time
from typing import Any

from pagetide.errors import BadInput, BadOption, BlobMissing
from pagetide.net.download import safe_name
from pagetide.server.api.bodies import upload_ids, upload_use
from pagetide.server.api.callers.auth import Caller
from pagetide.server.api.context import Context, call
from pagetide.server.compat.arriving import Arrival
from pagetide.server.service.submitting import pending_uploads

_LINK = re.compile(r"https?://[^/]+(?:/[^?#]*)?/v1/files/(up_[0-9a-f]{61})/content")
# What each field of the form may say; a key sees its own files, whoever it is given to.
_FIELDS = {"purpose": {"ocr"}, "visibility": {"user", "workspace"}}


async def keep(context: Context, caller: Caller, arrival: Arrival) -> dict[str, Any]:
    """Keep the file of a form, as a `CreateFileResponse`.

    Raises:
        PagetideError: It is refused.
    """
    body = await arrival.form()
    for name, values in sorted(body.fields.items()):
        _check_field(name, values)
    if not body.document or not arrival.taken.bytes:
        raise BadInput("There is no document: send one as `file`.")
    secret, now = await context.link_secret.get(), int(time.time())
    expires = now + int(upload_ids.USABLE_S)
    file_id = upload_ids.new_id(
        secret, caller.owner, expires=expires, random=secrets.token_hex(10)
    )
    size, name, blobs = arrival.taken.bytes, safe_name(body.name), context.service.blobs
    key = pending_uploads.document_key(file_id, caller.owner)
    async with context.pending.room(caller.owner, size):
        await call(blobs.put, _name_key(file_id), name.encode())
        await call(blobs.put_file, key, arrival.taken.path)
    return {
        "id": file_id,
        "object": "file",
        "bytes": size,
        "created_at": now,
        "filename": name,
        "purpose": "ocr",
        "sample_type": "ocr_input",
        "source": "upload",
        "expires_at": expires,
    }


async def link(context: Context, caller: Caller, file_id: str, root: str) -> dict[str, str]:
    """A link to a file, for `/v1/ocr`; it opens for the same key alone.

    Raises:
        NotFound: There is no such file.
    """
    await _check_there(context, caller, file_id)
    return {"url": f"{root}/v1/files/{file_id}/content"}


async def drop(context: Context, caller: Caller, file_id: str) -> dict[str, Any]:
    """Remove a file, as a `DeleteFileResponse`.

    Raises:
        NotFound: There is no such file.
    """
    await _check_there(context, caller, file_id)
    for key in (pending_uploads.document_key(file_id, caller.owner), _name_key(file_id)):
        await call(context.service.blobs.delete, key)
    return {"id": file_id, "object": "file", "deleted": True}


def linked(url: str) -> str:
    """The id of the file that a link of `link` leads to; empty where it is none."""
    found = _LINK.fullmatch(url)
    return found[1] if found else ""


async def fetch(context: Context, caller: Caller, file_id: str, arrival: Arrival) -> str:
    """Take a file as the document that has arrived; what it is called.

    Raises:
        NotFound: There is no such file.
        TooLarge: It is larger than allowed.
    """
    await _check_owner(context, caller, file_id)
    if not await upload_use.fetch(context, file_id, caller.owner, arrival.taken, arrival.most):
        raise upload_ids.unknown()
    try:
        return (await call(context.service.blobs.get, _name_key(file_id))).decode()
    except BlobMissing:  # an upload of our own API, which has no name
        return ""


def _name_key(file_id: str) -> str:
    return f"jobs/{file_id}/name"


async def _check_owner(context: Context, caller: Caller, file_id: str) -> None:
    secret = await context.link_secret.get()
    upload_ids.check(secret, file_id, caller.owner, now=time.time())


async def _check_there(context: Context, caller: Caller, file_id: str) -> None:
    await _check_owner(context, caller, file_id)
    key = pending_uploads.document_key(file_id, caller.owner)
    if not await call(context.service.blobs.find, key):
        raise upload_ids.unknown()


def _check_field(name: str, values: Any) -> None:
    if name not in _FIELDS:
        raise BadOption(f"There is no field {name[:80]!r} of a file here.")
    if not set(values) <= _FIELDS[name]:
        known = " or ".join(sorted(_FIELDS[name]))
        raise BadOption(f"`{name}` of a file can only be {known} here.")
