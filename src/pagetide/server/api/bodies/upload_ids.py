"""Ids of uploads, which hold the expiry and the API key they are for.

    up_ EXPIRES RANDOM TAG      in hex: 9, 20 and 32 digits

Nothing is kept of an upload but the document itself (see `pending_uploads`); the tag is what
nobody else can make.
"""

from __future__ import annotations

import hashlib
import hmac
import re

from pagetide.errors import NotFound

USABLE_S = 1800.0  # less than the hour after which a sweep removes what is no job's
_FORM = re.compile(r"up_([0-9a-f]{9})([0-9a-f]{20})([0-9a-f]{32})")
_UNKNOWN = "There is no such upload: it was never sent, has expired, or belongs to another key."


def new_id(secret: bytes, owner: str, *, expires: int, random: str) -> str:
    """The id of a new upload.

    Args:
        secret: What all servers of a store sign with.
        owner: Whose it is.
        expires: Until when it is good, in seconds since the epoch.
        random: 20 hex digits that nobody can guess.
    """
    return f"up_{expires:09x}{random}{_tag(secret, owner, expires, random)}"


def check(secret: bytes, upload_id: str, owner: str, *, now: float) -> None:
    """Check that an upload is an owner's, and still good.

    Raises:
        NotFound: It is not; the error does not say which.
    """
    found = _FORM.fullmatch(upload_id)
    expires = int(found[1], 16) if found else 0
    tag = _tag(secret, owner, expires, found[2] if found else "")
    if not (found and hmac.compare_digest(tag, found[3]) and now < expires):
        raise unknown()


def unknown() -> NotFound:
    """The error for an upload that is not there, for whatever reason."""
    return NotFound(_UNKNOWN)


def used_key(upload_id: str) -> str:
    """Where it says which job it became: a place that looks like a job's, and is swept so."""
    return f"jobs/{upload_id}/used"


def _tag(secret: bytes, owner: str, expires: int, random: str) -> str:
    text = f"upload\n{owner}\n{expires}\n{random}"
    return hmac.digest(secret, text.encode(), hashlib.sha256).hex()[:32]
