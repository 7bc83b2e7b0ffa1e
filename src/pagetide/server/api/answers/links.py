"""Signed links: they open one result or one picture for a while, without a key."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from typing import Annotated

from fastapi import Query

from pagetide.errors import Forbidden
from pagetide.server.api.context import Context
from pagetide.server.service.service import Service

SECRET = "links"  # noqa: S105 - the name of the secret in the store
Expires = Annotated[int, Query(ge=0, le=10**12)]
Signature = Annotated[str, Query(max_length=100)]
STEP_S = 60  # links made within a minute are the same, so that they can be kept


def link_secret(service: Service) -> bytes:
    """The secret that signs links, the same for all servers of a store."""
    return service.store.value(SECRET, secrets.token_bytes(32))


def file_path(job_id: str, format_name: str) -> str:
    """The path of a result that opens with a signature."""
    return f"/v1/files/{job_id}/{format_name}"


def figure_path(job_id: str, number: int, order: int) -> str:
    """The path of a block's picture that opens with a signature."""
    return f"/v1/files/{job_id}/pages/{number}/figures/{order}.png"


def signed(
    secret: bytes, path: str, *, now: float, valid_s: float, until: int | None = None
) -> str:
    """The path, query and all, with its signature.

    Args:
        secret: See `link_secret`.
        path: What it opens.
        now: Seconds since the epoch.
        valid_s: So long it opens, and up to a minute longer.
        until: When it ends at the latest, whatever else; seconds since the epoch.
    """
    expires = (int(now + valid_s) // STEP_S + 1) * STEP_S
    expires = expires if until is None else min(expires, until)
    more = "&" if "?" in path else "?"
    return f"{path}{more}expires={expires}&signature={_signature(secret, path, expires)}"


def check(secret: bytes, path: str, *, expires: int, signature: str, now: float) -> None:
    """Check that a link opens this path now.

    Raises:
        Forbidden: It was not signed for this path and time, or its time has passed.
    """
    wanted = _signature(secret, path, expires)
    if not hmac.compare_digest(wanted.encode(), signature.encode()):
        raise Forbidden("The link's signature is wrong; request the job to get a new link.")
    if now >= expires:
        raise Forbidden("The link has expired; request the job to get a new one.")


async def check_now(context: Context, path: str, expires: int, signature: str) -> None:
    """Check that a link of this server opens this path now; see `check`."""
    secret = await context.link_secret.get()
    check(secret, path, expires=expires, signature=signature, now=time.time())


def _signature(secret: bytes, path: str, expires: int) -> str:
    digest = hmac.digest(secret, f"{path}\n{expires}".encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
